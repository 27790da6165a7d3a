#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "config/draft.h"
#include "support/system_text.h"

static const char *key(const cltomo_draft *draft, cltomo_field_id id, size_t i)
{
    static char text[256];
    char index[64];
    cltomo_draft_key(draft, id, text, 128);
    cltomo_draft_index(draft, id, i, index, sizeof index);
    strcat(text, index);
    return text;
}

Test(draft, names_of_elements_in_a_file)
{
    cltomo_yaml_tree tree = {.context = NULL};
    cltomo_draft draft = {.tree = &tree};
    cr_assert_str_eq(key(&draft, CLTOMO_FIELD_R0, 0), "atmosphere_parameters.r0");
    cr_assert_str_eq(key(&draft, CLTOMO_FIELD_PITCH, 0), "dm_parameters.dmPitch");
    cr_assert_str_eq(key(&draft, CLTOMO_FIELD_ALTITUDE, 3), "atmosphere_parameters.altitude[3]");
    cr_assert_str_eq(
        key(&draft, CLTOMO_FIELD_ALTITUDE, CLTOMO_WHOLE), "atmosphere_parameters.altitude");
    cr_assert_str_eq(
        key(&draft, CLTOMO_FIELD_OFFSET_X, 2), "lgs_wfs_parameters.wfsLensletsOffset[0][2]");
    cr_assert_str_eq(
        key(&draft, CLTOMO_FIELD_OFFSET_Y, 2), "lgs_wfs_parameters.wfsLensletsOffset[1][2]");
    cr_assert_str_eq(key(&draft, CLTOMO_FIELD_STAR_X, 2), "lgs_asterism.directions[2][0]");
    cr_assert_str_eq(key(&draft, CLTOMO_FIELD_STAR_Y, 2), "lgs_asterism.directions[2][1]");
}

Test(draft, names_of_elements_in_a_description)
{
    cltomo_draft draft = {.tree = NULL};
    cr_assert_str_eq(key(&draft, CLTOMO_FIELD_R0, 0), "r0");
    cr_assert_str_eq(key(&draft, CLTOMO_FIELD_OFFSET_Y, 2), "wfs_offset_y[2]");
    cr_assert_str_eq(key(&draft, CLTOMO_FIELD_STAR_X, 2), "guide_star_x[2]");
    cr_assert_str_eq(key(&draft, CLTOMO_FIELD_STAR_X, CLTOMO_WHOLE), "guide_star_x");
}

Test(draft, ranges)
{
    assert_refused("D: 8.5", "D: 0", "lgs_wfs_parameters.D", "0\n", "0", "out of range", "<= x");
    assert_refused(
        "D: 8.5", "D: -8.5", "lgs_wfs_parameters.D", "-8.5", "-8.5", "out of range", "<= x");
    assert_refused("nLenslet: 3", "nLenslet: 1025", "lgs_wfs_parameters.nLenslet", "1025", "1025",
        "out of range", "an integer from 1 to 1024");
    assert_refused("wfsLensletsRotation: [0.1, -0.2]", "wfsLensletsRotation: [0.1, 45]",
        "lgs_wfs_parameters.wfsLensletsRotation[1]", "45", "45", "out of range",
        "-6.2832 <= x <= 6.2832 rad");
    assert_refused("[0.03, 0.04]", "[0.03, 1.5]", "lgs_wfs_parameters.wfsLensletsOffset[1][1]",
        "1.5", "1.5", "out of range", "-1 <= x <= 1");
    assert_refused(
        "nPx: 8", "nPx: 0", "lgs_wfs_parameters.nPx", NULL, "0", "out of range", "from 1");
    assert_refused("fieldStopSize: 4", "fieldStopSize: 0", "lgs_wfs_parameters.fieldStopSize", NULL,
        "0", "out of range", "0 < x <= 3600 arcsec");
    assert_refused(
        "dmPitch: [2.5]", "dmPitch: [0]", "dm_parameters.dmPitch", NULL, "0", "out of range", "m");
    assert_refused("dmHeights: [100.0]", "dmHeights: [-1]", "dm_parameters.dmHeights", NULL, "-1",
        "out of range", "m");
    assert_refused("dmCrossCoupling: 0.15", "dmCrossCoupling: 1.5", "dm_parameters.dmCrossCoupling",
        NULL, "1.5", "out of range", "0 <= x <= 1");
    assert_refused("nActuators: [4]", "nActuators: [0]", "dm_parameters.nActuators", NULL, "0",
        "out of range", "an integer from 1 to 1024");
    assert_refused("nLayer: 2", "nLayer: 0", "atmosphere_parameters.nLayer", NULL, "0",
        "out of range", "an integer from 1 to 1024");
    assert_refused("altitude: [0, 5.5]", "altitude: [-1, 5.5]", "atmosphere_parameters.altitude[0]",
        "-1", "-1", "out of range", "0 <= x <= 1000 km");
    assert_refused("L0: 25", "L0: 0", "atmosphere_parameters.L0", NULL, "0", "out of range", "m");
    assert_refused(
        "r0: 0.15", "r0: 1e-300", "atmosphere_parameters.r0", NULL, "1e-300", "out of range", "m");
    assert_refused("fractionnalR0: [0.75, 0.25]", "fractionnalR0: [1.25, -0.25]",
        "atmosphere_parameters.fractionnalR0[1]", NULL, "-0.25", "out of range", "0 <= x");
    assert_refused("wavelength: 5.0e-7", "wavelength: 500", "atmosphere_parameters.wavelength",
        NULL, "500", "out of range", "m");
    assert_refused("windSpeed: [5.6, 5.77]", "windSpeed: [5.6, -5]",
        "atmosphere_parameters.windSpeed[1]", NULL, "-5", "out of range", "m/s");
    assert_refused("windDirection: [190, 255]", "windDirection: [190, 361]",
        "atmosphere_parameters.windDirection[1]", NULL, "361", "out of range", "degrees");
    assert_refused("radiusAst: 20", "radiusAst: -20", "lgs_asterism.radiusAst", NULL, "-20",
        "out of range", "0 <= x <= 3600 arcsec");
    assert_refused("LGSwavelength: 5.89e-7", "LGSwavelength: 589", "lgs_asterism.LGSwavelength",
        NULL, "589", "out of range", "m");
    assert_refused("baseLGSHeight: 90000.0", "baseLGSHeight: 0", "lgs_asterism.baseLGSHeight", NULL,
        "0", "out of range", ".inf for natural stars");
    assert_refused("nLGS: 2", "nLGS: 0", "lgs_asterism.nLGS", "0\nnoise", "0", "out of range",
        "an integer from 1 to 64");
    assert_refused("nLGS: 2", "nLGS: 65", "lgs_asterism.nLGS", NULL, "65", "out of range", "64");
    assert_refused("iNoiseVar: 1e14", "iNoiseVar: 0", "noise_parameters.iNoiseVar", NULL, "0",
        "out of range", "0 < x");
    assert_refused("fovOptimization: 10", "fovOptimization: 4000",
        "tomography_parameters.fovOptimization", NULL, "4000", "out of range", "arcsec");
    assert_refused("nFitSrc: 3", "nFitSrc: 0", "tomography_parameters.nFitSrc", NULL, "0",
        "out of range", "an integer from 1 to 128");
}

Test(draft, zenith_angles)
{
    const char *const refused[] = {"90", "90.0", "91", "-1", "1e3"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
        char to[64];
        snprintf(to, sizeof to, "zenithAngleInDeg: %s", refused[i]);
        assert_refused("zenithAngleInDeg: 30.0", to, "atmosphere_parameters.zenithAngleInDeg", NULL,
            refused[i], "out of range", "0 <= x < 90 degrees");
    }
    parsed p = parse_edited("zenithAngleInDeg: 30.0", "zenithAngleInDeg: 89.9");
    cr_assert_lt(parsed_description(&p)->zenith_angle, cltomo_unit_to_si(CLTOMO_UNIT_DEGREE, 90.0));
    parsed_clear(&p);
}

Test(draft, numbers_that_are_not_finite_or_huge)
{
    assert_refused("r0: 0.15", "r0: .inf", "atmosphere_parameters.r0", ".inf", ".inf",
        "not a finite number", "0.0001 <= x <= 1000 m");
    assert_refused("r0: 0.15", "r0: .nan", "atmosphere_parameters.r0", ".nan", ".nan",
        "not a finite number", "0.0001 <= x <= 1000 m");
    assert_refused("[0.01, 0.02]", "[.nan, 0.02]", "lgs_wfs_parameters.wfsLensletsOffset[0][0]",
        ".nan", ".nan", "not a finite number", "-1 <= x <= 1");
    assert_refused("r0: 0.15", "r0: 1e999", "atmosphere_parameters.r0", "1e999", "1e999",
        "too large", "0.0001 <= x <= 1000 m");
    assert_refused("nLenslet: 3", "nLenslet: 99999999999999999999", "lgs_wfs_parameters.nLenslet",
        "9999", "99999999999999999999", "out of range", "an integer from 1 to 1024");
    assert_refused("nLenslet: 3", "nLenslet: 4294967299", "lgs_wfs_parameters.nLenslet", "4294",
        "4294967299", "out of range", "an integer from 1 to 1024");
    assert_refused("nLGS: 2", "nLGS: -18446744073709551614", "lgs_asterism.nLGS", "-18446",
        "-18446744073709551614", "out of range", "an integer from 1 to 64");
    assert_refused("nLenslet: 3", "nLenslet: 0x3", "lgs_wfs_parameters.nLenslet", "0x3", "0x3",
        "in decimal", "an integer");
    assert_refused("nLenslet: 3", "nLenslet: 003", "lgs_wfs_parameters.nLenslet", "003", "003",
        "without leading zeros", "an integer");
}
