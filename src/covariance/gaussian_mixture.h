/* The von Karman function as a mixture of Gaussians, f(u) ~ sum_k weight[k] exp(-exponent[k] u^2).
 */
#ifndef CLTOMO_COVARIANCE_GAUSSIAN_MIXTURE_H
#define CLTOMO_COVARIANCE_GAUSSIAN_MIXTURE_H

#include "core/core.h"

/* The arrays are static: nothing to release. All numbers are positive, and the exponents fall. */
typedef struct cltomo_gaussian_mixture {
    double accuracy; /* |f(u) - sum| <= accuracy f(0) for all u >= 0 */
    size_t n_terms;
    const double *exponent;
    const double *weight;
} cltomo_gaussian_mixture;

/* The mixture with the fewest terms for the wanted accuracy, 1e-14 to 1. There is one for each
 * power of ten from 1e-4 to 1e-14; the next better one serves accuracies in between. */
cltomo_status cltomo_gaussian_mixture_select(
    cltomo_gaussian_mixture *mixture, double accuracy, cltomo_error *error);

#endif
