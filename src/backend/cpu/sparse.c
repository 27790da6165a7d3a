/* A sparse matrix applied to rows. */
#include "backend/cpu/cpu.h"

typedef struct sparse_job {
    const cltomo_matrix *y;
    const cltomo_sparse *a;
    const cltomo_matrix *x;
} sparse_job;

static double row_times(const sparse_job *job, size_t i, size_t row)
{
    const cltomo_sparse *a = job->a;
    size_t first = row * job->x->cols;
    bool is_double = job->x->precision == CLTOMO_PRECISION_DOUBLE;
    double sum = 0.0;
    for (size_t k = a->row_start[i]; k < a->row_start[i + 1]; ++k) {
        size_t place = first + a->column[k];
        sum +=
            a->value[k] * (is_double ? job->x->data.f64[place] : (double)job->x->data.f32[place]);
    }
    return sum;
}

static void apply_to_rows(void *user, size_t begin, size_t end, size_t worker)
{
    const sparse_job *job = user;
    (void)worker;
    for (size_t row = begin; row < end; ++row) {
        for (size_t i = 0; i < job->y->cols; ++i) {
            size_t place = row * job->y->cols + i;
            double value = row_times(job, i, row);
            if (job->y->precision == CLTOMO_PRECISION_DOUBLE) {
                job->y->data.f64[place] = value;
            } else {
                job->y->data.f32[place] = (float)value;
            }
        }
    }
}

cltomo_status cltomo_cpu_apply_sparse(const cltomo_context *context, cltomo_array *y,
    const cltomo_sparse *a, const cltomo_array *x, cltomo_error *error)
{
    sparse_job job = {.y = cltomo_cpu_const_matrix(y), .a = a, .x = cltomo_cpu_const_matrix(x)};
    (void)error;
    cltomo_parallel_for(context, job.y->rows, 1, apply_to_rows, &job);
    return CLTOMO_OK;
}
