#include <math.h>
#include <stdio.h>

#include "config/draft.h"

static const double pi = 3.14159265358979323846;

const char *const cltomo_section_names[CLTOMO_N_SECTIONS] = {
    [CLTOMO_SECTION_WFS] = "lgs_wfs_parameters",
    [CLTOMO_SECTION_MIRROR] = "dm_parameters",
    [CLTOMO_SECTION_ATMOSPHERE] = "atmosphere_parameters",
    [CLTOMO_SECTION_ASTERISM] = "lgs_asterism",
    [CLTOMO_SECTION_NOISE] = "noise_parameters",
    [CLTOMO_SECTION_TOMOGRAPHY] = "tomography_parameters",
};

/* The ranges are wide: they keep out slips of the unit and whatever would overflow later, not
 * unusual telescopes. */
#define WFS CLTOMO_SECTION_WFS
#define MIRROR CLTOMO_SECTION_MIRROR
#define ATMOSPHERE CLTOMO_SECTION_ATMOSPHERE
#define ASTERISM CLTOMO_SECTION_ASTERISM
#define NOISE CLTOMO_SECTION_NOISE
#define TOMOGRAPHY CLTOMO_SECTION_TOMOGRAPHY
#define MEMBER(name) #name, offsetof(cltomo_system_description, name)
#define NO_MEMBER NULL, 0

/* clang-format off */
const cltomo_field cltomo_fields[CLTOMO_N_FIELDS] = {
    [CLTOMO_FIELD_DIAMETER] = {"D", MEMBER(telescope_diameter), WFS, CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_METRE, CLTOMO_REQUIRED, 1e-4, 1000.0},
    [CLTOMO_FIELD_N_LENSLETS] = {"nLenslet", MEMBER(n_lenslets), WFS, CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_NONE, CLTOMO_REQUIRED | CLTOMO_INTEGER, 1.0, 1024.0},
    [CLTOMO_FIELD_N_WFS] = {"nLGS", MEMBER(n_wfs), ASTERISM, CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_NONE, CLTOMO_REQUIRED | CLTOMO_INTEGER, 1.0, 64.0},
    [CLTOMO_FIELD_N_LAYERS] = {"nLayer", MEMBER(n_layers), ATMOSPHERE, CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_NONE, CLTOMO_REQUIRED | CLTOMO_INTEGER, 1.0, 1024.0},
    [CLTOMO_FIELD_N_ACTUATORS] = {"nActuators", MEMBER(n_actuators), MIRROR, CLTOMO_SHAPE_MIRROR,
        CLTOMO_UNIT_NONE, CLTOMO_REQUIRED | CLTOMO_INTEGER, 1.0, 1024.0},
    [CLTOMO_FIELD_VALID_LENSLETS] = {"validLLMap", MEMBER(valid_lenslets), WFS, CLTOMO_SHAPE_MAP,
        CLTOMO_UNIT_NONE, CLTOMO_REQUIRED, 0.0, 1.0},
    [CLTOMO_FIELD_WFS_LENSLETS] = {NULL, MEMBER(valid_lenslets_per_wfs), WFS, CLTOMO_SHAPE_MAPS,
        CLTOMO_UNIT_NONE, 0, 0.0, 1.0},
    [CLTOMO_FIELD_FLUX] = {"lensletFlux", MEMBER(lenslet_flux), WFS, CLTOMO_SHAPE_FLUX,
        CLTOMO_UNIT_NONE, 0, 0.0, 1e6},
    [CLTOMO_FIELD_ROTATION] = {"wfsLensletsRotation", MEMBER(wfs_rotation), WFS, CLTOMO_SHAPE_STARS,
        CLTOMO_UNIT_RADIAN, 0, -6.2832, 6.2832},
    [CLTOMO_FIELD_OFFSET_X] = {"wfsLensletsOffset", MEMBER(wfs_offset_x), WFS, CLTOMO_SHAPE_ROWS_X,
        CLTOMO_UNIT_NONE, 0, -1.0, 1.0},
    [CLTOMO_FIELD_OFFSET_Y] = {NULL, MEMBER(wfs_offset_y), WFS, CLTOMO_SHAPE_ROWS_Y,
        CLTOMO_UNIT_NONE, 0, -1.0, 1.0},
    [CLTOMO_FIELD_PIXELS] = {"nPx", MEMBER(pixels_per_lenslet), WFS, CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_NONE, CLTOMO_DESCRIPTIVE | CLTOMO_INTEGER, 1.0, 65536.0},
    [CLTOMO_FIELD_FIELD_STOP] = {"fieldStopSize", MEMBER(field_stop), WFS, CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_ARCSECOND, CLTOMO_DESCRIPTIVE | CLTOMO_OPEN_MIN, 0.0, 3600.0},
    [CLTOMO_FIELD_RADIUS] = {"radiusAst", NO_MEMBER, ASTERISM, CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_ARCSECOND, 0, 0.0, 3600.0},
    [CLTOMO_FIELD_AZIMUTH] = {"azimuthOffset", NO_MEMBER, ASTERISM, CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_DEGREE, 0, -360.0, 360.0},
    [CLTOMO_FIELD_STAR_X] = {"directions", MEMBER(guide_star_x), ASTERISM, CLTOMO_SHAPE_PAIRS_X,
        CLTOMO_UNIT_TANGENT, 0, -3600.0, 3600.0},
    [CLTOMO_FIELD_STAR_Y] = {NULL, MEMBER(guide_star_y), ASTERISM, CLTOMO_SHAPE_PAIRS_Y,
        CLTOMO_UNIT_TANGENT, 0, -3600.0, 3600.0},
    [CLTOMO_FIELD_STAR_WAVELENGTH] = {"LGSwavelength", MEMBER(guide_star_wavelength), ASTERISM,
        CLTOMO_SHAPE_SCALAR, CLTOMO_UNIT_METRE, CLTOMO_REQUIRED, 1e-8, 1e-3},
    [CLTOMO_FIELD_STAR_HEIGHT] = {"baseLGSHeight", MEMBER(guide_star_height), ASTERISM,
        CLTOMO_SHAPE_SCALAR, CLTOMO_UNIT_METRE, CLTOMO_REQUIRED | CLTOMO_INFINITE, 1.0, 1e12},
    [CLTOMO_FIELD_ZENITH_ANGLE] = {"zenithAngleInDeg", MEMBER(zenith_angle), ATMOSPHERE,
        CLTOMO_SHAPE_SCALAR, CLTOMO_UNIT_DEGREE, CLTOMO_REQUIRED | CLTOMO_OPEN_MAX, 0.0, 90.0},
    [CLTOMO_FIELD_R0] = {"r0", MEMBER(r0), ATMOSPHERE, CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_METRE, CLTOMO_REQUIRED, 1e-4, 1000.0},
    [CLTOMO_FIELD_OUTER_SCALE] = {"L0", MEMBER(L0), ATMOSPHERE, CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_METRE, CLTOMO_REQUIRED, 0.01, 1e6},
    [CLTOMO_FIELD_WAVELENGTH] = {"wavelength", MEMBER(turbulence_wavelength), ATMOSPHERE,
        CLTOMO_SHAPE_SCALAR, CLTOMO_UNIT_METRE, CLTOMO_DESCRIPTIVE, 1e-8, 1e-3},
    [CLTOMO_FIELD_ALTITUDE] = {"altitude", MEMBER(layer_altitude), ATMOSPHERE, CLTOMO_SHAPE_LAYERS,
        CLTOMO_UNIT_KILOMETRE, CLTOMO_REQUIRED, 0.0, 1000.0},
    [CLTOMO_FIELD_FRACTION] = {"fractionnalR0", MEMBER(layer_fraction), ATMOSPHERE,
        CLTOMO_SHAPE_LAYERS, CLTOMO_UNIT_NONE, CLTOMO_REQUIRED, 0.0, 1.001},
    [CLTOMO_FIELD_WIND_SPEED] = {"windSpeed", MEMBER(wind_speed), ATMOSPHERE, CLTOMO_SHAPE_LAYERS,
        CLTOMO_UNIT_METRE_PER_SECOND, CLTOMO_DESCRIPTIVE, 0.0, 1000.0},
    [CLTOMO_FIELD_WIND_DIRECTION] = {"windDirection", MEMBER(wind_direction), ATMOSPHERE,
        CLTOMO_SHAPE_LAYERS, CLTOMO_UNIT_DEGREE, CLTOMO_DESCRIPTIVE, -360.0, 360.0},
    [CLTOMO_FIELD_N_DIRECTIONS] = {"nFitSrc", MEMBER(n_directions_across), TOMOGRAPHY,
        CLTOMO_SHAPE_SCALAR, CLTOMO_UNIT_NONE, CLTOMO_REQUIRED | CLTOMO_INTEGER, 1.0, 128.0},
    [CLTOMO_FIELD_FIELD_OF_VIEW] = {"fovOptimization", MEMBER(field_of_view), TOMOGRAPHY,
        CLTOMO_SHAPE_SCALAR, CLTOMO_UNIT_ARCSECOND, CLTOMO_REQUIRED, 0.0, 3600.0},
    [CLTOMO_FIELD_N_LISTED] = {NULL, MEMBER(n_directions), TOMOGRAPHY, CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_NONE, CLTOMO_INTEGER, 1.0, 1024.0},
    [CLTOMO_FIELD_DIRECTION_X] = {"directions", MEMBER(direction_x), TOMOGRAPHY,
        CLTOMO_SHAPE_PAIRS_X, CLTOMO_UNIT_TANGENT, 0, -3600.0, 3600.0},
    [CLTOMO_FIELD_DIRECTION_Y] = {NULL, MEMBER(direction_y), TOMOGRAPHY, CLTOMO_SHAPE_PAIRS_Y,
        CLTOMO_UNIT_TANGENT, 0, -3600.0, 3600.0},
    [CLTOMO_FIELD_DIRECTION_WEIGHT] = {"directionWeights", MEMBER(direction_weight), TOMOGRAPHY,
        CLTOMO_SHAPE_DIRECTIONS, CLTOMO_UNIT_NONE, 0, 0.0, 1e12},
    [CLTOMO_FIELD_DIRECTION_HEIGHT] = {"directionHeights", MEMBER(direction_height), TOMOGRAPHY,
        CLTOMO_SHAPE_DIRECTIONS, CLTOMO_UNIT_METRE, CLTOMO_INFINITE, 1.0, 1e12},
    [CLTOMO_FIELD_VALID_ACTUATORS] = {"validActuators", MEMBER(valid_actuators), MIRROR,
        CLTOMO_SHAPE_MAP, CLTOMO_UNIT_NONE, CLTOMO_REQUIRED, 0.0, 1.0},
    [CLTOMO_FIELD_PITCH] = {"dmPitch", MEMBER(actuator_pitch), MIRROR, CLTOMO_SHAPE_MIRROR,
        CLTOMO_UNIT_METRE, CLTOMO_REQUIRED, 1e-6, 1000.0},
    [CLTOMO_FIELD_MIRROR_HEIGHT] = {"dmHeights", MEMBER(mirror_height), MIRROR, CLTOMO_SHAPE_MIRROR,
        CLTOMO_UNIT_METRE, CLTOMO_DESCRIPTIVE, 0.0, 1e6},
    [CLTOMO_FIELD_COUPLING] = {"dmCrossCoupling", MEMBER(mirror_coupling), MIRROR,
        CLTOMO_SHAPE_SCALAR, CLTOMO_UNIT_NONE, CLTOMO_DESCRIPTIVE, 0.0, 1.0},
    [CLTOMO_FIELD_NOISE] = {"iNoiseVar", NO_MEMBER, NOISE, CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_NONE, CLTOMO_DESCRIPTIVE | CLTOMO_OPEN_MIN, 0.0, 1e300},
};
/* clang-format on */

double cltomo_unit_to_si(cltomo_unit unit, double value)
{
    switch (unit) {
    case CLTOMO_UNIT_KILOMETRE:
        return value * 1000.0;
    case CLTOMO_UNIT_DEGREE:
        return value * (pi / 180.0);
    case CLTOMO_UNIT_ARCSECOND:
        return value * (pi / (180.0 * 3600.0));
    case CLTOMO_UNIT_TANGENT:
        return tan(value * (pi / (180.0 * 3600.0)));
    case CLTOMO_UNIT_NONE:
    case CLTOMO_UNIT_METRE:
    case CLTOMO_UNIT_METRE_PER_SECOND:
    case CLTOMO_UNIT_RADIAN:
        break;
    }
    return value;
}

static const char *unit_name(cltomo_unit unit, bool si)
{
    switch (unit) {
    case CLTOMO_UNIT_METRE:
        return " m";
    case CLTOMO_UNIT_KILOMETRE:
        return si ? " m" : " km";
    case CLTOMO_UNIT_METRE_PER_SECOND:
        return " m/s";
    case CLTOMO_UNIT_RADIAN:
        return " rad";
    case CLTOMO_UNIT_DEGREE:
        return si ? " rad" : " degrees";
    case CLTOMO_UNIT_ARCSECOND:
        return si ? " rad" : " arcsec";
    case CLTOMO_UNIT_TANGENT:
        return si ? "" : " arcsec";
    case CLTOMO_UNIT_NONE:
        break;
    }
    return "";
}

void cltomo_field_range(char *text, size_t size, const cltomo_field *field, bool si)
{
    double min = si ? cltomo_unit_to_si(field->unit, field->min) : field->min;
    double max = si ? cltomo_unit_to_si(field->unit, field->max) : field->max;
    if ((field->flags & CLTOMO_INTEGER) != 0) {
        (void)snprintf(text, size, "an integer from %.0f to %.0f", min, max);
        return;
    }
    int length = snprintf(text, size, "%g %s x %s %g%s", min,
        (field->flags & CLTOMO_OPEN_MIN) != 0 ? "<" : "<=",
        (field->flags & CLTOMO_OPEN_MAX) != 0 ? "<" : "<=", max, unit_name(field->unit, si));
    if ((field->flags & CLTOMO_INFINITE) != 0 && length > 0 && (size_t)length < size) {
        (void)snprintf(text + length, size - (size_t)length, ", or %s%s", si ? "infinity" : ".inf",
            field->section == CLTOMO_SECTION_ASTERISM ? " for natural stars" : "");
    }
}

cltomo_field_id cltomo_field_counter(cltomo_field_id id)
{
    switch (cltomo_fields[id].shape) {
    case CLTOMO_SHAPE_LAYERS:
        return CLTOMO_FIELD_N_LAYERS;
    case CLTOMO_SHAPE_DIRECTIONS:
        return CLTOMO_FIELD_N_LISTED;
    case CLTOMO_SHAPE_STARS:
    case CLTOMO_SHAPE_ROWS_X:
    case CLTOMO_SHAPE_ROWS_Y:
        return CLTOMO_FIELD_N_WFS;
    case CLTOMO_SHAPE_PAIRS_X:
    case CLTOMO_SHAPE_PAIRS_Y:
        return cltomo_fields[id].section == CLTOMO_SECTION_TOMOGRAPHY ? CLTOMO_FIELD_N_LISTED
                                                                      : CLTOMO_FIELD_N_WFS;
    case CLTOMO_SHAPE_MAP:
        return id == CLTOMO_FIELD_VALID_LENSLETS ? CLTOMO_FIELD_N_LENSLETS
                                                 : CLTOMO_FIELD_N_ACTUATORS;
    case CLTOMO_SHAPE_SCALAR:
    case CLTOMO_SHAPE_MIRROR:
    case CLTOMO_SHAPE_MAPS: /* two count: sensors, and lenslets across */
    case CLTOMO_SHAPE_FLUX:
        break;
    }
    return CLTOMO_N_FIELDS;
}

bool cltomo_field_allows(const cltomo_field *field, double value)
{
    double min = cltomo_unit_to_si(field->unit, field->min);
    double max = cltomo_unit_to_si(field->unit, field->max);
    if (isinf(value)) {
        return value > 0.0 && (field->flags & CLTOMO_INFINITE) != 0;
    }
    bool above = (field->flags & CLTOMO_OPEN_MIN) != 0 ? value > min : value >= min;
    bool below = (field->flags & CLTOMO_OPEN_MAX) != 0 ? value < max : value <= max;
    return above && below; /* false for NaN */
}
