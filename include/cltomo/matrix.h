/* Dense and sparse matrices as results. Immutable once returned; safe to read from any thread. */
#ifndef CLTOMO_MATRIX_H
#define CLTOMO_MATRIX_H

#include <cltomo/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cltomo_precision {
    CLTOMO_PRECISION_DOUBLE = 0, /* 8-byte elements */
    CLTOMO_PRECISION_SINGLE = 1  /* 4-byte elements */
} cltomo_precision;

/* Dense, row-major, contiguous. */
typedef struct cltomo_matrix cltomo_matrix;

/* Copies rows * cols row-major elements of the given precision. rows, cols >= 1; every element must
 * be finite. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_matrix_create(const cltomo_context *context,
    cltomo_matrix **matrix, cltomo_precision precision, size_t rows, size_t cols, const void *data,
    cltomo_error *error);

CLTOMO_API size_t cltomo_matrix_rows(const cltomo_matrix *matrix);
CLTOMO_API size_t cltomo_matrix_cols(const cltomo_matrix *matrix);
CLTOMO_API cltomo_precision cltomo_matrix_precision(const cltomo_matrix *matrix);

/* The elements, owned by the matrix; NULL if the matrix has the other precision. */
CLTOMO_API const double *cltomo_matrix_double(const cltomo_matrix *matrix);
CLTOMO_API const float *cltomo_matrix_single(const cltomo_matrix *matrix);

/* Applies a matrix (m x k) to the rows of vectors (n x k), on the context's backend: row i of
 * results (n x m) = matrix times row i of vectors, in the precision of the matrix, to which the
 * vectors are converted. So R applied to a cube of slopes gives a wavefront per row. The matrix is
 * uploaded anew with each call. Fails with CLTOMO_ERROR_SHAPE if the two do not fit, with
 * CLTOMO_ERROR_NOT_FINITE if a result overflows, and as a build does where the device lacks the
 * precision or the memory. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_matrix_apply(const cltomo_context *context,
    cltomo_matrix **results, const cltomo_matrix *matrix, const cltomo_matrix *vectors,
    cltomo_error *error);

CLTOMO_API void cltomo_matrix_destroy(cltomo_matrix *matrix);

/* Compressed sparse rows. Row i holds the elements row_start[i] <= k < row_start[i + 1], at column
 * column[k] (ascending within a row) with value value[k]. */
typedef struct cltomo_sparse {
    size_t rows;
    size_t cols;
    const size_t *row_start; /* rows + 1 */
    const uint32_t *column;  /* row_start[rows] */
    const double *value;     /* row_start[rows] */
} cltomo_sparse;

#ifdef __cplusplus
}
#endif

#endif
