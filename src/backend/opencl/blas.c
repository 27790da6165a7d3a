#include "backend/opencl/blas.h"

#include "backend/opencl/clblast.h"

static cltomo_status settle(
    const cltomo_context *context, cltomo_precision precision, cltomo_error *error)
{
    cltomo_opencl *cl = cltomo_opencl_of(context);
    cltomo_error own = {0};
    cltomo_status status = CLTOMO_OK;
    cl->blas[precision].blas = cl->quirks.blas;
    if (cl->quirks.blas == CLTOMO_BLAS_CLBLAST) {
        status = cltomo_clblast_check(context, precision, &own);
    }
    if (status == CLTOMO_ERROR_DEVICE && !cl->quirks.blas_is_forced) {
        cltomo_log(context, CLTOMO_LOG_WARNING,
            "%s: the host computes the products and solves, which takes longer", own.message);
        cl->blas[precision].blas = CLTOMO_BLAS_HOST;
        status = CLTOMO_OK;
    }
    if (status != CLTOMO_OK) {
        if (error != NULL) {
            *error = own;
        }
        return status;
    }
    cl->blas[precision].is_known = true;
    return CLTOMO_OK;
}

cltomo_status cltomo_opencl_choose_blas(
    const cltomo_context *context, bool *on_host, cltomo_precision precision, cltomo_error *error)
{
    cltomo_opencl *cl = cltomo_opencl_of(context);
    cltomo_status status = CLTOMO_OK;
    (void)pthread_mutex_lock(&cl->blas_lock);
    if (!cl->blas[precision].is_known) {
        status = settle(context, precision, error);
    }
    *on_host = cl->blas[precision].blas == CLTOMO_BLAS_HOST;
    (void)pthread_mutex_unlock(&cl->blas_lock);
    return status;
}
