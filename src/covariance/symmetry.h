/* Sensors that see the same geometry up to a mirroring of the square grid.
 *
 * The phase grid, the lenslet grid and the grid of optimisation directions are squares around the
 * axis: swapping x and y, or mirroring either, maps them onto themselves. If such a map T takes the
 * shifts of sensor m into those of sensor r in every layer (and neither is rotated), then
 *     C_ps of m at (phase point j, lenslet k, axis a) =
 *         sign * C_ps of r at (T j, T k, axis of T a)
 * on the whole square, so that one evaluation serves both. Regular asterisms of four stars need one
 * evaluation instead of four. */
#ifndef CLTOMO_COVARIANCE_SYMMETRY_H
#define CLTOMO_COVARIANCE_SYMMETRY_H

#include "geometry/geometry.h"

/* T: first swap x and y if `swap`, then change the signs. */
typedef struct cltomo_symmetry {
    size_t representative; /* a sensor that is its own representative, with T the identity */
    bool swap;
    bool negate_x;
    bool negate_y;
} cltomo_symmetry;

/* The mirrorings that change nothing for a sensor itself: of a star on an axis or a diagonal. */
typedef struct cltomo_self_symmetry {
    bool mirror_x; /* its shifts in x are zero */
    bool mirror_y;
    bool diagonal; /* its shifts in x and y are equal: swapping the axes changes nothing */
} cltomo_self_symmetry;

cltomo_self_symmetry cltomo_find_self_symmetry(const cltomo_geometry *geometry, size_t wfs);

/* One entry per sensor. */
void cltomo_find_symmetries(cltomo_symmetry *symmetry, const cltomo_geometry *geometry);

/* T on grid or lenslet indices 0 <= y, x <= last. */
static inline void cltomo_symmetry_map(const cltomo_symmetry *t, size_t last, size_t *y, size_t *x)
{
    if (t->swap) {
        size_t old_y = *y;
        *y = *x;
        *x = old_y;
    }
    *x = t->negate_x ? last - *x : *x;
    *y = t->negate_y ? last - *y : *y;
}

/* The sign that the slopes along an axis (0: x, 1: y) take with T. */
static inline int cltomo_symmetry_sign(const cltomo_symmetry *t, uint32_t axis)
{
    bool is_x = (axis == 0) != t->swap; /* the axis after T */
    return (is_x ? t->negate_x : t->negate_y) ? -1 : 1;
}

#endif
