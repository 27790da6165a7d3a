/* The von Karman function as a mixture of Gaussians, f(u) ~ sum_k weight[k] exp(-exponent[k] u^2).
 */
#ifndef CLTOMO_COVARIANCE_GAUSSIAN_MIXTURE_H
#define CLTOMO_COVARIANCE_GAUSSIAN_MIXTURE_H

#include "core/core.h"

typedef struct cltomo_gaussian_mixture {
    size_t n_terms;
    double *exponent;
    double *weight;
} cltomo_gaussian_mixture;

/* accuracy: wanted largest error over u in [0, inf), relative to f(0); 1e-14 to 1e-2. Release with
 * cltomo_gaussian_mixture_release. */
cltomo_status cltomo_gaussian_mixture_create(const cltomo_context *context,
    cltomo_gaussian_mixture *mixture, double accuracy, cltomo_error *error);

/* Accepts a mixture of zero bytes. */
void cltomo_gaussian_mixture_release(
    const cltomo_context *context, cltomo_gaussian_mixture *mixture);

#endif
