/* The one-axis factors of the separable evaluator. */
#ifndef CLTOMO_BACKEND_CPU_AXIS_FACTORS_H
#define CLTOMO_BACKEND_CPU_AXIS_FACTORS_H

#include "backend/cpu/cpu.h"

/* With e(j, i) = mean over the optimisation directions of exp(-a (p_i - x_j - h t)^2), p_i the
 * place of grid index i as the sensor sees it and x_j that of phase index j as the science source
 * does, row t = (layer, term)
 * holds at column j * n_across + k, for the lenslet k whose stencil starts at i = 2 k, difference
 * e(j, 2k + 2) - e(j, 2k) average      (e(j, 2k) + 2 e(j, 2k + 1) + e(j, 2k + 2)) / 4. Indices
 * count in the grid without its padding, so j runs from 0 to 2 n_across at most. */
typedef struct cltomo_axis_factors {
    cltomo_matrix *difference; /* (n_layers * n_terms) x (n_points n_across) */
    cltomo_matrix *average;
} cltomo_axis_factors;

/* For the axis on which the sensor is shifted by shift[n_layers] and scaled by scale[n_layers], and
 * the first n_points of the 2 n_across + 1 phase indices j. The weights of the mixture and of the
 * layers are multiplied in if `weighted`. */
cltomo_status cltomo_cpu_axis_factors(const cltomo_context *context, cltomo_axis_factors *factors,
    const cltomo_covariance *covariance, const double *scale, const double *shift, size_t n_points,
    bool weighted, cltomo_precision precision, cltomo_error *error);

void cltomo_cpu_axis_factors_release(cltomo_axis_factors *factors);

#endif
