/* Slope covariance of any two sensors: Gamma_j C_xx Gamma_i^T, one row of C_xx at a time. */
#include <string.h>

#include "backend/cpu/cpu.h"
#include "backend/cpu/row_kernels.h"

typedef struct direct_job {
    const cltomo_covariance *covariance;
    const cltomo_row_kernels *kernels;
    cltomo_matrix *c_ss;
    size_t i, j;
    cltomo_cpu_points points_i;
    cltomo_cpu_points points_j;
    double *half;  /* C_xx Gamma_i^T: n_phase of sensor j x 2 n_lenslets of sensor i */
    double *phase; /* one row of n_phase per worker */
    double *row;   /* one row of 2 n_lenslets per worker */
} direct_job;

static void half_rows(void *user, size_t begin, size_t end, size_t worker)
{
    const direct_job *job = user;
    const cltomo_covariance *c = job->covariance;
    const cltomo_geometry *g = c->geometry;
    double *phase = &job->phase[worker * g->n_phase];
    for (size_t k = begin; k < end; ++k) {
        memset(phase, 0, g->n_phase * sizeof *phase);
        for (size_t l = 0; l < g->n_layers; ++l) {
            size_t layer = l * g->n_phase;
            job->kernels->von_karman(phase, &job->points_i.x[layer], &job->points_i.y[layer],
                g->n_phase, job->points_j.x[layer + k], job->points_j.y[layer + k], c->wavenumber,
                c->variance_factor * g->fraction[l]);
        }
        cltomo_cpu_gradient(g, &job->half[k * 2 * g->n_lenslets], phase);
    }
}

/* out = sum over one edge of the stencil of weight * half[point]; `step` leads along the edge. */
static void add_edge(double *out, const direct_job *job, size_t corner, size_t step, double sign)
{
    static const double weight[3] = {0.25, 0.5, 0.25};
    const cltomo_geometry *g = job->covariance->geometry;
    size_t n = 2 * g->n_lenslets;
    for (size_t a = 0; a < 3; ++a) {
        const double *half = &job->half[(size_t)g->phase_index[corner + a * step] * n];
        double factor = sign * weight[a];
        for (size_t k = 0; k < n; ++k) {
            out[k] += factor * half[k];
        }
    }
}

static void slope_rows(void *user, size_t begin, size_t end, size_t worker)
{
    const direct_job *job = user;
    const cltomo_geometry *g = job->covariance->geometry;
    size_t n = 2 * g->n_lenslets;
    double *row = &job->row[worker * n];
    for (size_t slope = begin; slope < end; ++slope) {
        bool is_y = slope >= g->n_lenslets;
        size_t lenslet = slope % g->n_lenslets;
        size_t corner = cltomo_stencil_start(g->lenslet_row[lenslet]) * g->n_grid +
                        cltomo_stencil_start(g->lenslet_col[lenslet]);
        size_t along = is_y ? 1 : g->n_grid;
        size_t across = is_y ? g->n_grid : 1;
        memset(row, 0, n * sizeof *row);
        add_edge(row, job, corner, along, -1.0);
        add_edge(row, job, corner + 2 * across, along, 1.0);
        cltomo_cpu_store(job->c_ss, job->j * n + slope, job->i * n, row, n);
    }
}

double cltomo_cpu_direct_block_scratch(const cltomo_geometry *g, size_t workers)
{
    double phase = (double)g->n_phase;
    double slopes = 2.0 * (double)g->n_lenslets;
    double rows = phase * slopes + (double)workers * (phase + slopes);
    return 2.0 * cltomo_cpu_points_size(g) + sizeof(double) * rows;
}

cltomo_status cltomo_cpu_direct_block(const cltomo_context *context, cltomo_matrix *c_ss,
    const cltomo_covariance *covariance, size_t i, size_t j, cltomo_error *error)
{
    const cltomo_geometry *g = covariance->geometry;
    size_t workers = cltomo_context_threads(context);
    size_t n = 2 * g->n_lenslets;
    direct_job job = {.covariance = covariance,
        .kernels = cltomo_row_kernels_best(),
        .c_ss = c_ss,
        .i = i,
        .j = j};
    cltomo_status status = cltomo_cpu_project_points(&job.points_i, g, i, error);
    if (status != CLTOMO_OK) {
        goto done;
    }
    status = cltomo_cpu_project_points(&job.points_j, g, j, error);
    if (status != CLTOMO_OK) {
        goto done;
    }
    job.half = cltomo_allocate(context, g->n_phase * n, sizeof(double));
    job.phase = cltomo_allocate(context, workers * g->n_phase, sizeof(double));
    job.row = cltomo_allocate(context, workers * n, sizeof(double));
    if (job.half == NULL || job.phase == NULL || job.row == NULL) {
        status = cltomo_fail_memory(error, "the slope covariance of two sensors");
        goto done;
    }
    cltomo_parallel_for(context, g->n_phase, 8, half_rows, &job);
    cltomo_parallel_for(context, n, 8, slope_rows, &job);
done:
    cltomo_cpu_points_release(context, &job.points_i);
    cltomo_cpu_points_release(context, &job.points_j);
    cltomo_release(context, job.half);
    cltomo_release(context, job.phase);
    cltomo_release(context, job.row);
    return status;
}
