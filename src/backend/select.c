/* Creates contexts: which backend a context gets is decided here, once. */
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/cpu/blas_info.h"
#include "core/context.h"

#ifdef CLTOMO_HAVE_OPENCL
#include "backend/opencl/backend.h"
#else
static cltomo_status cltomo_opencl_attach(cltomo_context *context, const char *device,
    const char *cache_dir, bool cpu_too, cltomo_error *error)
{
    (void)context;
    (void)device;
    (void)cache_dir;
    (void)cpu_too;
    return cltomo_fail(
        error, CLTOMO_ERROR_NO_DEVICE, "this library was built without the OpenCL backend");
}
#endif

/* What the caller left open, the environment may say. */
static cltomo_status read_environment(cltomo_context_options *options, cltomo_error *error)
{
    const char *backend = getenv("CLTOMO_BACKEND");
    const char *device = getenv("CLTOMO_DEVICE");
    if (options->device == NULL && device != NULL && device[0] != '\0') {
        options->device = device;
    }
    if (options->backend != CLTOMO_BACKEND_AUTO || backend == NULL || backend[0] == '\0' ||
        strcmp(backend, "auto") == 0) {
        return CLTOMO_OK;
    }
    if (strcmp(backend, "cpu") == 0) {
        options->backend = CLTOMO_BACKEND_CPU;
    } else if (strcmp(backend, "opencl") == 0) {
        options->backend = CLTOMO_BACKEND_OPENCL;
    } else {
        return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "CLTOMO_BACKEND", backend,
            "auto, cpu or opencl", "unknown backend in the environment");
    }
    return CLTOMO_OK;
}

static void use_cpu(cltomo_context *context)
{
    context->backend = &cltomo_backend_cpu;
}

/* A GPU that is there but cannot be used is worth a warning; that there is none is not. */
static cltomo_status select_automatically(
    cltomo_context *context, const cltomo_context_options *options, cltomo_error *error)
{
    cltomo_error own = {0};
    cltomo_status status =
        cltomo_opencl_attach(context, options->device, options->cache_dir, false, &own);
    context->may_fall_back = true;
    if (status == CLTOMO_OK) {
        return status;
    }
    if (status == CLTOMO_ERROR_NO_DEVICE && options->device != NULL) {
        if (error != NULL) {
            *error = own;
        }
        return status; /* the device that was asked for is not there */
    }
    if (status != CLTOMO_ERROR_NO_DEVICE) {
        cltomo_log(context, CLTOMO_LOG_WARNING,
            "the OpenCL device cannot be used, so the CPU computes: %s", own.message);
    }
    use_cpu(context);
    return CLTOMO_OK;
}

static cltomo_status select_backend(
    cltomo_context *context, const cltomo_context_options *options, cltomo_error *error)
{
    switch (options->backend) {
    case CLTOMO_BACKEND_AUTO:
        return select_automatically(context, options, error);
    case CLTOMO_BACKEND_CPU:
        use_cpu(context);
        return CLTOMO_OK;
    case CLTOMO_BACKEND_OPENCL:
        return cltomo_opencl_attach(context, options->device, options->cache_dir, true, error);
    }
    return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "options.backend", "",
        "a cltomo_backend_kind", "unknown backend");
}

cltomo_status cltomo_context_create(
    cltomo_context **context, const cltomo_context_options *options, cltomo_error *error)
{
    cltomo_context_options own;
    *context = NULL;
    cltomo_status status = cltomo_context_read_options(&own, options, error);
    if (status == CLTOMO_OK) {
        status = read_environment(&own, error);
    }
    if (status != CLTOMO_OK) {
        return status;
    }
    cltomo_context *created = NULL;
    status = cltomo_context_allocate(&created, &own, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    status = select_backend(created, &own, error);
    if (status != CLTOMO_OK) {
        cltomo_context_destroy(created);
        return status;
    }
    cltomo_blas_warn_if_slow(created);
    *context = created;
    return CLTOMO_OK;
}

const cltomo_backend *cltomo_backend_of(const cltomo_context *context)
{
    return context->backend;
}

cltomo_status cltomo_backend_select(const cltomo_context *context, const cltomo_backend **backend,
    cltomo_precision precision, uint64_t bytes, uint64_t widest_row, cltomo_error *error)
{
    cltomo_error own = {0};
    *backend = context->backend;
    cltomo_status status = context->backend->check(context, precision, bytes, widest_row, &own);
    if (status != CLTOMO_OK && context->may_fall_back) {
        cltomo_log(context, CLTOMO_LOG_WARNING, "the CPU computes: %s", own.message);
        *backend = &cltomo_backend_cpu;
        return CLTOMO_OK;
    }
    if (status != CLTOMO_OK && error != NULL) {
        *error = own;
    }
    return status;
}

const char *cltomo_context_backend(const cltomo_context *context)
{
    return context->backend->name;
}
