/* Covariances of the phase at the actuators, point by point. */
#include <math.h>
#include <string.h>

#include "reconstructor/interaction.h"

/* The actuators in a layer, as seen twice. */
typedef struct views {
    const double *x1, *y1; /* rows of the covariance */
    const double *x2, *y2; /* columns */
} views;

typedef struct row_job {
    const cltomo_interaction *m;
    views seen;
} row_job;

static double *row_of(const cltomo_matrix *matrix, size_t row)
{
    return &matrix->data.f64[row * matrix->cols];
}

static void separate_rows(void *user, size_t begin, size_t end, size_t worker)
{
    const row_job *job = user;
    const views *seen = &job->seen;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        double *separation = row_of(job->m->layer, i);
        for (size_t k = 0; k < job->m->n_actuators; ++k) {
            double dx = seen->x1[i] - seen->x2[k];
            double dy = seen->y1[i] - seen->y2[k];
            separation[k] = sqrt(dx * dx + dy * dy);
        }
    }
}

static void add_rows(void *user, size_t begin, size_t end, size_t worker)
{
    const row_job *job = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        const double *layer = row_of(job->m->layer, i);
        double *sum = row_of(job->m->covariance, i);
        for (size_t k = 0; k < job->m->n_actuators; ++k) {
            sum[k] += layer[k];
        }
    }
}

/* Where the two views go; the first is filled by the caller. */
static views places(const cltomo_interaction *m)
{
    size_t n = m->n_actuators;
    return (views){m->place, m->place + n, m->place + 2 * n, m->place + 3 * n};
}

static void clear(cltomo_interaction *m)
{
    memset(m->covariance->data.f64, 0, m->n_actuators * m->n_actuators * sizeof(double));
}

/* Adds a layer, the first view being in place already, the second that of sensor j. */
static cltomo_status add_layer(
    cltomo_interaction *m, size_t l, size_t j, double weight, cltomo_error *error)
{
    enum { chunk = 16 };
    const cltomo_builder *b = &m->base;
    const cltomo_geometry *g = b->geometry;
    size_t n = m->n_actuators;
    row_job job = {m, places(m)};
    cltomo_project_layer(g, m->place + 2 * n, m->place + 3 * n, m->actuators, n, j, l);
    cltomo_parallel_for(b->context, n, chunk, separate_rows, &job);
    cltomo_status status =
        b->backend->von_karman_covariance(b->context, m->layer->data.f64, m->layer->data.f64, n * n,
            b->covariance.variance_factor * g->fraction[l] * weight, g->L0, error);
    if (status == CLTOMO_OK) {
        cltomo_parallel_for(b->context, n, chunk, add_rows, &job);
    }
    return status;
}

cltomo_status cltomo_interaction_pair(
    cltomo_interaction *m, size_t i, size_t j, cltomo_error *error)
{
    const cltomo_geometry *g = m->base.geometry;
    size_t n = m->n_actuators;
    cltomo_status status = CLTOMO_OK;
    clear(m);
    for (size_t l = 0; l < g->n_layers && status == CLTOMO_OK; ++l) {
        cltomo_project_layer(g, m->place, m->place + n, m->actuators, n, i, l);
        status = add_layer(m, l, j, 1.0, error);
    }
    return status;
}

cltomo_status cltomo_interaction_science(cltomo_interaction *m, size_t j, cltomo_error *error)
{
    const cltomo_geometry *g = m->base.geometry;
    size_t n = m->n_actuators;
    cltomo_status status = CLTOMO_OK;
    clear(m);
    for (size_t l = 0; l < g->n_layers && status == CLTOMO_OK; ++l) {
        /* on the ground all directions coincide */
        bool on_ground = g->height[l] == 0.0;
        size_t n_directions = on_ground ? 1 : m->base.n_directions;
        for (size_t k = 0; k < n_directions && status == CLTOMO_OK; ++k) {
            const cltomo_direction *direction = &m->base.directions[k];
            cltomo_project_direction(g, m->place, m->place + n, m->actuators, n, direction, l);
            status = add_layer(m, l, j, on_ground ? 1.0 : direction->weight, error);
        }
    }
    return status;
}
