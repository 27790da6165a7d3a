/* The von Karman statistics of the turbulent phase. */
#ifndef CLTOMO_TURBULENCE_H
#define CLTOMO_TURBULENCE_H

#include <cltomo/context.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The phase covariance of the von Karman spectrum,
 *
 *     covariance[i] = B(rho) = c (L0/r0)^(5/3) f(2 pi rho / L0)   [rad^2],   rho = separation[i],
 *     f(u) = u^(5/6) K_{5/6}(u),
 *     c = Gamma(11/6) / (2^(5/6) pi^(8/3)) (24/5 Gamma(6/5))^(5/6)
 *
 * for n separations, the Fried parameter r0 and the outer scale L0, all in metres; the phase is at
 * the wavelength at which r0 is given. With u = 2 pi rho / L0 the relative error is below
 * 1e-14 (1 + u/30) up to u = 708, beyond which the result is 0 instead of something below 4e-307 of
 * the factor before f. The arrays may be the same one, and NULL if n is 0.
 *
 * Fails with CLTOMO_ERROR_ARGUMENT if r0 or L0 is not positive and finite or if a separation is
 * negative or a NaN (infinity is allowed), with CLTOMO_ERROR_NOT_FINITE if 2 B(0) exceeds the range
 * of a double. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_von_karman_covariance(double *covariance,
    const double *separation, size_t n, double r0, double L0, cltomo_error *error);

/* The phase structure function structure[i] = D(rho) = 2 (B(0) - B(rho)) [rad^2]; arguments and
 * errors as above. The relative error is below 1e-14 everywhere, also where rho is small beside L0
 * and D(rho) approaches Kolmogorov's 6.88 (rho/r0)^(5/3). */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_von_karman_structure_function(double *structure,
    const double *separation, size_t n, double r0, double L0, cltomo_error *error);

/* The same two for many separations, with the context's threads or on its OpenCL device. On a
 * device without double precision they fail with CLTOMO_ERROR_UNSUPPORTED, or the C path computes,
 * as in a build. On a device the relative error of the structure function is below 2e-14. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_von_karman_covariance_on(
    const cltomo_context *context, double *covariance, const double *separation, size_t n,
    double r0, double L0, cltomo_error *error);
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_von_karman_structure_function_on(
    const cltomo_context *context, double *structure, const double *separation, size_t n, double r0,
    double L0, cltomo_error *error);

#ifdef __cplusplus
}
#endif

#endif
