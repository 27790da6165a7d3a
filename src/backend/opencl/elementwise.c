#include <math.h>

#include "backend/opencl/opencl.h"

/* Runs a kernel that leaves n numbers in `wide`, one per row of a, and reads them. */
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
    if (status == CLTOMO_OK) {
        const cltomo_cl_argument arguments[] = {
            CLTOMO_CL(buffer), CLTOMO_CL(a->buffer), CLTOMO_CL(n)};
        status = cltomo_opencl_run(context, a->precision, kernel, a->rows, 1, arguments, 3, error);
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
    const cltomo_context *context, cltomo_array *a, double value, cltomo_error *error)
{
    cl_int n = (cl_int)a->rows;
    cltomo_cl_number number = cltomo_opencl_real(a->precision, value);
    const cltomo_cl_argument arguments[] = {
        CLTOMO_CL(a->buffer), CLTOMO_CL(n), {cltomo_precision_size(a->precision), &number}};
    return cltomo_opencl_run(
        context, a->precision, "add_to_diagonal", a->rows, 1, arguments, 3, error);
}

cltomo_status cltomo_opencl_complete_symmetric(
    const cltomo_context *context, cltomo_array *a, cltomo_error *error)
{
    cl_int n = (cl_int)a->rows;
    const cltomo_cl_argument arguments[] = {CLTOMO_CL(a->buffer), CLTOMO_CL(n)};
    return cltomo_opencl_run(
        context, a->precision, "complete_symmetric", a->rows, a->rows, arguments, 2, error);
}

cltomo_status cltomo_opencl_scale(
    const cltomo_context *context, cltomo_array *a, double factor, cltomo_error *error)
{
    cl_int n_cols = (cl_int)a->cols;
    cltomo_cl_number number = cltomo_opencl_real(a->precision, factor);
    const cltomo_cl_argument arguments[] = {
        CLTOMO_CL(a->buffer), CLTOMO_CL(n_cols), {cltomo_precision_size(a->precision), &number}};
    return cltomo_opencl_run(context, a->precision, "scale", a->cols, a->rows, arguments, 3, error);
}
