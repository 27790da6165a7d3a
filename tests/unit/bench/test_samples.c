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

Test(samples, latency_percentiles_are_samples)
{
    double sample[1000];
    for (size_t i = 0; i < 1000; ++i) {
        sample[i] = (double)(i * 389 % 1000 + 1); /* 1 ... 1000, shuffled */
    }
    bench_latency latency = bench_latency_of(sample, 1000);
    cr_expect_eq(latency.median, 500.5);
    cr_expect_eq(latency.percent_99, 990.0);
    cr_expect_eq(latency.percent_99_9, 999.0);
    cr_expect_eq(latency.percent_99_99, 1000.0);
    cr_expect_eq(latency.maximum, 1000.0);
    latency = bench_latency_of(sample, 1);
    cr_expect(latency.median == 1.0 && latency.percent_99 == 1.0 && latency.maximum == 1.0);
    latency = bench_latency_of(sample, 0);
    cr_expect(isnan(latency.median) && isnan(latency.maximum));
}
