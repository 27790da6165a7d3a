#ifndef CLTOMO_BACKEND_CPU_ROTATED_H
#define CLTOMO_BACKEND_CPU_ROTATED_H

#include "backend/cpu/cpu.h"

/* Fills the columns of C_ps that belong to one sensor, which may be rotated. */
cltomo_status cltomo_cpu_rotated(const cltomo_context *context, cltomo_matrix *c_ps,
    const cltomo_covariance *covariance, size_t wfs, cltomo_error *error);

/* Bytes that this takes for a while. */
double cltomo_cpu_rotated_scratch(const cltomo_geometry *geometry, size_t workers);

#endif
