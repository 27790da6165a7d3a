/* Which part of the square of phase points the separable evaluator has to compute for a class of
 * mirrored sensors, and where their points and lenslets are in it.
 *
 * A star on an axis is its own mirror image: half of the phase points are enough. One on a diagonal
 * has the same factors on both axes: the product for the y slopes is the one for the x slopes
 * transposed. One on axis is both, twice. */
#ifndef CLTOMO_COVARIANCE_SQUARE_H
#define CLTOMO_COVARIANCE_SQUARE_H

#include "covariance/symmetry.h"

typedef struct cltomo_square {
    cltomo_self_symmetry self; /* of the representative */
    size_t n_across;
    size_t n_grid; /* 2 n_across + 1 */
    size_t n_y;    /* rows of phase points that are computed: all, or those up to the middle */
    size_t n_x;
    size_t width; /* n_x * n_across: columns of a product, whose rows are n_y * n_across */
} cltomo_square;

enum { cltomo_n_mirrors = 4 }; /* bit 0: of x, bit 1: of y */

cltomo_square cltomo_square_of(const cltomo_geometry *geometry, size_t representative);

/* Takes the phase point number `point` of a sensor into the square, through T and the mirroring
 * that is returned. */
size_t cltomo_square_point(const cltomo_square *square, const cltomo_geometry *geometry,
    const cltomo_symmetry *t, size_t point, size_t *jy, size_t *jx);

/* Whether any of the n_points phase points from first_point on, for any sensor of the class, is in
 * the rows first_row to end_row of a product. */
bool cltomo_square_needs_rows(const cltomo_square *square, const cltomo_geometry *geometry,
    const cltomo_symmetry *symmetry, size_t representative, size_t first_point, size_t n_points,
    size_t first_row, size_t end_row);

/* T with a mirroring behind it. */
cltomo_symmetry cltomo_square_map(const cltomo_symmetry *t, size_t mirror);

/* Slopes of a sensor along `axis` are along this axis of the representative. */
static inline uint32_t cltomo_square_axis(const cltomo_symmetry *t, uint32_t axis)
{
    return t->swap ? 1 - axis : axis;
}

/* Whether slopes along this axis of the representative are in the first product, transposed. */
static inline bool cltomo_square_is_transposed(const cltomo_square *square, uint32_t its_axis)
{
    return its_axis == 1 && square->self.diagonal;
}

/* The place of lenslet number `lenslet` in a product, counted from its phase point, taken there by
 * `map`, for slopes along this axis of the representative. */
size_t cltomo_square_place(const cltomo_square *square, const cltomo_geometry *geometry,
    const cltomo_symmetry *map, size_t lenslet, uint32_t its_axis);

#endif
