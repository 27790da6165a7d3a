/* Who does products and solves: the host's BLAS or CLBlast. */
#ifndef CLTOMO_BACKEND_OPENCL_BLAS_H
#define CLTOMO_BACKEND_OPENCL_BLAS_H

#include "backend/opencl/opencl.h"

/* At the first use of a precision CLBlast has to prove itself, if it is to be used. If it fails,
 * the host takes over and the log says so; CLTOMO_ERROR_DEVICE if the environment insists on
 * CLBlast. */
cltomo_status cltomo_opencl_choose_blas(
    const cltomo_context *context, bool *on_host, cltomo_precision precision, cltomo_error *error);

#endif
