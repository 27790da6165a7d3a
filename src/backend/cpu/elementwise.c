/* Operations that touch every element, or the diagonal, of an array once. */
#include <math.h>

#include "backend/cpu/cpu.h"

static double diagonal(const cltomo_matrix *matrix, size_t i)
{
    size_t place = i * matrix->cols + i;
    return matrix->precision == CLTOMO_PRECISION_DOUBLE ? matrix->data.f64[place]
                                                        : (double)matrix->data.f32[place];
}

cltomo_status cltomo_cpu_mean_diagonal(
    const cltomo_context *context, double *mean, const cltomo_array *a, cltomo_error *error)
{
    const cltomo_matrix *matrix = cltomo_cpu_const_matrix(a);
    double sum = 0.0;
    (void)context;
    (void)error;
    for (size_t i = 0; i < matrix->rows; ++i) {
        sum += diagonal(matrix, i);
    }
    *mean = sum / (double)matrix->rows;
    return CLTOMO_OK;
}

cltomo_status cltomo_cpu_add_to_diagonal(
    const cltomo_context *context, cltomo_array *a, const double *values, cltomo_error *error)
{
    cltomo_matrix *matrix = cltomo_cpu_matrix(a);
    (void)context;
    (void)error;
    for (size_t i = 0; i < matrix->rows; ++i) {
        size_t place = i * matrix->cols + i;
        if (matrix->precision == CLTOMO_PRECISION_DOUBLE) {
            matrix->data.f64[place] += values[i];
        } else {
            matrix->data.f32[place] = (float)((double)matrix->data.f32[place] + values[i]);
        }
    }
    return CLTOMO_OK;
}

typedef struct row_sum_job {
    const cltomo_matrix *matrix;
    double *sum; /* one row per worker */
} row_sum_job;

/* An element above the diagonal counts for its row and, mirrored, for its column. */
static void add_row_sums(void *user, size_t begin, size_t end, size_t worker)
{
    const row_sum_job *job = user;
    const cltomo_matrix *matrix = job->matrix;
    size_t n = matrix->cols;
    double *sum = &job->sum[worker * n];
    for (size_t i = begin; i < end; ++i) {
        double row = 0.0;
        for (size_t j = i + 1; j < n; ++j) {
            double value = matrix->precision == CLTOMO_PRECISION_DOUBLE
                               ? fabs(matrix->data.f64[i * n + j])
                               : (double)fabsf(matrix->data.f32[i * n + j]);
            row += value;
            sum[j] += value;
        }
        sum[i] += row + fabs(diagonal(matrix, i));
    }
}

cltomo_status cltomo_cpu_largest_row_sum(
    const cltomo_context *context, double *sum, const cltomo_array *a, cltomo_error *error)
{
    const cltomo_matrix *matrix = cltomo_cpu_const_matrix(a);
    size_t workers = cltomo_context_threads(context);
    row_sum_job job = {.matrix = matrix,
        .sum = cltomo_allocate_zero(context, workers * matrix->cols, sizeof(double))};
    if (job.sum == NULL) {
        return cltomo_fail_memory(error, "the condition number");
    }
    cltomo_parallel_for(context, matrix->rows, 32, add_row_sums, &job);
    *sum = 0.0;
    for (size_t j = 0; j < matrix->cols; ++j) {
        double total = 0.0;
        for (size_t worker = 0; worker < workers; ++worker) {
            total += job.sum[worker * matrix->cols + j];
        }
        *sum = fmax(*sum, total);
    }
    cltomo_release(context, job.sum);
    return CLTOMO_OK;
}

cltomo_status cltomo_cpu_complete_symmetric(
    const cltomo_context *context, cltomo_array *a, cltomo_error *error)
{
    cltomo_matrix *matrix = cltomo_cpu_matrix(a);
    size_t n = matrix->rows;
    (void)context;
    (void)error;
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < i; ++j) {
            if (matrix->precision == CLTOMO_PRECISION_DOUBLE) {
                matrix->data.f64[i * n + j] = matrix->data.f64[j * n + i];
            } else {
                matrix->data.f32[i * n + j] = matrix->data.f32[j * n + i];
            }
        }
    }
    return CLTOMO_OK;
}

typedef struct scale_job {
    cltomo_matrix *matrix;
    double factor;
} scale_job;

static void scale_rows(void *user, size_t begin, size_t end, size_t worker)
{
    const scale_job *job = user;
    cltomo_matrix *matrix = job->matrix;
    (void)worker;
    for (size_t i = begin * matrix->cols; i < end * matrix->cols; ++i) {
        if (matrix->precision == CLTOMO_PRECISION_DOUBLE) {
            matrix->data.f64[i] *= job->factor;
        } else {
            matrix->data.f32[i] *= (float)job->factor;
        }
    }
}

cltomo_status cltomo_cpu_scale(
    const cltomo_context *context, cltomo_array *a, double factor, cltomo_error *error)
{
    scale_job job = {.matrix = cltomo_cpu_matrix(a), .factor = factor};
    (void)error;
    cltomo_parallel_for(context, job.matrix->rows, 64, scale_rows, &job);
    return CLTOMO_OK;
}

typedef struct clear_job {
    cltomo_matrix *matrix;
    const uint8_t *used_rows;
    const uint8_t *used_cols;
} clear_job;

static void clear_rows(void *user, size_t begin, size_t end, size_t worker)
{
    const clear_job *job = user;
    cltomo_matrix *matrix = job->matrix;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        bool is_used = job->used_rows == NULL || job->used_rows[i] != 0;
        for (size_t j = 0; j < matrix->cols; ++j) {
            size_t place = i * matrix->cols + j;
            if (is_used && job->used_cols[j] != 0) {
                continue;
            }
            if (matrix->precision == CLTOMO_PRECISION_DOUBLE) {
                matrix->data.f64[place] = 0.0;
            } else {
                matrix->data.f32[place] = 0.0F;
            }
        }
    }
}

cltomo_status cltomo_cpu_clear_unused(const cltomo_context *context, cltomo_array *a,
    const uint8_t *used_rows, const uint8_t *used_cols, cltomo_error *error)
{
    clear_job job = {
        .matrix = cltomo_cpu_matrix(a), .used_rows = used_rows, .used_cols = used_cols};
    (void)error;
    cltomo_parallel_for(context, job.matrix->rows, 64, clear_rows, &job);
    return CLTOMO_OK;
}

typedef struct add_job {
    cltomo_matrix *sum;
    const cltomo_matrix *addend;
    double factor;
} add_job;

static void add_rows(void *user, size_t begin, size_t end, size_t worker)
{
    const add_job *job = user;
    size_t n = job->sum->cols;
    (void)worker;
    for (size_t i = begin * n; i < end * n; ++i) {
        if (job->sum->precision == CLTOMO_PRECISION_DOUBLE) {
            job->sum->data.f64[i] += job->factor * job->addend->data.f64[i];
        } else {
            job->sum->data.f32[i] += (float)job->factor * job->addend->data.f32[i];
        }
    }
}

cltomo_status cltomo_cpu_add(const cltomo_context *context, cltomo_array *a, double factor,
    const cltomo_array *b, cltomo_error *error)
{
    add_job job = {
        .sum = cltomo_cpu_matrix(a), .addend = cltomo_cpu_const_matrix(b), .factor = factor};
    (void)error;
    cltomo_parallel_for(context, job.sum->rows, 64, add_rows, &job);
    return CLTOMO_OK;
}
