#include <math.h>
#include <stdlib.h>

#include "bench.h"

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

bench_summary bench_summarise(double *sample, size_t n)
{
    qsort(sample, n, sizeof *sample, compare);
    return (bench_summary){0.5 * (sample[(n - 1) / 2] + sample[n / 2]), sample[0]};
}

/* The smallest sample that at least this fraction of the n sorted ones does not exceed. */
static double percentile(const double *sorted, size_t n, double fraction)
{
    double rank = ceil(fraction * (double)n - 1e-9);
    return sorted[rank < 1.0 ? 0 : (size_t)rank - 1];
}

bench_latency bench_latency_of(double *sample, size_t n)
{
    if (n == 0) {
        const double none = (double)NAN;
        return (bench_latency){none, none, none, none, none};
    }
    double median = bench_summarise(sample, n).median;
    return (bench_latency){median, percentile(sample, n, 0.99), percentile(sample, n, 0.999),
        percentile(sample, n, 0.9999), sample[n - 1]};
}

double bench_fit_exponent(const double *x, const double *y, size_t n)
{
    double mean_x = 0.0;
    double mean_y = 0.0;
    for (size_t i = 0; i < n; ++i) {
        mean_x += log(x[i]) / (double)n;
        mean_y += log(y[i]) / (double)n;
    }
    double variance = 0.0;
    double covariance = 0.0;
    for (size_t i = 0; i < n; ++i) {
        double dx = log(x[i]) - mean_x;
        variance += dx * dx;
        covariance += dx * (log(y[i]) - mean_y);
    }
    return variance > 0.0 ? covariance / variance : (double)NAN;
}
