/* Phase-slope covariance of a rotated sensor, averaged over many directions.
 *
 * The sensor's points p form no grid along the axes, but the phase points x_j and the directions t
 * do: for one p the mean over the directions of a Gaussian exp(-a |p - x_j - h t|^2) is a product
 * of a factor in x and one in y, on all phase points at once. So a point costs 2 sums over the
 * directions per axis and term, not one per direction and phase point. Narrow Gaussians reach a few
 * grid points only, and only those are visited. */
#include "backend/cpu/rotated.h"

#include <math.h>
#include <string.h>

#include "backend/cpu/row_kernels.h"

/* The grid in a row, without its padding. */
typedef struct axis {
    double *coordinate; /* 2 n_across + 1 */
    size_t n;
    double spacing;
} axis;

typedef struct rotated_job {
    const cltomo_covariance *covariance;
    const cltomo_row_kernels *kernels;
    cltomo_matrix *c_ps;
    size_t wfs;
    size_t first; /* lenslet row of the batch */
    cltomo_cpu_points points;
    axis grid;
    double *scratch; /* per worker */
    size_t scratch_size;
} rotated_job;

/* A factor of one axis: values[i] for begin <= i < end, zero elsewhere. */
typedef struct factor {
    double *values;
    size_t begin;
    size_t end;
} factor;

/* One worker's memory. square[r][c] holds the covariances of the stencil point in row r whose
 * column is c modulo 3 with all points of the grid; column[c] says which column that is. */
typedef struct workspace {
    double *square[3][3];
    size_t column[3];
    factor x;
    factor y;
} workspace;

static const size_t no_column = SIZE_MAX;

static workspace workspace_of(const rotated_job *job, size_t worker)
{
    double *memory = &job->scratch[worker * job->scratch_size];
    size_t n = job->grid.n;
    workspace w = {.column = {no_column, no_column, no_column}};
    for (size_t k = 0; k < 9; ++k) {
        w.square[k / 3][k % 3] = memory + k * n * n;
    }
    w.x.values = memory + 9 * n * n;
    w.y.values = w.x.values + n;
    return w;
}

/* The grid points within `reach` of the place. Called for every term, so without the C library's
 * rounding: a conversion cuts a positive number off. */
static void find_range(const axis *grid, double place, double reach, size_t *begin, size_t *end)
{
    double n = (double)grid->n;
    double first = (place - reach - grid->coordinate[0]) / grid->spacing;
    double last = (place + reach - grid->coordinate[0]) / grid->spacing;
    *begin = first <= 0.0 ? 0 : first >= n ? grid->n : (size_t)first;
    *begin += first > 0.0 && (double)*begin < first;
    *end = last < 0.0 ? 0 : last >= n - 1.0 ? grid->n : (size_t)last + 1;
    *end = *end < *begin ? *begin : *end;
}

/* The mean over the directions of exp(-exponent (place - h t - x_j)^2), times the weight. */
static void fill_factor(
    const rotated_job *job, factor *f, double place, size_t layer, double exponent, double weight)
{
    const cltomo_geometry *g = job->covariance->geometry;
    double height = g->height[layer];
    size_t n = height > 0.0 ? g->n_directions_across : 1;
    double reach = sqrt(CLTOMO_GAUSSIAN_CUT / exponent);
    double spread = height * g->direction[g->n_directions_across - 1];
    size_t begin;
    size_t end;
    find_range(&job->grid, place, reach + spread, &f->begin, &f->end);
    memset(&f->values[f->begin], 0, (f->end - f->begin) * sizeof *f->values);
    for (size_t t = 0; t < n; ++t) {
        double shifted = place - height * g->direction[t];
        find_range(&job->grid, shifted, reach, &begin, &end);
        if (begin == end) {
            continue;
        }
        job->kernels->gaussian(&f->values[begin], &job->grid.coordinate[begin], end - begin,
            shifted, exponent, weight / (double)n);
    }
}

/* The covariances of one point of the sensor with all points of the grid. */
static void fill_square(const rotated_job *job, workspace *w, double *square, size_t point)
{
    const cltomo_covariance *c = job->covariance;
    const cltomo_geometry *g = c->geometry;
    size_t n = job->grid.n;
    memset(square, 0, n * n * sizeof *square);
    for (size_t l = 0; l < g->n_layers; ++l) {
        double x = job->points.x[l * g->n_phase + point];
        double y = job->points.y[l * g->n_phase + point];
        for (size_t k = 0; k < c->mixture.n_terms; ++k) {
            double exponent = c->mixture.exponent[k] * c->wavenumber * c->wavenumber;
            double weight = c->mixture.weight[k] * c->variance_factor * g->fraction[l];
            fill_factor(job, &w->x, x, l, exponent, 1.0);
            if (w->x.begin == w->x.end) {
                continue;
            }
            fill_factor(job, &w->y, y, l, exponent, weight);
            job->kernels->add_product(&square[w->y.begin * n + w->x.begin], n,
                &w->y.values[w->y.begin], w->y.end - w->y.begin, &w->x.values[w->x.begin],
                w->x.end - w->x.begin);
        }
    }
}

/* Makes the squares of the three stencil points in this column of the sensor's grid current. */
static void fill_column(const rotated_job *job, workspace *w, size_t row, size_t column)
{
    const cltomo_geometry *g = job->covariance->geometry;
    if (w->column[column % 3] == column) {
        return;
    }
    for (size_t r = 0; r < 3; ++r) {
        int32_t point = g->phase_index[(row + r) * g->n_grid + column];
        fill_square(job, w, w->square[r][column % 3], (size_t)point);
    }
    w->column[column % 3] = column;
}

/* Gamma on the three by three squares: the two columns of C_ps of a lenslet. */
static void store_slopes(const rotated_job *job, const workspace *w, size_t lenslet, size_t column)
{
    const cltomo_geometry *g = job->covariance->geometry;
    size_t padding = 2 * (size_t)CLTOMO_PADDING;
    size_t slope = job->wfs * 2 * g->n_lenslets + lenslet;
    const double *s[3][3];
    for (size_t r = 0; r < 3; ++r) {
        for (size_t c = 0; c < 3; ++c) {
            s[r][c] = w->square[r][(column + c) % 3];
        }
    }
    for (size_t p = 0; p < job->c_ps->rows; ++p) {
        const cltomo_point *point = &g->phase[job->covariance->first_phase + p];
        size_t i = (point->row - padding) * job->grid.n + point->col - padding;
        double x = 0.25 * (s[0][2][i] - s[0][0][i]) + 0.5 * (s[1][2][i] - s[1][0][i]) +
                   0.25 * (s[2][2][i] - s[2][0][i]);
        double y = 0.25 * (s[2][0][i] - s[0][0][i]) + 0.5 * (s[2][1][i] - s[0][1][i]) +
                   0.25 * (s[2][2][i] - s[0][2][i]);
        cltomo_cpu_store(job->c_ps, p, slope, &x, 1);
        cltomo_cpu_store(job->c_ps, p, slope + g->n_lenslets, &y, 1);
    }
}

/* Rows of lenslets; neighbours in a row share a column of points. */
static void lenslet_rows(void *user, size_t begin, size_t end, size_t worker)
{
    const rotated_job *job = user;
    const cltomo_geometry *g = job->covariance->geometry;
    workspace w = workspace_of(job, worker);
    size_t row = SIZE_MAX;
    for (size_t k = 0; k < g->n_lenslets; ++k) {
        size_t its_row = g->lenslet_row[k];
        if (its_row < job->first + begin || its_row >= job->first + end) {
            continue;
        }
        if (its_row != row) {
            row = its_row;
            w.column[0] = w.column[1] = w.column[2] = no_column;
        }
        size_t column = cltomo_stencil_start(g->lenslet_col[k]);
        for (size_t c = 0; c < 3; ++c) {
            fill_column(job, &w, cltomo_stencil_start(g->lenslet_row[k]), column + c);
        }
        store_slopes(job, &w, k, column);
    }
}

static cltomo_status run(const cltomo_context *context, rotated_job *job, cltomo_error *error)
{
    const cltomo_geometry *g = job->covariance->geometry;
    size_t batch = 2 * (size_t)cltomo_context_threads(context);
    cltomo_status status = CLTOMO_OK;
    for (job->first = 0; job->first < g->n_across && status == CLTOMO_OK; job->first += batch) {
        size_t left = g->n_across - job->first;
        size_t count = left < batch ? left : batch;
        cltomo_parallel_for(context, count, 1, lenslet_rows, job);
        double done = (double)(job->first + count) / (double)g->n_across;
        status = cltomo_progress(
            context, "phase-slope covariance", ((double)job->wfs + done) / (double)g->n_wfs, error);
    }
    return status;
}

/* Doubles of one worker. */
static size_t workspace_size(const cltomo_geometry *g)
{
    size_t n = 2 * g->n_across + 1;
    return 9 * n * n + 2 * n;
}

double cltomo_cpu_rotated_scratch(const cltomo_geometry *g, size_t workers)
{
    double doubles = 2.0 * (double)g->n_across + 1.0 + (double)workers * (double)workspace_size(g);
    return cltomo_cpu_points_size(g) + sizeof(double) * doubles;
}

cltomo_status cltomo_cpu_rotated(const cltomo_context *context, cltomo_matrix *c_ps,
    const cltomo_covariance *covariance, size_t wfs, cltomo_error *error)
{
    const cltomo_geometry *g = covariance->geometry;
    size_t n = 2 * g->n_across + 1;
    rotated_job job = {.covariance = covariance,
        .kernels = cltomo_row_kernels_best(),
        .c_ps = c_ps,
        .wfs = wfs,
        .grid = {.n = n, .spacing = g->spacing},
        .scratch_size = workspace_size(g)};
    cltomo_status status = cltomo_cpu_project_points(&job.points, g, wfs, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    job.grid.coordinate = cltomo_allocate(context, n, sizeof(double));
    job.scratch = cltomo_allocate(
        context, cltomo_context_threads(context) * job.scratch_size, sizeof(double));
    if (job.grid.coordinate == NULL || job.scratch == NULL) {
        status = cltomo_fail_memory(error, "the phase-slope covariance");
    } else {
        for (size_t i = 0; i < n; ++i) {
            job.grid.coordinate[i] = cltomo_unpadded_coordinate(g, i);
        }
        status = run(context, &job, error);
    }
    cltomo_release(context, job.grid.coordinate);
    cltomo_release(context, job.scratch);
    cltomo_cpu_points_release(context, &job.points);
    return status;
}
