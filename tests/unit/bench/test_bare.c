#include "bench.h"

#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

/* ||A x - b|| / ||b||, with A and b as they are filled before each run. */
static double residual(const bench_bare *filled, const double *x, size_t n)
{
    const double *a = filled->matrix;
    const double *b = filled->rhs;
    double error = 0.0;
    double norm = 0.0;
    for (size_t i = 0; i < n; ++i) {
        double sum = -b[i];
        for (size_t k = 0; k < n; ++k) {
            sum += (k <= i ? a[k * n + i] : a[i * n + k]) * x[k]; /* lower, by columns */
        }
        error += sum * sum;
        norm += b[i] * b[i];
    }
    return sqrt(error / norm);
}

Test(bare, solves_what_it_fills)
{
    enum { n = 37, n_rhs = 5 };
    bench_bare bare;
    bench_bare again;
    bench_bare_seconds seconds;
    cr_assert(bench_bare_create(&bare, n, n * n_rhs));
    cr_assert(bench_bare_create(&again, n, n * n_rhs));
    cr_assert(bench_bare_run(&bare, &seconds, CLTOMO_PRECISION_DOUBLE, n, n_rhs));
    cr_expect_geq(seconds.factorisation, 0.0);
    cr_expect_geq(seconds.solve, 0.0);
    bench_bare_fill(&again, CLTOMO_PRECISION_DOUBLE, n, n_rhs);
    cr_expect_lt(residual(&again, bare.rhs, n), 1e-14);

    /* The same problem in single precision. */
    cr_assert(bench_bare_run(&again, &seconds, CLTOMO_PRECISION_SINGLE, n, n_rhs));
    for (size_t i = 0; i < (size_t)n * n_rhs; ++i) {
        double expected = ((const double *)bare.rhs)[i];
        cr_expect_float_eq(((const float *)again.rhs)[i], expected, 1e-5 * fabs(expected));
    }
    bench_bare_destroy(&bare);
    bench_bare_destroy(&again);
}

Test(bare, too_much_is_refused)
{
    bench_bare bare;
    cr_expect_not(bench_bare_create(&bare, (size_t)1 << 33, (size_t)1 << 33));
    bench_bare_destroy(&bare);
    cr_expect_not(bench_bare_create(&bare, 4, SIZE_MAX / 2));
    bench_bare_destroy(&bare);
}
