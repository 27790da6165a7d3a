/* Applies a matrix to vectors: one by the kernel, many as a product of matrices. */
#include "backend/opencl/matrix_vector.h"

void cltomo_opencl_matrix_vector_arguments(
    cltomo_cl_argument arguments[cltomo_cl_matrix_vector_arguments],
    const cltomo_cl_matrix_vector *product)
{
    const cltomo_cl_argument list[cltomo_cl_matrix_vector_arguments] = {CLTOMO_CL(product->y),
        CLTOMO_CL(product->first), CLTOMO_CL(product->a), CLTOMO_CL(product->x),
        CLTOMO_CL(product->n_rows), CLTOMO_CL(product->n_cols)};
    for (size_t i = 0; i < cltomo_cl_matrix_vector_arguments; ++i) {
        arguments[i] = list[i];
    }
}

void cltomo_opencl_matrix_vector_size(const cltomo_opencl *cl, size_t global[2], size_t n_rows)
{
    bool has_group_per_row = cl->quirks.width == 1;
    size_t groups = (n_rows + cltomo_opencl_group - 1) / cltomo_opencl_group;
    global[0] = (has_group_per_row ? 1 : groups) * cltomo_opencl_group;
    global[1] = has_group_per_row ? n_rows : 1;
}

static cltomo_status multiply_vector(const cltomo_context *context, const cltomo_array *y,
    const cltomo_array *a, const cltomo_array *x, cltomo_error *error)
{
    cltomo_status status = CLTOMO_OK;
    for (size_t row = 0; row < a->rows && status == CLTOMO_OK; row += a->panel_rows) {
        cltomo_cl_span span = cltomo_opencl_span(a, row, a->rows);
        const cltomo_cl_matrix_vector product = {.y = y->panel[0],
            .first = (cl_int)row,
            .a = span.buffer,
            .x = x->panel[0],
            .n_rows = (cl_int)span.count,
            .n_cols = (cl_int)a->cols};
        cltomo_cl_argument arguments[cltomo_cl_matrix_vector_arguments];
        size_t global[2];
        cltomo_opencl_matrix_vector_arguments(arguments, &product);
        cltomo_opencl_matrix_vector_size(cltomo_opencl_of(context), global, span.count);
        status = cltomo_opencl_run(context, a->precision, CLTOMO_MATRIX_VECTOR_KERNEL, global[0],
            global[1], arguments, cltomo_cl_matrix_vector_arguments, error);
    }
    return status;
}

cltomo_status cltomo_opencl_apply(const cltomo_context *context, cltomo_array *y,
    const cltomo_array *a, const cltomo_array *x, cltomo_error *error)
{
    if (y->rows > 1) {
        return cltomo_opencl_multiply_by_transpose(context, y, x, a, error);
    }
    cltomo_status status = multiply_vector(context, y, a, x, error);
    return status == CLTOMO_OK ? cltomo_opencl_finish(context, error) : status;
}
