#include <math.h>
#include <string.h>

#include "core/core.h"

size_t cltomo_precision_size(cltomo_precision precision)
{
    return precision == CLTOMO_PRECISION_DOUBLE ? sizeof(double) : sizeof(float);
}

cltomo_status cltomo_matrix_allocate(const cltomo_context *context, cltomo_matrix **matrix,
    cltomo_precision precision, size_t rows, size_t cols, cltomo_error *error)
{
    *matrix = NULL;
    if (precision != CLTOMO_PRECISION_DOUBLE && precision != CLTOMO_PRECISION_SINGLE) {
        return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "precision", "",
            "CLTOMO_PRECISION_DOUBLE or CLTOMO_PRECISION_SINGLE", "unknown precision");
    }
    if (rows == 0 || cols == 0) {
        return cltomo_fail(error, CLTOMO_ERROR_ARGUMENT, "a matrix needs rows and columns");
    }
    cltomo_matrix *created = cltomo_allocate(context, 1, sizeof *created);
    if (created == NULL) {
        return cltomo_fail_memory(error, "a matrix");
    }
    created->rows = rows;
    created->cols = cols;
    created->precision = precision;
    created->data.raw = cols > SIZE_MAX / rows ? NULL
                                               : cltomo_allocate(context, rows * cols,
                                                     cltomo_precision_size(precision));
    if (created->data.raw == NULL) {
        cltomo_release(context, created);
        return cltomo_fail(error, CLTOMO_ERROR_MEMORY, "no memory for a %zu x %zu matrix (%.1f MB)",
            rows, cols,
            1e-6 * (double)rows * (double)cols * (double)cltomo_precision_size(precision));
    }
    created->context = cltomo_context_retain(context);
    *matrix = created;
    return CLTOMO_OK;
}

cltomo_status cltomo_matrix_create(const cltomo_context *context, cltomo_matrix **matrix,
    cltomo_precision precision, size_t rows, size_t cols, const void *data, cltomo_error *error)
{
    *matrix = NULL;
    if (data == NULL) {
        return cltomo_fail_key(
            error, CLTOMO_ERROR_ARGUMENT, "data", "", "rows * cols elements", "no elements");
    }
    cltomo_status status = cltomo_matrix_allocate(context, matrix, precision, rows, cols, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    memcpy((*matrix)->data.raw, data, rows * cols * cltomo_precision_size(precision));
    if (!cltomo_matrix_is_finite(*matrix)) {
        size_t row = 0;
        size_t col = 0;
        cltomo_matrix_find_not_finite(*matrix, &row, &col);
        cltomo_matrix_destroy(*matrix);
        *matrix = NULL;
        return cltomo_fail(error, CLTOMO_ERROR_NOT_FINITE,
            "the matrix has a NaN or an infinity at row %zu, column %zu (from 0)", row, col);
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_matrix_convert(const cltomo_context *context, cltomo_matrix **converted,
    const cltomo_matrix *matrix, cltomo_precision precision, cltomo_error *error)
{
    size_t n = matrix->rows * matrix->cols;
    cltomo_status status =
        cltomo_matrix_allocate(context, converted, precision, matrix->rows, matrix->cols, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    if (matrix->precision == precision) {
        memcpy((*converted)->data.raw, matrix->data.raw, n * cltomo_precision_size(precision));
        return CLTOMO_OK;
    }
    for (size_t i = 0; i < n; ++i) {
        if (precision == CLTOMO_PRECISION_DOUBLE) {
            (*converted)->data.f64[i] = (double)matrix->data.f32[i];
        } else {
            (*converted)->data.f32[i] = (float)matrix->data.f64[i];
        }
    }
    return CLTOMO_OK;
}

/* x - x is 0 for a finite x and NaN otherwise: the sum stays 0 without a branch per element. */
bool cltomo_matrix_is_finite(const cltomo_matrix *matrix)
{
    size_t n = matrix->rows * matrix->cols;
    double sum = 0.0;
    if (matrix->precision == CLTOMO_PRECISION_DOUBLE) {
        const double *x = matrix->data.f64;
        for (size_t i = 0; i < n; ++i) {
            sum += x[i] - x[i];
        }
    } else {
        const float *x = matrix->data.f32;
        float single_sum = 0.0F;
        for (size_t i = 0; i < n; ++i) {
            single_sum += x[i] - x[i];
        }
        sum = (double)single_sum;
    }
    return !isnan(sum);
}

void cltomo_matrix_find_not_finite(const cltomo_matrix *matrix, size_t *row, size_t *col)
{
    bool is_double = matrix->precision == CLTOMO_PRECISION_DOUBLE;
    size_t i = 0;
    while (is_double ? isfinite(matrix->data.f64[i]) : isfinite(matrix->data.f32[i])) {
        ++i;
    }
    *row = i / matrix->cols;
    *col = i % matrix->cols;
}

size_t cltomo_matrix_rows(const cltomo_matrix *matrix)
{
    return matrix->rows;
}

size_t cltomo_matrix_cols(const cltomo_matrix *matrix)
{
    return matrix->cols;
}

cltomo_precision cltomo_matrix_precision(const cltomo_matrix *matrix)
{
    return matrix->precision;
}

const double *cltomo_matrix_double(const cltomo_matrix *matrix)
{
    return matrix->precision == CLTOMO_PRECISION_DOUBLE ? matrix->data.f64 : NULL;
}

const float *cltomo_matrix_single(const cltomo_matrix *matrix)
{
    return matrix->precision == CLTOMO_PRECISION_SINGLE ? matrix->data.f32 : NULL;
}

void cltomo_matrix_destroy(cltomo_matrix *matrix)
{
    if (matrix != NULL) {
        const cltomo_context *context = matrix->context;
        cltomo_release(context, matrix->data.raw);
        cltomo_release(context, matrix);
        cltomo_context_release(context);
    }
}
