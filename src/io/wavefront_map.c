/* Lays a wavefront out as a map. */
#include <math.h>

#include "io/io.h"

cltomo_status cltomo_points_check(const cltomo_point *points, size_t n_points, size_t n_grid,
    const char *path, cltomo_error *error)
{
    for (size_t i = 0; i < n_points; ++i) {
        if (points[i].row >= n_grid || points[i].col >= n_grid) {
            return cltomo_fail_file(error, CLTOMO_ERROR_SHAPE, path,
                "point %zu is at row %u, column %u of a grid of %zu x %zu", i,
                (unsigned)points[i].row, (unsigned)points[i].col, n_grid, n_grid);
        }
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_wavefront_map(double *map, size_t n_grid, const cltomo_point *points,
    const double *wavefront, size_t n_points, cltomo_error *error)
{
    cltomo_status status = cltomo_points_check(points, n_points, n_grid, "", error);
    if (status != CLTOMO_OK) {
        return status;
    }
    for (size_t i = 0; i < n_grid * n_grid; ++i) {
        map[i] = (double)NAN;
    }
    for (size_t i = 0; i < n_points; ++i) {
        map[points[i].row * n_grid + points[i].col] = wavefront[i];
    }
    return CLTOMO_OK;
}
