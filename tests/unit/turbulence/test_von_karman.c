#include "golden/von_karman.h"
#include "turbulence/turbulence.h"

#include <criterion/criterion.h>

#include <float.h>
#include <math.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static double relative(double value, double reference)
{
    return fabs(value - reference) / fabs(reference);
}

Test(von_karman, f_agrees_with_mpmath)
{
    for (size_t i = 0; i < LENGTH(golden_von_karman); i++) {
        double u = golden_von_karman[i].u;
        cr_assert_lt(
            relative(cltomo_von_karman_f(u), golden_von_karman[i].f), 3e-15, "u = %.17g", u);
    }
}

Test(von_karman, f_single_agrees_with_mpmath)
{
    size_t tested = 0;
    for (size_t i = 0; i < LENGTH(golden_von_karman); i++) {
        float u = (float)golden_von_karman[i].u;
        if ((double)u != golden_von_karman[i].u)
            continue;
        double error = fabs((double)cltomo_von_karman_f_single(u) - golden_von_karman[i].f);
        cr_assert_lt(
            error, u <= 87.0f ? 3e-7 * golden_von_karman[i].f : 2e-37, "u = %.9g", (double)u);
        tested++;
    }
    cr_assert_gt(tested, 200);
}

Test(von_karman, f_zero_is_exact)
{
    cr_assert_eq(cltomo_von_karman_f(0.0), golden_von_karman[0].f);
    cr_assert_eq(cltomo_von_karman_f_single(0.0f), (float)golden_von_karman[0].f);
    cr_assert_eq(cltomo_von_karman_f(DBL_TRUE_MIN), golden_von_karman[0].f);
    cr_assert_eq(cltomo_von_karman_f(1e-200), golden_von_karman[0].f);
    cr_assert_eq(cltomo_von_karman_f_single(FLT_TRUE_MIN), (float)golden_von_karman[0].f);
}

Test(von_karman, f_vanishes_far_out)
{
    const double far[] = {708.0, 708.1, 745.0, 1e4, 1e38, 1e39, DBL_MAX, INFINITY};
    for (size_t i = 0; i < LENGTH(far); i++) {
        double value = cltomo_von_karman_f(far[i]);
        cr_assert(value >= 0.0 && value < 1e-300, "u = %g", far[i]);
        float single = cltomo_von_karman_f_single((float)far[i]);
        cr_assert(single == 0.0f, "u = %g", far[i]);
    }
}

Test(von_karman, f_passes_nan_on)
{
    cr_assert(isnan(cltomo_von_karman_f(NAN)));
    cr_assert(isnan(cltomo_von_karman_f(-NAN)));
    cr_assert(isnan(cltomo_von_karman_f_single(NAN)));
    cr_assert(isnan(cltomo_von_karman_f_single(-NAN)));
}

Test(von_karman, covariance_agrees_with_mpmath)
{
    enum { N = LENGTH(golden_covariance) };
    double separation[N], covariance[N];
    for (size_t i = 0; i < N; i++)
        separation[i] = golden_covariance[i].separation;
    cltomo_status status =
        cltomo_von_karman_covariance(covariance, separation, N, GOLDEN_R0, GOLDEN_L0, NULL);
    cr_assert_eq(status, CLTOMO_OK);
    for (size_t i = 0; i < N; i++) {
        double u = 2 * 3.14159265358979 * separation[i] / GOLDEN_L0;
        cr_assert_lt(relative(covariance[i], golden_covariance[i].covariance), 4e-15 + 4e-16 * u,
            "separation %g", separation[i]);
    }
}

/* In place, from rho = 1e-8 L0 to 100 L0. */
Test(von_karman, structure_function_agrees_with_mpmath)
{
    enum { N = LENGTH(golden_covariance) };
    double value[N];
    for (size_t i = 0; i < N; i++)
        value[i] = golden_covariance[i].separation;
    cltomo_status status =
        cltomo_von_karman_structure_function(value, value, N, GOLDEN_R0, GOLDEN_L0, NULL);
    cr_assert_eq(status, CLTOMO_OK);
    cr_assert(value[0] == 0.0 && !signbit(value[0]));
    for (size_t i = 1; i < N; i++)
        cr_assert_lt(relative(value[i], golden_covariance[i].structure), 4e-15, "separation %g",
            golden_covariance[i].separation);
}

/* D -> 2 (24/5 Gamma(6/5))^(5/6) (rho/r0)^(5/3) as L0 -> infinity */
Test(von_karman, structure_function_tends_to_kolmogorov)
{
    const double r0 = 0.13;
    const double separation[] = {1e-3, 0.13, 0.7, 8.0, 39.0};
    double structure[LENGTH(separation)];
    cltomo_status status = cltomo_von_karman_structure_function(
        structure, separation, LENGTH(separation), r0, 1e42, NULL);
    cr_assert_eq(status, CLTOMO_OK);
    double factor = 2.0 * pow(4.8 * tgamma(1.2), 5.0 / 6.0);
    cr_assert_float_eq(factor, 6.8838771823, 1e-9);
    for (size_t i = 0; i < LENGTH(separation); i++)
        cr_assert_lt(relative(structure[i], factor * pow(separation[i] / r0, 5.0 / 3.0)), 1e-12);
}

Test(von_karman, infinite_separation_is_uncorrelated)
{
    const double separation[] = {INFINITY, DBL_MAX};
    double covariance[2], structure[2], variance[1];
    cr_assert_eq(cltomo_von_karman_covariance(covariance, separation, 2, 0.1, 20.0, NULL), 0);
    cr_assert_eq(
        cltomo_von_karman_structure_function(structure, separation, 2, 0.1, 20.0, NULL), 0);
    cr_assert_eq(
        cltomo_von_karman_covariance(variance, (const double[]){0.0}, 1, 0.1, 20.0, NULL), 0);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(covariance[i], 0.0);
        cr_assert_eq(structure[i], 2.0 * variance[0]);
    }
}

typedef cltomo_status (*evaluator)(
    double *, const double *, size_t, double, double, cltomo_error *);
static const evaluator evaluators[] = {
    cltomo_von_karman_covariance, cltomo_von_karman_structure_function};

Test(von_karman, rejects_bad_lengths)
{
    const double bad[] = {0.0, -1.0, NAN, INFINITY, -INFINITY};
    const double separation[] = {1.0};
    for (size_t e = 0; e < 2; e++)
        for (size_t i = 0; i < LENGTH(bad); i++) {
            double value[] = {-7.0};
            cltomo_error error;
            cr_assert_eq(
                evaluators[e](value, separation, 1, bad[i], 25.0, &error), CLTOMO_ERROR_ARGUMENT);
            cr_assert_str_eq(error.key, "r0");
            cr_assert_eq(
                evaluators[e](value, separation, 1, 0.2, bad[i], &error), CLTOMO_ERROR_ARGUMENT);
            cr_assert_str_eq(error.key, "L0");
            cr_assert_eq(value[0], -7.0);
        }
}

Test(von_karman, rejects_bad_separations)
{
    const double bad[] = {-1e-9, NAN, -INFINITY};
    for (size_t e = 0; e < 2; e++)
        for (size_t i = 0; i < LENGTH(bad); i++) {
            const double separation[] = {0.0, 2.0, bad[i]};
            double value[] = {-7.0, -7.0, -7.0};
            cltomo_error error;
            cr_assert_eq(
                evaluators[e](value, separation, 3, 0.2, 25.0, &error), CLTOMO_ERROR_ARGUMENT);
            cr_assert_str_eq(error.key, "separation[2]");
            cr_assert_eq(value[0], -7.0);
        }
}

Test(von_karman, rejects_missing_arrays)
{
    double value[1];
    for (size_t e = 0; e < 2; e++) {
        cr_assert_eq(evaluators[e](value, NULL, 1, 0.2, 25.0, NULL), CLTOMO_ERROR_ARGUMENT);
        cr_assert_eq(evaluators[e](NULL, value, 1, 0.2, 25.0, NULL), CLTOMO_ERROR_ARGUMENT);
        cr_assert_eq(evaluators[e](NULL, NULL, 0, 0.2, 25.0, NULL), CLTOMO_OK);
    }
}

/* Extreme but valid lengths give a number or an error, never a NaN or an infinity. */
Test(von_karman, extreme_lengths_stay_finite)
{
    const double lengths[] = {DBL_TRUE_MIN, 1e-300, 1e-100, 1.0, 1e100, 1e300, DBL_MAX};
    const double separation[] = {0.0, DBL_TRUE_MIN, 1.0, DBL_MAX, INFINITY};
    for (size_t e = 0; e < 2; e++)
        for (size_t i = 0; i < LENGTH(lengths); i++)
            for (size_t j = 0; j < LENGTH(lengths); j++) {
                double value[LENGTH(separation)];
                cltomo_status status = evaluators[e](
                    value, separation, LENGTH(separation), lengths[i], lengths[j], NULL);
                if (status == CLTOMO_ERROR_NOT_FINITE)
                    continue;
                cr_assert_eq(status, CLTOMO_OK);
                for (size_t k = 0; k < LENGTH(separation); k++)
                    cr_assert(isfinite(value[k]) && value[k] >= 0.0);
            }
    double value[1];
    cr_assert_eq(evaluators[0](value, separation, 1, 1e-100, 1e300, NULL), CLTOMO_ERROR_NOT_FINITE);
}
