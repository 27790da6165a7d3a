/* The von Karman functions of many separations, on the context's backend. */
#include "turbulence/turbulence.h"

#include "backend/backend.h"

/* The arguments as the backend takes them, and which backend. */
typedef struct von_karman_call {
    const cltomo_backend *backend;
    double factor;
} von_karman_call;

static cltomo_status prepare(const cltomo_context *context, von_karman_call *call,
    const double *result, const double *separation, size_t n, double r0, double L0,
    cltomo_error *error)
{
    cltomo_status status =
        cltomo_von_karman_prepare(&call->factor, result, separation, n, r0, L0, error);
    return status == CLTOMO_OK ? cltomo_backend_select(
                                     context, &call->backend, CLTOMO_PRECISION_DOUBLE, 0, 0, error)
                               : status;
}

cltomo_status cltomo_von_karman_covariance_on(const cltomo_context *context, double *covariance,
    const double *separation, size_t n, double r0, double L0, cltomo_error *error)
{
    von_karman_call call;
    cltomo_status status = prepare(context, &call, covariance, separation, n, r0, L0, error);
    return status == CLTOMO_OK ? call.backend->von_karman_covariance(
                                     context, covariance, separation, n, call.factor, L0, error)
                               : status;
}

cltomo_status cltomo_von_karman_structure_function_on(const cltomo_context *context,
    double *structure, const double *separation, size_t n, double r0, double L0,
    cltomo_error *error)
{
    von_karman_call call;
    cltomo_status status = prepare(context, &call, structure, separation, n, r0, L0, error);
    return status == CLTOMO_OK ? call.backend->von_karman_structure(
                                     context, structure, separation, n, call.factor, L0, error)
                               : status;
}
