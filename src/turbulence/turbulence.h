/* The von Karman covariance inside the library; evaluated one value at a time. The loops over many
 * points are in backend/. */
#ifndef CLTOMO_TURBULENCE_TURBULENCE_H
#define CLTOMO_TURBULENCE_TURBULENCE_H

#include <cltomo/turbulence.h>

/* f(u) = u^(5/6) K_{5/6}(u) for u in [0, inf]; see kernels/von_karman.h. */
double cltomo_von_karman_f(double u);
float cltomo_von_karman_f_single(float u);

/* c (L0/r0)^(5/3) [rad^2], so that B(rho) = factor * f(2 pi rho / L0). Infinite if that is too
 * large for a double. */
double cltomo_von_karman_variance_factor(double r0, double L0);

/* f(0) - f(u), without cancellation. */
double cltomo_von_karman_drop(double u);

/* u = 2 pi separation / L0 */
double cltomo_von_karman_scaled(double separation, double L0);

/* Checks the arguments of the public functions, and computes the variance factor. */
cltomo_status cltomo_von_karman_prepare(double *factor, const double *result,
    const double *separation, size_t n, double r0, double L0, cltomo_error *error);

#endif
