/* Where everything is: the phase grid, the lenslets on it, and how both project into the layers.
 *
 * Inside the library slopes are always listed sensor by sensor, x before y, lenslets row by row
 * (xy, row); other orders are permutations of the results. */
#ifndef CLTOMO_GEOMETRY_GEOMETRY_H
#define CLTOMO_GEOMETRY_GEOMETRY_H

#include <cltomo/geometry.h>

#include "core/core.h"

/* Lenslets of padding on each side of the lenslet map. */
#define CLTOMO_PADDING 2U

/* A point x on the grid, seen by sensor i, lands in layer l at
 *     scale[i][l] * Rot(rotation[i]) x + shift[i][l],
 * scale = 1 - h_l / H_i and shift = beta_i h_l - scale offset_i Ds. The same point seen in the
 * science direction (tx, ty) lands at phase_scale[l] x + h_l (tx, ty), phase_scale = 1 - h_l / H of
 * the science source.
 *
 * The grid of directions around the axis, with sources at infinity, is the geometry's own.
 * Directions listed one by one are each a geometry of their own, see cltomo_geometry_look. */
typedef struct cltomo_geometry {
    const cltomo_context *context;

    size_t n_across;       /* lenslets across the telescope, without padding */
    size_t n_grid;         /* phase grid points across, N */
    double spacing;        /* of the grid, m */
    double span;           /* of the grid, Ds, m */
    size_t n_lenslets;     /* valid for at least one sensor; each sensor is given them all */
    uint32_t *lenslet_row; /* in the lenslet map without padding */
    uint32_t *lenslet_col;
    size_t n_phase;       /* valid points */
    cltomo_point *phase;  /* row by row */
    int32_t *phase_index; /* n_grid^2: the number of the valid point, or -1 */

    size_t n_wfs;
    size_t n_slopes;      /* 2 * n_lenslets * n_wfs */
    uint8_t *used_slopes; /* n_slopes flags: those whose lenslet is valid for their own sensor;
                             NULL: all are */
    double *cosine;       /* n_wfs: of the lenslet rotation */
    double *sine;
    double *rotation;

    double airmass;
    double r0; /* at the zenith angle, m */
    double L0;
    double guide_star_height; /* along the line of sight */
    size_t n_layers;          /* of nonzero strength */
    double *height;           /* n_layers, along the line of sight, m */
    double *fraction;         /* n_layers */
    double *scale;            /* n_wfs x n_layers */
    double *shift_x;          /* n_wfs x n_layers */
    double *shift_y;

    size_t n_directions_across; /* of the grid; 1, on axis, where directions are listed */
    double *direction;          /* n_directions_across: tangents, the same on both axes */
    double *phase_scale;        /* n_layers */
} cltomo_geometry;

cltomo_status cltomo_geometry_create(const cltomo_context *context, cltomo_geometry **geometry,
    const cltomo_system *system, cltomo_error *error);
void cltomo_geometry_destroy(cltomo_geometry *geometry);

/* The valid lenslets of one sensor, n_lenslets^2 cells, and their number. */
const uint8_t *cltomo_sensor_lenslets(const cltomo_system_description *description, size_t wfs);
size_t cltomo_count_sensor_lenslets(const cltomo_system_description *description, size_t wfs);

/* Lists the valid points of the phase grid, row by row. */
void cltomo_list_phase_points(cltomo_point *points, const cltomo_system_description *description);

/* The valid actuators, row by row, about the axis and that far apart [m]. */
void cltomo_list_actuators(
    cltomo_point *points, const cltomo_system_description *description, double spacing);

/* Where n points, seen by a sensor, land in a layer. */
void cltomo_project_layer(const cltomo_geometry *geometry, double *x, double *y,
    const cltomo_point *points, size_t n, size_t wfs, size_t layer);

/* An optimisation direction: a point x, seen in it, lands in layer l at
 *     (1 - h_l / height) x + h_l (x, y). */
typedef struct cltomo_direction {
    double x; /* tangents of the angles from the axis */
    double y;
    double weight; /* all sum to 1 */
    double height; /* of the source, along the line of sight, m; or INFINITY */
} cltomo_direction;

/* The tangents of the grid of directions, the same on both axes. */
double cltomo_grid_tangent(const cltomo_system_description *description, size_t i);

/* All directions, of the grid or one by one. */
size_t cltomo_count_directions(const cltomo_system_description *description);
void cltomo_list_directions(
    cltomo_direction *directions, const cltomo_system_description *description);

/* Where n points, seen in a direction, land in a layer. */
void cltomo_project_direction(const cltomo_geometry *geometry, double *x, double *y,
    const cltomo_point *points, size_t n, const cltomo_direction *direction, size_t layer);

/* The geometry of one direction: that of a system whose only direction is the axis and whose
 * sensors see everything shifted by -h_l (x, y), since only differences of places matter. It shares
 * the arrays that do not change with the geometry, which must outlive it; free it with
 * cltomo_geometry_look_away. */
cltomo_status cltomo_geometry_look(const cltomo_geometry *geometry, cltomo_geometry **looking,
    const cltomo_direction *direction, cltomo_error *error);
void cltomo_geometry_look_away(cltomo_geometry *looking);

/* Coordinate on the grid of index i, m from the centre; the same for rows (y) and columns (x). */
static inline double cltomo_grid_coordinate(const cltomo_geometry *geometry, size_t i)
{
    return ((double)i - 0.5 * (double)(geometry->n_grid - 1)) * geometry->spacing;
}

/* The same where the index counts from the first point that is not padding. */
static inline double cltomo_unpadded_coordinate(const cltomo_geometry *geometry, size_t i)
{
    return cltomo_grid_coordinate(geometry, i + 2 * (size_t)CLTOMO_PADDING);
}

/* Grid row or column of the first point of a lenslet's stencil. */
static inline size_t cltomo_stencil_start(uint32_t lenslet)
{
    return 2 * ((size_t)lenslet + CLTOMO_PADDING);
}

/* The 2 n_lenslets slopes of one sensor (wfs 0) in the given order. */
void cltomo_list_sensor_slopes(cltomo_slope *slopes, const uint8_t *valid_lenslets,
    uint32_t n_across, size_t n_lenslets, cltomo_slope_order slope_order,
    cltomo_lenslet_order lenslet_order);

/* permutation[k] is the number, in the geometry's own order, of the slope that stands at place k in
 * the wanted order; as many entries as the system has slopes, which is fewer than the geometry has
 * where sensors use lenslets of their own; allocated with the geometry's context. */
cltomo_status cltomo_slope_permutation(const cltomo_system *system, uint32_t **permutation,
    const cltomo_geometry *geometry, cltomo_slope_order slope_order,
    cltomo_lenslet_order lenslet_order, cltomo_error *error);

/* Whether the order is the library's own, so that nothing needs to be permuted. */
static inline bool cltomo_is_own_order(
    cltomo_slope_order slope_order, cltomo_lenslet_order lenslet_order)
{
    return slope_order == CLTOMO_SLOPES_XY && lenslet_order == CLTOMO_LENSLETS_ROW;
}

/* Checks the two orders that came from a caller. */
cltomo_status cltomo_check_orders(
    cltomo_slope_order slope_order, cltomo_lenslet_order lenslet_order, cltomo_error *error);

#endif
