/* Slope covariance of two sensors that share scale and rotation. */
#include <string.h>

#include "backend/cpu/cpu.h"
#include "backend/cpu/row_kernels.h"

typedef struct phase_table_job {
    const cltomo_covariance *covariance;
    const cltomo_row_kernels *kernels;
    size_t i, j;   /* the sensors */
    size_t n;      /* lags per axis, 4 n_across + 1 */
    double *table; /* n x n */
    double *x, *y; /* one row of n per worker */
} phase_table_job;

/* One row of lags: row lag fixed, column lag running; summed over the layers. */
static void phase_table_rows(void *user, size_t begin, size_t end, size_t worker)
{
    const phase_table_job *job = user;
    const cltomo_covariance *c = job->covariance;
    const cltomo_geometry *g = c->geometry;
    double *x = &job->x[worker * job->n];
    double *y = &job->y[worker * job->n];
    double middle = 0.5 * (double)(job->n - 1);
    for (size_t row = begin; row < end; ++row) {
        double *sum = &job->table[row * job->n];
        memset(sum, 0, job->n * sizeof *sum);
        double dy = ((double)row - middle) * g->spacing;
        for (size_t l = 0; l < g->n_layers; ++l) {
            size_t a = job->i * g->n_layers + l;
            size_t b = job->j * g->n_layers + l;
            double scale_cosine = g->scale[a] * g->cosine[job->i];
            double scale_sine = g->scale[a] * g->sine[job->i];
            double shift_x = g->shift_x[a] - g->shift_x[b];
            double shift_y = g->shift_y[a] - g->shift_y[b];
            for (size_t col = 0; col < job->n; ++col) {
                double dx = ((double)col - middle) * g->spacing;
                x[col] = scale_cosine * dx - scale_sine * dy + shift_x;
                y[col] = scale_sine * dx + scale_cosine * dy + shift_y;
            }
            job->kernels->von_karman(
                sum, x, y, job->n, 0.0, 0.0, c->wavenumber, c->variance_factor * g->fraction[l]);
        }
    }
}

static void apply_stencils(
    cltomo_slope_table *table, const double *phase_table, size_t n_phase_table)
{
    for (size_t row = 0; row < table->n; ++row) {
        for (size_t col = 0; col < table->n; ++col) {
            double xx = 0.0;
            double xy = 0.0;
            double yy = 0.0;
            for (size_t a = 0; a < 5; ++a) {
                const double *phase = &phase_table[(2 * row + a) * n_phase_table + 2 * col];
                for (size_t b = 0; b < 5; ++b) {
                    xx += cltomo_lag_ss[a] * cltomo_lag_dd[b] * phase[b];
                    xy -= cltomo_lag_ds[a] * cltomo_lag_ds[b] * phase[b];
                    yy += cltomo_lag_dd[a] * cltomo_lag_ss[b] * phase[b];
                }
            }
            table->xx[row * table->n + col] = xx;
            table->xy[row * table->n + col] = xy;
            table->yy[row * table->n + col] = yy;
        }
    }
}

double cltomo_cpu_slope_table_scratch(const cltomo_geometry *g, size_t workers)
{
    double lags = 4.0 * (double)g->n_across + 1.0;
    double table = 2.0 * (double)g->n_across - 1.0;
    return sizeof(double) * (lags * (lags + 2.0 * (double)workers) + 3.0 * table * table);
}

cltomo_status cltomo_cpu_slope_table(const cltomo_context *context, cltomo_slope_table *table,
    const cltomo_covariance *covariance, size_t i, size_t j, cltomo_error *error)
{
    size_t n_across = covariance->geometry->n_across;
    size_t workers = cltomo_context_threads(context);
    cltomo_status status = CLTOMO_OK;
    phase_table_job job = {.covariance = covariance,
        .kernels = cltomo_row_kernels_best(),
        .i = i,
        .j = j,
        .n = 4 * n_across + 1};
    table->n = 2 * n_across - 1;
    job.table = cltomo_allocate(context, job.n * job.n, sizeof(double));
    job.x = cltomo_allocate(context, workers * job.n, sizeof(double));
    job.y = cltomo_allocate(context, workers * job.n, sizeof(double));
    table->xx = cltomo_allocate(context, 3 * table->n * table->n, sizeof(double));
    if (job.table == NULL || job.x == NULL || job.y == NULL || table->xx == NULL) {
        cltomo_cpu_slope_table_release(context, table);
        status = cltomo_fail_memory(error, "the covariance tables");
        goto done;
    }
    table->xy = table->xx + table->n * table->n;
    table->yy = table->xy + table->n * table->n;
    cltomo_parallel_for(context, job.n, 4, phase_table_rows, &job);
    apply_stencils(table, job.table, job.n);
done:
    cltomo_release(context, job.table);
    cltomo_release(context, job.x);
    cltomo_release(context, job.y);
    return status;
}

void cltomo_cpu_slope_table_release(const cltomo_context *context, cltomo_slope_table *table)
{
    cltomo_release(context, table->xx);
    table->xx = NULL;
}

typedef struct gather_job {
    cltomo_matrix *c_ss;
    const cltomo_geometry *geometry;
    const cltomo_slope_table *table;
    size_t i, j;
} gather_job;

/* c_ss[row][col + k] = table[place of lenslet k - place of lenslet `to`]. */
static void gather_row(
    const gather_job *job, const double *table, size_t to, size_t row, size_t col)
{
    enum { block = 256 };
    const cltomo_geometry *g = job->geometry;
    size_t n = job->table->n;
    /* lag 0 stands at (n_across - 1, n_across - 1) of the table */
    const double *origin =
        &table[(g->n_across - 1 - g->lenslet_row[to]) * n + g->n_across - 1 - g->lenslet_col[to]];
    double values[block];
    for (size_t start = 0; start < g->n_lenslets; start += block) {
        size_t count = g->n_lenslets - start < block ? g->n_lenslets - start : block;
        const uint32_t *lenslet_row = &g->lenslet_row[start];
        const uint32_t *lenslet_col = &g->lenslet_col[start];
        for (size_t k = 0; k < count; ++k) {
            values[k] = origin[lenslet_row[k] * n + lenslet_col[k]];
        }
        cltomo_cpu_store(job->c_ss, row, col + start, values, count);
    }
}

static void gather_rows(void *user, size_t begin, size_t end, size_t worker)
{
    const gather_job *job = user;
    size_t n = job->geometry->n_lenslets;
    (void)worker;
    for (size_t slope = begin; slope < end; ++slope) {
        bool is_y = slope >= n;
        size_t to = is_y ? slope - n : slope;
        size_t row = job->j * 2 * n + slope;
        size_t col = job->i * 2 * n;
        gather_row(job, is_y ? job->table->xy : job->table->xx, to, row, col);
        gather_row(job, is_y ? job->table->yy : job->table->xy, to, row, col + n);
    }
}

void cltomo_cpu_gather_block(const cltomo_context *context, cltomo_matrix *c_ss,
    const cltomo_geometry *geometry, const cltomo_slope_table *table, size_t i, size_t j)
{
    gather_job job = {.c_ss = c_ss, .geometry = geometry, .table = table, .i = i, .j = j};
    cltomo_parallel_for(context, 2 * geometry->n_lenslets, 16, gather_rows, &job);
}
