#include "covariance/square.h"

cltomo_square cltomo_square_of(const cltomo_geometry *geometry, size_t representative)
{
    size_t n = geometry->n_across;
    cltomo_square square = {.self = cltomo_find_self_symmetry(geometry, representative),
        .n_across = n,
        .n_grid = 2 * n + 1};
    square.n_y = square.self.mirror_y ? n + 1 : square.n_grid;
    square.n_x = square.self.mirror_x ? n + 1 : square.n_grid;
    square.width = square.n_x * n;
    return square;
}

size_t cltomo_square_point(const cltomo_square *square, const cltomo_geometry *geometry,
    const cltomo_symmetry *t, size_t point, size_t *jy, size_t *jx)
{
    size_t last = square->n_grid - 1;
    *jy = geometry->phase[point].row - 2 * CLTOMO_PADDING;
    *jx = geometry->phase[point].col - 2 * CLTOMO_PADDING;
    cltomo_symmetry_map(t, last, jy, jx);
    bool mirror_x = *jx >= square->n_x;
    bool mirror_y = *jy >= square->n_y;
    *jx = mirror_x ? last - *jx : *jx;
    *jy = mirror_y ? last - *jy : *jy;
    return (mirror_x ? 1U : 0U) | (mirror_y ? 2U : 0U);
}

bool cltomo_square_needs_rows(const cltomo_square *square, const cltomo_geometry *geometry,
    const cltomo_symmetry *symmetry, size_t representative, size_t first_point, size_t n_points,
    size_t first_row, size_t end_row)
{
    for (size_t wfs = 0; wfs < geometry->n_wfs; ++wfs) {
        if (symmetry[wfs].representative != representative) {
            continue;
        }
        for (size_t k = first_point; k < first_point + n_points; ++k) {
            size_t jy;
            size_t jx;
            (void)cltomo_square_point(square, geometry, &symmetry[wfs], k, &jy, &jx);
            bool is_transposed = square->self.diagonal && jx >= first_row && jx < end_row;
            if (is_transposed || (jy >= first_row && jy < end_row)) {
                return true;
            }
        }
    }
    return false;
}

cltomo_symmetry cltomo_square_map(const cltomo_symmetry *t, size_t mirror)
{
    cltomo_symmetry map = *t;
    map.negate_x = t->negate_x != ((mirror & 1U) != 0);
    map.negate_y = t->negate_y != ((mirror & 2U) != 0);
    return map;
}

size_t cltomo_square_place(const cltomo_square *square, const cltomo_geometry *geometry,
    const cltomo_symmetry *map, size_t lenslet, uint32_t its_axis)
{
    size_t ky = geometry->lenslet_row[lenslet];
    size_t kx = geometry->lenslet_col[lenslet];
    cltomo_symmetry_map(map, square->n_across - 1, &ky, &kx);
    return cltomo_square_is_transposed(square, its_axis) ? kx * square->width + ky
                                                         : ky * square->width + kx;
}
