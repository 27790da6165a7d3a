/* Operations of the backends on matrices of the caller's, without a build. */
#include "backend/backend.h"
#include "geometry/sparse.h"

/* An operation that makes rows of y from rows of x. */
typedef struct row_operation {
    cltomo_precision precision;
    size_t n_rows; /* of x and y */
    size_t n_cols; /* of y */
    size_t n_more; /* elements of a further array */
    /* y from x, both on the backend */
    cltomo_status (*run)(const struct row_operation *operation, const cltomo_context *context,
        const cltomo_backend *backend, cltomo_array *y, const cltomo_array *x, cltomo_error *error);
    const void *user;
} row_operation;

static cltomo_status run_on(const row_operation *o, const cltomo_context *context,
    const cltomo_backend *backend, cltomo_matrix **results, const cltomo_matrix *x,
    cltomo_error *error)
{
    cltomo_array *in = NULL;
    cltomo_array *out = NULL;
    cltomo_status status = backend->upload(context, &in, x, o->precision, error);
    if (status == CLTOMO_OK) {
        status = backend->array_create(context, &out, o->precision, o->n_rows, o->n_cols, error);
    }
    if (status == CLTOMO_OK) {
        status = o->run(o, context, backend, out, in, error);
    }
    if (status == CLTOMO_OK) {
        status = backend->download(context, results, &out, error);
    }
    backend->array_destroy(context, in);
    backend->array_destroy(context, out);
    return status;
}

/* The need of all arrays together and of the largest, saturating like a build's. */
static cltomo_status run(const row_operation *o, const cltomo_context *context,
    cltomo_matrix **results, const cltomo_matrix *x, cltomo_error *error)
{
    const cltomo_backend *backend = NULL;
    uint64_t element = cltomo_precision_size(o->precision);
    uint64_t of_x = element * x->rows * x->cols;
    uint64_t of_y = element * o->n_rows * o->n_cols;
    uint64_t more = element * o->n_more;
    uint64_t largest = of_x > of_y ? of_x : of_y;
    largest = largest > more ? largest : more;
    *results = NULL;
    cltomo_status status =
        cltomo_backend_select(context, &backend, o->precision, of_x + of_y + more, largest, error);
    return status == CLTOMO_OK ? run_on(o, context, backend, results, x, error) : status;
}

static cltomo_status run_apply(const row_operation *o, const cltomo_context *context,
    const cltomo_backend *backend, cltomo_array *y, const cltomo_array *x, cltomo_error *error)
{
    cltomo_array *a = NULL;
    cltomo_status status = backend->upload(context, &a, o->user, o->precision, error);
    if (status == CLTOMO_OK) {
        status = backend->apply(context, y, a, x, error);
    }
    backend->array_destroy(context, a);
    return status;
}

cltomo_status cltomo_matrix_apply(const cltomo_context *context, cltomo_matrix **results,
    const cltomo_matrix *matrix, const cltomo_matrix *vectors, cltomo_error *error)
{
    *results = NULL;
    if (vectors->cols != matrix->cols) {
        return cltomo_fail(error, CLTOMO_ERROR_SHAPE,
            "a %zu x %zu matrix does not apply to vectors of %zu elements", matrix->rows,
            matrix->cols, vectors->cols);
    }
    const row_operation operation = {.precision = matrix->precision,
        .n_rows = vectors->rows,
        .n_cols = matrix->rows,
        .n_more = matrix->rows * matrix->cols,
        .run = run_apply,
        .user = matrix};
    return run(&operation, context, results, vectors, error);
}

static cltomo_status run_sparse(const row_operation *o, const cltomo_context *context,
    const cltomo_backend *backend, cltomo_array *y, const cltomo_array *x, cltomo_error *error)
{
    return backend->apply_sparse(context, y, o->user, x, error);
}

static cltomo_status apply_sparse(const cltomo_context *context, cltomo_matrix **results,
    const cltomo_sparse *a, const cltomo_matrix *rows, cltomo_error *error)
{
    const row_operation operation = {.precision = rows->precision,
        .n_rows = rows->rows,
        .n_cols = a->rows,
        .run = run_sparse,
        .user = a};
    *results = NULL;
    if (rows->cols != a->cols) {
        return cltomo_fail(error, CLTOMO_ERROR_SHAPE,
            "a %zu x %zu operator does not apply to rows of %zu elements", a->rows, a->cols,
            rows->cols);
    }
    return run(&operation, context, results, rows, error);
}

cltomo_status cltomo_gradient_apply(const cltomo_context *context, cltomo_matrix **slopes,
    const cltomo_gradient *gradient, const cltomo_matrix *phase, cltomo_error *error)
{
    return apply_sparse(context, slopes, cltomo_gradient_matrix(gradient), phase, error);
}

cltomo_status cltomo_gradient_apply_transposed(const cltomo_context *context, cltomo_matrix **phase,
    const cltomo_gradient *gradient, const cltomo_matrix *slopes, cltomo_error *error)
{
    cltomo_owned_sparse transposed;
    *phase = NULL;
    cltomo_status status =
        cltomo_sparse_transpose(context, &transposed, cltomo_gradient_matrix(gradient), error);
    if (status == CLTOMO_OK) {
        status = apply_sparse(context, phase, &transposed.matrix, slopes, error);
        cltomo_sparse_release(context, &transposed);
    }
    return status;
}
