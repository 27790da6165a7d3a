/* Pupil geometry: phase grid, lenslets, slopes, gradient operator. */
#ifndef CLTOMO_GEOMETRY_H
#define CLTOMO_GEOMETRY_H

#include <cltomo/matrix.h>
#include <cltomo/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Order of the two axes within the slopes of one sensor. */
typedef enum cltomo_slope_order {
    CLTOMO_SLOPES_XY = 0,         /* all x slopes, then all y slopes */
    CLTOMO_SLOPES_YX = 1,         /* all y slopes, then all x slopes */
    CLTOMO_SLOPES_INTERLEAVED = 2 /* x0 y0 x1 y1 ... */
} cltomo_slope_order;

/* Order of the lenslets of one sensor. */
typedef enum cltomo_lenslet_order {
    CLTOMO_LENSLETS_ROW = 0,   /* row by row */
    CLTOMO_LENSLETS_COLUMN = 1 /* column by column */
} cltomo_lenslet_order;

/* Sizes of everything that a system leads to, and what follows from its parameters. */
typedef struct cltomo_dimensions {
    size_t n_wfs;
    size_t n_lenslets;        /* lenslets that are valid for any sensor */
    size_t n_grid;            /* phase grid points across, N */
    size_t n_phase;           /* valid grid points */
    size_t n_slopes;          /* all sensors together: two per valid lenslet of each */
    size_t n_actuators;       /* valid actuators */
    size_t n_layers;          /* layers of nonzero strength */
    size_t n_directions;      /* optimisation directions, listed or of the grid */
    double grid_spacing;      /* m */
    double grid_span;         /* padded diameter Ds, m */
    double airmass;           /* 1 / cos(zenith angle) */
    double r0;                /* at the zenith angle, m */
    double guide_star_height; /* along the line of sight, m; INFINITY for natural stars */
} cltomo_dimensions;

CLTOMO_API void cltomo_system_dimensions(
    const cltomo_system *system, cltomo_dimensions *dimensions);

/* One slope: column of R, row of Gamma. Lenslet rows and columns count from 0 in the lenslet map.
 */
typedef struct cltomo_slope {
    uint32_t wfs;
    uint32_t lenslet_row;
    uint32_t lenslet_col;
    uint32_t axis; /* 0: x (along a row), 1: y (along a column) */
} cltomo_slope;

/* Lists the slopes of a system in the given order, sensor by sensor; slopes has room for n_slopes
 * entries, which must equal the system's. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_system_slopes(const cltomo_system *system,
    cltomo_slope *slopes, size_t n_slopes, cltomo_slope_order slope_order,
    cltomo_lenslet_order lenslet_order, cltomo_error *error);

/* A point of the phase grid or an actuator, with its place in its square map and in metres from the
 * optical axis. */
typedef struct cltomo_point {
    uint32_t row;
    uint32_t col;
    double x;
    double y;
} cltomo_point;

/* The valid points of the phase grid, row by row: rows of R. points has room for n_points entries,
 * which must equal n_phase. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_system_phase_points(
    const cltomo_system *system, cltomo_point *points, size_t n_points, cltomo_error *error);

/* The valid actuators, row by row, spaced by the actuator pitch: rows of FR. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_system_actuators(
    const cltomo_system *system, cltomo_point *points, size_t n_points, cltomo_error *error);

/* The gradient operator Gamma of one sensor: from the phase at the valid points of the grid to the
 * slopes. A slope is the difference of the phase between the two opposite edges of a lenslet (x:
 * right minus left, y: bottom minus top), each edge averaged with the weights 1/4, 1/2, 1/4
 * (stencil 3, grid spacing half a lenslet) or 1/16, 3/16, 1/2, 3/16, 1/16 (stencil 5, grid spacing
 * a quarter). So a constant phase gives 0 and a ramp of 1 per lenslet gives 1. */
typedef struct cltomo_gradient cltomo_gradient;

/* n_lenslets^2 row-major map of valid lenslets; the map is used as given, without padding, and the
 * grid has (stencil - 1) * n_lenslets + 1 points across. amplitude is NULL, or one byte per grid
 * point, zero where there is no light: lenslets whose stencil is not fully lit are dropped. stencil
 * is 3 or 5. Rows: for each axis in slope_order, lenslets in lenslet_order. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_gradient_create(const cltomo_context *context,
    cltomo_gradient **gradient, const uint8_t *valid_lenslets, size_t n_lenslets,
    const uint8_t *amplitude, uint32_t stencil, cltomo_slope_order slope_order,
    cltomo_lenslet_order lenslet_order, cltomo_error *error);

/* The operator; owned by the gradient. Columns are the points of the grid mask, row by row. */
CLTOMO_API const cltomo_sparse *cltomo_gradient_matrix(const cltomo_gradient *gradient);

/* n_grid^2 bytes, row-major: 1 where a point belongs to the stencil of a kept lenslet, else 0. */
CLTOMO_API const uint8_t *cltomo_gradient_grid_mask(
    const cltomo_gradient *gradient, size_t *n_grid);

/* Applies the operator on the context's backend: row i of slopes (n x rows of Gamma) = Gamma times
 * row i of phase (n x columns of Gamma), in the precision of the phase. Fails with
 * CLTOMO_ERROR_SHAPE if the phase has another number of columns, and as a build does where the
 * device lacks the precision or the memory. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_gradient_apply(const cltomo_context *context,
    cltomo_matrix **slopes, const cltomo_gradient *gradient, const cltomo_matrix *phase,
    cltomo_error *error);

/* The same with the transpose: row i of phase (n x columns of Gamma) = Gamma^T times row i of
 * slopes (n x rows of Gamma). */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_gradient_apply_transposed(
    const cltomo_context *context, cltomo_matrix **phase, const cltomo_gradient *gradient,
    const cltomo_matrix *slopes, cltomo_error *error);

CLTOMO_API void cltomo_gradient_destroy(cltomo_gradient *gradient);

#ifdef __cplusplus
}
#endif

#endif
