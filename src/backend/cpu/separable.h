#ifndef CLTOMO_BACKEND_CPU_SEPARABLE_H
#define CLTOMO_BACKEND_CPU_SEPARABLE_H

#include "backend/cpu/cpu.h"

/* Fills the columns of C_ps that belong to the sensors with the separable evaluator. */
cltomo_status cltomo_cpu_separable(const cltomo_context *context, cltomo_matrix *c_ps,
    const cltomo_covariance *covariance, cltomo_error *error);

/* Bytes that this takes for a while, for n_rows rows of C_ps. */
double cltomo_cpu_separable_scratch(
    const cltomo_covariance *covariance, cltomo_precision precision, size_t n_rows, size_t workers);

#endif
