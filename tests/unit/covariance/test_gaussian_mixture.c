#include "covariance/gaussian_mixture.h"
#include "golden/von_karman.h"
#include "turbulence/turbulence.h"

#include <criterion/criterion.h>

#include <math.h>

static double evaluate(const cltomo_gaussian_mixture *mixture, double u)
{
    double sum = 0.0;
    for (size_t k = 0; k < mixture->n_terms; k++)
        sum += mixture->weight[k] * exp(-mixture->exponent[k] * u * u);
    return sum;
}

static cltomo_gaussian_mixture select(double accuracy)
{
    cltomo_gaussian_mixture mixture;
    cr_assert_eq(cltomo_gaussian_mixture_select(&mixture, accuracy, NULL), CLTOMO_OK);
    cr_assert_leq(mixture.accuracy, accuracy);
    return mixture;
}

/* Rounding of some seventy terms comes on top of the error of the approximation. */
static double allowed(double accuracy)
{
    return (accuracy + 1e-15) * cltomo_von_karman_f(0.0);
}

static const double accuracies[] = {
    1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14};
#define N_ACCURACIES (sizeof accuracies / sizeof accuracies[0])

Test(gaussian_mixture, error_stays_below_the_accuracy)
{
    for (size_t a = 0; a < N_ACCURACIES; ++a) {
        cltomo_gaussian_mixture mixture = select(accuracies[a]);
        cr_assert_eq(mixture.accuracy, accuracies[a]);
        double largest = fabs(evaluate(&mixture, 0.0) - cltomo_von_karman_f(0.0));
        for (int i = 0; i <= 6000; ++i) { /* some forty points for each extremum of the error */
            double u = 700.0 * pow(10.0, -16.0 * i / 6000.0);
            largest = fmax(largest, fabs(evaluate(&mixture, u) - cltomo_von_karman_f(u)));
        }
        cr_assert_leq(largest, allowed(accuracies[a]), "%g: error %g", accuracies[a], largest);
        cr_assert_geq(largest, 0.5 * accuracies[a], "%g: fewer terms would do", accuracies[a]);
    }
}

/* The error of a best approximation with n terms has 2n + 1 alternating extrema of one size, the
 * first at u = 0. */
Test(gaussian_mixture, no_other_mixture_with_as_many_terms_is_better)
{
    for (size_t a = 0; a < 8; ++a) { /* beyond that, rounding hides the extrema */
        cltomo_gaussian_mixture mixture = select(accuracies[a]);
        double level = cltomo_von_karman_f(0.0) - evaluate(&mixture, 0.0);
        size_t extrema = 1;
        double sign = 1.0;
        for (int i = 0; i <= 6000; ++i) {
            double u = 1e-12 * pow(10.0, 14.0 * i / 6000.0);
            double error = cltomo_von_karman_f(u) - evaluate(&mixture, u);
            if (error * -sign > 0.97 * level) {
                sign = -sign;
                ++extrema;
            }
        }
        cr_assert_eq(extrema, 2 * mixture.n_terms + 1, "%g: %zu", accuracies[a], extrema);
    }
}

Test(gaussian_mixture, agrees_with_mpmath)
{
    cltomo_gaussian_mixture mixture = select(1e-14);
    for (size_t i = 0; i < sizeof golden_von_karman / sizeof golden_von_karman[0]; ++i) {
        cr_assert_float_eq(
            evaluate(&mixture, golden_von_karman[i].u), golden_von_karman[i].f, allowed(1e-14));
    }
}

Test(gaussian_mixture, terms_are_positive_and_ordered)
{
    for (size_t a = 0; a < N_ACCURACIES; ++a) {
        cltomo_gaussian_mixture mixture = select(accuracies[a]);
        for (size_t k = 0; k < mixture.n_terms; ++k) {
            cr_assert_gt(mixture.weight[k], 0.0);
            cr_assert_gt(mixture.exponent[k], 0.0);
            cr_assert(k == 0 || mixture.exponent[k] < mixture.exponent[k - 1]);
        }
    }
}

Test(gaussian_mixture, accuracies_in_between_take_the_next_better)
{
    cr_assert_eq(select(3e-9).exponent, select(1e-9).exponent);
    cr_assert_lt(select(1e-6).n_terms, select(9e-7).n_terms);
    cr_assert_eq(select(1.0).exponent, select(1e-4).exponent);
}

Test(gaussian_mixture, impossible_accuracy_is_an_error)
{
    const double bad[] = {9e-15, 0.0, -1.0, -INFINITY, NAN, 1.5, INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        cltomo_gaussian_mixture mixture;
        cltomo_error error;
        cr_assert_eq(
            cltomo_gaussian_mixture_select(&mixture, bad[i], &error), CLTOMO_ERROR_ARGUMENT);
        cr_assert_str_eq(error.key, "accuracy");
    }
}
