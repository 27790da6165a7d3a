#include "bench.h"

#include <criterion/criterion.h>

#include <math.h>

Test(samples, median_and_minimum)
{
    double odd[] = {3.0, 1.0, 2.0};
    double even[] = {4.0, 1.0, 3.0, 2.0};
    double one[] = {7.0};
    bench_summary summary = bench_summarise(odd, 3);
    cr_expect_eq(summary.median, 2.0);
    cr_expect_eq(summary.minimum, 1.0);
    summary = bench_summarise(even, 4);
    cr_expect_eq(summary.median, 2.5);
    cr_expect_eq(summary.minimum, 1.0);
    summary = bench_summarise(one, 1);
    cr_expect_eq(summary.median, 7.0);
    cr_expect_eq(summary.minimum, 7.0);
}

Test(samples, exponent_of_a_power)
{
    double x[] = {608.0, 1216.0, 2432.0, 4800.0};
    double y[4];
    for (size_t i = 0; i < 4; ++i) {
        y[i] = 3e-9 * pow(x[i], 2.75);
    }
    cr_expect_float_eq(bench_fit_exponent(x, y, 4), 2.75, 1e-12);
    cr_expect_float_eq(bench_fit_exponent(x, y, 2), 2.75, 1e-12);
    cr_expect(isnan(bench_fit_exponent(x, y, 1)));
    cr_expect(isnan(bench_fit_exponent(x, y, 0)));
    double same[] = {5.0, 5.0};
    cr_expect(isnan(bench_fit_exponent(same, y, 2)));
}

/* Against the normal equations, worked out by hand: x = 1, e, e^2 and ln y = 0, 1, 5. */
Test(samples, exponent_of_scattered_points)
{
    double x[] = {1.0, exp(1.0), exp(2.0)};
    double y[] = {1.0, exp(1.0), exp(5.0)};
    cr_expect_float_eq(bench_fit_exponent(x, y, 3), 2.5, 1e-14);
}
