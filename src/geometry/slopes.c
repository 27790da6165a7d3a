#include "geometry/geometry.h"

cltomo_status cltomo_check_orders(
    cltomo_slope_order slope_order, cltomo_lenslet_order lenslet_order, cltomo_error *error)
{
    if (slope_order != CLTOMO_SLOPES_XY && slope_order != CLTOMO_SLOPES_YX &&
        slope_order != CLTOMO_SLOPES_INTERLEAVED) {
        return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "slope_order", "",
            "a cltomo_slope_order", "unknown slope order");
    }
    if (lenslet_order != CLTOMO_LENSLETS_ROW && lenslet_order != CLTOMO_LENSLETS_COLUMN) {
        return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "lenslet_order", "",
            "a cltomo_lenslet_order", "unknown lenslet order");
    }
    return CLTOMO_OK;
}

/* Place, within a sensor's 2 n slopes, of one axis of the lenslet that is k-th in lenslet order. */
static size_t place_of(cltomo_slope_order order, size_t k, uint32_t axis, size_t n)
{
    switch (order) {
    case CLTOMO_SLOPES_INTERLEAVED:
        return 2 * k + axis;
    case CLTOMO_SLOPES_YX:
        return (1 - axis) * n + k;
    case CLTOMO_SLOPES_XY:
        break;
    }
    return axis * n + k;
}

void cltomo_list_sensor_slopes(cltomo_slope *slopes, const uint8_t *valid_lenslets,
    uint32_t n_across, size_t n_lenslets, cltomo_slope_order slope_order,
    cltomo_lenslet_order lenslet_order)
{
    size_t k = 0;
    for (uint32_t outer = 0; outer < n_across; ++outer) {
        for (uint32_t inner = 0; inner < n_across; ++inner) {
            uint32_t row = lenslet_order == CLTOMO_LENSLETS_ROW ? outer : inner;
            uint32_t col = lenslet_order == CLTOMO_LENSLETS_ROW ? inner : outer;
            if (valid_lenslets[(size_t)row * n_across + col] == 0) {
                continue;
            }
            for (uint32_t axis = 0; axis < 2; ++axis) {
                slopes[place_of(slope_order, k, axis, n_lenslets)] =
                    (cltomo_slope){.wfs = 0, .lenslet_row = row, .lenslet_col = col, .axis = axis};
            }
            ++k;
        }
    }
}

cltomo_status cltomo_system_slopes(const cltomo_system *system, cltomo_slope *slopes,
    size_t n_slopes, cltomo_slope_order slope_order, cltomo_lenslet_order lenslet_order,
    cltomo_error *error)
{
    const cltomo_system_description *d = cltomo_system_get_description(system);
    cltomo_dimensions dimensions;
    cltomo_status status = cltomo_check_orders(slope_order, lenslet_order, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    cltomo_system_dimensions(system, &dimensions);
    if (n_slopes != dimensions.n_slopes) {
        return cltomo_fail(error, CLTOMO_ERROR_SHAPE, "room for %zu slopes, but the system has %zu",
            n_slopes, dimensions.n_slopes);
    }
    for (uint32_t wfs = 0; wfs < d->n_wfs; ++wfs) {
        size_t n_lenslets = cltomo_count_sensor_lenslets(d, wfs);
        cltomo_list_sensor_slopes(slopes, cltomo_sensor_lenslets(d, wfs), d->n_lenslets, n_lenslets,
            slope_order, lenslet_order);
        for (size_t k = 0; k < 2 * n_lenslets; ++k) {
            slopes[k].wfs = wfs;
        }
        slopes += 2 * n_lenslets;
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_slope_permutation(const cltomo_system *system, uint32_t **permutation,
    const cltomo_geometry *geometry, cltomo_slope_order slope_order,
    cltomo_lenslet_order lenslet_order, cltomo_error *error)
{
    const cltomo_context *context = geometry->context;
    size_t n = geometry->n_across;
    size_t n_sensor = 2 * geometry->n_lenslets;
    cltomo_dimensions dimensions;
    cltomo_system_dimensions(system, &dimensions);
    size_t n_slopes = dimensions.n_slopes;
    cltomo_status status = CLTOMO_OK;
    cltomo_slope *slopes = cltomo_allocate(context, n_slopes, sizeof *slopes);
    uint32_t *number = cltomo_allocate(context, n * n, sizeof *number);
    *permutation = cltomo_allocate(context, n_slopes, sizeof **permutation);
    if (slopes == NULL || number == NULL || *permutation == NULL) {
        status = cltomo_fail_memory(error, "the order of the slopes");
        goto done;
    }
    status = cltomo_system_slopes(system, slopes, n_slopes, slope_order, lenslet_order, error);
    if (status != CLTOMO_OK) {
        goto done;
    }
    for (size_t k = 0; k < geometry->n_lenslets; ++k) {
        number[geometry->lenslet_row[k] * n + geometry->lenslet_col[k]] = (uint32_t)k;
    }
    for (size_t k = 0; k < n_slopes; ++k) {
        size_t own = slopes[k].wfs * n_sensor + slopes[k].axis * geometry->n_lenslets +
                     number[slopes[k].lenslet_row * n + slopes[k].lenslet_col];
        (*permutation)[k] = (uint32_t)own;
    }
done:
    cltomo_release(context, slopes);
    cltomo_release(context, number);
    if (status != CLTOMO_OK) {
        cltomo_release(context, *permutation);
        *permutation = NULL;
    }
    return status;
}
