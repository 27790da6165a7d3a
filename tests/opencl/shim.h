/* Stands between a program and the OpenCL loader: counts calls and objects, and plays failures.
 * Compiled into a test program, or preloaded. */
#ifndef SHIM_H
#define SHIM_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#define SHIM_FUNCTIONS(X)                                                                          \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clCreateContext)                                                                             \
    X(clCreateCommandQueue)                                                                        \
    X(clCreateBuffer)                                                                              \
    X(clCreateProgramWithSource)                                                                   \
    X(clCreateProgramWithBinary)                                                                   \
    X(clBuildProgram)                                                                              \
    X(clGetProgramInfo)                                                                            \
    X(clCreateKernel)                                                                              \
    X(clSetKernelArg)                                                                              \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clEnqueueMapBuffer)                                                                          \
    X(clEnqueueUnmapMemObject)                                                                     \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clEnqueueCopyBuffer)                                                                         \
    X(clEnqueueReadBufferRect)                                                                     \
    X(clEnqueueCopyBufferRect)                                                                     \
    X(clFinish)

typedef enum shim_function {
#define SHIM_NAME(name) shim_##name,
    SHIM_FUNCTIONS(SHIM_NAME)
#undef SHIM_NAME
        shim_n_functions,
    shim_first_command = shim_clEnqueueNDRangeKernel /* from here on commands of a queue */
} shim_function;

/* From now on call n (from 0) of the function fails with the code; a negative n: none does. Sets
 * the counts of calls to 0. */
void shim_fail(shim_function function, long n, cl_int code);

/* From now on the device is gone after n commands: every clEnqueue and clFinish after them fails
 * with the code. A negative n brings it back. */
void shim_lose_device(long n, cl_int code);

/* Commands since then. */
long shim_commands(void);

/* Calls since then. */
long shim_calls(shim_function function);

/* Buffers, kernels, programs, queues and contexts that are not released; 0 if SHIM_KEEP is set. */
long shim_live(void);

/* What clGetDeviceInfo says of every device: no double precision; this much memory and in a single
 * buffer, if not 0. */
void shim_limit(int no_double, cl_ulong memory, cl_ulong largest_buffer);

/* From now on every device says that it is a GPU, if not 0. */
void shim_pretend_gpu(int pretend);

/* From now on CLBlast's products are off by this factor; 1: none. */
void shim_scale_products(double factor);

const char *shim_name(shim_function function);

#endif
