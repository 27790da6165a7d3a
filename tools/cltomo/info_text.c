/* `cltomo info` for people. */
#include <cltomo/matrix.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#include "info.h"

/* "  NAME       VALUE" */
__attribute__((format(printf, 2, 3))) static void line(const char *name, const char *format, ...)
{
    va_list arguments;
    (void)printf("  %-22s ", name);
    va_start(arguments, format);
    (void)vprintf(format, arguments);
    va_end(arguments);
    (void)putchar('\n');
}

static bool any_nonzero(const double *value, uint32_t n)
{
    for (uint32_t i = 0; value != NULL && i < n; ++i) {
        if (fabs(value[i]) > 0.0) {
            return true;
        }
    }
    return false;
}

static double element(const double *value, uint32_t i)
{
    return value != NULL ? value[i] : 0.0;
}

static size_t count_lenslets(const cltomo_system_description *d, uint32_t wfs)
{
    const uint8_t *valid = sensor_lenslets(d, wfs);
    size_t n = 0;
    for (size_t k = 0; k < (size_t)d->n_lenslets * d->n_lenslets; ++k) {
        n += valid[k];
    }
    return n;
}

/* Over the valid lenslets of a sensor. */
static void print_flux(const cltomo_system_description *d, uint32_t wfs)
{
    const uint8_t *valid = sensor_lenslets(d, wfs);
    size_t n_cells = (size_t)d->n_lenslets * d->n_lenslets;
    double least = INFINITY;
    double most = 0.0;
    for (size_t k = 0; k < n_cells; ++k) {
        if (valid[k] != 0) {
            least = fmin(least, d->lenslet_flux[wfs * n_cells + k]);
            most = fmax(most, d->lenslet_flux[wfs * n_cells + k]);
        }
    }
    line(wfs == 0 ? "relative flux" : "", "%10.6g to %.6g", least, most);
}

static void print_lenslets(const system_info *info)
{
    const cltomo_system_description *d = info->description;
    bool differ = d->valid_lenslets_per_wfs != NULL;
    line("lenslets", "%" PRIu32 " across, %zu valid%s", d->n_lenslets, info->dimensions.n_lenslets,
        differ ? " for any sensor" : "");
    for (uint32_t i = 0; differ && i < d->n_wfs; ++i) {
        line(i == 0 ? "valid per sensor" : "", "%10zu", count_lenslets(d, i));
    }
    for (uint32_t i = 0; d->lenslet_flux != NULL && i < d->n_wfs; ++i) {
        print_flux(d, i);
    }
}

static void print_sensors(const system_info *info)
{
    const cltomo_system_description *d = info->description;
    (void)printf("\nWavefront sensors\n");
    line("number", "%" PRIu32, d->n_wfs);
    print_lenslets(info);
    line("lenslet pitch", "%.6g m", d->telescope_diameter / d->n_lenslets);
    if (d->pixels_per_lenslet > 0) {
        line("pixels per lenslet", "%" PRIu32, d->pixels_per_lenslet);
    }
    if (d->field_stop > 0.0) {
        line("field stop", "%.6g arcsec", arcsec(d->field_stop));
    }
    if (any_nonzero(d->wfs_rotation, d->n_wfs)) {
        for (uint32_t i = 0; i < d->n_wfs; ++i) {
            line(i == 0 ? "rotation" : "", "%10.6g deg", degrees(d->wfs_rotation[i]));
        }
    }
    if (any_nonzero(d->wfs_offset_x, d->n_wfs) || any_nonzero(d->wfs_offset_y, d->n_wfs)) {
        for (uint32_t i = 0; i < d->n_wfs; ++i) {
            line(i == 0 ? "offset (x, y)" : "", "%10.6g %10.6g of the grid's span",
                element(d->wfs_offset_x, i), element(d->wfs_offset_y, i));
        }
    }
}

/* What rounds to 0 with four decimals prints as 0, not as -0. */
static double without_sign_of_zero(double value)
{
    return fabs(value) < 5e-5 ? 0.0 : value;
}

static void print_guide_stars(const system_info *info)
{
    const cltomo_system_description *d = info->description;
    (void)printf("\nGuide stars\n");
    line("wavelength", "%.6g nm", 1e9 * d->guide_star_wavelength);
    if (isfinite(d->guide_star_height)) {
        line("height", "%.6g km at zenith, %.6g km along the line of sight",
            1e-3 * d->guide_star_height, 1e-3 * info->dimensions.guide_star_height);
    } else {
        line("height", "at infinity");
    }
    for (uint32_t i = 0; i < d->n_wfs; ++i) {
        line(i == 0 ? "directions (x, y)" : "", "%10.4f %10.4f arcsec",
            without_sign_of_zero(arcsec_of_tangent(d->guide_star_x[i])),
            without_sign_of_zero(arcsec_of_tangent(d->guide_star_y[i])));
    }
}

static void print_turbulence(const system_info *info)
{
    const cltomo_system_description *d = info->description;
    (void)printf("\nTurbulence\n");
    line("zenith angle", "%.6g deg, airmass %.6g", degrees(d->zenith_angle),
        info->dimensions.airmass);
    line("r0", "%.6g m at zenith, %.6g m at the zenith angle", d->r0, info->dimensions.r0);
    if (d->turbulence_wavelength > 0.0) {
        line("wavelength of r0", "%.6g nm", 1e9 * d->turbulence_wavelength);
    }
    line("L0", "%.6g m", d->L0);
    line("layers", "%zu%s", info->dimensions.n_layers,
        info->dimensions.n_layers < d->n_layers ? ", and others of strength 0" : "");
    bool has_wind = d->wind_speed != NULL && d->wind_direction != NULL;
    (void)printf("    altitude at zenith   along the line of sight   fraction%s\n",
        has_wind ? "   wind speed   direction" : "");
    for (uint32_t i = 0; i < d->n_layers; ++i) {
        (void)printf("    %15.1f m     %19.1f m   %8.5f", d->layer_altitude[i],
            info->dimensions.airmass * d->layer_altitude[i], d->layer_fraction[i]);
        if (has_wind) {
            (void)printf(
                "   %6.1f m/s   %5.1f deg", d->wind_speed[i], degrees(d->wind_direction[i]));
        }
        (void)putchar('\n');
    }
}

/* Weights as what they are of 1, also equal ones. */
static void print_listed(const cltomo_system_description *d)
{
    line("directions", "%" PRIu32 ", listed", d->n_directions);
    (void)printf("             x            y   (arcsec)   weight   height at zenith\n");
    for (uint32_t i = 0; i < d->n_directions; ++i) {
        double weight =
            d->direction_weight != NULL ? d->direction_weight[i] : 1.0 / d->n_directions;
        double height = d->direction_height != NULL ? d->direction_height[i] : INFINITY;
        (void)printf("    %10.4f   %10.4f              %6.4f   ",
            without_sign_of_zero(arcsec_of_tangent(d->direction_x[i])),
            without_sign_of_zero(arcsec_of_tangent(d->direction_y[i])), weight);
        if (isfinite(height)) {
            (void)printf("%.6g km\n", 1e-3 * height);
        } else {
            (void)printf("at infinity\n");
        }
    }
}

static void print_directions(const cltomo_system_description *d)
{
    (void)printf("\nOptimisation directions\n");
    if (d->n_directions > 0) {
        print_listed(d);
    } else if (d->n_directions_across == 1) {
        line("directions", "1, on axis");
    } else {
        line("directions", "%" PRIu32 " x %" PRIu32 " over a square of %.6g arcsec",
            d->n_directions_across, d->n_directions_across, arcsec(d->field_of_view));
    }
}

static void print_mirror(const system_info *info)
{
    const cltomo_system_description *d = info->description;
    (void)printf("\nDeformable mirror\n");
    if (d->n_actuators == 0) {
        line("actuators", "none");
        return;
    }
    line(
        "actuators", "%" PRIu32 " across, %zu valid", d->n_actuators, info->dimensions.n_actuators);
    line("actuator pitch", "%.6g m", d->actuator_pitch);
    if (fabs(d->mirror_height) > 0.0) {
        line("height", "%.6g m", d->mirror_height);
    }
    if (d->mirror_coupling > 0.0) {
        line("coupling", "%.6g", d->mirror_coupling);
    }
}

static void print_memory(
    const char *name, const char *shape, double double_bytes, double single_bytes)
{
    char in_double[16];
    char in_single[16];
    format_bytes(in_double, sizeof in_double, double_bytes);
    format_bytes(in_single, sizeof in_single, single_bytes);
    line(name, "%-16s %10s in double, %10s in single precision", shape, in_double, in_single);
}

static void print_matrix_size(const char *name, size_t rows, size_t cols)
{
    double elements = (double)rows * (double)cols;
    char shape[48];
    (void)snprintf(shape, sizeof shape, "%zu x %zu", rows, cols);
    print_memory(name, shape, 8.0 * elements, 4.0 * elements);
}

static void print_sizes(const system_info *info)
{
    const cltomo_dimensions *d = &info->dimensions;
    (void)printf("\nSizes\n");
    line("phase grid", "%zu x %zu points, %zu valid; spacing %.6g m, span %.6g m", d->n_grid,
        d->n_grid, d->n_phase, d->grid_spacing, d->grid_span);
    line("slopes", "%zu", d->n_slopes);
    print_matrix_size("R", d->n_phase, d->n_slopes);
    if (d->n_actuators > 0) {
        print_matrix_size("FR", d->n_actuators, d->n_slopes);
    }
    print_memory("memory for a build", "", (double)memory_needed(info, CLTOMO_PRECISION_DOUBLE),
        (double)memory_needed(info, CLTOMO_PRECISION_SINGLE));
}

void info_print(const system_info *info)
{
    const cltomo_system_description *d = info->description;
    (void)printf("%s", info->from.name);
    source_print_sensors(info->system);
    (void)printf(" (%s, hash %016" PRIx64 ")\n",
        info->from.kind == SOURCE_EXAMPLE ? "built-in example" : source_kind_name[info->from.kind],
        cltomo_system_hash(info->system));
    (void)printf("\nTelescope\n");
    line("diameter", "%.6g m", d->telescope_diameter);
    print_sensors(info);
    print_guide_stars(info);
    print_turbulence(info);
    print_directions(d);
    print_mirror(info);
    print_sizes(info);
}
