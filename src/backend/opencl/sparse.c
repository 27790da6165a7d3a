/* A sparse matrix applied to rows. */
#include <limits.h>

#include "backend/opencl/opencl.h"

typedef struct device_sparse {
    cl_mem start;
    cl_mem column;
    cl_mem value;
} device_sparse;

static void release(device_sparse *m)
{
    cltomo_opencl_release_buffer(m->start);
    cltomo_opencl_release_buffer(m->column);
    cltomo_opencl_release_buffer(m->value);
}

/* The two lists of indices, as ints one behind the other. */
static cltomo_status upload_indices(const cltomo_context *context, device_sparse *m,
    const cltomo_sparse *sparse, cltomo_error *error)
{
    size_t n = sparse->row_start[sparse->rows];
    cl_int *values = cltomo_allocate(context, sparse->rows + 1 + n, sizeof *values);
    if (values == NULL) {
        return cltomo_fail_memory(error, "a sparse matrix");
    }
    cl_int *column = &values[sparse->rows + 1];
    for (size_t i = 0; i <= sparse->rows; ++i) {
        values[i] = (cl_int)sparse->row_start[i];
    }
    for (size_t k = 0; k < n; ++k) {
        column[k] = (cl_int)sparse->column[k];
    }
    cltomo_status status =
        cltomo_opencl_int_buffer(context, &m->start, sparse->rows + 1, values, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_int_buffer(context, &m->column, n, column, error);
    }
    cltomo_release(context, values);
    return status;
}

static cltomo_status upload(const cltomo_context *context, device_sparse *m,
    const cltomo_sparse *sparse, cltomo_error *error)
{
    size_t n = sparse->row_start[sparse->rows];
    if (n > INT_MAX || sparse->cols > INT_MAX) {
        return cltomo_fail(error, CLTOMO_ERROR_UNSUPPORTED,
            "a sparse matrix of %zu elements is too large for an OpenCL device", n);
    }
    cltomo_status status = upload_indices(context, m, sparse, error);
    return status == CLTOMO_OK
               ? cltomo_opencl_wide_buffer(context, &m->value, n, sparse->value, error)
               : status;
}

cltomo_status cltomo_opencl_apply_sparse(const cltomo_context *context, cltomo_array *y,
    const cltomo_sparse *a, const cltomo_array *x, cltomo_error *error)
{
    device_sparse m = {NULL, NULL, NULL};
    cl_int n_rows = (cl_int)y->cols;
    cl_int n_cols = (cl_int)x->cols;
    cltomo_status status = upload(context, &m, a, error);
    for (size_t row = 0; row < y->rows && status == CLTOMO_OK;) {
        cltomo_cl_span from = cltomo_opencl_span(x, row, x->rows);
        cltomo_cl_span to = cltomo_opencl_span(y, row, row + from.count);
        cl_int first_x = (cl_int)from.first;
        cl_int first_y = (cl_int)to.first;
        const cltomo_cl_argument arguments[] = {CLTOMO_CL(to.buffer), CLTOMO_CL(first_y),
            CLTOMO_CL(n_rows), CLTOMO_CL(from.buffer), CLTOMO_CL(first_x), CLTOMO_CL(n_cols),
            CLTOMO_CL(m.start), CLTOMO_CL(m.column), CLTOMO_CL(m.value)};
        status = cltomo_opencl_run(
            context, y->precision, "sparse_rows", y->cols, to.count, arguments, 9, error);
        row += to.count;
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_finish(context, error);
    }
    release(&m);
    return status;
}
