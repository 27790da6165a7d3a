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
    [CLTOMO_FIELD_DIAMETER] = {WFS, "D", MEMBER(telescope_diameter), CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_METRE, CLTOMO_REQUIRED, 1e-4, 1000.0},
    [CLTOMO_FIELD_N_LENSLETS] = {WFS, "nLenslet", MEMBER(n_lenslets), CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_NONE, CLTOMO_REQUIRED | CLTOMO_INTEGER, 1.0, 1024.0},
    [CLTOMO_FIELD_N_WFS] = {ASTERISM, "nLGS", MEMBER(n_wfs), CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_NONE, CLTOMO_REQUIRED | CLTOMO_INTEGER, 1.0, 64.0},
    [CLTOMO_FIELD_N_LAYERS] = {ATMOSPHERE, "nLayer", MEMBER(n_layers), CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_NONE, CLTOMO_REQUIRED | CLTOMO_INTEGER, 1.0, 1024.0},
    [CLTOMO_FIELD_N_ACTUATORS] = {MIRROR, "nActuators", MEMBER(n_actuators), CLTOMO_SHAPE_MIRROR,
        CLTOMO_UNIT_NONE, CLTOMO_REQUIRED | CLTOMO_INTEGER, 1.0, 1024.0},
    [CLTOMO_FIELD_VALID_LENSLETS] = {WFS, "validLLMap", MEMBER(valid_lenslets), CLTOMO_SHAPE_MAP,
        CLTOMO_UNIT_NONE, CLTOMO_REQUIRED, 0.0, 1.0},
    [CLTOMO_FIELD_ROTATION] = {WFS, "wfsLensletsRotation", MEMBER(wfs_rotation), CLTOMO_SHAPE_STARS,
        CLTOMO_UNIT_RADIAN, 0, -6.2832, 6.2832},
    [CLTOMO_FIELD_OFFSET_X] = {WFS, "wfsLensletsOffset", MEMBER(wfs_offset_x), CLTOMO_SHAPE_ROWS_X,
        CLTOMO_UNIT_NONE, 0, -1.0, 1.0},
    [CLTOMO_FIELD_OFFSET_Y] = {WFS, NULL, MEMBER(wfs_offset_y), CLTOMO_SHAPE_ROWS_Y,
        CLTOMO_UNIT_NONE, 0, -1.0, 1.0},
    [CLTOMO_FIELD_PIXELS] = {WFS, "nPx", MEMBER(pixels_per_lenslet), CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_NONE, CLTOMO_DESCRIPTIVE | CLTOMO_INTEGER, 1.0, 65536.0},
    [CLTOMO_FIELD_FIELD_STOP] = {WFS, "fieldStopSize", MEMBER(field_stop), CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_ARCSECOND, CLTOMO_DESCRIPTIVE | CLTOMO_OPEN_MIN, 0.0, 3600.0},
    [CLTOMO_FIELD_RADIUS] = {ASTERISM, "radiusAst", NO_MEMBER, CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_ARCSECOND, 0, 0.0, 3600.0},
    [CLTOMO_FIELD_AZIMUTH] = {ASTERISM, "azimuthOffset", NO_MEMBER, CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_DEGREE, 0, -360.0, 360.0},
    [CLTOMO_FIELD_STAR_X] = {ASTERISM, "directions", MEMBER(guide_star_x), CLTOMO_SHAPE_PAIRS_X,
        CLTOMO_UNIT_TANGENT, 0, -3600.0, 3600.0},
    [CLTOMO_FIELD_STAR_Y] = {ASTERISM, NULL, MEMBER(guide_star_y), CLTOMO_SHAPE_PAIRS_Y,
        CLTOMO_UNIT_TANGENT, 0, -3600.0, 3600.0},
    [CLTOMO_FIELD_STAR_WAVELENGTH] = {ASTERISM, "LGSwavelength", MEMBER(guide_star_wavelength),
        CLTOMO_SHAPE_SCALAR, CLTOMO_UNIT_METRE, CLTOMO_REQUIRED, 1e-8, 1e-3},
    [CLTOMO_FIELD_STAR_HEIGHT] = {ASTERISM, "baseLGSHeight", MEMBER(guide_star_height),
        CLTOMO_SHAPE_SCALAR, CLTOMO_UNIT_METRE, CLTOMO_REQUIRED | CLTOMO_INFINITE, 1.0, 1e12},
    [CLTOMO_FIELD_ZENITH_ANGLE] = {ATMOSPHERE, "zenithAngleInDeg", MEMBER(zenith_angle),
        CLTOMO_SHAPE_SCALAR, CLTOMO_UNIT_DEGREE, CLTOMO_REQUIRED | CLTOMO_OPEN_MAX, 0.0, 90.0},
    [CLTOMO_FIELD_R0] = {ATMOSPHERE, "r0", MEMBER(r0), CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_METRE, CLTOMO_REQUIRED, 1e-4, 1000.0},
    [CLTOMO_FIELD_OUTER_SCALE] = {ATMOSPHERE, "L0", MEMBER(L0), CLTOMO_SHAPE_SCALAR,
        CLTOMO_UNIT_METRE, CLTOMO_REQUIRED, 0.01, 1e6},
    [CLTOMO_FIELD_WAVELENGTH] = {ATMOSPHERE, "wavelength", MEMBER(turbulence_wavelength),
        CLTOMO_SHAPE_SCALAR, CLTOMO_UNIT_METRE, CLTOMO_DESCRIPTIVE, 1e-8, 1e-3},
    [CLTOMO_FIELD_ALTITUDE] = {ATMOSPHERE, "altitude", MEMBER(layer_altitude), CLTOMO_SHAPE_LAYERS,
        CLTOMO_UNIT_KILOMETRE, CLTOMO_REQUIRED, 0.0, 1000.0},
    [CLTOMO_FIELD_FRACTION] = {ATMOSPHERE, "fractionnalR0", MEMBER(layer_fraction),
        CLTOMO_SHAPE_LAYERS, CLTOMO_UNIT_NONE, CLTOMO_REQUIRED, 0.0, 1.001},
    [CLTOMO_FIELD_WIND_SPEED] = {ATMOSPHERE, "windSpeed", MEMBER(wind_speed), CLTOMO_SHAPE_LAYERS,
        CLTOMO_UNIT_METRE_PER_SECOND, CLTOMO_DESCRIPTIVE, 0.0, 1000.0},
    [CLTOMO_FIELD_WIND_DIRECTION] = {ATMOSPHERE, "windDirection", MEMBER(wind_direction),
        CLTOMO_SHAPE_LAYERS, CLTOMO_UNIT_DEGREE, CLTOMO_DESCRIPTIVE, -360.0, 360.0},
    [CLTOMO_FIELD_N_DIRECTIONS] = {TOMOGRAPHY, "nFitSrc", MEMBER(n_directions_across),
        CLTOMO_SHAPE_SCALAR, CLTOMO_UNIT_NONE, CLTOMO_REQUIRED | CLTOMO_INTEGER, 1.0, 128.0},
    [CLTOMO_FIELD_FIELD_OF_VIEW] = {TOMOGRAPHY, "fovOptimization", MEMBER(field_of_view),
        CLTOMO_SHAPE_SCALAR, CLTOMO_UNIT_ARCSECOND, CLTOMO_REQUIRED, 0.0, 3600.0},
    [CLTOMO_FIELD_VALID_ACTUATORS] = {MIRROR, "validActuators", MEMBER(valid_actuators),
        CLTOMO_SHAPE_MAP, CLTOMO_UNIT_NONE, CLTOMO_REQUIRED, 0.0, 1.0},
    [CLTOMO_FIELD_PITCH] = {MIRROR, "dmPitch", MEMBER(actuator_pitch), CLTOMO_SHAPE_MIRROR,
        CLTOMO_UNIT_METRE, CLTOMO_REQUIRED, 1e-6, 1000.0},
    [CLTOMO_FIELD_MIRROR_HEIGHT] = {MIRROR, "dmHeights", MEMBER(mirror_height), CLTOMO_SHAPE_MIRROR,
        CLTOMO_UNIT_METRE, CLTOMO_DESCRIPTIVE, 0.0, 1e6},
    [CLTOMO_FIELD_COUPLING] = {MIRROR, "dmCrossCoupling", MEMBER(mirror_coupling),
        CLTOMO_SHAPE_SCALAR, CLTOMO_UNIT_NONE, CLTOMO_DESCRIPTIVE, 0.0, 1.0},
    [CLTOMO_FIELD_NOISE] = {NOISE, "iNoiseVar", NO_MEMBER, CLTOMO_SHAPE_SCALAR,
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
    const char *infinite = si ? ", or infinity for natural stars" : ", or .inf for natural stars";
    (void)snprintf(text, size, "%g %s x %s %g%s%s", min,
        (field->flags & CLTOMO_OPEN_MIN) != 0 ? "<" : "<=",
        (field->flags & CLTOMO_OPEN_MAX) != 0 ? "<" : "<=", max, unit_name(field->unit, si),
        (field->flags & CLTOMO_INFINITE) != 0 ? infinite : "");
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
