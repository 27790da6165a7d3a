#include "covariance/symmetry.h"

#include <math.h>

#include "covariance/covariance.h"

/* Positions that differ by less than this fraction of the grid's span are the same: the covariance
 * is not sensitive to it, and azimuths such as 90 degrees are not exact in floating point. */
static const double same_position = 1e-14;

static bool maps_to(const cltomo_geometry *g, size_t m, size_t r, const cltomo_symmetry *t)
{
    for (size_t l = 0; l < g->n_layers; ++l) {
        size_t from = m * g->n_layers + l;
        size_t to = r * g->n_layers + l;
        double x = t->swap ? g->shift_y[from] : g->shift_x[from];
        double y = t->swap ? g->shift_x[from] : g->shift_y[from];
        x = t->negate_x ? -x : x;
        y = t->negate_y ? -y : y;
        double tolerance = same_position * g->span;
        if (!(fabs(x - g->shift_x[to]) <= tolerance && fabs(y - g->shift_y[to]) <= tolerance)) {
            return false;
        }
    }
    return true;
}

static bool find_map(cltomo_symmetry *symmetry, const cltomo_geometry *g, size_t m, size_t r)
{
    if (g->rotation[m] != 0.0 || g->rotation[r] != 0.0 || !cltomo_covariance_same_scale(g, m, r)) {
        return false;
    }
    for (unsigned k = 0; k < 8; ++k) {
        cltomo_symmetry t = {.representative = r,
            .swap = (k & 4U) != 0,
            .negate_x = (k & 1U) != 0,
            .negate_y = (k & 2U) != 0};
        if (maps_to(g, m, r, &t)) {
            *symmetry = t;
            return true;
        }
    }
    return false;
}

void cltomo_find_symmetries(cltomo_symmetry *symmetry, const cltomo_geometry *geometry)
{
    for (size_t m = 0; m < geometry->n_wfs; ++m) {
        symmetry[m] = (cltomo_symmetry){.representative = m};
        for (size_t r = 0; r < m; ++r) {
            if (symmetry[r].representative == r && find_map(&symmetry[m], geometry, m, r)) {
                break;
            }
        }
    }
}

cltomo_self_symmetry cltomo_find_self_symmetry(const cltomo_geometry *geometry, size_t wfs)
{
    const cltomo_symmetry mirror_x = {.negate_x = true};
    const cltomo_symmetry mirror_y = {.negate_y = true};
    const cltomo_symmetry swap = {.swap = true};
    return (cltomo_self_symmetry){.mirror_x = maps_to(geometry, wfs, wfs, &mirror_x),
        .mirror_y = maps_to(geometry, wfs, wfs, &mirror_y),
        .diagonal = maps_to(geometry, wfs, wfs, &swap)};
}
