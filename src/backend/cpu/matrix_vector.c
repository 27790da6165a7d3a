/* Applies a matrix to vectors: one as a product with a vector, many as a product of matrices. */
#include <cblas.h>
#include <limits.h>

#include "backend/cpu/blas_threads.h"
#include "backend/cpu/cpu.h"

static void multiply_vector(const cltomo_matrix *y, const cltomo_matrix *a, const cltomo_matrix *x)
{
    int m = (int)a->rows;
    int n = (int)a->cols;
    if (a->precision == CLTOMO_PRECISION_DOUBLE) {
        cblas_dgemv(CblasRowMajor, CblasNoTrans, m, n, 1.0, a->data.f64, n, x->data.f64, 1, 0.0,
            y->data.f64, 1);
    } else {
        cblas_sgemv(CblasRowMajor, CblasNoTrans, m, n, 1.0F, a->data.f32, n, x->data.f32, 1, 0.0F,
            y->data.f32, 1);
    }
}

/* y = x a^T */
static void multiply_vectors(const cltomo_matrix *y, const cltomo_matrix *a, const cltomo_matrix *x)
{
    int m = (int)y->rows;
    int n = (int)y->cols;
    int k = (int)a->cols;
    if (a->precision == CLTOMO_PRECISION_DOUBLE) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1.0, x->data.f64, k,
            a->data.f64, k, 0.0, y->data.f64, n);
    } else {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1.0F, x->data.f32, k,
            a->data.f32, k, 0.0F, y->data.f32, n);
    }
}

cltomo_status cltomo_cpu_apply(const cltomo_context *context, cltomo_array *y,
    const cltomo_array *a, const cltomo_array *x, cltomo_error *error)
{
    const cltomo_matrix *results = cltomo_cpu_const_matrix(y);
    const cltomo_matrix *matrix = cltomo_cpu_const_matrix(a);
    const cltomo_matrix *vectors = cltomo_cpu_const_matrix(x);
    if (matrix->rows > INT_MAX || matrix->cols > INT_MAX || vectors->rows > INT_MAX) {
        return cltomo_fail(error, CLTOMO_ERROR_UNSUPPORTED,
            "%zu x %zu times %zu vectors is beyond the 32-bit sizes of the BLAS", matrix->rows,
            matrix->cols, vectors->rows);
    }
    int saved = cltomo_blas_threads_begin(context);
    if (results->rows == 1) {
        multiply_vector(results, matrix, vectors);
    } else {
        multiply_vectors(results, matrix, vectors);
    }
    cltomo_blas_threads_end(context, saved);
    return CLTOMO_OK;
}
