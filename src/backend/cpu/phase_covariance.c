/* Phase-slope covariance, direct: a row of C_ps is the gradient of the covariances of one phase
 * point with all points of a sensor, averaged over the optimisation directions. */
#include <math.h>
#include <string.h>

#include "backend/cpu/cpu.h"
#include "backend/cpu/rotated.h"
#include "backend/cpu/row_kernels.h"
#include "backend/cpu/separable.h"
#include "backend/scratch.h"

typedef struct phase_job {
    const cltomo_covariance *covariance;
    const cltomo_row_kernels *kernels;
    cltomo_matrix *c_ps;
    size_t wfs;
    size_t first; /* row of the batch */
    cltomo_cpu_points points;
    double *phase;  /* one row of n_phase per worker */
    double *slopes; /* one row of 2 n_lenslets per worker */
} phase_job;

/* Adds the covariances of the point (x, y) in layer l, averaged over the directions. On the ground
 * all directions coincide. */
static void add_layer(const phase_job *job, double *phase, size_t l, double x, double y)
{
    const cltomo_covariance *c = job->covariance;
    const cltomo_geometry *g = c->geometry;
    size_t n = g->height[l] > 0.0 ? g->n_directions_across : 1;
    double weight = c->variance_factor * g->fraction[l] / (double)(n * n);
    for (size_t a = 0; a < n; ++a) {
        for (size_t b = 0; b < n; ++b) {
            job->kernels->von_karman(phase, &job->points.x[l * g->n_phase],
                &job->points.y[l * g->n_phase], g->n_phase, x + g->height[l] * g->direction[b],
                y + g->height[l] * g->direction[a], c->wavenumber, weight);
        }
    }
}

static void phase_rows(void *user, size_t begin, size_t end, size_t worker)
{
    const phase_job *job = user;
    const cltomo_geometry *g = job->covariance->geometry;
    size_t n_sensor = 2 * g->n_lenslets;
    double *phase = &job->phase[worker * g->n_phase];
    double *slopes = &job->slopes[worker * n_sensor];
    for (size_t k = job->first + begin; k < job->first + end; ++k) {
        const cltomo_point *point = &g->phase[job->covariance->first_phase + k];
        memset(phase, 0, g->n_phase * sizeof *phase);
        for (size_t l = 0; l < g->n_layers; ++l) {
            add_layer(job, phase, l, g->phase_scale[l] * point->x, g->phase_scale[l] * point->y);
        }
        cltomo_cpu_gradient(g, slopes, phase);
        cltomo_cpu_store(job->c_ps, k, job->wfs * n_sensor, slopes, n_sensor);
    }
}

/* In batches of rows, so that progress is told and a cancellation is heard in between. */
static cltomo_status fill_sensor(const cltomo_context *context, phase_job *job, cltomo_error *error)
{
    enum { n_batches = 16 };
    const cltomo_geometry *g = job->covariance->geometry;
    size_t n_rows = job->c_ps->rows;
    size_t batch = (n_rows + n_batches - 1) / n_batches;
    cltomo_status status = cltomo_cpu_project_points(&job->points, g, job->wfs, error);
    for (job->first = 0; job->first < n_rows && status == CLTOMO_OK; job->first += batch) {
        size_t left = n_rows - job->first;
        size_t count = left < batch ? left : batch;
        cltomo_parallel_for(context, count, 8, phase_rows, job);
        double done = (double)(job->first + count) / (double)n_rows;
        status = cltomo_progress(
            context, "phase-slope covariance", ((double)job->wfs + done) / (double)g->n_wfs, error);
    }
    cltomo_cpu_points_release(context, &job->points);
    return status;
}

/* The sensors with the direct evaluator. */
static cltomo_status fill_direct(const cltomo_context *context, cltomo_matrix *c_ps,
    const cltomo_covariance *covariance, cltomo_error *error)
{
    const cltomo_geometry *g = covariance->geometry;
    size_t workers = cltomo_context_threads(context);
    cltomo_status status = CLTOMO_OK;
    if (!cltomo_covariance_has_phase_evaluator(covariance, CLTOMO_EVALUATOR_DIRECT)) {
        return CLTOMO_OK;
    }
    phase_job job = {.covariance = covariance,
        .kernels = cltomo_row_kernels_best(),
        .c_ps = c_ps,
        .phase = cltomo_allocate(context, workers * g->n_phase, sizeof(double)),
        .slopes = cltomo_allocate(context, workers * 2 * g->n_lenslets, sizeof(double))};
    if (job.phase == NULL || job.slopes == NULL) {
        status = cltomo_fail_memory(error, "the phase-slope covariance");
    }
    for (job.wfs = 0; job.wfs < g->n_wfs && status == CLTOMO_OK; ++job.wfs) {
        if (cltomo_covariance_phase_evaluator(covariance, job.wfs) == CLTOMO_EVALUATOR_DIRECT) {
            status = fill_sensor(context, &job, error);
        }
    }
    cltomo_release(context, job.phase);
    cltomo_release(context, job.slopes);
    return status;
}

static double direct_scratch(const cltomo_geometry *g, size_t workers)
{
    double rows = (double)g->n_phase + 2.0 * (double)g->n_lenslets;
    return cltomo_cpu_points_size(g) + sizeof(double) * (double)workers * rows;
}

double cltomo_phase_slope_covariance_scratch(
    const cltomo_covariance *covariance, cltomo_precision precision, size_t n_rows, size_t workers)
{
    const cltomo_geometry *g = covariance->geometry;
    double most = 0.0;
    if (cltomo_covariance_has_phase_evaluator(covariance, CLTOMO_EVALUATOR_DIRECT)) {
        most = direct_scratch(g, workers);
    }
    if (cltomo_covariance_has_phase_evaluator(covariance, CLTOMO_EVALUATOR_ROTATED)) {
        most = fmax(most, cltomo_cpu_rotated_scratch(g, workers));
    }
    if (cltomo_covariance_has_phase_evaluator(covariance, CLTOMO_EVALUATOR_SEPARABLE)) {
        most = fmax(most, cltomo_cpu_separable_scratch(covariance, precision, n_rows, workers));
    }
    return most;
}

cltomo_status cltomo_cpu_phase_slope_covariance(const cltomo_context *context, cltomo_array *c_ps,
    const cltomo_covariance *covariance, cltomo_error *error)
{
    cltomo_matrix *matrix = cltomo_cpu_matrix(c_ps);
    cltomo_status status = fill_direct(context, matrix, covariance, error);
    for (size_t wfs = 0; wfs < covariance->geometry->n_wfs && status == CLTOMO_OK; ++wfs) {
        if (cltomo_covariance_phase_evaluator(covariance, wfs) == CLTOMO_EVALUATOR_ROTATED) {
            status = cltomo_cpu_rotated(context, matrix, covariance, wfs, error);
        }
    }
    return status == CLTOMO_OK ? cltomo_cpu_separable(context, matrix, covariance, error) : status;
}
