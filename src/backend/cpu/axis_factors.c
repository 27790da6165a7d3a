#include "backend/cpu/axis_factors.h"

#include <math.h>
#include <string.h>

#include "backend/cpu/row_kernels.h"

typedef struct factor_job {
    const cltomo_covariance *covariance;
    const cltomo_row_kernels *kernels;
    const cltomo_axis_factors *factors;
    const double *scale;
    const double *shift;
    bool weighted;
    size_t n_grid;   /* 2 n_across + 1 */
    size_t n_points; /* j */
    double *scratch; /* per worker: places, exponentials, and the two rows of one j */
    size_t scratch_size;
} factor_job;

/* Grid indices begin ... end within reach of a Gaussian's middle; what lies beyond is cut off. Most
 * Gaussians are narrow. */
static void find_reach(
    const double *place, size_t n, double middle, double exponent, size_t *begin, size_t *end)
{
    double reach = sqrt(CLTOMO_GAUSSIAN_CUT / exponent);
    double step = place[1] - place[0];
    double first = floor((middle - reach - place[0]) / step);
    double last = ceil((middle + reach - place[0]) / step);
    double most = (double)n;
    *begin = first > 0.0 ? (size_t)fmin(first, most) : 0;
    *end = last >= 0.0 ? (size_t)fmin(last + 1.0, most) : 0;
    *end = *end > *begin ? *end : *begin;
}

/* e(j, .) for one j. On the ground all directions coincide. */
static void exponentials(const factor_job *job, double *e, const double *place, size_t layer,
    double exponent, double weight, size_t j)
{
    const cltomo_geometry *g = job->covariance->geometry;
    size_t n = g->height[layer] > 0.0 ? g->n_directions_across : 1;
    double x = g->phase_scale[layer] * cltomo_unpadded_coordinate(g, j);
    memset(e, 0, job->n_grid * sizeof *e);
    for (size_t t = 0; t < n; ++t) {
        double middle = x + g->height[layer] * g->direction[t];
        size_t begin;
        size_t end;
        find_reach(place, job->n_grid, middle, exponent, &begin, &end);
        job->kernels->gaussian(
            e + begin, place + begin, end - begin, middle, exponent, weight / (double)n);
    }
}

static void factor_rows(void *user, size_t begin, size_t end, size_t worker)
{
    const factor_job *job = user;
    const cltomo_covariance *c = job->covariance;
    const cltomo_geometry *g = c->geometry;
    size_t n_terms = c->mixture.n_terms;
    size_t n = g->n_across;
    double *place = &job->scratch[worker * job->scratch_size];
    double *e = place + job->n_grid;
    double *difference = e + job->n_grid;
    double *average = difference + n;
    for (size_t row = begin; row < end; ++row) {
        size_t layer = row / n_terms;
        size_t term = row % n_terms;
        double exponent = c->mixture.exponent[term] * c->wavenumber * c->wavenumber;
        double weight =
            job->weighted ? c->mixture.weight[term] * c->variance_factor * g->fraction[layer] : 1.0;
        for (size_t i = 0; i < job->n_grid; ++i) {
            place[i] = job->scale[layer] * cltomo_unpadded_coordinate(g, i) + job->shift[layer];
        }
        for (size_t j = 0; j < job->n_points; ++j) {
            exponentials(job, e, place, layer, exponent, weight, j);
            for (size_t k = 0; k < n; ++k) {
                difference[k] = e[2 * k + 2] - e[2 * k];
                average[k] = 0.25 * e[2 * k] + 0.5 * e[2 * k + 1] + 0.25 * e[2 * k + 2];
            }
            cltomo_cpu_store(job->factors->difference, row, j * n, difference, n);
            cltomo_cpu_store(job->factors->average, row, j * n, average, n);
        }
    }
}

cltomo_status cltomo_cpu_axis_factors(const cltomo_context *context, cltomo_axis_factors *factors,
    const cltomo_covariance *covariance, const double *scale, const double *shift, size_t n_points,
    bool weighted, cltomo_precision precision, cltomo_error *error)
{
    const cltomo_geometry *g = covariance->geometry;
    size_t rows = g->n_layers * covariance->mixture.n_terms;
    size_t n_grid = 2 * g->n_across + 1;
    factor_job job = {.covariance = covariance,
        .kernels = cltomo_row_kernels_best(),
        .factors = factors,
        .scale = scale,
        .shift = shift,
        .weighted = weighted,
        .n_grid = n_grid,
        .n_points = n_points,
        .scratch_size = 2 * n_grid + 2 * g->n_across};
    *factors = (cltomo_axis_factors){NULL, NULL};
    cltomo_status status = cltomo_matrix_allocate(
        context, &factors->difference, precision, rows, n_points * g->n_across, error);
    if (status == CLTOMO_OK) {
        status = cltomo_matrix_allocate(
            context, &factors->average, precision, rows, n_points * g->n_across, error);
    }
    if (status == CLTOMO_OK) {
        job.scratch = cltomo_allocate(
            context, cltomo_context_threads(context) * job.scratch_size, sizeof(double));
        if (job.scratch == NULL) {
            status = cltomo_fail_memory(error, "the factors of the separable covariance");
        }
    }
    if (status == CLTOMO_OK) {
        cltomo_parallel_for(context, rows, 4, factor_rows, &job);
    } else {
        cltomo_cpu_axis_factors_release(factors);
    }
    cltomo_release(context, job.scratch);
    return status;
}

void cltomo_cpu_axis_factors_release(cltomo_axis_factors *factors)
{
    cltomo_matrix_destroy(factors->difference);
    cltomo_matrix_destroy(factors->average);
    *factors = (cltomo_axis_factors){NULL, NULL};
}
