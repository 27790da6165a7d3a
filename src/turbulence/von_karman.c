#include "von_karman.h"
#include "core/core.h"
#include "turbulence/turbulence.h"
#include <math.h>
#include <stdio.h>

double cltomo_von_karman_f(double u)
{
    return cltomo_vk_f_double(u);
}

float cltomo_von_karman_f_single(float u)
{
    return cltomo_vk_f_single(u);
}

double cltomo_von_karman_variance_factor(double r0, double L0)
{
    return CLTOMO_VK_VARIANCE_CONSTANT * pow(L0 / r0, 5.0 / 3.0);
}

/* Without cancellation: the series loses its constant term. The library's cbrt is right
 * down to the smallest u; the vectorised one need not be, since f(u) does not depend on it there.
 */
double cltomo_von_karman_drop(double u)
{
    if (u >= CLTOMO_VK_SWITCH_DOUBLE)
        return CLTOMO_VK_F_ZERO_DOUBLE - cltomo_vk_f_double(u);
    double w = u * u;
    double t = cbrt(u);
    return 0.0 - u * (u * CLTOMO_VK_A_TAIL_DOUBLE(w) + t * t * CLTOMO_VK_B_DOUBLE(w));
}

static cltomo_status check_length(const char *key, double length, cltomo_error *error)
{
    if (isfinite(length) && length > 0.0)
        return CLTOMO_OK;
    char value[32];
    snprintf(value, sizeof(value), "%g", length);
    return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, key, value, "positive and finite",
        "%s must be a length in metres", key);
}

static cltomo_status check_separations(const double *separation, size_t n, cltomo_error *error)
{
    for (size_t i = 0; i < n; i++) {
        if (separation[i] >= 0.0)
            continue;
        char key[48];
        char value[32];
        snprintf(key, sizeof(key), "separation[%zu]", i);
        snprintf(value, sizeof(value), "%g", separation[i]);
        return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, key, value, "0 or more",
            "a separation must be a distance in metres");
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_von_karman_prepare(double *factor, const double *result,
    const double *separation, size_t n, double r0, double L0, cltomo_error *error)
{
    if (n > 0 && (!result || !separation))
        return cltomo_fail(error, CLTOMO_ERROR_ARGUMENT, "an array is missing");
    cltomo_status status = check_length("r0", r0, error);
    if (status == CLTOMO_OK)
        status = check_length("L0", L0, error);
    if (status == CLTOMO_OK)
        status = check_separations(separation, n, error);
    if (status != CLTOMO_OK)
        return status;
    *factor = cltomo_von_karman_variance_factor(r0, L0);
    if (!isfinite(2.0 * CLTOMO_VK_F_ZERO_DOUBLE * *factor))
        return cltomo_fail(error, CLTOMO_ERROR_NOT_FINITE,
            "the phase variance for r0 = %g m and L0 = %g m is too large", r0, L0);
    return CLTOMO_OK;
}

/* In the order that cannot give a NaN */
double cltomo_von_karman_scaled(double separation, double L0)
{
    return CLTOMO_VK_TWO_PI * separation / L0;
}

cltomo_status cltomo_von_karman_covariance(double *covariance, const double *separation, size_t n,
    double r0, double L0, cltomo_error *error)
{
    double factor = 0.0;
    cltomo_status status =
        cltomo_von_karman_prepare(&factor, covariance, separation, n, r0, L0, error);
    if (status != CLTOMO_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        covariance[i] = factor * cltomo_vk_f_double(cltomo_von_karman_scaled(separation[i], L0));
    return CLTOMO_OK;
}

cltomo_status cltomo_von_karman_structure_function(double *structure, const double *separation,
    size_t n, double r0, double L0, cltomo_error *error)
{
    double factor = 0.0;
    cltomo_status status =
        cltomo_von_karman_prepare(&factor, structure, separation, n, r0, L0, error);
    if (status != CLTOMO_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        structure[i] =
            2.0 * factor * cltomo_von_karman_drop(cltomo_von_karman_scaled(separation[i], L0));
    return CLTOMO_OK;
}
