#include "backend/opencl/backend.h"

#include <cltomo/opencl.h>
#include <stdio.h>

#include "backend/opencl/blas.h"
#include "backend/opencl/cache.h"
#include "backend/opencl/device.h"
#include "backend/opencl/opencl.h"
#include "backend/opencl/transfer.h"

cltomo_opencl *cltomo_opencl_of(const cltomo_context *context)
{
    /* the operations are the first member, and only the lock and the programs behind it change */
    return (cltomo_opencl *)(uintptr_t)context->backend;
}

static cltomo_status too_big(const char *what, uint64_t need, uint64_t limit, cltomo_error *error)
{
    return cltomo_fail(error, CLTOMO_ERROR_MEMORY,
        "%s needs %.0f MB, but the OpenCL device has %.0f MB for it; use single precision, the "
        "command product alone, or the CPU backend",
        what, 1e-6 * (double)need, 1e-6 * (double)limit);
}

static cltomo_status check(const cltomo_context *context, cltomo_precision precision,
    uint64_t bytes, uint64_t widest_row, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(context);
    if (precision == CLTOMO_PRECISION_DOUBLE && !cl->has_double) {
        return cltomo_fail(error, CLTOMO_ERROR_UNSUPPORTED,
            "the OpenCL device has no double precision (cl_khr_fp64); use single precision or the "
            "CPU backend");
    }
    if (bytes > cl->global_memory) {
        return too_big("the build", bytes, cl->global_memory, error);
    }
    if (widest_row * cltomo_panel_step > cl->largest_buffer) {
        return too_big("a part of the largest matrix", widest_row * cltomo_panel_step,
            cl->largest_buffer, error);
    }
    bool on_host = true;
    return cltomo_opencl_choose_blas(context, &on_host, precision, error);
}

static const cltomo_backend operations = {
    .name = "opencl",
    .check = check,
    .array_create = cltomo_opencl_array_create,
    .array_copy = cltomo_opencl_copy,
    .upload = cltomo_opencl_upload,
    .download = cltomo_opencl_download,
    .array_destroy = cltomo_opencl_array_destroy,
    .place = cltomo_opencl_place,
    .slope_covariance = cltomo_opencl_slope_covariance,
    .phase_slope_covariance = cltomo_opencl_phase_slope_covariance,
    .influence_functions = cltomo_opencl_influence_functions,
    .von_karman_covariance = cltomo_opencl_von_karman_covariance,
    .von_karman_structure = cltomo_opencl_von_karman_structure,
    .mean_diagonal = cltomo_opencl_mean_diagonal,
    .add_to_diagonal = cltomo_opencl_add_to_diagonal,
    .clear_unused = cltomo_opencl_clear_unused,
    .add = cltomo_opencl_add,
    .largest_row_sum = cltomo_opencl_largest_row_sum,
    .complete_symmetric = cltomo_opencl_complete_symmetric,
    .cholesky = cltomo_opencl_cholesky,
    .solve = cltomo_opencl_solve,
    .multiply = cltomo_opencl_multiply,
    .scale = cltomo_opencl_scale,
    .apply = cltomo_opencl_apply,
    .apply_sparse = cltomo_opencl_apply_sparse,
    .plan = &cltomo_plan_opencl,
};

static void detach(cltomo_context *context)
{
    cltomo_opencl *cl = cltomo_opencl_of(context);
    if (cl->queue != NULL) {
        (void)clFinish(cl->queue);
    }
    for (size_t i = 0; i < 2; ++i) {
        if (cl->program[i] != NULL) {
            (void)clReleaseProgram(cl->program[i]);
        }
    }
    if (cl->queue != NULL) {
        (void)clReleaseCommandQueue(cl->queue);
    }
    if (cl->context != NULL) {
        (void)clReleaseContext(cl->context);
    }
    (void)pthread_mutex_destroy(&cl->lock);
    (void)pthread_mutex_destroy(&cl->blas_lock);
    cltomo_release(context, cl->cache_dir);
    cltomo_release(context, cl);
    context->backend = NULL;
}

/* An empty backend on the context, released by it. */
static cltomo_opencl *create(cltomo_context *context, const char *cache_dir)
{
    cltomo_opencl *cl = cltomo_allocate_zero(context, 1, sizeof *cl);
    if (cl == NULL) {
        return NULL;
    }
    cl->operations = operations;
    (void)pthread_mutex_init(&cl->lock, NULL);
    (void)pthread_mutex_init(&cl->blas_lock, NULL);
    cl->cache_dir = cltomo_cache_dir(context, cache_dir);
    context->backend = &cl->operations;
    context->release_backend = detach;
    return cl;
}

/* Everything that depends on what the device is like. */
static cltomo_status adapt(cltomo_opencl *cl, const cltomo_device *info, cltomo_error *error)
{
    const char *unknown = NULL;
    cl->info = *info;
    cl->has_double = info->has_double != 0;
    cl->global_memory = info->memory;
    cl->largest_buffer = info->largest_buffer;
    cl->quirks = cltomo_opencl_quirks(info, &unknown);
    if (unknown != NULL) {
        return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "CLTOMO_BLAS", unknown,
            "clblast or host", "unknown linear algebra in the environment");
    }
    return CLTOMO_OK;
}

static cltomo_status open_device(
    cltomo_opencl *cl, const cltomo_found_device *device, cltomo_error *error)
{
    cl_int code = CL_SUCCESS;
    cl->platform = device->platform;
    cl->device = device->id;
    cl->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &code);
    if (code != CL_SUCCESS) {
        cl->context = NULL;
        return cltomo_opencl_fail(error, code, "creating a context");
    }
    cl->queue = clCreateCommandQueue(cl->context, device->id, 0, &code);
    if (code != CL_SUCCESS) {
        cl->queue = NULL;
        return cltomo_opencl_fail(error, code, "creating a command queue");
    }
    return adapt(cl, &device->info, error);
}

/* Names the devices that there are, as far as there is room. */
static cltomo_status fail_without_device(
    const cltomo_found_device *found, size_t n, const char *wanted, cltomo_error *error)
{
    char there[sizeof error->allowed] = "";
    size_t length = 0;
    if (wanted == NULL || n == 0) {
        return cltomo_fail_key(error, CLTOMO_ERROR_NO_DEVICE, "device",
            wanted != NULL ? wanted : "", "",
            n == 0 ? "there is no OpenCL device" : "there is no OpenCL GPU or accelerator");
    }
    for (size_t i = 0; i < n && length < sizeof there; ++i) {
        const cltomo_device *info = &found[i].info;
        int added = snprintf(there + length, sizeof there - length, "%s%u:%u %s",
            i > 0 ? ", " : "part of a name, or one of ", (unsigned)info->platform_index,
            (unsigned)info->device_index, info->name);
        length += added > 0 ? (size_t)added : 0;
    }
    return cltomo_fail_key(
        error, CLTOMO_ERROR_NO_DEVICE, "device", wanted, there, "there is no such OpenCL device");
}

cltomo_status cltomo_opencl_attach(cltomo_context *context, const char *device,
    const char *cache_dir, bool cpu_too, cltomo_error *error)
{
    cltomo_found_device found[cltomo_max_devices];
    size_t n = cltomo_find_devices(found, cltomo_max_devices);
    const cltomo_found_device *chosen = cltomo_choose_device(found, n, device, cpu_too);
    if (chosen == NULL) {
        return fail_without_device(found, n, device, error);
    }
    cltomo_opencl *cl = create(context, cache_dir);
    if (cl == NULL) {
        return cltomo_fail_memory(error, "the OpenCL backend");
    }
    cltomo_status status = open_device(cl, chosen, error);
    if (status != CLTOMO_OK) {
        detach(context);
        context->release_backend = NULL;
        return status;
    }
    cltomo_log(context, CLTOMO_LOG_INFO, "OpenCL device %u:%u, %s (%s)",
        (unsigned)chosen->info.platform_index, (unsigned)chosen->info.device_index,
        chosen->info.name, chosen->info.platform);
    return CLTOMO_OK;
}

int cltomo_context_device(const cltomo_context *context, cltomo_device *device)
{
    if (context->release_backend != detach) {
        return 0;
    }
    *device = cltomo_opencl_of(context)->info;
    return 1;
}

/* The caller's handles must belong together. */
static cltomo_status check_handles(
    cl_context opencl_context, cl_device_id device, cl_command_queue queue, cltomo_error *error)
{
    cl_context its_context = NULL;
    cl_device_id its_device = NULL;
    cl_command_queue_properties properties = 0;
    cl_int code =
        clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof its_context, &its_context, NULL);
    if (code == CL_SUCCESS) {
        code = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof its_device, &its_device, NULL);
    }
    if (code == CL_SUCCESS) {
        code =
            clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    }
    if (code != CL_SUCCESS) {
        return cltomo_opencl_fail(error, code, "the caller's command queue");
    }
    if (its_context != opencl_context || its_device != device) {
        return cltomo_fail(
            error, CLTOMO_ERROR_ARGUMENT, "the command queue belongs to another context or device");
    }
    if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) {
        return cltomo_fail(
            error, CLTOMO_ERROR_ARGUMENT, "the command queue must be an in-order one");
    }
    return CLTOMO_OK;
}

static cltomo_status adopt(cltomo_context *context, cl_context opencl_context, cl_device_id device,
    cl_command_queue queue, const char *cache_dir, cltomo_error *error)
{
    cltomo_device info = {.platform_index = UINT32_MAX, .device_index = UINT32_MAX};
    cl_platform_id platform = NULL;
    cl_int code = clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    if (code == CL_SUCCESS) {
        code = cltomo_describe_device(&info, platform, device);
    }
    if (code != CL_SUCCESS) {
        return cltomo_opencl_fail(error, code, "the caller's device");
    }
    cltomo_opencl *cl = create(context, cache_dir);
    if (cl == NULL) {
        return cltomo_fail_memory(error, "the OpenCL backend");
    }
    cl->platform = platform;
    cl->device = device;
    if (clRetainContext(opencl_context) == CL_SUCCESS) {
        cl->context = opencl_context;
    }
    if (clRetainCommandQueue(queue) == CL_SUCCESS) {
        cl->queue = queue;
    }
    if (cl->context == NULL || cl->queue == NULL) {
        return cltomo_fail(
            error, CLTOMO_ERROR_DEVICE, "OpenCL: the caller's objects cannot be retained");
    }
    return adapt(cl, &info, error);
}

cltomo_status cltomo_context_create_opencl(cltomo_context **context, cl_context opencl_context,
    cl_device_id device, cl_command_queue queue, const cltomo_context_options *options,
    cltomo_error *error)
{
    cltomo_context_options own;
    cltomo_context *created = NULL;
    *context = NULL;
    cltomo_status status = check_handles(opencl_context, device, queue, error);
    if (status == CLTOMO_OK) {
        status = cltomo_context_read_options(&own, options, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_context_allocate(&created, &own, error);
    }
    if (status == CLTOMO_OK) {
        status = adopt(created, opencl_context, device, queue, own.cache_dir, error);
    }
    if (status != CLTOMO_OK) {
        cltomo_context_destroy(created);
        return status;
    }
    *context = created;
    return CLTOMO_OK;
}
