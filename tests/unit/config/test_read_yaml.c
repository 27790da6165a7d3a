#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/system_text.h"

#define ARCSEC (3.14159265358979323846 / 648000.0)
#define DEGREE (3.14159265358979323846 / 180.0)

static void assert_near(double value, double expected)
{
    cr_assert_leq(
        fabs(value - expected), 1e-15 * fabs(expected), "%.17g, not %.17g", value, expected);
}

Test(read_yaml, every_key_reaches_its_field_in_si_units)
{
    parsed p = parse_text(system_text);
    const cltomo_system_description *d = parsed_description(&p);
    const uint8_t lenslets[] = {0, 1, 1, 1, 1, 1, 1, 1, 0};
    const uint8_t actuators[] = {0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1};
    cr_assert_eq(d->size, sizeof *d);
    cr_assert_eq(d->telescope_diameter, 8.5);
    cr_assert_eq(d->n_lenslets, 3);
    cr_assert_arr_eq(d->valid_lenslets, lenslets, sizeof lenslets);
    cr_assert_eq(d->n_wfs, 2);
    cr_assert_eq(d->wfs_rotation[0], 0.1);
    cr_assert_eq(d->wfs_rotation[1], -0.2);
    cr_assert_eq(d->wfs_offset_x[0], 0.01);
    cr_assert_eq(d->wfs_offset_x[1], 0.02);
    cr_assert_eq(d->wfs_offset_y[0], 0.03);
    cr_assert_eq(d->wfs_offset_y[1], 0.04);
    cr_assert_eq(d->pixels_per_lenslet, 8);
    assert_near(d->field_stop, 4.0 * ARCSEC);
    assert_near(d->guide_star_x[0], tan(20.0 * ARCSEC));
    assert_near(d->guide_star_x[1], -tan(20.0 * ARCSEC));
    cr_assert_eq(d->guide_star_y[0], 0.0);
    cr_assert_lt(fabs(d->guide_star_y[1]), 1e-19);
    cr_assert_eq(d->guide_star_wavelength, 5.89e-7);
    cr_assert_eq(d->guide_star_height, 90000.0);
    assert_near(d->zenith_angle, 30.0 * DEGREE);
    cr_assert_eq(d->r0, 0.15);
    cr_assert_eq(d->L0, 25.0);
    cr_assert_eq(d->turbulence_wavelength, 5.0e-7);
    cr_assert_eq(d->n_layers, 2);
    cr_assert_eq(d->layer_altitude[0], 0.0);
    cr_assert_eq(d->layer_altitude[1], 5500.0);
    cr_assert_eq(d->layer_fraction[0], 0.75);
    cr_assert_eq(d->layer_fraction[1], 0.25);
    cr_assert_eq(d->wind_speed[1], 5.77);
    assert_near(d->wind_direction[0], 190.0 * DEGREE);
    cr_assert_eq(d->n_directions_across, 3);
    assert_near(d->field_of_view, 10.0 * ARCSEC);
    cr_assert_eq(d->n_actuators, 4);
    cr_assert_arr_eq(d->valid_actuators, actuators, sizeof actuators);
    cr_assert_eq(d->actuator_pitch, 2.5);
    cr_assert_eq(d->mirror_height, 100.0);
    cr_assert_eq(d->mirror_coupling, 0.15);
    parsed_clear(&p);
}

/* Forms that pyTomoAO's files have, and others that mean the same. */
Test(read_yaml, other_ways_to_write_the_same)
{
    const char *const edits[][2] = {
        {"nActuators: [4]", "nActuators: 4"},
        {"dmPitch: [2.5]", "dmPitch: 2.5"},
        {"dmPitch: [2.5]", "dmPitch: [+2.5e0]"},
        {"D: 8.5", "D: 85e-1 # metres"},
        {"L0: 25", "L0: 25."},
        {"r0: 0.15", "r0: .15"},
        {"altitude: [0, 5.5]", "altitude: [-0, 5.5]"},
        {"altitude: [0, 5.5]", "altitude:\n  - 0\n  - 5.5"},
        {"[0, 1, 1]", "[false, true, true]"},
        {"[0, 1, 1]", "[0.0, 1, 1.0]"},
        {"nLGS: 2", "\"nLGS\": 2"},
        {"  wfsLensletsRotation: [0.1, -0.2]\n", "  wfsLensletsRotation: [0.1, -0.2] \r\n"},
        {"nFitSrc: 3\n", "nFitSrc: 3"},
        {"nFitSrc: 3\n", "nFitSrc: 3\n...\n"},
        {"    - [1, 1, 1, 1]\n    - [1, 1, 1, 1]\n", "    - &full [1, 1, 1, 1]\n    - *full\n"},
        {"baseLGSHeight: 90000.0", "baseLGSHeight: 90e3"},
    };
    parsed original = parse_text(system_text);
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; ++i) {
        parsed p = parse_edited(edits[i][0], edits[i][1]);
        (void)parsed_description(&p);
        cr_assert_eq(
            cltomo_system_hash(p.system), cltomo_system_hash(original.system), "%s", edits[i][1]);
        parsed_clear(&p);
    }
    parsed_clear(&original);
}

static char *with_line_ends(const char *text, const char *first, const char *end)
{
    char *edited = malloc(2 * strlen(text) + strlen(first) + 1);
    char *to = edited + sprintf(edited, "%s", first);
    for (; *text != '\0'; ++text) {
        to += *text == '\n' ? sprintf(to, "%s", end) : sprintf(to, "%c", *text);
    }
    return edited;
}

Test(read_yaml, carriage_returns_and_a_byte_order_mark)
{
    parsed original = parse_text(system_text);
    const char *const variants[][2] = {{"", "\r\n"}, {"\xef\xbb\xbf", "\n"}, {"", "\r"}};
    for (size_t i = 0; i < 3; ++i) {
        char *text = with_line_ends(system_text, variants[i][0], variants[i][1]);
        parsed p = parse_text(text);
        (void)parsed_description(&p);
        cr_assert_eq(cltomo_system_hash(p.system), cltomo_system_hash(original.system));
        parsed_clear(&p);
        free(text);
    }
    parsed_clear(&original);
}

Test(read_yaml, utf_16)
{
    size_t n = strlen(system_text);
    char *text = calloc(n + 1, 2);
    memcpy(text, "\xff\xfe", 2);
    for (size_t i = 0; i < n; ++i) {
        text[2 * i + 2] = system_text[i];
    }
    parsed p = parse_bytes(text, 2 * n + 2);
    (void)parsed_description(&p);
    parsed_clear(&p);
    p = parse_bytes(text, 2 * n + 1); /* cut within a character */
    cr_assert_eq(p.status, CLTOMO_ERROR_PARSE);
    parsed_clear(&p);
    free(text);
}

Test(read_yaml, aliases_of_numbers_and_lists)
{
    parsed p = parse_edited("  windDirection: [190, 255]\n  windSpeed: [5.6, 5.77]\n",
        "  windDirection: &wind [10, &speed 20]\n  windSpeed: *wind\n");
    const cltomo_system_description *d = parsed_description(&p);
    cr_assert_eq(d->wind_speed[0], 10.0);
    cr_assert_eq(d->wind_speed[1], 20.0);
    parsed_clear(&p);
    /* A complaint points at the value, where it must be changed. */
    assert_refused("  windDirection: [190, 255]\n  windSpeed: [5.6, 5.77]\n",
        "  windDirection: &wind [10, -20]\n  windSpeed: *wind\n",
        "atmosphere_parameters.windSpeed[1]", "-20", "-20", "out of range", "0 <= x <= 1000 m/s");
}

/* Lists of lists of lists, each level ten aliases of the one before. */
Test(read_yaml, an_alias_bomb_goes_off_nowhere)
{
    char bomb[4096] = "a: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
    for (int i = 1; i < 30; ++i) {
        char line[128];
        sprintf(line, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i,
            i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
        strcat(bomb, line);
    }
    const char *const places[][2] = {{"  altitude: [0, 5.5]", "  altitude: *a29"},
        {"  nLGS: 2", "  nLGS: *a29"}, {"    - [0, 1, 1]\n", "    - *a29\n"},
        {"    - [0.01, 0.02]\n", "    - *a29\n"},
        {"  fovOptimization: 10", "  fovOptimization: [*a29]"}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
        char *edited = system_text_edit(system_text, places[i][0], places[i][1]);
        char *text = malloc(strlen(bomb) + strlen(edited) + 1);
        strcpy(text, bomb);
        strcat(text, edited);
        parsed p = parse_text(text);
        cr_assert_eq(p.status, CLTOMO_ERROR_CONFIG);
        parsed_clear(&p);
        free(text);
        free(edited);
    }
}

Test(read_yaml, wrong_types)
{
    assert_refused("D: 8.5", "D: big", "lgs_wfs_parameters.D", "big", "big", "not a number",
        "0.0001 <= x <= 1000 m");
    assert_refused("D: 8.5", "D: \"8.5\"", "lgs_wfs_parameters.D", "\"8.5", "\"8.5\"",
        "quoted text is not a number", "m");
    assert_refused("D: 8.5", "D: [8.5]", "lgs_wfs_parameters.D", "[8.5]", "a list of 1",
        "not a single number", "m");
    assert_refused("D: 8.5", "D: {a: 8.5}", "lgs_wfs_parameters.D", "{a", "a mapping",
        "not a single number", "m");
    assert_refused("D: 8.5", "D: true", "lgs_wfs_parameters.D", "true", "true", "not a number", "");
    assert_refused("nLenslet: 3", "nLenslet: 3.0", "lgs_wfs_parameters.nLenslet", "3.0", "3.0",
        "not an integer", "an integer from 1 to 1024");
    assert_refused("nLGS: 2", "nLGS: two", "lgs_asterism.nLGS", "two", "two", "not a number",
        "an integer from 1 to 64");
    assert_refused("altitude: [0, 5.5]", "altitude: 5.5", "atmosphere_parameters.altitude", "5.5",
        "5.5", "not a list", "list");
    assert_refused("altitude: [0, 5.5]", "altitude: [0, x]", "atmosphere_parameters.altitude[1]",
        "x]", "x", "not a number", "0 <= x <= 1000 km");
    assert_refused("altitude: [0, 5.5]", "altitude: [[0], 5.5]",
        "atmosphere_parameters.altitude[0]", "[0]", "a list of 1", "not a single number", "km");
    assert_refused("altitude: [0, 5.5]", "altitude: [0, ~]", "atmosphere_parameters.altitude[1]",
        "~", "~", "a value is missing", "km");
    assert_refused("D: 8.5", "D: 8,5", "lgs_wfs_parameters.D", "8,5", "8,5", "not a number", "m");
}

Test(read_yaml, sections_that_are_none)
{
    parsed p = parse_edited("noise_parameters:\n  iNoiseVar: 1e14\n", "noise_parameters: 1e14\n");
    cr_assert_eq(p.status, CLTOMO_ERROR_CONFIG);
    cr_assert_str_eq(p.error.key, "noise_parameters");
    assert_holds(p.error.message, "must hold keys and values");
    parsed_clear(&p);
    p = parse_edited("noise_parameters:\n  iNoiseVar: 1e14\n", "noise_parameters:\n");
    (void)parsed_description(&p);
    parsed_clear(&p);
}

Test(read_yaml, roots_that_are_no_mapping)
{
    const char *const texts[] = {"[1, 2]", "42", "--- ~", "- a: 1\n", "\"lgs_wfs_parameters\""};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        parsed p = parse_text(texts[i]);
        cr_assert_eq(p.status, CLTOMO_ERROR_CONFIG);
        cr_assert_eq(cltomo_diagnostics_count(p.diagnostics), 1, "%s", texts[i]);
        assert_holds(p.error.message, "does not consist of sections");
        cr_assert_eq(p.error.line, 1);
        parsed_clear(&p);
    }
}

Test(read_yaml, natural_guide_stars_are_infinitely_far)
{
    parsed p = parse_edited("baseLGSHeight: 90000.0", "baseLGSHeight: .inf");
    cr_assert(isinf(parsed_description(&p)->guide_star_height));
    parsed_clear(&p);
    assert_refused("baseLGSHeight: 90000.0", "baseLGSHeight: -.inf", "lgs_asterism.baseLGSHeight",
        "-.inf", "-.inf", "out of range", "m");
}

Test(read_yaml, one_mirror_only)
{
    assert_refused("dmHeights: [100.0]", "dmHeights: [0.0, 1000.0]", "dm_parameters.dmHeights",
        "[0.0, 1", "a list of 2", "2 mirrors are described, only one is supported", "one value");
    assert_refused("nActuators: [4]", "nActuators: []", "dm_parameters.nActuators", "[]",
        "a list of 0", "empty", "one value");
}

Test(read_yaml, offsets_are_two_lists)
{
    const char *from = "  wfsLensletsOffset:\n    - [0.01, 0.02]\n    - [0.03, 0.04]\n";
    const char *key = "lgs_wfs_parameters.wfsLensletsOffset";
    assert_refused(from, "  wfsLensletsOffset: [0, 0]\n", "lgs_wfs_parameters.wfsLensletsOffset[0]",
        "0, 0]\ndm", "0", "not a list", "nLGS x offsets");
    assert_refused(from, "  wfsLensletsOffset: [[0, 0]]\n", key, "[[0", "a list of 1",
        "not a list of two lists", "nLGS x offsets");
    assert_refused(from, "  wfsLensletsOffset: [[0, 0], [0, 0], [0, 0]]\n", key, "[[0",
        "a list of 3", "not a list of two lists", "nLGS x offsets");
    assert_refused(from, "  wfsLensletsOffset: [[0, 0], []]\n",
        "lgs_wfs_parameters.wfsLensletsOffset[1]", "[]", "a list of 0", "empty", "nLGS");
}

Test(read_yaml, offsets_and_rotations_may_be_left_out)
{
    parsed p = parse_edited("  wfsLensletsRotation: [0.1, -0.2]\n  wfsLensletsOffset:\n"
                            "    - [0.01, 0.02]\n    - [0.03, 0.04]\n",
        "");
    const cltomo_system_description *d = parsed_description(&p);
    for (size_t i = 0; i < 2; ++i) {
        cr_assert_eq(d->wfs_rotation[i], 0.0);
        cr_assert_eq(d->wfs_offset_x[i], 0.0);
        cr_assert_eq(d->wfs_offset_y[i], 0.0);
    }
    parsed_clear(&p);
}

Test(read_yaml, directions_replace_the_polygon)
{
    parsed p = parse_edited("  radiusAst: 20\n", "  directions: [[10, -20], [0.5, 3]]\n");
    const cltomo_system_description *d = parsed_description(&p);
    assert_near(d->guide_star_x[0], tan(10.0 * ARCSEC));
    assert_near(d->guide_star_y[0], tan(-20.0 * ARCSEC));
    assert_near(d->guide_star_x[1], tan(0.5 * ARCSEC));
    assert_near(d->guide_star_y[1], tan(3.0 * ARCSEC));
    parsed_clear(&p);
    const char *key = "lgs_asterism.directions";
    assert_refused("  radiusAst: 20\n", "  directions: [[10, -20], [5]]\n",
        "lgs_asterism.directions[1]", "[5]", "a list of 1", "not an [x, y] pair",
        "pairs in arcsec");
    assert_refused("  radiusAst: 20\n", "  directions: [[10, -20], [5, 9999]]\n",
        "lgs_asterism.directions[1][1]", "9999", "9999", "out of range",
        "-3600 <= x <= 3600 arcsec");
    assert_refused("  radiusAst: 20\n", "  directions: 3\n", key, NULL, "3", "not a list", "pairs");
    assert_refused("  radiusAst: 20\n", "  directions: []\n", key, NULL, NULL, "empty", "pairs");
}

Test(read_yaml, an_azimuth_turns_the_polygon)
{
    parsed p = parse_edited("  radiusAst: 20\n", "  radiusAst: 20\n  azimuthOffset: 30\n");
    const cltomo_system_description *d = parsed_description(&p);
    assert_near(d->guide_star_x[0], tan(20.0 * ARCSEC) * cos(30.0 * DEGREE));
    assert_near(d->guide_star_y[0], tan(20.0 * ARCSEC) * sin(30.0 * DEGREE));
    assert_near(d->guide_star_x[1], tan(20.0 * ARCSEC) * cos(210.0 * DEGREE));
    assert_near(d->guide_star_y[1], tan(20.0 * ARCSEC) * sin(210.0 * DEGREE));
    parsed_clear(&p);
    assert_refused("  radiusAst: 20\n", "  radiusAst: 20\n  azimuthOffset: 400\n",
        "lgs_asterism.azimuthOffset", "400", "400", "out of range", "degrees");
}

Test(read_yaml, values_are_cut_to_what_can_be_shown)
{
    char to[1100] = "D: \"";
    memset(to + 4, 'x', 1000);
    strcpy(to + 1004, "\"");
    parsed p = parse_edited("D: 8.5", to);
    cr_assert_eq(p.status, CLTOMO_ERROR_CONFIG);
    cr_assert_eq(strlen(p.error.value), sizeof p.error.value - 1);
    parsed_clear(&p);
}
