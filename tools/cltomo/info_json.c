/* `cltomo info` for programs. Keys end in their unit. */
#include <cltomo/matrix.h>
#include <math.h>

#include "info.h"

/* Zero stands for a value that was not given. */
static void write_if_given(json *j, const char *key, double value)
{
    if (fabs(value) > 0.0) {
        json_real(j, key, value);
    }
}

static void write_reals(json *j, const char *key, const double *value, uint32_t n, double unit)
{
    if (value == NULL) {
        return;
    }
    json_array_begin(j, key);
    for (uint32_t i = 0; i < n; ++i) {
        json_real(j, NULL, value[i] * unit);
    }
    json_array_end(j);
}

static void write_map(json *j, const char *key, const uint8_t *map, uint32_t n)
{
    json_array_begin(j, key);
    for (uint32_t row = 0; row < n; ++row) {
        json_array_begin(j, NULL);
        for (uint32_t col = 0; col < n; ++col) {
            json_integer(j, NULL, map[(size_t)row * n + col] != 0);
        }
        json_array_end(j);
    }
    json_array_end(j);
}

static void write_lenslets(json *j, const cltomo_system_description *d, bool maps)
{
    size_t n_cells = (size_t)d->n_lenslets * d->n_lenslets;
    if (d->valid_lenslets_per_wfs != NULL) {
        json_array_begin(j, "lenslets_per_sensor");
        for (uint32_t i = 0; i < d->n_wfs; ++i) {
            uint64_t n = 0;
            for (size_t k = 0; k < n_cells; ++k) {
                n += sensor_lenslets(d, i)[k];
            }
            json_integer(j, NULL, n);
        }
        json_array_end(j);
    }
    json_bool(j, "has_flux", d->lenslet_flux != NULL);
    if (!maps) {
        return;
    }
    write_map(j, "valid_lenslets", d->valid_lenslets, d->n_lenslets);
    if (d->valid_lenslets_per_wfs != NULL) {
        json_array_begin(j, "valid_lenslets_per_sensor");
        for (uint32_t i = 0; i < d->n_wfs; ++i) {
            write_map(j, NULL, sensor_lenslets(d, i), d->n_lenslets);
        }
        json_array_end(j);
    }
}

static void write_sensors(json *j, const system_info *info, bool maps)
{
    const cltomo_system_description *d = info->description;
    json_object_begin(j, "wavefront_sensors");
    json_integer(j, "number", d->n_wfs);
    json_integer(j, "lenslets_across", d->n_lenslets);
    json_real(j, "lenslet_pitch_m", d->telescope_diameter / d->n_lenslets);
    if (d->pixels_per_lenslet > 0) {
        json_integer(j, "pixels_per_lenslet", d->pixels_per_lenslet);
    }
    write_if_given(j, "field_stop_arcsec", arcsec(d->field_stop));
    write_reals(j, "rotation_deg", d->wfs_rotation, d->n_wfs, degrees(1.0));
    write_reals(j, "offset_x_of_grid_span", d->wfs_offset_x, d->n_wfs, 1.0);
    write_reals(j, "offset_y_of_grid_span", d->wfs_offset_y, d->n_wfs, 1.0);
    write_lenslets(j, d, maps);
    json_object_end(j);
}

static void write_pairs(json *j, const char *key, const double *x, const double *y, uint32_t n)
{
    json_array_begin(j, key);
    for (uint32_t i = 0; i < n; ++i) {
        json_array_begin(j, NULL);
        json_real(j, NULL, arcsec_of_tangent(x[i]));
        json_real(j, NULL, arcsec_of_tangent(y[i]));
        json_array_end(j);
    }
    json_array_end(j);
}

static void write_guide_stars(json *j, const system_info *info)
{
    const cltomo_system_description *d = info->description;
    json_object_begin(j, "guide_stars");
    json_real(j, "wavelength_m", d->guide_star_wavelength);
    json_real(j, "height_at_zenith_m", d->guide_star_height);
    json_real(j, "height_along_line_of_sight_m", info->dimensions.guide_star_height);
    write_pairs(j, "directions_arcsec", d->guide_star_x, d->guide_star_y, d->n_wfs);
    json_object_end(j);
}

static void write_turbulence(json *j, const system_info *info)
{
    const cltomo_system_description *d = info->description;
    json_object_begin(j, "turbulence");
    json_real(j, "zenith_angle_deg", degrees(d->zenith_angle));
    json_real(j, "airmass", info->dimensions.airmass);
    json_real(j, "r0_at_zenith_m", d->r0);
    json_real(j, "r0_m", info->dimensions.r0);
    json_real(j, "L0_m", d->L0);
    write_if_given(j, "wavelength_m", d->turbulence_wavelength);
    write_reals(j, "layer_altitude_at_zenith_m", d->layer_altitude, d->n_layers, 1.0);
    write_reals(j, "layer_height_along_line_of_sight_m", d->layer_altitude, d->n_layers,
        info->dimensions.airmass);
    write_reals(j, "layer_fraction", d->layer_fraction, d->n_layers, 1.0);
    write_reals(j, "wind_speed_m_s", d->wind_speed, d->n_layers, 1.0);
    write_reals(j, "wind_direction_deg", d->wind_direction, d->n_layers, degrees(1.0));
    json_object_end(j);
}

/* A grid, or what replaces it; without weights they are equal, without heights all infinite. */
static void write_directions(json *j, const cltomo_system_description *d)
{
    json_object_begin(j, "optimisation");
    if (d->n_directions > 0) {
        write_pairs(j, "directions_arcsec", d->direction_x, d->direction_y, d->n_directions);
        write_reals(j, "weights", d->direction_weight, d->n_directions, 1.0);
        write_reals(j, "heights_at_zenith_m", d->direction_height, d->n_directions, 1.0);
    } else {
        json_integer(j, "directions_across", d->n_directions_across);
        json_real(j, "field_of_view_arcsec", arcsec(d->field_of_view));
    }
    json_object_end(j);
}

static void write_mirror(json *j, const system_info *info, bool maps)
{
    const cltomo_system_description *d = info->description;
    json_object_begin(j, "mirror");
    json_integer(j, "actuators_across", d->n_actuators);
    if (d->n_actuators > 0) {
        json_real(j, "actuator_pitch_m", d->actuator_pitch);
        write_if_given(j, "height_m", d->mirror_height);
        write_if_given(j, "coupling", d->mirror_coupling);
        if (maps) {
            write_map(j, "valid_actuators", d->valid_actuators, d->n_actuators);
        }
    }
    json_object_end(j);
}

static void write_matrix(json *j, const char *key, size_t rows, size_t cols)
{
    json_object_begin(j, key);
    json_integer(j, "rows", rows);
    json_integer(j, "cols", cols);
    json_object_end(j);
}

static void write_sizes(json *j, const system_info *info)
{
    const cltomo_dimensions *d = &info->dimensions;
    json_dimensions(j, d);
    json_real(j, "grid_spacing_m", d->grid_spacing);
    json_real(j, "grid_span_m", d->grid_span);
    json_object_begin(j, "matrices");
    write_matrix(j, "R", d->n_phase, d->n_slopes);
    if (d->n_actuators > 0) {
        write_matrix(j, "FR", d->n_actuators, d->n_slopes);
    }
    json_object_end(j);
    json_object_begin(j, "build_memory_bytes");
    json_integer(j, "double", memory_needed(info, CLTOMO_PRECISION_DOUBLE));
    json_integer(j, "single", memory_needed(info, CLTOMO_PRECISION_SINGLE));
    json_object_end(j);
}

void info_print_json(const session *s, const system_info *info, bool maps)
{
    const cltomo_system_description *d = info->description;
    json j = json_begin(stdout);
    json_begin_report(&j, STATUS_DONE);
    json_system(&j, &info->from, info->system);
    json_object_begin(&j, "telescope");
    json_real(&j, "diameter_m", d->telescope_diameter);
    json_object_end(&j);
    write_sensors(&j, info, maps);
    write_guide_stars(&j, info);
    write_turbulence(&j, info);
    write_directions(&j, d);
    write_mirror(&j, info, maps);
    write_sizes(&j, info);
    json_warnings(&j, s);
    json_object_end(&j);
}
