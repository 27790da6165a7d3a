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

/* The backend for arrays of so many elements: its need is that of all together and of the largest.
 */
static cltomo_status select_backend(const cltomo_context *context, const cltomo_backend **backend,
    cltomo_precision precision, const uint64_t n_elements[3], cltomo_error *error)
{
    uint64_t sum = 0;
    uint64_t largest = 0;
    for (size_t i = 0; i < 3; ++i) {
        uint64_t bytes = n_elements[i] * cltomo_precision_size(precision);
        sum += bytes;
        largest = bytes > largest ? bytes : largest;
    }
    return cltomo_backend_select(context, backend, precision, sum, largest, error);
}

static cltomo_status run(const row_operation *o, const cltomo_context *context,
    cltomo_matrix **results, const cltomo_matrix *x, cltomo_error *error)
{
    const cltomo_backend *backend = NULL;
    const uint64_t n_elements[] = {
        (uint64_t)x->rows * x->cols, (uint64_t)o->n_rows * o->n_cols, o->n_more};
    *results = NULL;
    cltomo_status status = select_backend(context, &backend, o->precision, n_elements, error);
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

/* ---- a matrix that is applied again and again ---------------------------------------------- */

cltomo_status cltomo_applier_create(const cltomo_context *context, cltomo_applier *applier,
    const cltomo_applier_size *size, cltomo_precision precision, cltomo_error *error)
{
    const uint64_t n_elements[] = {(uint64_t)size->n_vectors * size->cols,
        (uint64_t)size->n_vectors * size->rows, (uint64_t)size->rows * size->cols};
    *applier = (cltomo_applier){.context = context, .precision = precision, .rows = size->rows};
    cltomo_status status = select_backend(context, &applier->backend, precision, n_elements, error);
    return status == CLTOMO_OK ? applier->backend->array_create(context, &applier->matrix,
                                     precision, size->rows, size->cols, error)
                               : status;
}

cltomo_status cltomo_applier_set_rows(
    const cltomo_applier *applier, size_t first_row, const cltomo_matrix *rows, cltomo_error *error)
{
    const cltomo_backend *backend = applier->backend;
    cltomo_array *block = NULL;
    cltomo_status status =
        backend->upload(applier->context, &block, rows, applier->precision, error);
    if (status == CLTOMO_OK) {
        status = backend->place(applier->context, applier->matrix, first_row, 0, block, error);
    }
    backend->array_destroy(applier->context, block);
    return status;
}

static cltomo_status run_applier(const row_operation *o, const cltomo_context *context,
    const cltomo_backend *backend, cltomo_array *y, const cltomo_array *x, cltomo_error *error)
{
    return backend->apply(context, y, o->user, x, error);
}

cltomo_status cltomo_applier_apply(const cltomo_applier *applier, cltomo_matrix **results,
    const cltomo_matrix *vectors, cltomo_error *error)
{
    const row_operation operation = {.precision = applier->precision,
        .n_rows = vectors->rows,
        .n_cols = applier->rows,
        .run = run_applier,
        .user = applier->matrix};
    *results = NULL;
    return run_on(&operation, applier->context, applier->backend, results, vectors, error);
}

void cltomo_applier_release(cltomo_applier *applier)
{
    if (applier->backend != NULL) {
        applier->backend->array_destroy(applier->context, applier->matrix);
    }
}

/* ---- the gradient operator ----------------------------------------------------------------- */

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
