/* With nu = 5/6,
 *     f(u) = 2^(nu - 1) integral exp(nu s - e^s - u^2 e^-s / 4) ds,
 * an integrand that decays on both sides. The trapezoid rule with step pi^2 / ln(1 / accuracy) is
 * exact to that accuracy; the part below the first node, where e^s is negligible, is a geometric
 * series that the first weight takes up. */
#include "covariance/gaussian_mixture.h"

#include <math.h>

static const double nu = 5.0 / 6.0;

cltomo_status cltomo_gaussian_mixture_create(const cltomo_context *context,
    cltomo_gaussian_mixture *mixture, double accuracy, cltomo_error *error)
{
    *mixture = (cltomo_gaussian_mixture){0, NULL, NULL};
    if (!(accuracy >= 1e-14 && accuracy <= 1e-2)) {
        return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "accuracy", "", "1e-14 to 1e-2",
            "the accuracy of the covariances is out of range");
    }
    double digits = -log(accuracy);
    double step = 3.14159265358979323846 * 3.14159265358979323846 / digits;
    double first = -1.2 * digits - 0.3;
    double last = log(digits) + 0.2;
    size_t n = (size_t)((last - first) / step) + 1;
    mixture->exponent = cltomo_allocate(context, n, sizeof(double));
    mixture->weight = cltomo_allocate(context, n, sizeof(double));
    if (mixture->exponent == NULL || mixture->weight == NULL) {
        cltomo_gaussian_mixture_release(context, mixture);
        return cltomo_fail_memory(error, "the Gaussian mixture");
    }
    for (size_t k = 0; k < n; ++k) {
        double s = first + (double)k * step;
        mixture->exponent[k] = 0.25 * exp(-s);
        mixture->weight[k] = pow(2.0, nu - 1.0) * step * exp(nu * s - exp(s));
    }
    mixture->weight[0] /= 1.0 - exp(-nu * step);
    mixture->n_terms = n;
    return CLTOMO_OK;
}

void cltomo_gaussian_mixture_release(
    const cltomo_context *context, cltomo_gaussian_mixture *mixture)
{
    cltomo_release(context, mixture->exponent);
    cltomo_release(context, mixture->weight);
    *mixture = (cltomo_gaussian_mixture){0, NULL, NULL};
}
