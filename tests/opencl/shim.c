/* One test at a time plays failures; counting is safe with threads.
 *
 * Preloaded with SHIM_KEEP set, it never releases a buffer: Oclgrind 21.10 reuses the numbers of
 * buffers, but takes a new one for as large as the old one was, and all beyond for uninitialised.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "shim.h"

#include <clblast_c.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef void any_function(void);

static atomic_long calls[shim_n_functions];
static atomic_long live;
static shim_function failing;
static long failing_call = -1;
static cl_int failing_code;
static atomic_long commands;
static long commands_left = -1; /* before the device is gone; negative: it stays */
static cl_int lost_code;
static int without_double;
static cl_ulong memory_limit;
static cl_ulong buffer_limit;
static int is_gpu;
static double product_factor = 1.0;

void shim_fail(shim_function function, long n, cl_int code)
{
    failing = function;
    failing_call = n;
    failing_code = code;
    for (size_t i = 0; i < shim_n_functions; ++i) {
        atomic_store(&calls[i], 0);
    }
}

void shim_lose_device(long n, cl_int code)
{
    commands_left = n;
    lost_code = code;
    atomic_store(&commands, 0);
}

long shim_commands(void)
{
    return atomic_load(&commands);
}

long shim_calls(shim_function function)
{
    return atomic_load(&calls[function]);
}

long shim_live(void)
{
    return getenv("SHIM_KEEP") == NULL ? atomic_load(&live) : 0;
}

void shim_limit(int no_double, cl_ulong memory, cl_ulong largest_buffer)
{
    without_double = no_double;
    memory_limit = memory;
    buffer_limit = largest_buffer;
}

void shim_pretend_gpu(int pretend)
{
    is_gpu = pretend;
}

const char *shim_name(shim_function function)
{
    static const char *const names[] = {
#define SHIM_NAME(name) #name,
        SHIM_FUNCTIONS(SHIM_NAME)
#undef SHIM_NAME
    };
    return names[function];
}

/* The code with which this call fails, or CL_SUCCESS. */
static cl_int next(shim_function function)
{
    long n = atomic_fetch_add(&calls[function], 1);
    if (function >= shim_first_command) {
        long command = atomic_fetch_add(&commands, 1);
        if (commands_left >= 0 && command >= commands_left) {
            return lost_code;
        }
    }
    return function == failing && n == failing_call ? failing_code : CL_SUCCESS;
}

static any_function *find(const char *name)
{
    any_function *function = NULL;
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(&function, &symbol, sizeof function);
    return function;
}

/* The function below this one, with the type of its declaration. */
#define REAL(name) ((__typeof__(&(name)))find(#name))

/* Functions that return a code. */
#define FORWARD(name, parameters, arguments)                                                       \
    cl_int name parameters                                                                         \
    {                                                                                              \
        cl_int code = next(shim_##name);                                                           \
        return code == CL_SUCCESS ? REAL(name) arguments : code;                                   \
    }

/* Functions that return an object. */
#define CREATE(type, name, parameters, arguments)                                                  \
    type name parameters                                                                           \
    {                                                                                              \
        cl_int failed = next(shim_##name);                                                         \
        if (failed != CL_SUCCESS) {                                                                \
            if (code != NULL) {                                                                    \
                *code = failed;                                                                    \
            }                                                                                      \
            return NULL;                                                                           \
        }                                                                                          \
        type created = REAL(name) arguments;                                                       \
        atomic_fetch_add(&live, created != NULL);                                                  \
        return created;                                                                            \
    }

#define RELEASE(name, type)                                                                        \
    cl_int name(type object)                                                                       \
    {                                                                                              \
        atomic_fetch_sub(&live, 1);                                                                \
        return REAL(name)(object);                                                                 \
    }

FORWARD(clGetDeviceIDs,
    (cl_platform_id platform, cl_device_type type, cl_uint n, cl_device_id *devices,
        cl_uint *found),
    (platform, type, n, devices, found))
FORWARD(clBuildProgram,
    (cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
        void(CL_CALLBACK *notify)(cl_program, void *), void *user),
    (program, n, devices, options, notify, user))
FORWARD(clGetProgramInfo,
    (cl_program program, cl_program_info what, size_t size, void *value, size_t *size_ret),
    (program, what, size, value, size_ret))
FORWARD(clSetKernelArg, (cl_kernel kernel, cl_uint i, size_t size, const void *value),
    (kernel, i, size, value))
FORWARD(clEnqueueNDRangeKernel,
    (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
        const size_t *global, const size_t *local, cl_uint n, const cl_event *events,
        cl_event *event),
    (queue, kernel, dimensions, offset, global, local, n, events, event))
FORWARD(clEnqueueReadBuffer,
    (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
        void *pointer, cl_uint n, const cl_event *events, cl_event *event),
    (queue, buffer, blocking, offset, size, pointer, n, events, event))
FORWARD(clEnqueueWriteBuffer,
    (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
        const void *pointer, cl_uint n, const cl_event *events, cl_event *event),
    (queue, buffer, blocking, offset, size, pointer, n, events, event))
FORWARD(clEnqueueCopyBuffer,
    (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
        size_t size, cl_uint n, const cl_event *events, cl_event *event),
    (queue, from, to, from_offset, to_offset, size, n, events, event))
FORWARD(clEnqueueReadBufferRect,
    (cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *from, const size_t *to,
        const size_t *region, size_t row, size_t slice, size_t host_row, size_t host_slice,
        void *pointer, cl_uint n, const cl_event *events, cl_event *event),
    (queue, buffer, blocking, from, to, region, row, slice, host_row, host_slice, pointer, n,
        events, event))
FORWARD(clEnqueueCopyBufferRect,
    (cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
        const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
        size_t to_row, size_t to_slice, cl_uint n, const cl_event *events, cl_event *event),
    (queue, from, to, from_origin, to_origin, region, from_row, from_slice, to_row, to_slice, n,
        events, event))

CREATE(cl_context, clCreateContext,
    (const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
        cl_int *code),
    (properties, n, devices, notify, user, code))
CREATE(cl_command_queue, clCreateCommandQueue,
    (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *code),
    (context, device, properties, code))
CREATE(cl_mem, clCreateBuffer,
    (cl_context context, cl_mem_flags flags, size_t size, void *pointer, cl_int *code),
    (context, flags, size, pointer, code))
CREATE(cl_program, clCreateProgramWithSource,
    (cl_context context, cl_uint n, const char **texts, const size_t *lengths, cl_int *code),
    (context, n, texts, lengths, code))
CREATE(cl_program, clCreateProgramWithBinary,
    (cl_context context, cl_uint n, const cl_device_id *devices, const size_t *lengths,
        const unsigned char **binaries, cl_int *status, cl_int *code),
    (context, n, devices, lengths, binaries, status, code))
CREATE(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *code),
    (program, name, code))

RELEASE(clReleaseContext, cl_context)
RELEASE(clReleaseCommandQueue, cl_command_queue)
RELEASE(clReleaseProgram, cl_program)
RELEASE(clReleaseKernel, cl_kernel)

cl_int clReleaseMemObject(cl_mem object)
{
    atomic_fetch_sub(&live, 1);
    return getenv("SHIM_KEEP") == NULL ? REAL(clReleaseMemObject)(object) : CL_SUCCESS;
}

cl_int clRetainContext(cl_context context)
{
    atomic_fetch_add(&live, 1);
    return REAL(clRetainContext)(context);
}

cl_int clRetainCommandQueue(cl_command_queue queue)
{
    atomic_fetch_add(&live, 1);
    return REAL(clRetainCommandQueue)(queue);
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
    cl_map_flags flags, size_t offset, size_t size, cl_uint n, const cl_event *events,
    cl_event *event, cl_int *code)
{
    cl_int failed = next(shim_clEnqueueMapBuffer);
    if (failed != CL_SUCCESS) {
        *code = failed;
        return NULL;
    }
    return REAL(clEnqueueMapBuffer)(
        queue, buffer, blocking, flags, offset, size, n, events, event, code);
}

static cl_int write_again(cl_command_queue queue, cl_mem buffer, void *pointer)
{
    size_t size = 0;
    cl_int code = clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL);
    void *copy = code == CL_SUCCESS ? malloc(size) : NULL;
    if (copy == NULL) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    memcpy(copy, pointer, size);
    code = REAL(clEnqueueUnmapMemObject)(queue, buffer, pointer, 0, NULL, NULL);
    if (code == CL_SUCCESS) {
        code = REAL(clEnqueueWriteBuffer)(queue, buffer, CL_TRUE, 0, size, copy, 0, NULL, NULL);
    }
    free(copy);
    return code;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer, void *pointer, cl_uint n,
    const cl_event *events, cl_event *event)
{
    cl_int failed = next(shim_clEnqueueUnmapMemObject);
    if (failed != CL_SUCCESS) {
        return failed;
    }
    return getenv("SHIM_KEEP") != NULL
               ? write_again(queue, buffer, pointer)
               : REAL(clEnqueueUnmapMemObject)(queue, buffer, pointer, n, events, event);
}

/* Waits in any case: work that goes on after a failure would be the driver's fault. */
cl_int clFinish(cl_command_queue queue)
{
    cl_int failed = next(shim_clFinish);
    cl_int code = REAL(clFinish)(queue);
    return failed == CL_SUCCESS ? code : failed;
}

cl_int clGetDeviceInfo(
    cl_device_id device, cl_device_info what, size_t size, void *value, size_t *size_ret)
{
    cl_int code = next(shim_clGetDeviceInfo);
    code = code == CL_SUCCESS ? REAL(clGetDeviceInfo)(device, what, size, value, size_ret) : code;
    if (code != CL_SUCCESS || value == NULL) {
        return code;
    }
    if (what == CL_DEVICE_DOUBLE_FP_CONFIG && without_double) {
        memset(value, 0, size);
    } else if (what == CL_DEVICE_GLOBAL_MEM_SIZE && memory_limit != 0) {
        memcpy(value, &memory_limit, sizeof memory_limit);
    } else if (what == CL_DEVICE_MAX_MEM_ALLOC_SIZE && buffer_limit != 0) {
        memcpy(value, &buffer_limit, sizeof buffer_limit);
    } else if (what == CL_DEVICE_TYPE && is_gpu) {
        memcpy(value, &(cl_device_type){CL_DEVICE_TYPE_GPU}, sizeof(cl_device_type));
    }
    return code;
}

void shim_scale_products(double factor)
{
    product_factor = factor;
}

/* Nothing else of the library may be used, and the linker would leave it out. */
CLBlastStatusCode (*const shim_keeps_clblast)(void) = CLBlastClearCache;

/* CLBlast is a shared library: what the program defines comes first. */
#define SHIM_GEMM(name, real)                                                                      \
    CLBlastStatusCode name(const CLBlastLayout layout, const CLBlastTranspose a_transpose,         \
        const CLBlastTranspose b_transpose, const size_t m, const size_t n, const size_t k,        \
        const real alpha, const cl_mem a, const size_t a_offset, const size_t a_ld,                \
        const cl_mem b, const size_t b_offset, const size_t b_ld, const real beta, cl_mem c,       \
        const size_t c_offset, const size_t c_ld, cl_command_queue *queue, cl_event *event)        \
    {                                                                                              \
        return REAL(name)(layout, a_transpose, b_transpose, m, n, k, alpha * (real)product_factor, \
            a, a_offset, a_ld, b, b_offset, b_ld, beta, c, c_offset, c_ld, queue, event);          \
    }

SHIM_GEMM(CLBlastSgemm, float)
SHIM_GEMM(CLBlastDgemm, double)
