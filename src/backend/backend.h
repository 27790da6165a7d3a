/* The operations that every backend offers; the builders know nothing else of a backend.
 *
 * An array is a dense row-major matrix that lives where the backend works. Symmetric matrices keep
 * only the upper triangle (column >= row) until complete_symmetric is called; what stands below the
 * diagonal before that is unspecified. */
#ifndef CLTOMO_BACKEND_BACKEND_H
#define CLTOMO_BACKEND_BACKEND_H

#include "backend/influence.h"
#include "backend/plan.h"
#include "covariance/covariance.h"

typedef struct cltomo_array cltomo_array;

typedef struct cltomo_backend {
    const char *name; /* as cltomo_context_backend returns it */

    /* Whether a build with matrices of this precision can be done, with this many bytes at its peak
     * and in the widest row of its matrices: CLTOMO_ERROR_UNSUPPORTED or CLTOMO_ERROR_MEMORY if
     * not, CLTOMO_ERROR_DEVICE if the device computes wrongly. */
    cltomo_status (*check)(const cltomo_context *context, cltomo_precision precision,
        uint64_t bytes, uint64_t widest_row, cltomo_error *error);

    /* Arrays. upload copies a matrix, converting it to the precision; download makes it a matrix
     * and ends the array's life (*array becomes NULL, also on failure). array_destroy accepts NULL.
     */
    cltomo_status (*array_create)(const cltomo_context *context, cltomo_array **array,
        cltomo_precision precision, size_t rows, size_t cols, cltomo_error *error);
    cltomo_status (*array_copy)(const cltomo_context *context, cltomo_array **copy,
        const cltomo_array *array, cltomo_error *error);
    cltomo_status (*upload)(const cltomo_context *context, cltomo_array **array,
        const cltomo_matrix *matrix, cltomo_precision precision, cltomo_error *error);
    cltomo_status (*download)(const cltomo_context *context, cltomo_matrix **matrix,
        cltomo_array **array, cltomo_error *error);
    void (*array_destroy)(const cltomo_context *context, cltomo_array *array);
    /* The elements of a from (row, col) on become those of block, which lies within a. */
    cltomo_status (*place)(const cltomo_context *context, cltomo_array *a, size_t row, size_t col,
        const cltomo_array *block, cltomo_error *error);

    /* C_ss: n_slopes x n_slopes, symmetric. */
    cltomo_status (*slope_covariance)(const cltomo_context *context, cltomo_array *c_ss,
        const cltomo_covariance *covariance, cltomo_error *error);
    /* C_ps, averaged over the grid of directions: as many rows as c_ps has, from phase point
     * covariance->first_phase on; n_slopes columns. */
    cltomo_status (*phase_slope_covariance)(const cltomo_context *context, cltomo_array *c_ps,
        const cltomo_covariance *covariance, cltomo_error *error);

    /* The influence functions, n_phase x n_actuators, in double whatever the precision of the
     * build, which is given. They come back as a matrix, since their pseudo-inverse is the host's.
     */
    cltomo_status (*influence_functions)(const cltomo_context *context, cltomo_matrix **influence,
        const cltomo_influence *mirror, cltomo_precision precision, cltomo_error *error);

    /* covariance[k] = factor f(2 pi separation[k] / L0), structure[k] = 2 factor (f(0) - f(...)), f
     * the shape of the von Karman covariance; in double, on the host's arrays, which may be one. */
    cltomo_status (*von_karman_covariance)(const cltomo_context *context, double *covariance,
        const double *separation, size_t n, double factor, double L0, cltomo_error *error);
    cltomo_status (*von_karman_structure)(const cltomo_context *context, double *structure,
        const double *separation, size_t n, double factor, double L0, cltomo_error *error);

    /* Linear algebra. */
    cltomo_status (*mean_diagonal)(
        const cltomo_context *context, double *mean, const cltomo_array *a, cltomo_error *error);
    /* a[i][i] += values[i], on the host's array. */
    cltomo_status (*add_to_diagonal)(
        const cltomo_context *context, cltomo_array *a, const double *values, cltomo_error *error);
    /* The rows and columns whose flag is 0 become zero; used_rows NULL: no row does. */
    cltomo_status (*clear_unused)(const cltomo_context *context, cltomo_array *a,
        const uint8_t *used_rows, const uint8_t *used_cols, cltomo_error *error);
    /* a += factor b */
    cltomo_status (*add)(const cltomo_context *context, cltomo_array *a, double factor,
        const cltomo_array *b, cltomo_error *error);
    /* The largest sum of absolute values over a row of a, symmetric: a bound of its eigenvalues. */
    cltomo_status (*largest_row_sum)(
        const cltomo_context *context, double *sum, const cltomo_array *a, cltomo_error *error);
    cltomo_status (*complete_symmetric)(
        const cltomo_context *context, cltomo_array *a, cltomo_error *error);
    /* a becomes its Cholesky factor; pivot_ratio: smallest over largest diagonal element, squared.
     */
    cltomo_status (*cholesky)(
        const cltomo_context *context, cltomo_array *a, double *pivot_ratio, cltomo_error *error);
    /* x becomes x A^-1, A given by its factor. */
    cltomo_status (*solve)(const cltomo_context *context, cltomo_array *x,
        const cltomo_array *factor, cltomo_error *error);
    /* c = factor a b */
    cltomo_status (*multiply)(const cltomo_context *context, cltomo_array *c, double factor,
        const cltomo_array *a, const cltomo_array *b, cltomo_error *error);
    cltomo_status (*scale)(
        const cltomo_context *context, cltomo_array *a, double factor, cltomo_error *error);
    /* Each row of y (n x rows of a) becomes a times the row of x (n x columns of a) beside it. */
    cltomo_status (*apply)(const cltomo_context *context, cltomo_array *y, const cltomo_array *a,
        const cltomo_array *x, cltomo_error *error);
    /* The same with a sparse matrix: the gradient operator or its transpose. */
    cltomo_status (*apply_sparse)(const cltomo_context *context, cltomo_array *y,
        const cltomo_sparse *a, const cltomo_array *x, cltomo_error *error);

    const cltomo_plan_operations *plan; /* for real-time loops */
} cltomo_backend;

/* The backend that a context resolved to. */
const cltomo_backend *cltomo_backend_of(const cltomo_context *context);

/* The backend for a build of this precision and size: the context's own, or the C path if that one
 * cannot do it and the context was free to choose; the log then says why. */
cltomo_status cltomo_backend_select(const cltomo_context *context, const cltomo_backend **backend,
    cltomo_precision precision, uint64_t bytes, uint64_t widest_row, cltomo_error *error);

/* A matrix that stays on a backend while it is applied to batches of vectors. (apply.c) */
typedef struct cltomo_applier {
    const cltomo_context *context;
    const cltomo_backend *backend;
    cltomo_array *matrix;
    cltomo_precision precision;
    size_t rows;
} cltomo_applier;

/* Of the matrix, and the most vectors in a batch. */
typedef struct cltomo_applier_size {
    size_t rows;
    size_t cols;
    size_t n_vectors;
} cltomo_applier_size;

/* The elements of the matrix are not yet set. The applier is to be released also after a failure.
 */
cltomo_status cltomo_applier_create(const cltomo_context *context, cltomo_applier *applier,
    const cltomo_applier_size *size, cltomo_precision precision, cltomo_error *error);

/* The matrix's rows from first_row on become these, converted to its precision. */
cltomo_status cltomo_applier_set_rows(const cltomo_applier *applier, size_t first_row,
    const cltomo_matrix *rows, cltomo_error *error);

/* As cltomo_matrix_apply, with vectors of the matrix's length. */
cltomo_status cltomo_applier_apply(const cltomo_applier *applier, cltomo_matrix **results,
    const cltomo_matrix *vectors, cltomo_error *error);

/* Accepts one that is zero. */
void cltomo_applier_release(cltomo_applier *applier);

/* The C reference path; needs no resources. */
extern const cltomo_backend cltomo_backend_cpu;

#endif
