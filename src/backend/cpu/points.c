#include "backend/cpu/cpu.h"

cltomo_status cltomo_cpu_project_points(
    cltomo_cpu_points *points, const cltomo_geometry *g, size_t wfs, cltomo_error *error)
{
    points->n_points = g->n_phase;
    points->x = cltomo_allocate(g->context, g->n_layers * g->n_phase, sizeof(double));
    points->y = cltomo_allocate(g->context, g->n_layers * g->n_phase, sizeof(double));
    if (points->x == NULL || points->y == NULL) {
        cltomo_cpu_points_release(g->context, points);
        return cltomo_fail_memory(error, "the projected points of a sensor");
    }
    for (size_t l = 0; l < g->n_layers; ++l) {
        cltomo_project_layer(g, &points->x[l * g->n_phase], &points->y[l * g->n_phase], g->phase,
            g->n_phase, wfs, l);
    }
    return CLTOMO_OK;
}

double cltomo_cpu_points_size(const cltomo_geometry *g)
{
    return 2.0 * sizeof(double) * (double)g->n_layers * (double)g->n_phase;
}

void cltomo_cpu_points_release(const cltomo_context *context, cltomo_cpu_points *points)
{
    cltomo_release(context, points->x);
    cltomo_release(context, points->y);
    points->x = NULL;
    points->y = NULL;
}

/* The three points of a stencil row are neighbours in the list of valid points. */
void cltomo_cpu_gradient(const cltomo_geometry *g, double *slopes, const double *phase)
{
    double *slope_x = slopes;
    double *slope_y = slopes + g->n_lenslets;
    for (size_t k = 0; k < g->n_lenslets; ++k) {
        const int32_t *index = &g->phase_index[cltomo_stencil_start(g->lenslet_row[k]) * g->n_grid +
                                               cltomo_stencil_start(g->lenslet_col[k])];
        const double *top = &phase[index[0]];
        const double *middle = &phase[index[g->n_grid]];
        const double *bottom = &phase[index[2 * g->n_grid]];
        slope_x[k] = 0.25 * (top[2] - top[0]) + 0.5 * (middle[2] - middle[0]) +
                     0.25 * (bottom[2] - bottom[0]);
        slope_y[k] =
            0.25 * (bottom[0] - top[0]) + 0.5 * (bottom[1] - top[1]) + 0.25 * (bottom[2] - top[2]);
    }
}
