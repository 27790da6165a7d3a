/* The geometry as it looks in one direction. */
#include "geometry/geometry.h"

cltomo_status cltomo_geometry_look(const cltomo_geometry *g, cltomo_geometry **looking,
    const cltomo_direction *direction, cltomo_error *error)
{
    const cltomo_context *context = g->context;
    size_t n = g->n_wfs * g->n_layers;
    cltomo_geometry *own = cltomo_allocate(context, 1, sizeof *own);
    *looking = own;
    if (own == NULL) {
        return cltomo_fail_memory(error, "the geometry of a direction");
    }
    *own = *g;
    own->n_directions_across = 1;
    own->direction = cltomo_allocate_zero(context, 1, sizeof *own->direction);
    own->phase_scale = cltomo_allocate(context, g->n_layers, sizeof *own->phase_scale);
    own->shift_x = cltomo_allocate(context, n, sizeof *own->shift_x);
    own->shift_y = cltomo_allocate(context, n, sizeof *own->shift_y);
    if (own->direction == NULL || own->phase_scale == NULL || own->shift_x == NULL ||
        own->shift_y == NULL) {
        cltomo_geometry_look_away(own);
        *looking = NULL;
        return cltomo_fail_memory(error, "the geometry of a direction");
    }
    for (size_t l = 0; l < g->n_layers; ++l) {
        own->phase_scale[l] = 1.0 - g->height[l] / direction->height;
    }
    for (size_t k = 0; k < n; ++k) {
        double height = g->height[k % g->n_layers];
        own->shift_x[k] = g->shift_x[k] - height * direction->x;
        own->shift_y[k] = g->shift_y[k] - height * direction->y;
    }
    return CLTOMO_OK;
}

void cltomo_geometry_look_away(cltomo_geometry *looking)
{
    if (looking == NULL) {
        return;
    }
    const cltomo_context *context = looking->context;
    void *arrays[] = {
        looking->direction, looking->phase_scale, looking->shift_x, looking->shift_y, looking};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        cltomo_release(context, arrays[i]);
    }
}
