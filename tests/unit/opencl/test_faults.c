/* Every call to OpenCL fails once, in turn; the device disappears; the host's memory ends. */
#include <criterion/criterion.h>
#include <string.h>

#include "opencl/attempt.h"
#include "opencl/shim.h"

static const cl_int codes[] = {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_DEVICE_NOT_AVAILABLE};
static const cltomo_status statuses[] = {CLTOMO_ERROR_MEMORY, CLTOMO_ERROR_DEVICE};

typedef cltomo_status attempt_function(
    attempt *self, const cltomo_context *context, cltomo_precision precision);

/* Work on one context fails, and the next on it is done. */
static void fail_in(attempt_function *work, shim_function function)
{
    for (size_t i = 0; i < 2; ++i) {
        attempt a = {0};
        cltomo_context *context = NULL;
        cr_assert_eq(attempt_context(&a, &context, CLTOMO_BACKEND_OPENCL, NULL, NULL), CLTOMO_OK);
        cr_assert_eq(work(&a, context, CLTOMO_PRECISION_DOUBLE), CLTOMO_OK);
        long blocks = atomic_load(&a.live);
        long objects = shim_live();
        for (long n = 0;; ++n) {
            shim_fail(function, n, codes[i]);
            cltomo_status status = work(&a, context, CLTOMO_PRECISION_DOUBLE);
            long made = shim_calls(function);
            shim_fail(function, -1, CL_SUCCESS);
            cr_assert_eq(atomic_load(&a.live), blocks, "%s, call %ld", shim_name(function), n);
            cr_assert_eq(shim_live(), objects, "%s, call %ld", shim_name(function), n);
            if (made <= n) {
                cr_assert_eq(status, CLTOMO_OK);
                break;
            }
            /* what merely cleans up may fail unnoticed */
            cr_assert(status == statuses[i] || (status == CLTOMO_OK && function == shim_clFinish),
                "%s, call %ld: %s", shim_name(function), n, a.error.message);
        }
        cr_assert_eq(work(&a, context, CLTOMO_PRECISION_DOUBLE), CLTOMO_OK);
        cltomo_context_destroy(context);
        cr_assert_eq(atomic_load(&a.live), 0);
    }
    cr_assert_eq(shim_live(), 0);
}

static void fail_in_build(shim_function function)
{
    fail_in(attempt_build, function);
}

Test(faults, buffers)
{
    fail_in_build(shim_clCreateBuffer);
}

Test(faults, kernels)
{
    fail_in_build(shim_clCreateKernel);
}

Test(faults, arguments)
{
    fail_in_build(shim_clSetKernelArg);
}

Test(faults, launches)
{
    fail_in_build(shim_clEnqueueNDRangeKernel);
}

Test(faults, copies)
{
    static const shim_function functions[] = {shim_clEnqueueMapBuffer, shim_clEnqueueUnmapMemObject,
        shim_clEnqueueReadBuffer, shim_clEnqueueWriteBuffer, shim_clEnqueueCopyBuffer};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
        fail_in_build(functions[i]);
    }
}

Test(faults, waiting)
{
    fail_in_build(shim_clFinish);
}

Test(faults, operations)
{
    static const shim_function functions[] = {shim_clCreateBuffer, shim_clCreateKernel,
        shim_clSetKernelArg, shim_clEnqueueNDRangeKernel, shim_clEnqueueMapBuffer,
        shim_clEnqueueUnmapMemObject, shim_clEnqueueReadBuffer, shim_clEnqueueWriteBuffer,
        shim_clFinish};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
        fail_in(attempt_operations, functions[i]);
    }
}

Test(faults, interaction)
{
    static const shim_function functions[] = {shim_clCreateBuffer, shim_clCreateKernel,
        shim_clEnqueueNDRangeKernel, shim_clEnqueueMapBuffer, shim_clEnqueueUnmapMemObject,
        shim_clEnqueueReadBuffer, shim_clEnqueueWriteBuffer, shim_clEnqueueCopyBufferRect,
        shim_clFinish};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
        fail_in(attempt_interaction, functions[i]);
    }
}

Test(faults, controller)
{
    static const shim_function functions[] = {shim_clCreateCommandQueue, shim_clCreateBuffer,
        shim_clCreateKernel, shim_clSetKernelArg, shim_clEnqueueNDRangeKernel,
        shim_clEnqueueMapBuffer, shim_clEnqueueUnmapMemObject, shim_clEnqueueReadBuffer,
        shim_clEnqueueWriteBuffer, shim_clFinish};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
        fail_in(attempt_controller, functions[i]);
    }
}

/* The device is gone after n commands, for each n; when it is back, the same context works. */
static void lose_device(attempt_function *work, cl_int code, cltomo_status expected, long step)
{
    attempt a = {0};
    cltomo_context *context = NULL;
    cr_assert_eq(attempt_context(&a, &context, CLTOMO_BACKEND_OPENCL, NULL, NULL), CLTOMO_OK);
    cr_assert_eq(work(&a, context, CLTOMO_PRECISION_SINGLE), CLTOMO_OK);
    long blocks = atomic_load(&a.live);
    long objects = shim_live();
    for (long n = 0, made = 1; n < made; n += step) {
        shim_lose_device(n, code);
        cltomo_status status = work(&a, context, CLTOMO_PRECISION_SINGLE);
        made = shim_commands();
        shim_lose_device(-1, CL_SUCCESS);
        cr_assert_eq(atomic_load(&a.live), blocks, "after %ld commands", n);
        cr_assert_eq(shim_live(), objects, "after %ld commands", n);
        cr_assert(status == expected || status == CLTOMO_OK, "after %ld commands: %s", n,
            a.error.message);
        cr_assert(status == CLTOMO_OK || strstr(a.error.message, "OpenCL") != NULL, "%s",
            a.error.message);
        cr_assert(status != CLTOMO_OK || n > 0);
    }
    cr_assert_eq(work(&a, context, CLTOMO_PRECISION_SINGLE), CLTOMO_OK);
    cltomo_context_destroy(context);
    cr_assert_eq(atomic_load(&a.live), 0);
    cr_assert_eq(shim_live(), 0);
}

Test(faults, a_device_disappears)
{
    lose_device(attempt_build, CL_DEVICE_NOT_AVAILABLE, CLTOMO_ERROR_DEVICE, 1);
    lose_device(attempt_build, CL_OUT_OF_RESOURCES, CLTOMO_ERROR_MEMORY, 3);
    lose_device(attempt_operations, CL_DEVICE_NOT_AVAILABLE, CLTOMO_ERROR_DEVICE, 1);
    lose_device(attempt_interaction, CL_DEVICE_NOT_AVAILABLE, CLTOMO_ERROR_DEVICE, 1);
    lose_device(attempt_controller, CL_DEVICE_NOT_AVAILABLE, CLTOMO_ERROR_DEVICE, 1);
}

/* Not only the device's memory ends. */
static void end_host_memory(attempt_function *work)
{
    attempt a = {0};
    cltomo_context *context = NULL;
    cr_assert_eq(attempt_context(&a, &context, CLTOMO_BACKEND_OPENCL, NULL, NULL), CLTOMO_OK);
    cr_assert_eq(work(&a, context, CLTOMO_PRECISION_SINGLE), CLTOMO_OK);
    long objects = shim_live();
    long blocks = atomic_load(&a.live);
    cltomo_status status = CLTOMO_ERROR_MEMORY;
    for (long n = 1; status != CLTOMO_OK; ++n) {
        atomic_store(&a.made, 0);
        a.refused = n;
        status = work(&a, context, CLTOMO_PRECISION_SINGLE);
        a.refused = 0;
        cr_assert(status == CLTOMO_OK || status == CLTOMO_ERROR_MEMORY, "block %ld: %s", n,
            a.error.message);
        cr_assert_eq(atomic_load(&a.live), blocks, "block %ld", n);
        cr_assert_eq(shim_live(), objects, "block %ld", n);
    }
    cltomo_context_destroy(context);
    cr_assert_eq(atomic_load(&a.live), 0);
}

Test(faults, memory_of_the_host)
{
    end_host_memory(attempt_build);
    end_host_memory(attempt_operations);
    end_host_memory(attempt_interaction);
    end_host_memory(attempt_controller);
}

/* From the search for devices to the first launch: the context fails, or the build, or the backend
 * does without. */
static void fail_from_the_start(shim_function function, const char *cache_dir)
{
    for (size_t i = 0; i < 2; ++i) {
        for (long n = 0, made = 1; n < made; ++n) {
            attempt a = {0};
            cltomo_context *context = NULL;
            shim_fail(function, n, codes[i]);
            cltomo_status status =
                attempt_context(&a, &context, CLTOMO_BACKEND_OPENCL, NULL, cache_dir);
            cr_assert_eq(status == CLTOMO_OK, context != NULL);
            if (status == CLTOMO_OK) {
                status = attempt_build(&a, context, CLTOMO_PRECISION_DOUBLE);
            }
            made = shim_calls(function);
            shim_fail(function, -1, CL_SUCCESS);
            cr_assert(status == CLTOMO_OK || status == statuses[i] ||
                          status == CLTOMO_ERROR_NO_DEVICE || status == CLTOMO_ERROR_UNSUPPORTED,
                "%s, call %ld: %s", shim_name(function), n, a.error.message);
            if (status != CLTOMO_OK) {
                cr_assert_neq(a.error.message[0], '\0');
            }
            cltomo_context_destroy(context);
            cr_assert_eq(atomic_load(&a.live), 0, "%s, call %ld", shim_name(function), n);
            cr_assert_eq(shim_live(), 0, "%s, call %ld", shim_name(function), n);
        }
    }
}

Test(faults, start)
{
    static const shim_function functions[] = {shim_clGetDeviceIDs, shim_clGetDeviceInfo,
        shim_clCreateContext, shim_clCreateCommandQueue, shim_clCreateProgramWithBinary};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
        fail_from_the_start(functions[i], NULL);
    }
}

Test(faults, compilation)
{
    static const shim_function functions[] = {
        shim_clCreateProgramWithSource, shim_clBuildProgram, shim_clGetProgramInfo};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
        fail_from_the_start(functions[i], "/dev/null/cltomo");
    }
}

/* A device that disappears does not stop auto, which says so. */
Test(faults, auto_does_without_a_device_that_fails)
{
    attempt a = {0};
    cltomo_context *context = NULL;
    shim_fail(shim_clCreateContext, 0, CL_DEVICE_NOT_AVAILABLE);
    cr_assert_eq(attempt_context(&a, &context, CLTOMO_BACKEND_AUTO, "0:0", NULL), CLTOMO_OK);
    cr_expect_str_eq(cltomo_context_backend(context), "cpu");
    cr_expect_not_null(strstr(a.heard, "CL_DEVICE_NOT_AVAILABLE"), "%s", a.heard);
    cr_expect_eq(attempt_build(&a, context, CLTOMO_PRECISION_DOUBLE), CLTOMO_OK);
    cltomo_context_destroy(context);
    cr_expect_eq(shim_live(), 0);
}
