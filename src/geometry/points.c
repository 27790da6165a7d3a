#include "geometry/geometry.h"

static cltomo_status check_room(
    size_t n_points, size_t needed, const char *what, cltomo_error *error)
{
    if (n_points != needed) {
        return cltomo_fail(error, CLTOMO_ERROR_SHAPE, "room for %zu %s, but the system has %zu",
            n_points, what, needed);
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_system_phase_points(
    const cltomo_system *system, cltomo_point *points, size_t n_points, cltomo_error *error)
{
    cltomo_dimensions dimensions;
    cltomo_system_dimensions(system, &dimensions);
    cltomo_status status = check_room(n_points, dimensions.n_phase, "phase points", error);
    if (status == CLTOMO_OK) {
        cltomo_list_phase_points(points, cltomo_system_get_description(system));
    }
    return status;
}

void cltomo_list_actuators(cltomo_point *points, const cltomo_system_description *d, double spacing)
{
    double centre = 0.5 * ((double)d->n_actuators - 1.0);
    size_t k = 0;
    for (uint32_t row = 0; row < d->n_actuators; ++row) {
        for (uint32_t col = 0; col < d->n_actuators; ++col) {
            if (d->valid_actuators[(size_t)row * d->n_actuators + col] != 0) {
                points[k++] = (cltomo_point){.row = row,
                    .col = col,
                    .x = ((double)col - centre) * spacing,
                    .y = ((double)row - centre) * spacing};
            }
        }
    }
}

cltomo_status cltomo_system_actuators(
    const cltomo_system *system, cltomo_point *points, size_t n_points, cltomo_error *error)
{
    const cltomo_system_description *d = cltomo_system_get_description(system);
    cltomo_dimensions dimensions;
    cltomo_system_dimensions(system, &dimensions);
    cltomo_status status = check_room(n_points, dimensions.n_actuators, "actuators", error);
    if (status != CLTOMO_OK) {
        return status;
    }
    cltomo_list_actuators(points, d, d->actuator_pitch);
    return CLTOMO_OK;
}
