/* Maps of valid lenslets, one for all sensors or one for each, and the flux of lenslets. */
#include <string.h>

#include "config/draft.h"

/* The least flux of a valid lenslet. */
#define MIN_FLUX 1e-6

/* The valid lenslets of a sensor, n * n cells; NULL if they are not known. */
static const uint8_t *lenslets_of(const cltomo_draft *draft, size_t wfs, size_t n)
{
    const cltomo_values *own = &draft->field[CLTOMO_FIELD_WFS_LENSLETS];
    const cltomo_values *all = &draft->field[CLTOMO_FIELD_VALID_LENSLETS];
    if (own->state == CLTOMO_VALID && own->map != NULL) {
        return own->map + wfs * n * n;
    }
    bool is_known = all->state == CLTOMO_VALID && all->map != NULL && all->count == n;
    return own->state == CLTOMO_ABSENT && is_known ? all->map : NULL;
}

/* ---- checks -------------------------------------------------------------------------------- */

static void check_map(cltomo_draft *draft, cltomo_field_id id)
{
    const cltomo_values *values = &draft->field[id];
    if (values->state == CLTOMO_VALID && values->map != NULL &&
        memchr(values->map, 1, values->count * values->count) == NULL) {
        cltomo_draft_problem(draft, id, CLTOMO_WHOLE, CLTOMO_SEVERITY_ERROR,
            "at least one valid cell", "no cell of the map is valid");
    }
}

static void check_sensors(cltomo_draft *draft)
{
    const cltomo_values *values = &draft->field[CLTOMO_FIELD_WFS_LENSLETS];
    size_t n_cells = values->count * values->count;
    if (values->state != CLTOMO_VALID) {
        return;
    }
    for (size_t wfs = 0; wfs < values->n_maps; ++wfs) {
        if (memchr(values->map + wfs * n_cells, 1, n_cells) == NULL) {
            cltomo_draft_problem(draft, CLTOMO_FIELD_WFS_LENSLETS, wfs, CLTOMO_SEVERITY_ERROR,
                "at least one valid cell", "no lenslet of sensor %zu is valid", wfs);
        }
    }
}

/* Flux that serves several sensors is needed where any of them has a valid lenslet. */
static bool needs_flux(const cltomo_draft *draft, size_t i)
{
    const cltomo_values *flux = &draft->field[CLTOMO_FIELD_FLUX];
    size_t n_cells = flux->count * flux->count;
    size_t first = i / n_cells;
    size_t last =
        flux->n_maps > 0 ? first : (size_t)cltomo_draft_get(draft, CLTOMO_FIELD_N_WFS) - 1;
    for (size_t wfs = first; wfs <= last; ++wfs) {
        const uint8_t *valid = lenslets_of(draft, wfs, flux->count);
        if (valid != NULL && valid[i % n_cells] != 0) {
            return true;
        }
    }
    return false;
}

static void check_flux(cltomo_draft *draft)
{
    const cltomo_values *flux = &draft->field[CLTOMO_FIELD_FLUX];
    if (flux->state != CLTOMO_VALID) {
        return;
    }
    size_t n = cltomo_draft_elements(draft, CLTOMO_FIELD_FLUX);
    for (size_t i = 0; i < n; ++i) {
        if (flux->value[i] < MIN_FLUX && needs_flux(draft, i)) {
            cltomo_draft_problem(draft, CLTOMO_FIELD_FLUX, i, CLTOMO_SEVERITY_ERROR,
                "1e-06 <= x <= 1e+06 where the lenslet is valid",
                "the lenslet is valid, but its flux is too low");
        }
    }
}

void cltomo_draft_check_maps(cltomo_draft *draft)
{
    check_map(draft, CLTOMO_FIELD_VALID_LENSLETS);
    check_map(draft, CLTOMO_FIELD_VALID_ACTUATORS);
    check_sensors(draft);
    check_flux(draft);
}

/* ---- the one form -------------------------------------------------------------------------- */

/* The union of the sensors' maps; the maps only if they differ. */
static cltomo_status settle_maps(cltomo_draft *draft, cltomo_error *error)
{
    cltomo_values *own = &draft->field[CLTOMO_FIELD_WFS_LENSLETS];
    cltomo_values *all = &draft->field[CLTOMO_FIELD_VALID_LENSLETS];
    if (own->state != CLTOMO_VALID) {
        return CLTOMO_OK;
    }
    size_t n_cells = own->count * own->count;
    bool differ = false;
    all->map = cltomo_allocate_zero(draft->context, n_cells, 1);
    if (all->map == NULL) {
        return cltomo_fail_memory(error, "a map of valid cells");
    }
    all->state = CLTOMO_VALID;
    all->count = own->count;
    for (size_t i = 0; i < own->n_maps * n_cells; ++i) {
        all->map[i % n_cells] |= own->map[i];
        differ = differ || own->map[i] != own->map[i % n_cells];
    }
    if (!differ) {
        cltomo_draft_drop(draft, CLTOMO_FIELD_WFS_LENSLETS);
    }
    return CLTOMO_OK;
}

/* A map for each sensor, 0 where the lenslet is not valid; none if the flux is 1 everywhere. */
static cltomo_status settle_flux(cltomo_draft *draft, cltomo_error *error)
{
    cltomo_values *flux = &draft->field[CLTOMO_FIELD_FLUX];
    if (flux->state != CLTOMO_VALID) {
        return CLTOMO_OK;
    }
    size_t n_wfs = (size_t)cltomo_draft_get(draft, CLTOMO_FIELD_N_WFS);
    size_t n_cells = flux->count * flux->count;
    bool differs = false;
    double *settled = cltomo_allocate_zero(draft->context, n_wfs * n_cells, sizeof *settled);
    if (settled == NULL) {
        return cltomo_fail_memory(error, "the flux of the lenslets");
    }
    for (size_t wfs = 0; wfs < n_wfs; ++wfs) {
        const double *given = flux->value + (flux->n_maps > 0 ? wfs * n_cells : 0);
        const uint8_t *valid = lenslets_of(draft, wfs, flux->count);
        for (size_t k = 0; k < n_cells; ++k) {
            if (valid[k] != 0) {
                settled[wfs * n_cells + k] = given[k];
                differs = differs || given[k] != 1.0;
            }
        }
    }
    cltomo_draft_drop(draft, CLTOMO_FIELD_FLUX);
    if (differs) {
        flux->value = settled;
        flux->state = CLTOMO_VALID;
    } else {
        cltomo_release(draft->context, settled);
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_draft_settle_lenslets(cltomo_draft *draft, cltomo_error *error)
{
    cltomo_status status = settle_maps(draft, error);
    return status == CLTOMO_OK ? settle_flux(draft, error) : status;
}
