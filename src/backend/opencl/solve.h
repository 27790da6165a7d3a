#ifndef CLTOMO_BACKEND_OPENCL_SOLVE_H
#define CLTOMO_BACKEND_OPENCL_SOLVE_H

#include "backend/opencl/opencl.h"

/* x becomes x A^-1, A = U^T U given by its upper factor, on the device. CLBlast's own triangular
 * solve is slow and waits for the host at every step; here the diagonal blocks of U are inverted on
 * the host, and everything else is matrix products. */
cltomo_status cltomo_opencl_blocked_solve(const cltomo_context *context, cltomo_array *x,
    const cltomo_array *factor, cltomo_error *error);

#endif
