/* Creates contexts: which backend a context gets is decided here, once. */
#include "backend/backend.h"
#include "backend/cpu/blas_info.h"
#include "core/context.h"

static cltomo_status select_backend(
    cltomo_context *context, cltomo_backend_kind kind, cltomo_error *error)
{
    switch (kind) {
    case CLTOMO_BACKEND_AUTO:
    case CLTOMO_BACKEND_CPU:
        context->backend = &cltomo_backend_cpu;
        cltomo_blas_warn_if_slow(context);
        return CLTOMO_OK;
    case CLTOMO_BACKEND_OPENCL:
        return cltomo_fail(
            error, CLTOMO_ERROR_NO_DEVICE, "this library was built without the OpenCL backend");
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
    if (status != CLTOMO_OK) {
        return status;
    }
    cltomo_context *created = NULL;
    status = cltomo_context_allocate(&created, &own, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    status = select_backend(created, own.backend, error);
    if (status != CLTOMO_OK) {
        cltomo_context_destroy(created);
        return status;
    }
    *context = created;
    return CLTOMO_OK;
}

const cltomo_backend *cltomo_backend_of(const cltomo_context *context)
{
    return context->backend;
}

const char *cltomo_context_backend(const cltomo_context *context)
{
    return context->backend->name;
}
