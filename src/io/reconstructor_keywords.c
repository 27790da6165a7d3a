/* What a FITS file says about the product that it holds. */
#include <inttypes.h>
#include <stdio.h>

#include "io/io.h"
#include "reconstructor/reconstructor_internal.h"

cltomo_layout cltomo_product_layout(cltomo_product product)
{
    switch (product) {
    case CLTOMO_PRODUCT_R:
        return (cltomo_layout){CLTOMO_AXIS_GRID, CLTOMO_AXIS_SLOPES, "m pixel-1"};
    case CLTOMO_PRODUCT_FR:
        return (cltomo_layout){CLTOMO_AXIS_ACTUATORS, CLTOMO_AXIS_SLOPES, "pixel-1"};
    case CLTOMO_PRODUCT_R_IM:
        return (cltomo_layout){CLTOMO_AXIS_ACTUATORS, CLTOMO_AXIS_SLOPES, ""};
    case CLTOMO_PRODUCT_F:
        return (cltomo_layout){CLTOMO_AXIS_ACTUATORS, CLTOMO_AXIS_GRID, ""};
    case CLTOMO_PRODUCT_IF:
        return (cltomo_layout){CLTOMO_AXIS_GRID, CLTOMO_AXIS_ACTUATORS, ""};
    case CLTOMO_PRODUCT_C_SS:
        return (cltomo_layout){CLTOMO_AXIS_SLOPES, CLTOMO_AXIS_SLOPES, "rad2"};
    case CLTOMO_PRODUCT_C_PS:
        return (cltomo_layout){CLTOMO_AXIS_GRID, CLTOMO_AXIS_SLOPES, "rad2"};
    case CLTOMO_PRODUCT_C_N:
        return (cltomo_layout){CLTOMO_AXIS_NONE, CLTOMO_AXIS_SLOPES, "rad2"};
    case CLTOMO_PRODUCT_R_UNSCALED:
        return (cltomo_layout){CLTOMO_AXIS_GRID, CLTOMO_AXIS_SLOPES, ""};
    case CLTOMO_PRODUCT_GAMMA:
        return (cltomo_layout){CLTOMO_AXIS_SLOPES, CLTOMO_AXIS_GRID, ""};
    case CLTOMO_PRODUCT_GRID_MASK:
    case CLTOMO_PRODUCT_MAX_:
        break;
    }
    return (cltomo_layout){CLTOMO_AXIS_NONE, CLTOMO_AXIS_NONE, ""};
}

const char *cltomo_axis_table(cltomo_axis axis)
{
    switch (axis) {
    case CLTOMO_AXIS_SLOPES:
        return "SLOPES";
    case CLTOMO_AXIS_GRID:
        return "GRID";
    case CLTOMO_AXIS_ACTUATORS:
        return "ACTUATORS";
    case CLTOMO_AXIS_DIRECTIONS:
        return "DIRECTIONS";
    case CLTOMO_AXIS_NONE:
        break;
    }
    return "";
}

static cltomo_fits_keyword *add(
    cltomo_keywords *list, const char *name, cltomo_fits_type type, const char *comment)
{
    cltomo_fits_keyword *keyword = &list->keyword[list->n++];
    *keyword = (cltomo_fits_keyword){.name = name, .comment = comment, .type = type};
    return keyword;
}

static void add_text(
    cltomo_keywords *list, const char *name, const char *value, const char *comment)
{
    if (value[0] != '\0') {
        add(list, name, CLTOMO_FITS_TEXT, comment)->value.text = value;
    }
}

static void add_integer(cltomo_keywords *list, const char *name, size_t value, const char *comment)
{
    add(list, name, CLTOMO_FITS_INTEGER, comment)->value.integer = (int64_t)value;
}

static void add_real(cltomo_keywords *list, const char *name, double value, const char *comment)
{
    add(list, name, CLTOMO_FITS_REAL, comment)->value.real = value;
}

/* "0,2-4", as the tool's option --wfs takes them. 64 sensors take fewer than 200 characters. */
static void list_sensors(char *text, size_t size, const uint32_t *number, uint32_t n)
{
    size_t length = 0;
    for (uint32_t first = 0, last = 0; first < n; first = last + 1) {
        last = first;
        while (last + 1 < n && number[last + 1] == number[last] + 1) {
            ++last;
        }
        int written = snprintf(
            text + length, size - length, "%s%" PRIu32, first > 0 ? "," : "", number[first]);
        length += written > 0 ? (size_t)written : 0;
        if (last > first) {
            written = snprintf(text + length, size - length, "%c%" PRIu32,
                last > first + 1 ? '-' : ',', number[last]);
            length += written > 0 ? (size_t)written : 0;
        }
    }
}

static void add_subset(cltomo_keywords *list, const cltomo_system *system, uint32_t n_wfs)
{
    const uint32_t *numbers = cltomo_system_wfs_numbers(system);
    if (numbers != NULL) {
        list_sensors(list->wfs_list, sizeof list->wfs_list, numbers, n_wfs);
        add_text(list, "WFSLIST", list->wfs_list, "their numbers in the whole system");
    }
}

static void add_system(cltomo_keywords *list, const cltomo_system *system)
{
    static const double degrees = 57.295779513082320876798154814105;
    const cltomo_system_description *d = cltomo_system_get_description(system);
    cltomo_dimensions dimensions;
    cltomo_system_dimensions(system, &dimensions);
    (void)snprintf(list->hash, sizeof list->hash, "%016" PRIx64, cltomo_system_hash(system));
    add_text(list, "SYSHASH", list->hash, "hash of the system description");
    add_real(list, "TELDIAM", d->telescope_diameter, "[m] telescope diameter");
    add_integer(list, "NLENSLET", d->n_lenslets, "lenslets across the diameter");
    add_integer(list, "NWFS", d->n_wfs, "wavefront sensors, as many as guide stars");
    add_subset(list, system, d->n_wfs);
    add_real(list, "ZENITH", d->zenith_angle * degrees, "[deg] zenith angle");
    add_real(list, "AIRMASS", dimensions.airmass, "1 / cos(zenith angle)");
    add_real(list, "R0ZENITH", d->r0, "[m] Fried parameter at zenith");
    add_real(list, "R0", dimensions.r0, "[m] Fried parameter at the zenith angle");
    add_real(list, "L0", d->L0, "[m] outer scale");
    add_integer(list, "NLAYER", dimensions.n_layers, "layers of nonzero strength");
    add_integer(list, "NDIR", dimensions.n_directions, "optimisation directions");
    add_real(list, "FOV", d->field_of_view * degrees * 3600.0,
        "[arcsec] side of the square of directions");
    add_real(list, "GSWAVEL", d->guide_star_wavelength, "[m] wavelength of the guide stars");
    add_real(list, "GSHEIGHT", dimensions.guide_star_height,
        "[m] along the line of sight; none: infinite");
    add_real(list, "GRIDSTEP", dimensions.grid_spacing, "[m] spacing of the phase grid");
    add_integer(list, "NGRID", dimensions.n_grid, "points across the phase grid");
}

static void add_slopes(
    cltomo_keywords *list, const cltomo_build_options *options, cltomo_product product)
{
    static const char *const slope_order[] = {"xy", "yx", "interleaved"};
    static const char *const lenslet_order[] = {"row", "column"};
    add_text(list, "SLOPEORD", slope_order[options->slope_order],
        "order of the axes within each sensor");
    add_text(list, "LENSORD", lenslet_order[options->lenslet_order],
        "lenslets row by row or column by column");
    if (product != CLTOMO_PRODUCT_R_IM) { /* there they have the unit of the caller's matrix */
        add_text(list, "SLOPUNIT", "pixel", "pixel: lambda / (2 d) on the sky, d: pitch");
    }
}

static void add_noise(cltomo_keywords *list, const cltomo_build_options *options,
    const cltomo_build_report *report, cltomo_product product)
{
    bool is_model = product != CLTOMO_PRODUCT_R_IM;
    if (is_model) {
        add_real(list, "ALPHA", options->alpha, "noise over mean slope variance");
    }
    add_real(list, "SLOPEVAR", report->mean_slope_variance,
        is_model ? "[rad2] mean slope variance" : "mean slope variance");
    add_real(list, "NOISEVAR", report->noise_variance,
        is_model ? "[rad2] noise variance" : "noise variance of a slope");
    if (report->pivot_ratio > 0.0) {
        add_real(list, "PIVRATIO", report->pivot_ratio, "smallest / largest pivot of Cholesky");
    }
}

static void add_mirror(
    cltomo_keywords *list, const cltomo_reconstructor *reconstructor, cltomo_product product)
{
    const cltomo_build_options *options = cltomo_reconstructor_options(reconstructor);
    const cltomo_system_description *d =
        cltomo_system_get_description(cltomo_reconstructor_system(reconstructor));
    if (product == CLTOMO_PRODUCT_FR) {
        add(list, "SIGN", CLTOMO_FITS_INTEGER, "-1: the commands oppose the wavefront")
            ->value.integer = -1;
        add_real(list, "SCALING", options->scaling, "FR = SIGN * SCALING * F * R");
    }
    add_integer(list, "NACTUAT", d->n_actuators, "actuators across the mirror");
    add_real(list, "DMPITCH", d->actuator_pitch, "[m] actuator pitch");
    if (product == CLTOMO_PRODUCT_R_IM) {
        add(list, "SIGN", CLTOMO_FITS_INTEGER, "+1: the commands follow the wavefront")
            ->value.integer = 1;
        add_real(list, "ACTSTEP", reconstructor->actuator_spacing,
            "[m] spacing of the actuators as used");
        return;
    }
    add_real(list, "STRETCH", options->stretch, "of the actuator positions");
    add_integer(list, "MIRROT", options->mirror_rotation, "quarter turns, counter-clockwise");
    add(list, "MIRFLIP", CLTOMO_FITS_LOGICAL, "then flipped top to bottom")->value.integer =
        options->mirror_flip != 0;
}

void cltomo_keywords_fill(
    cltomo_keywords *keywords, const cltomo_reconstructor *reconstructor, cltomo_product product)
{
    const cltomo_system *system = cltomo_reconstructor_system(reconstructor);
    const cltomo_build_options *options = cltomo_reconstructor_options(reconstructor);
    const cltomo_layout layout = cltomo_product_layout(product);
    bool is_double = options->precision == CLTOMO_PRECISION_DOUBLE;
    keywords->n = 0;
    add_text(keywords, "PRODUCT", cltomo_product_name(product), "name of the matrix");
    add_text(keywords, "BUNIT", layout.unit, "unit of the elements");
    add_text(keywords, "ROWTABLE", cltomo_axis_table(layout.rows), "table of the rows");
    add_text(keywords, "COLTABLE", cltomo_axis_table(layout.cols), "table of the columns");
    if (cltomo_reconstructor_shape(reconstructor, product).planes > 0) {
        add_text(
            keywords, "PLNTABLE", cltomo_axis_table(CLTOMO_AXIS_DIRECTIONS), "table of the planes");
    }
    if (layout.rows == CLTOMO_AXIS_SLOPES || layout.cols == CLTOMO_AXIS_SLOPES) {
        add_slopes(keywords, options, product);
    }
    if (layout.rows == CLTOMO_AXIS_ACTUATORS || layout.cols == CLTOMO_AXIS_ACTUATORS) {
        add_mirror(keywords, reconstructor, product);
    }
    if (layout.cols == CLTOMO_AXIS_SLOPES) {
        add_noise(keywords, options, cltomo_reconstructor_report(reconstructor), product);
    }
    add_text(keywords, "PRECISN", is_double ? "double" : "single", "precision of the build");
    add_text(
        keywords, "BACKEND", cltomo_reconstructor_report(reconstructor)->backend, "that built it");
    add_system(keywords, system);
}
