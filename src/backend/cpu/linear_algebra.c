/* Dense linear algebra by LAPACKE and CBLAS. A row-major upper triangle is LAPACK's column-major
 * lower one, and the rows of a row-major right-hand side are its columns: nothing is transposed. */
#include <cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>

#include "backend/cpu/blas_threads.h"
#include "backend/cpu/cpu.h"

static cltomo_status check_size(const cltomo_matrix *a, cltomo_error *error)
{
    if (a->rows > INT_MAX || a->cols > INT_MAX) {
        return cltomo_fail(error, CLTOMO_ERROR_UNSUPPORTED,
            "a %zu x %zu matrix is beyond the 32-bit sizes of LAPACK", a->rows, a->cols);
    }
    return CLTOMO_OK;
}

static cltomo_status check_square(const cltomo_matrix *a, cltomo_error *error)
{
    if (a->rows != a->cols) {
        return cltomo_fail(
            error, CLTOMO_ERROR_SHAPE, "a %zu x %zu matrix is not square", a->rows, a->cols);
    }
    return check_size(a, error);
}

static cltomo_status check_precision(
    const cltomo_matrix *a, const cltomo_matrix *b, cltomo_error *error)
{
    if (a->precision != b->precision) {
        return cltomo_fail(error, CLTOMO_ERROR_ARGUMENT, "the precisions of two matrices differ");
    }
    return CLTOMO_OK;
}

static double diagonal(const cltomo_matrix *a, size_t i)
{
    size_t place = i * a->cols + i;
    return a->precision == CLTOMO_PRECISION_DOUBLE ? a->data.f64[place]
                                                   : (double)a->data.f32[place];
}

static cltomo_status factor_pivot_ratio(
    double *pivot_ratio, const cltomo_matrix *factor, cltomo_error *error)
{
    double smallest = HUGE_VAL;
    double largest = 0.0;
    for (size_t i = 0; i < factor->rows; ++i) {
        double pivot = diagonal(factor, i);
        if (!isfinite(pivot)) {
            return cltomo_fail(
                error, CLTOMO_ERROR_NOT_FINITE, "the Cholesky factor has a NaN or an infinity");
        }
        smallest = fmin(smallest, pivot);
        largest = fmax(largest, pivot);
    }
    *pivot_ratio = (smallest / largest) * (smallest / largest);
    return CLTOMO_OK;
}

cltomo_status cltomo_cpu_cholesky(
    const cltomo_context *context, cltomo_array *a, double *pivot_ratio, cltomo_error *error)
{
    cltomo_matrix *matrix = cltomo_cpu_matrix(a);
    cltomo_status status = check_square(matrix, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    lapack_int n = (lapack_int)matrix->rows;
    int saved = cltomo_blas_threads_begin(context);
    lapack_int info = matrix->precision == CLTOMO_PRECISION_DOUBLE
                          ? LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, matrix->data.f64, n)
                          : LAPACKE_spotrf_work(LAPACK_COL_MAJOR, 'L', n, matrix->data.f32, n);
    cltomo_blas_threads_end(context, saved);
    if (info > 0) {
        return cltomo_fail(error, CLTOMO_ERROR_NOT_POSITIVE_DEFINITE,
            "the slope covariance with noise is not positive definite: the Cholesky factorisation "
            "stops at row %d of %d; more noise (a larger alpha) or double precision is needed",
            (int)info, (int)n);
    }
    if (info < 0) {
        return cltomo_fail(
            error, CLTOMO_ERROR_INTERNAL, "LAPACK refuses argument %d of potrf", -(int)info);
    }
    return factor_pivot_ratio(pivot_ratio, matrix, error);
}

static cltomo_status check_solve(
    const cltomo_matrix *x, const cltomo_matrix *factor, cltomo_error *error)
{
    if (x->cols != factor->rows) {
        return cltomo_fail(error, CLTOMO_ERROR_SHAPE, "%zu x %zu does not fit %zu x %zu", x->rows,
            x->cols, factor->rows, factor->cols);
    }
    cltomo_status status = check_square(factor, error);
    return status == CLTOMO_OK ? check_precision(x, factor, error) : status;
}

static lapack_int solve_panel(
    cltomo_matrix *x, size_t first, size_t count, const cltomo_matrix *factor)
{
    lapack_int n = (lapack_int)factor->rows;
    lapack_int n_rhs = (lapack_int)count;
    if (x->precision == CLTOMO_PRECISION_DOUBLE) {
        return LAPACKE_dpotrs_work(
            LAPACK_COL_MAJOR, 'L', n, n_rhs, factor->data.f64, n, &x->data.f64[first * x->cols], n);
    }
    return LAPACKE_spotrs_work(
        LAPACK_COL_MAJOR, 'L', n, n_rhs, factor->data.f32, n, &x->data.f32[first * x->cols], n);
}

cltomo_status cltomo_cpu_solve(
    const cltomo_context *context, cltomo_array *x, const cltomo_array *factor, cltomo_error *error)
{
    enum { panel = 1024 }; /* rows between two looks at the progress callback */
    cltomo_matrix *rhs = cltomo_cpu_matrix(x);
    const cltomo_matrix *matrix = cltomo_cpu_const_matrix(factor);
    cltomo_status status = check_solve(rhs, matrix, error);
    for (size_t first = 0; first < rhs->rows && status == CLTOMO_OK; first += panel) {
        size_t left = rhs->rows - first;
        size_t count = left < panel ? left : panel;
        int saved = cltomo_blas_threads_begin(context);
        lapack_int info = solve_panel(rhs, first, count, matrix);
        cltomo_blas_threads_end(context, saved);
        if (info != 0) {
            return cltomo_fail(
                error, CLTOMO_ERROR_INTERNAL, "LAPACK refuses argument %d of potrs", -(int)info);
        }
        status =
            cltomo_progress(context, "solve", (double)(first + count) / (double)rhs->rows, error);
    }
    return status;
}

cltomo_status cltomo_cpu_multiply(const cltomo_context *context, cltomo_array *c, double factor,
    const cltomo_array *a, const cltomo_array *b, cltomo_error *error)
{
    cltomo_matrix *out = cltomo_cpu_matrix(c);
    const cltomo_matrix *left = cltomo_cpu_const_matrix(a);
    const cltomo_matrix *right = cltomo_cpu_const_matrix(b);
    if (left->rows != out->rows || right->cols != out->cols || left->cols != right->rows) {
        return cltomo_fail(error, CLTOMO_ERROR_SHAPE, "%zu x %zu times %zu x %zu is not %zu x %zu",
            left->rows, left->cols, right->rows, right->cols, out->rows, out->cols);
    }
    cltomo_status status = check_size(out, error);
    if (status == CLTOMO_OK) {
        status = check_size(left, error);
    }
    if (status == CLTOMO_OK) {
        status = check_precision(left, out, error);
    }
    if (status == CLTOMO_OK) {
        status = check_precision(right, out, error);
    }
    if (status != CLTOMO_OK) {
        return status;
    }
    int m = (int)out->rows;
    int n = (int)out->cols;
    int k = (int)left->cols;
    int saved = cltomo_blas_threads_begin(context);
    if (out->precision == CLTOMO_PRECISION_DOUBLE) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, factor, left->data.f64, k,
            right->data.f64, n, 0.0, out->data.f64, n);
    } else {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, (float)factor,
            left->data.f32, k, right->data.f32, n, 0.0F, out->data.f32, n);
    }
    cltomo_blas_threads_end(context, saved);
    return CLTOMO_OK;
}

cltomo_status cltomo_cpu_multiply_transposed(const cltomo_context *context, cltomo_matrix *c,
    const cltomo_matrix *a, size_t first_col, size_t n_cols, const cltomo_matrix *b,
    bool accumulate, cltomo_error *error)
{
    cltomo_status status = check_size(a, error);
    if (status == CLTOMO_OK) {
        status = check_size(b, error);
    }
    if (status != CLTOMO_OK) {
        return status;
    }
    int m = (int)n_cols;
    int n = (int)b->cols;
    int k = (int)a->rows;
    int lda = (int)a->cols;
    int saved = cltomo_blas_threads_begin(context);
    if (c->precision == CLTOMO_PRECISION_DOUBLE) {
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, n, k, 1.0, &a->data.f64[first_col],
            lda, b->data.f64, n, accumulate ? 1.0 : 0.0, c->data.f64, n);
    } else {
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, n, k, 1.0F, &a->data.f32[first_col],
            lda, b->data.f32, n, accumulate ? 1.0F : 0.0F, c->data.f32, n);
    }
    cltomo_blas_threads_end(context, saved);
    return CLTOMO_OK;
}
