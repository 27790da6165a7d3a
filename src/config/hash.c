#include <math.h>
#include <string.h>

#include "config/draft.h"

/* FNV-1a (Fowler, Noll, Vo), 64 bits. Numbers enter as their eight bytes, lowest first, whatever
 * the machine's order. */
static void add_byte(uint64_t *hash, uint8_t byte)
{
    *hash = (*hash ^ byte) * UINT64_C(0x100000001b3);
}

static void add_integer(uint64_t *hash, uint64_t value)
{
    for (int i = 0; i < 8; ++i) {
        add_byte(hash, (uint8_t)(value >> (8 * i)));
    }
}

static void add_real(uint64_t *hash, double value)
{
    uint64_t bits = 0;
    value += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &value, sizeof bits);
    add_integer(hash, bits);
}

/* Directions that come from a polygon are as good as the machine's sine: units of 2^-60 rad, a
 * million millionths of an arcsecond, keep that out of the hash. */
static void add_direction(uint64_t *hash, double value)
{
    add_real(hash, rint(value * 0x1p60));
}

static void add_map(uint64_t *hash, const uint8_t *map, uint32_t n)
{
    add_integer(hash, n);
    for (size_t i = 0; i < (size_t)n * n; ++i) {
        add_byte(hash, map[i]);
    }
}

/* What only some systems have: each part starts with its own number. */
enum { PART_SENSORS = 1, PART_FLUX, PART_DIRECTIONS, PART_WEIGHTS, PART_HEIGHTS };

static void add_sensors(uint64_t *hash, const cltomo_system_description *d)
{
    size_t n_cells = (size_t)d->n_lenslets * d->n_lenslets;
    if (d->valid_lenslets_per_wfs != NULL) {
        add_integer(hash, PART_SENSORS);
        for (size_t i = 0; i < d->n_wfs * n_cells; ++i) {
            add_byte(hash, d->valid_lenslets_per_wfs[i]);
        }
    }
    if (d->lenslet_flux != NULL) {
        add_integer(hash, PART_FLUX);
        for (size_t i = 0; i < d->n_wfs * n_cells; ++i) {
            add_real(hash, d->lenslet_flux[i]);
        }
    }
}

static void add_reals(uint64_t *hash, uint64_t part, const double *value, uint32_t n)
{
    if (value == NULL) {
        return;
    }
    add_integer(hash, part);
    for (uint32_t i = 0; i < n; ++i) {
        add_real(hash, value[i]);
    }
}

static void add_listed(uint64_t *hash, const cltomo_system_description *d)
{
    if (d->n_directions == 0) {
        return;
    }
    add_integer(hash, PART_DIRECTIONS);
    add_integer(hash, d->n_directions);
    for (uint32_t i = 0; i < d->n_directions; ++i) {
        add_direction(hash, d->direction_x[i]);
        add_direction(hash, d->direction_y[i]);
    }
    add_reals(hash, PART_WEIGHTS, d->direction_weight, d->n_directions);
    add_reals(hash, PART_HEIGHTS, d->direction_height, d->n_directions);
}

/* The order is frozen: files carry the hash. */
uint64_t cltomo_description_hash(const cltomo_system_description *description)
{
    const cltomo_system_description *d = description;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    add_real(&hash, d->telescope_diameter);
    add_map(&hash, d->valid_lenslets, d->n_lenslets);
    add_integer(&hash, d->n_wfs);
    for (uint32_t i = 0; i < d->n_wfs; ++i) {
        add_real(&hash, d->wfs_rotation[i]);
        add_real(&hash, d->wfs_offset_x[i]);
        add_real(&hash, d->wfs_offset_y[i]);
        add_direction(&hash, d->guide_star_x[i]);
        add_direction(&hash, d->guide_star_y[i]);
    }
    add_real(&hash, d->guide_star_wavelength);
    add_real(&hash, d->guide_star_height);
    add_real(&hash, d->zenith_angle);
    add_real(&hash, d->r0);
    add_real(&hash, d->L0);
    for (uint32_t i = 0; i < d->n_layers; ++i) {
        if (d->layer_fraction[i] > 0.0) {
            add_real(&hash, d->layer_altitude[i]);
            add_real(&hash, d->layer_fraction[i]);
        }
    }
    add_integer(&hash, d->n_directions_across);
    /* One direction is on axis, whatever the field. */
    add_real(&hash, d->n_directions_across > 1 ? d->field_of_view : 0.0);
    add_integer(&hash, d->n_actuators);
    if (d->n_actuators > 0) {
        add_map(&hash, d->valid_actuators, d->n_actuators);
        add_real(&hash, d->actuator_pitch);
    }
    add_sensors(&hash, d);
    add_listed(&hash, d);
    return hash;
}
