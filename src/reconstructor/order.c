#include <string.h>

#include "reconstructor/reconstructor_internal.h"

typedef struct order_job {
    cltomo_matrix *matrix;
    const uint32_t *permutation;
    unsigned char *row; /* one row per worker */
} order_job;

static void order_columns(void *user, size_t begin, size_t end, size_t worker)
{
    const order_job *job = user;
    size_t n = job->matrix->cols;
    size_t row_size = n * cltomo_precision_size(job->matrix->precision);
    void *scratch = &job->row[worker * row_size];
    for (size_t i = begin; i < end; ++i) {
        if (job->matrix->precision == CLTOMO_PRECISION_DOUBLE) {
            double *row = &job->matrix->data.f64[i * n];
            const double *old = memcpy(scratch, row, row_size);
            for (size_t k = 0; k < n; ++k) {
                row[k] = old[job->permutation[k]];
            }
        } else {
            float *row = &job->matrix->data.f32[i * n];
            const float *old = memcpy(scratch, row, row_size);
            for (size_t k = 0; k < n; ++k) {
                row[k] = old[job->permutation[k]];
            }
        }
    }
}

/* Moves whole rows along the cycles of the permutation. */
static void order_rows(
    cltomo_matrix *matrix, const uint32_t *permutation, unsigned char *scratch, uint8_t *moved)
{
    size_t row_size = matrix->cols * cltomo_precision_size(matrix->precision);
    unsigned char *data = matrix->data.raw;
    memset(moved, 0, matrix->rows);
    for (size_t start = 0; start < matrix->rows; ++start) {
        if (moved[start]) {
            continue;
        }
        memcpy(scratch, &data[start * row_size], row_size);
        size_t to = start;
        for (size_t from = permutation[to]; from != start; from = permutation[to]) {
            memcpy(&data[to * row_size], &data[from * row_size], row_size);
            moved[to] = 1;
            to = from;
        }
        memcpy(&data[to * row_size], scratch, row_size);
        moved[to] = 1;
    }
}

cltomo_status cltomo_order_slopes(
    cltomo_matrix *matrix, const uint32_t *permutation, bool rows_too, cltomo_error *error)
{
    const cltomo_context *context = matrix->context;
    size_t row_size = matrix->cols * cltomo_precision_size(matrix->precision);
    cltomo_status status = CLTOMO_OK;
    order_job job = {.matrix = matrix, .permutation = permutation};
    job.row = cltomo_allocate(context, cltomo_context_threads(context), row_size);
    uint8_t *moved = cltomo_allocate(context, matrix->rows, 1);
    if (job.row == NULL || moved == NULL) {
        status = cltomo_fail_memory(error, "the order of the slopes");
        goto done;
    }
    cltomo_parallel_for(context, matrix->rows, 16, order_columns, &job);
    if (rows_too) {
        order_rows(matrix, permutation, job.row, moved);
    }
done:
    cltomo_release(context, job.row);
    cltomo_release(context, moved);
    return status;
}

cltomo_status cltomo_pick_slopes(cltomo_matrix **matrix, const uint32_t *permutation, size_t n,
    bool rows_too, cltomo_error *error)
{
    const cltomo_matrix *from = *matrix;
    size_t size = cltomo_precision_size(from->precision);
    size_t rows = rows_too ? n : from->rows;
    cltomo_matrix *picked = NULL;
    cltomo_status status =
        cltomo_matrix_allocate(from->context, &picked, from->precision, rows, n, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    const unsigned char *source = from->data.raw;
    unsigned char *target = picked->data.raw;
    for (size_t i = 0; i < rows; ++i) {
        size_t row = (rows_too ? permutation[i] : i) * from->cols;
        for (size_t k = 0; k < n; ++k) {
            memcpy(&target[(i * n + k) * size], &source[(row + permutation[k]) * size], size);
        }
    }
    cltomo_matrix_destroy(*matrix);
    *matrix = picked;
    return CLTOMO_OK;
}
