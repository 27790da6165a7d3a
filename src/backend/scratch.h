/* Memory that the C path takes for a while beside its arrays, in bytes, with that many threads. Of
 * the geometry only the sizes, the rotations and the directions are looked at, so it need not have
 * been created. */
#ifndef CLTOMO_BACKEND_SCRATCH_H
#define CLTOMO_BACKEND_SCRATCH_H

#include "covariance/covariance.h"

double cltomo_slope_covariance_scratch(const cltomo_covariance *covariance, size_t workers);

/* For n_rows rows of C_ps at a time. Never less for more rows. */
double cltomo_phase_slope_covariance_scratch(
    const cltomo_covariance *covariance, cltomo_precision precision, size_t n_rows, size_t workers);

#endif
