#ifndef CLTOMO_BACKEND_OPENCL_SLOPE_TABLE_H
#define CLTOMO_BACKEND_OPENCL_SLOPE_TABLE_H

#include "backend/opencl/opencl.h"

/* The tables xx, xy, yy of sensors i and j in one buffer; n lags per axis. In double where the
 * device has it; otherwise the C path makes them in double, and they are rounded once. precision:
 * of the matrices, whose program is used. */
cltomo_status cltomo_opencl_slope_table(const cltomo_context *context, cltomo_precision precision,
    cl_mem *tables, size_t *n, const cltomo_covariance *covariance, size_t i, size_t j,
    cltomo_error *error);

#endif
