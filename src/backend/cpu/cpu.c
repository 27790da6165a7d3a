/* The table of the C path's operations, and those on arrays as a whole. */
#include "backend/cpu/cpu.h"

#include <string.h>

static cltomo_status check(const cltomo_context *context, cltomo_precision precision,
    uint64_t bytes, uint64_t widest_row, cltomo_error *error)
{
    (void)context;
    (void)precision;
    (void)bytes;
    (void)widest_row;
    (void)error;
    return CLTOMO_OK; /* the host has both precisions; what memory there is shows in use */
}

static cltomo_status array_create(const cltomo_context *context, cltomo_array **array,
    cltomo_precision precision, size_t rows, size_t cols, cltomo_error *error)
{
    cltomo_matrix *matrix = NULL;
    cltomo_status status = cltomo_matrix_allocate(context, &matrix, precision, rows, cols, error);
    *array = (cltomo_array *)matrix;
    return status;
}

static cltomo_status array_copy(const cltomo_context *context, cltomo_array **copy,
    const cltomo_array *array, cltomo_error *error)
{
    const cltomo_matrix *from = cltomo_cpu_const_matrix(array);
    cltomo_status status =
        array_create(context, copy, from->precision, from->rows, from->cols, error);
    if (status == CLTOMO_OK) {
        memcpy(cltomo_cpu_matrix(*copy)->data.raw, from->data.raw,
            from->rows * from->cols * cltomo_precision_size(from->precision));
    }
    return status;
}

static cltomo_status upload(const cltomo_context *context, cltomo_array **array,
    const cltomo_matrix *matrix, cltomo_precision precision, cltomo_error *error)
{
    cltomo_matrix *converted = NULL;
    cltomo_status status = cltomo_matrix_convert(context, &converted, matrix, precision, error);
    *array = (cltomo_array *)converted;
    return status;
}

static cltomo_status download(const cltomo_context *context, cltomo_matrix **matrix,
    cltomo_array **array, cltomo_error *error)
{
    (void)context;
    *matrix = cltomo_cpu_matrix(*array);
    *array = NULL;
    if (!cltomo_matrix_is_finite(*matrix)) {
        cltomo_matrix_destroy(*matrix);
        *matrix = NULL;
        return cltomo_fail(error, CLTOMO_ERROR_NOT_FINITE, "a result has a NaN or an infinity");
    }
    return CLTOMO_OK;
}

static void array_destroy(const cltomo_context *context, cltomo_array *array)
{
    (void)context;
    cltomo_matrix_destroy(cltomo_cpu_matrix(array));
}

static cltomo_status place(const cltomo_context *context, cltomo_array *a, size_t row, size_t col,
    const cltomo_array *block, cltomo_error *error)
{
    cltomo_matrix *to = cltomo_cpu_matrix(a);
    const cltomo_matrix *from = cltomo_cpu_const_matrix(block);
    size_t element = cltomo_precision_size(to->precision);
    unsigned char *out = to->data.raw;
    const unsigned char *in = from->data.raw;
    (void)context;
    (void)error;
    for (size_t i = 0; i < from->rows; ++i) {
        memcpy(&out[((row + i) * to->cols + col) * element], &in[i * from->cols * element],
            from->cols * element);
    }
    return CLTOMO_OK;
}

void cltomo_cpu_store(cltomo_matrix *a, size_t row, size_t col, const double *values, size_t count)
{
    size_t place = row * a->cols + col;
    if (a->precision == CLTOMO_PRECISION_DOUBLE) {
        memcpy(&a->data.f64[place], values, count * sizeof *values);
        return;
    }
    for (size_t k = 0; k < count; ++k) {
        a->data.f32[place + k] = (float)values[k];
    }
}

const cltomo_backend cltomo_backend_cpu = {
    .name = "cpu",
    .check = check,
    .array_create = array_create,
    .array_copy = array_copy,
    .upload = upload,
    .download = download,
    .array_destroy = array_destroy,
    .place = place,
    .slope_covariance = cltomo_cpu_slope_covariance,
    .phase_slope_covariance = cltomo_cpu_phase_slope_covariance,
    .influence_functions = cltomo_cpu_influence_functions,
    .von_karman_covariance = cltomo_cpu_von_karman_covariance,
    .von_karman_structure = cltomo_cpu_von_karman_structure,
    .mean_diagonal = cltomo_cpu_mean_diagonal,
    .add_to_diagonal = cltomo_cpu_add_to_diagonal,
    .clear_unused = cltomo_cpu_clear_unused,
    .add = cltomo_cpu_add,
    .largest_row_sum = cltomo_cpu_largest_row_sum,
    .complete_symmetric = cltomo_cpu_complete_symmetric,
    .cholesky = cltomo_cpu_cholesky,
    .solve = cltomo_cpu_solve,
    .multiply = cltomo_cpu_multiply,
    .scale = cltomo_cpu_scale,
    .apply = cltomo_cpu_apply,
    .apply_sparse = cltomo_cpu_apply_sparse,
    .plan = &cltomo_plan_cpu,
};
