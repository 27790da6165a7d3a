#include <math.h>

#include "backend/opencl/opencl.h"

/* Runs a kernel over each panel of a, all of which leave n numbers in `wide`, one per row of a, in
 * one buffer; reads them. */
static cltomo_status read_rows(const cltomo_context *context, double **values, const char *kernel,
    const cltomo_array *a, cltomo_error *error)
{
    cl_mem buffer = NULL;
    cl_int n = (cl_int)a->rows;
    *values = cltomo_allocate(context, a->rows, sizeof **values);
    if (*values == NULL) {
        return cltomo_fail_memory(error, "the rows of a matrix");
    }
    cltomo_status status = cltomo_opencl_wide_buffer(context, &buffer, a->rows, NULL, error);
    for (size_t row = 0; row < a->rows && status == CLTOMO_OK; row += a->panel_rows) {
        cltomo_cl_span span = cltomo_opencl_span(a, row, a->rows);
        cl_int first = (cl_int)row;
        cl_int count = (cl_int)span.count;
        const cltomo_cl_argument arguments[] = {CLTOMO_CL(buffer), CLTOMO_CL(span.buffer),
            CLTOMO_CL(n), CLTOMO_CL(first), CLTOMO_CL(count)};
        status = cltomo_opencl_run(context, a->precision, kernel, a->rows, 1, arguments, 5, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_read_wide(context, *values, buffer, a->rows, error);
    }
    cltomo_opencl_release_buffer(buffer);
    return status;
}

cltomo_status cltomo_opencl_mean_diagonal(
    const cltomo_context *context, double *mean, const cltomo_array *a, cltomo_error *error)
{
    double *diagonal = NULL;
    cltomo_status status = read_rows(context, &diagonal, "get_diagonal", a, error);
    if (status == CLTOMO_OK) {
        double sum = 0.0;
        for (size_t i = 0; i < a->rows; ++i) {
            sum += diagonal[i];
        }
        *mean = sum / (double)a->rows;
    }
    cltomo_release(context, diagonal);
    return status;
}

cltomo_status cltomo_opencl_largest_row_sum(
    const cltomo_context *context, double *sum, const cltomo_array *a, cltomo_error *error)
{
    double *sums = NULL;
    cltomo_status status = read_rows(context, &sums, "row_sums", a, error);
    if (status == CLTOMO_OK) {
        *sum = 0.0;
        for (size_t i = 0; i < a->rows; ++i) {
            *sum = fmax(*sum, sums[i]);
        }
    }
    cltomo_release(context, sums);
    return status;
}

cltomo_status cltomo_opencl_add_to_diagonal(
    const cltomo_context *context, cltomo_array *a, const double *values, cltomo_error *error)
{
    cl_int n = (cl_int)a->rows;
    cl_mem buffer = NULL;
    cltomo_status status = cltomo_opencl_wide_buffer(context, &buffer, a->rows, values, error);
    for (size_t row = 0; row < a->rows && status == CLTOMO_OK; row += a->panel_rows) {
        cltomo_cl_span span = cltomo_opencl_span(a, row, a->rows);
        cl_int first = (cl_int)row;
        cl_int count = (cl_int)span.count;
        const cltomo_cl_argument arguments[] = {CLTOMO_CL(span.buffer), CLTOMO_CL(n),
            CLTOMO_CL(first), CLTOMO_CL(count), CLTOMO_CL(buffer)};
        status = cltomo_opencl_run(
            context, a->precision, "add_to_diagonal", span.count, 1, arguments, 5, error);
    }
    cltomo_opencl_release_buffer(buffer);
    return status;
}

/* n flags as numbers on the device; NULL: all are set. */
static cltomo_status flag_buffer(const cltomo_context *context, cl_mem *buffer,
    const uint8_t *flags, size_t n, cltomo_error *error)
{
    cl_int *values = cltomo_allocate(context, n, sizeof *values);
    if (values == NULL) {
        return cltomo_fail_memory(error, "the flags of rows and columns");
    }
    for (size_t i = 0; i < n; ++i) {
        values[i] = flags == NULL || flags[i] != 0;
    }
    cltomo_status status = cltomo_opencl_int_buffer(context, buffer, n, values, error);
    cltomo_release(context, values);
    return status;
}

cltomo_status cltomo_opencl_clear_unused(const cltomo_context *context, cltomo_array *a,
    const uint8_t *used_rows, const uint8_t *used_cols, cltomo_error *error)
{
    cl_mem rows = NULL;
    cl_mem cols = NULL;
    cl_int n_cols = (cl_int)a->cols;
    cltomo_status status = flag_buffer(context, &rows, used_rows, a->rows, error);
    if (status == CLTOMO_OK) {
        status = flag_buffer(context, &cols, used_cols, a->cols, error);
    }
    for (size_t row = 0; row < a->rows && status == CLTOMO_OK; row += a->panel_rows) {
        cltomo_cl_span span = cltomo_opencl_span(a, row, a->rows);
        cl_int first = (cl_int)row;
        const cltomo_cl_argument arguments[] = {CLTOMO_CL(span.buffer), CLTOMO_CL(n_cols),
            CLTOMO_CL(first), CLTOMO_CL(rows), CLTOMO_CL(cols)};
        status = cltomo_opencl_run(
            context, a->precision, "clear_unused", a->cols, span.count, arguments, 5, error);
    }
    cltomo_opencl_release_buffer(rows);
    cltomo_opencl_release_buffer(cols);
    return status;
}

/* The part of the lower triangle in the rows of one panel whose mirror image is in another. */
static cltomo_status complete_part(const cltomo_context *context, cltomo_array *a, size_t row,
    size_t from_row, cltomo_error *error)
{
    cltomo_cl_span to = cltomo_opencl_span(a, row, a->rows);
    cltomo_cl_span from = cltomo_opencl_span(a, from_row, a->rows);
    cl_int n = (cl_int)a->rows;
    cl_int first = (cl_int)row;
    cl_int first_from = (cl_int)from_row;
    cl_int count_from = (cl_int)from.count;
    const cltomo_cl_argument arguments[] = {CLTOMO_CL(to.buffer), CLTOMO_CL(from.buffer),
        CLTOMO_CL(n), CLTOMO_CL(first), CLTOMO_CL(first_from), CLTOMO_CL(count_from)};
    return cltomo_opencl_run(
        context, a->precision, "complete_symmetric", from.count, to.count, arguments, 6, error);
}

cltomo_status cltomo_opencl_complete_symmetric(
    const cltomo_context *context, cltomo_array *a, cltomo_error *error)
{
    cltomo_status status = CLTOMO_OK;
    for (size_t row = 0; row < a->rows; row += a->panel_rows) {
        for (size_t from = 0; from <= row && status == CLTOMO_OK; from += a->panel_rows) {
            status = complete_part(context, a, row, from, error);
        }
    }
    return status;
}

cltomo_status cltomo_opencl_scale(
    const cltomo_context *context, cltomo_array *a, double factor, cltomo_error *error)
{
    cl_int n_cols = (cl_int)a->cols;
    cltomo_cl_number number = cltomo_opencl_real(a->precision, factor);
    cltomo_status status = CLTOMO_OK;
    for (size_t row = 0; row < a->rows && status == CLTOMO_OK; row += a->panel_rows) {
        cltomo_cl_span span = cltomo_opencl_span(a, row, a->rows);
        const cltomo_cl_argument arguments[] = {CLTOMO_CL(span.buffer), CLTOMO_CL(n_cols),
            {cltomo_precision_size(a->precision), &number}};
        status = cltomo_opencl_run(
            context, a->precision, "scale", a->cols, span.count, arguments, 3, error);
    }
    return status;
}

cltomo_status cltomo_opencl_add(const cltomo_context *context, cltomo_array *a, double factor,
    const cltomo_array *b, cltomo_error *error)
{
    cl_int n_cols = (cl_int)a->cols;
    cltomo_cl_number number = cltomo_opencl_real(a->precision, factor);
    cltomo_status status = CLTOMO_OK;
    for (size_t row = 0; row < a->rows && status == CLTOMO_OK; row += a->panel_rows) {
        /* arrays of one shape and precision are divided alike */
        cltomo_cl_span sum = cltomo_opencl_span(a, row, a->rows);
        cltomo_cl_span addend = cltomo_opencl_span(b, row, b->rows);
        const cltomo_cl_argument arguments[] = {CLTOMO_CL(sum.buffer), CLTOMO_CL(n_cols),
            {cltomo_precision_size(a->precision), &number}, CLTOMO_CL(addend.buffer)};
        status = cltomo_opencl_run(
            context, a->precision, "add_scaled", a->cols, sum.count, arguments, 4, error);
    }
    return status;
}
