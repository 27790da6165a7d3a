/* Where points of the pupil land in a layer, and the directions that they are seen in. */
#include <math.h>

#include "geometry/geometry.h"

void cltomo_project_layer(const cltomo_geometry *g, double *x, double *y,
    const cltomo_point *points, size_t n, size_t wfs, size_t layer)
{
    size_t projection = wfs * g->n_layers + layer;
    double scale_cosine = g->scale[projection] * g->cosine[wfs];
    double scale_sine = g->scale[projection] * g->sine[wfs];
    for (size_t k = 0; k < n; ++k) {
        x[k] = scale_cosine * points[k].x - scale_sine * points[k].y + g->shift_x[projection];
        y[k] = scale_sine * points[k].x + scale_cosine * points[k].y + g->shift_y[projection];
    }
}

void cltomo_project_direction(const cltomo_geometry *g, double *x, double *y,
    const cltomo_point *points, size_t n, const cltomo_direction *direction, size_t layer)
{
    double height = g->height[layer];
    double scale = 1.0 - height / direction->height;
    for (size_t k = 0; k < n; ++k) {
        x[k] = scale * points[k].x + height * direction->x;
        y[k] = scale * points[k].y + height * direction->y;
    }
}

size_t cltomo_count_directions(const cltomo_system_description *d)
{
    return d->n_directions > 0 ? d->n_directions
                               : (size_t)d->n_directions_across * d->n_directions_across;
}

double cltomo_grid_tangent(const cltomo_system_description *d, size_t i)
{
    size_t n = d->n_directions_across;
    return n > 1 ? tan(d->field_of_view * ((double)i / (double)(n - 1) - 0.5)) : 0.0;
}

static void list_grid(cltomo_direction *directions, const cltomo_system_description *d)
{
    size_t n = d->n_directions_across;
    for (size_t row = 0; row < n; ++row) {
        for (size_t col = 0; col < n; ++col) {
            directions[row * n + col] = (cltomo_direction){.x = cltomo_grid_tangent(d, col),
                .y = cltomo_grid_tangent(d, row),
                .weight = 1.0 / (double)(n * n),
                .height = INFINITY};
        }
    }
}

static double weight_of(const cltomo_system_description *d, size_t i)
{
    return d->direction_weight != NULL ? d->direction_weight[i] : 1.0;
}

void cltomo_list_directions(cltomo_direction *directions, const cltomo_system_description *d)
{
    double airmass = 1.0 / cos(d->zenith_angle);
    double sum = 0.0;
    if (d->n_directions == 0) {
        list_grid(directions, d);
        return;
    }
    for (size_t i = 0; i < d->n_directions; ++i) {
        sum += weight_of(d, i);
    }
    for (size_t i = 0; i < d->n_directions; ++i) {
        directions[i] = (cltomo_direction){.x = d->direction_x[i],
            .y = d->direction_y[i],
            .weight = weight_of(d, i) / sum,
            .height = airmass * (d->direction_height != NULL ? d->direction_height[i] : INFINITY)};
    }
}
