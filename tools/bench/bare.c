/* LAPACK's Cholesky factorisation and solves on matrices of a build's sizes, and nothing else. */
#include <lapacke.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "tool.h"

/* Present only if the BLAS is OpenBLAS. */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int n_threads) __attribute__((weak));

uint32_t bench_bare_threads(void)
{
    return openblas_get_num_threads != NULL ? (uint32_t)openblas_get_num_threads() : 0;
}

void bench_bare_set_threads(uint32_t n_threads)
{
    if (openblas_set_num_threads != NULL && n_threads > 0) {
        openblas_set_num_threads((int)n_threads);
    }
}

static void *create(size_t elements)
{
    void *start = NULL;
    if (elements > SIZE_MAX / sizeof(double) ||
        posix_memalign(&start, 64, elements * sizeof(double)) != 0) {
        return NULL;
    }
    return start;
}

bool bench_bare_create(bench_bare *bare, size_t n, size_t rhs_elements)
{
    memset(bare, 0, sizeof *bare);
    if (n > INT_MAX || rhs_elements / n > INT_MAX || n > SIZE_MAX / n) {
        return false;
    }
    bare->matrix = create(n * n);
    bare->rhs = create(rhs_elements);
    return bare->matrix != NULL && bare->rhs != NULL;
}

void bench_bare_destroy(bench_bare *bare)
{
    free(bare->matrix);
    free(bare->rhs);
    memset(bare, 0, sizeof *bare);
}

/* Off the diagonal between -1/2 and 1/2, on it n: positive definite, and neither of the two grows
 * or vanishes in the solves. */
#define DEFINE_FILL(real, name)                                                                    \
    static void fill_##name(real *matrix, real *rhs, size_t n, size_t n_rhs)                       \
    {                                                                                              \
        uint32_t state = 1;                                                                        \
        for (size_t i = 0; i < n * n; ++i) {                                                       \
            state = state * 1664525U + 1013904223U;                                                \
            matrix[i] = (real)(state >> 8) / (real)0x1000000 - (real)0.5;                          \
        }                                                                                          \
        for (size_t i = 0; i < n; ++i) {                                                           \
            matrix[i * n + i] = (real)n;                                                           \
        }                                                                                          \
        for (size_t i = 0; i < n * n_rhs; ++i) {                                                   \
            state = state * 1664525U + 1013904223U;                                                \
            rhs[i] = (real)(state >> 8) / (real)0x1000000 + (real)0.5;                             \
        }                                                                                          \
    }

DEFINE_FILL(double, double)
DEFINE_FILL(float, single)

void bench_bare_fill(bench_bare *bare, cltomo_precision precision, size_t n, size_t n_rhs)
{
    if (precision == CLTOMO_PRECISION_DOUBLE) {
        fill_double(bare->matrix, bare->rhs, n, n_rhs);
    } else {
        fill_single(bare->matrix, bare->rhs, n, n_rhs);
    }
}

bool bench_bare_run(bench_bare *bare, bench_bare_seconds *seconds, cltomo_precision precision,
    size_t n, size_t n_rhs)
{
    lapack_int order = (lapack_int)n;
    lapack_int count = (lapack_int)n_rhs;
    lapack_int factored;
    lapack_int solved;
    bench_bare_fill(bare, precision, n, n_rhs);
    double start = seconds_now();
    double between;
    if (precision == CLTOMO_PRECISION_DOUBLE) {
        factored = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', order, bare->matrix, order);
        between = seconds_now();
        solved = LAPACKE_dpotrs_work(
            LAPACK_COL_MAJOR, 'L', order, count, bare->matrix, order, bare->rhs, order);
    } else {
        factored = LAPACKE_spotrf_work(LAPACK_COL_MAJOR, 'L', order, bare->matrix, order);
        between = seconds_now();
        solved = LAPACKE_spotrs_work(
            LAPACK_COL_MAJOR, 'L', order, count, bare->matrix, order, bare->rhs, order);
    }
    *seconds = (bench_bare_seconds){between - start, seconds_now() - between};
    return factored == 0 && solved == 0;
}
