#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/system_text.h"

/* ---- missing ------------------------------------------------------------------------------- */

Test(validate, keys_that_are_missing)
{
    const char *const required[][3] = {
        {"  D: 8.5\n", "lgs_wfs_parameters.D", "lgs_wfs_parameters"},
        {"  nLenslet: 3\n", "lgs_wfs_parameters.nLenslet", "lgs_wfs_parameters"},
        {"  dmPitch: [2.5]\n", "dm_parameters.dmPitch", "dm_parameters"},
        {"  nActuators: [4]\n", "dm_parameters.nActuators", "dm_parameters"},
        {"  nLayer: 2\n", "atmosphere_parameters.nLayer", "atmosphere_parameters"},
        {"  zenithAngleInDeg: 30.0\n", "atmosphere_parameters.zenithAngleInDeg",
            "atmosphere_parameters"},
        {"  altitude: [0, 5.5]\n", "atmosphere_parameters.altitude", "atmosphere_parameters"},
        {"  L0: 25\n", "atmosphere_parameters.L0", "atmosphere_parameters"},
        {"  r0: 0.15\n", "atmosphere_parameters.r0", "atmosphere_parameters"},
        {"  fractionnalR0: [0.75, 0.25]\n", "atmosphere_parameters.fractionnalR0",
            "atmosphere_parameters"},
        {"  radiusAst: 20\n", "lgs_asterism.radiusAst", "lgs_asterism"},
        {"  LGSwavelength: 5.89e-7\n", "lgs_asterism.LGSwavelength", "lgs_asterism"},
        {"  baseLGSHeight: 90000.0\n", "lgs_asterism.baseLGSHeight", "lgs_asterism"},
        {"  nLGS: 2\n", "lgs_asterism.nLGS", "lgs_asterism"},
        {"  fovOptimization: 10\n", "tomography_parameters.fovOptimization",
            "tomography_parameters"},
        {"  nFitSrc: 3\n", "tomography_parameters.nFitSrc", "tomography_parameters"},
    };
    for (size_t i = 0; i < sizeof required / sizeof required[0]; ++i) {
        assert_refused(
            required[i][0], "", required[i][1], required[i][2], "", "the key is missing", NULL);
        char empty[64];
        snprintf(empty, sizeof empty, "%.*s:\n", (int)strcspn(required[i][0], ":"), required[i][0]);
        assert_refused(
            required[i][0], empty, required[i][1], empty + 2, "", "the key has no value", NULL);
    }
}

Test(validate, keys_without_effect_may_be_missing)
{
    const char *const optional[] = {"  nPx: 8\n", "  fieldStopSize: 4\n", "  dmHeights: [100.0]\n",
        "  dmCrossCoupling: 0.15\n", "  wavelength: 5.0e-7\n", "  windDirection: [190, 255]\n",
        "  windSpeed: [5.6, 5.77]\n", "noise_parameters:\n  iNoiseVar: 1e14\n",
        "  wfsLensletsRotation: [0.1, -0.2]\n"};
    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; ++i) {
        parsed p = parse_edited(optional[i], "");
        (void)parsed_description(&p);
        parsed_clear(&p);
    }
}

Test(validate, sections_that_are_missing)
{
    parsed p = parse_text("noise_parameters: {iNoiseVar: 1}\n");
    const char *const sections[] = {
        "lgs_wfs_parameters", "atmosphere_parameters", "lgs_asterism", "tomography_parameters"};
    cr_assert_eq(p.status, CLTOMO_ERROR_CONFIG);
    cr_assert_eq(cltomo_diagnostics_count_severity(p.diagnostics, CLTOMO_SEVERITY_ERROR), 4);
    for (size_t i = 0; i < 4; ++i) {
        const cltomo_error *entry = parsed_find(&p, CLTOMO_SEVERITY_ERROR, sections[i]);
        cr_assert_not_null(entry);
        assert_holds(entry->message, "the section is missing");
        cr_assert_eq(entry->line, 1);
    }
    parsed_clear(&p);
    p = parse_edited("tomography_parameters:\n  fovOptimization: 10\n  nFitSrc: 3\n",
        "tomography_parameters:\n");
    cr_assert_eq(p.status, CLTOMO_ERROR_CONFIG);
    cr_assert_not_null(parsed_find(&p, CLTOMO_SEVERITY_ERROR, "tomography_parameters"));
    parsed_clear(&p);
}

Test(validate, a_mirror_may_be_missing)
{
    char *from = "dm_parameters:\n  dmHeights: [100.0]\n  dmPitch: [2.5]\n  dmCrossCoupling: 0.15\n"
                 "  nActuators: [4]\n  validActuators:\n    - [0, 1, 1, 0]\n    - [1, 1, 1, 1]\n"
                 "    - [1, 1, 1, 1]\n    - [0, 1, 1, 1]\n";
    assert_warned(from, "", "dm_parameters", "only wavefront products");
    parsed p = parse_edited(from, "");
    const cltomo_system_description *d = parsed_description(&p);
    cr_assert_eq(d->n_actuators, 0);
    cr_assert_null(d->valid_actuators);
    parsed_clear(&p);
    assert_warned(from, "dm_parameters: # none\n", "dm_parameters", "only wavefront products");
}

/* ---- all at once --------------------------------------------------------------------------- */

Test(validate, all_problems_are_reported_in_the_order_of_the_file)
{
    parsed p = parse_text("lgs_asterism:\n"
                          "  nLGS: 3\n"
                          "  radiusAst: -1\n"
                          "  LGSwavelength: red\n"
                          "  baseLGSHeight: 10000\n"
                          "atmosphere_parameters:\n"
                          "  nLayer: 2\n"
                          "  zenithAngleInDeg: 90\n"
                          "  altitude: [0, 12, 3]\n"
                          "  L0: 25\n"
                          "  r0: 0.15\n"
                          "  fractionnalR0: [0.5, 0.6]\n"
                          "lgs_wfs_parameters:\n"
                          "  D: 8\n"
                          "  nLenslet: 2\n"
                          "  validLLMap: [[1, 1], [1]]\n"
                          "  wfsLensletsRotation: [0, 0]\n"
                          "tomography_parameter:\n"
                          "  nFitSrc: 1\n");
    const char *const expected[] = {"3:14: lgs_asterism.radiusAst",
        "4:18: lgs_asterism.LGSwavelength", "8:21: atmosphere_parameters.zenithAngleInDeg",
        "9:13: atmosphere_parameters.altitude", "9:17: atmosphere_parameters.altitude[1]",
        "12:18: atmosphere_parameters.fractionnalR0", "16:24: lgs_wfs_parameters.validLLMap[1]",
        "17:24: lgs_wfs_parameters.wfsLensletsRotation"};
    size_t found = 0;
    unsigned line = 0;
    for (size_t i = 0; i < cltomo_diagnostics_count(p.diagnostics); ++i) {
        const cltomo_error *entry = cltomo_diagnostics_get(p.diagnostics, i);
        char text[1024];
        cr_assert_geq(entry->line, line);
        line = entry->line;
        cltomo_error_format(text, sizeof text, entry);
        for (size_t k = 0; k < sizeof expected / sizeof expected[0]; ++k) {
            char place[128];
            snprintf(place, sizeof place, "small.yaml:%s: ", expected[k]);
            found += strncmp(text, place, strlen(place)) == 0;
        }
    }
    cr_assert_eq(found, sizeof expected / sizeof expected[0], "%zu found", found);
    /* and the section that is missing, on the first line, which makes it the first error */
    cr_assert_eq(cltomo_diagnostics_count_severity(p.diagnostics, CLTOMO_SEVERITY_ERROR), 9);
    cr_assert_str_eq(p.error.key, "tomography_parameters");
    parsed_clear(&p);
}

/* ---- lengths ------------------------------------------------------------------------------- */

Test(validate, lists_of_other_lengths_than_the_counts_say)
{
    const char *const layers[][2] = {{"altitude: [0, 5.5]", "altitude"},
        {"fractionnalR0: [0.75, 0.25]", "fractionnalR0"},
        {"windDirection: [190, 255]", "windDirection"}, {"windSpeed: [5.6, 5.77]", "windSpeed"}};
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; ++i) {
        char key[64];
        char to[64];
        snprintf(key, sizeof key, "atmosphere_parameters.%s", layers[i][1]);
        snprintf(to, sizeof to, "%s: [1]", layers[i][1]);
        assert_refused(layers[i][0], to, key, "[1]\n", "a list of 1",
            "the list has 1 element, but nLayer is 2", NULL);
        snprintf(to, sizeof to, "%s: [0, 0, 1]", layers[i][1]);
        assert_refused(layers[i][0], to, key, "[0, 0, 1]", "a list of 3",
            "the list has 3 elements, but nLayer is 2", NULL);
    }
    const char *rotation = "lgs_wfs_parameters.wfsLensletsRotation";
    assert_refused("wfsLensletsRotation: [0.1, -0.2]", "wfsLensletsRotation: [0.1]", rotation,
        "[0.1]", "a list of 1", "the list has 1 element, but nLGS is 2", NULL);
    assert_refused("wfsLensletsRotation: [0.1, -0.2]", "wfsLensletsRotation: [0, 0, 0]", rotation,
        "[0, 0, 0]", "a list of 3", "the list has 3 elements, but nLGS is 2", NULL);
    assert_refused("    - [0.01, 0.02]\n", "    - [0.01]\n",
        "lgs_wfs_parameters.wfsLensletsOffset[0]", "[0.01]", "a list of 1",
        "the list has 1 element, but nLGS is 2", NULL);
    assert_refused("    - [0.03, 0.04]\n", "    - [0.03, 0, 0.04]\n",
        "lgs_wfs_parameters.wfsLensletsOffset[1]", "[0.03", "a list of 3",
        "the list has 3 elements, but nLGS is 2", NULL);
    assert_refused("  radiusAst: 20\n", "  directions: [[1, 2]]\n", "lgs_asterism.directions",
        "[[1", "a list of 1", "the list has 1 element, but nLGS is 2", NULL);
    assert_refused("  radiusAst: 20\n", "  directions: [[1, 2], [3, 4], [5, 6]]\n",
        "lgs_asterism.directions", "[[1", "a list of 3", "the list has 3 elements, but nLGS is 2",
        NULL);
}

Test(validate, lists_longer_than_any_count)
{
    static char to[8192] = "altitude: [0";
    for (size_t i = 0; i < 1024; ++i) {
        strcat(to, ", 1");
    }
    strcat(to, "]");
    assert_refused("altitude: [0, 5.5]", to, "atmosphere_parameters.altitude", NULL,
        "a list of 1025", "1025 elements, more than 1024", NULL);
    assert_refused("altitude: [0, 5.5]", "altitude: []", "atmosphere_parameters.altitude", "[]",
        "a list of 0", "the list is empty", NULL);
}

Test(validate, a_count_that_is_wrong_is_the_only_complaint)
{
    parsed p = parse_edited("nLGS: 2", "nLGS: 0");
    cr_assert_eq(cltomo_diagnostics_count_severity(p.diagnostics, CLTOMO_SEVERITY_ERROR), 1);
    parsed_clear(&p);
    p = parse_edited("nLayer: 2", "nLayer: many");
    cr_assert_eq(cltomo_diagnostics_count_severity(p.diagnostics, CLTOMO_SEVERITY_ERROR), 1);
    parsed_clear(&p);
}

/* ---- layers -------------------------------------------------------------------------------- */

Test(validate, layers_at_or_above_the_guide_stars)
{
    const char *key = "atmosphere_parameters.altitude[1]";
    assert_refused("altitude: [0, 5.5]", "altitude: [0, 90]", key, "90]", "90",
        "at or above the guide stars (baseLGSHeight)", "below the guide stars at 90 km");
    assert_refused("altitude: [0, 5.5]", "altitude: [0, 95.5]", key, "95.5]", "95.5",
        "at or above the guide stars (baseLGSHeight)", "below the guide stars at 90 km");
    assert_refused("baseLGSHeight: 90000.0", "baseLGSHeight: 5500", key, "5.5]", "5.5",
        "at or above the guide stars", "at 5.5 km");
    parsed p = parse_edited("altitude: [0, 5.5]", "altitude: [0, 89.9]");
    (void)parsed_description(&p);
    parsed_clear(&p);
}

Test(validate, layers_of_zero_strength_may_be_anywhere)
{
    parsed p =
        parse_edited("altitude: [0, 5.5]\n  L0: 25\n  r0: 0.15\n  fractionnalR0: [0.75, 0.25]",
            "altitude: [0, 95]\n  L0: 25\n  r0: 0.15\n  fractionnalR0: [1, 0]");
    const cltomo_system_description *d = parsed_description(&p);
    cr_assert_eq(d->n_layers, 2);
    cr_assert_eq(d->layer_fraction[1], 0.0);
    parsed_clear(&p);
    assert_refused("fractionnalR0: [0.75, 0.25]", "fractionnalR0: [0, 0]",
        "atmosphere_parameters.fractionnalR0", NULL, "a list of 2", "the fractions sum to 0",
        "a sum of 1");
}

static void assert_sum(const char *fractions, double expected_first, bool warned)
{
    char to[128];
    snprintf(to, sizeof to, "fractionnalR0: %s", fractions);
    parsed p = parse_edited("fractionnalR0: [0.75, 0.25]", to);
    const cltomo_system_description *d = parsed_description(&p);
    const cltomo_error *warning =
        parsed_find(&p, CLTOMO_SEVERITY_WARNING, "atmosphere_parameters.fractionnalR0");
    cr_assert_lt(fabs(d->layer_fraction[0] + d->layer_fraction[1] - 1.0), 1e-15);
    cr_assert_lt(fabs(d->layer_fraction[0] - expected_first), 1e-15);
    cr_assert_eq(warning != NULL, warned, "%s", fractions);
    parsed_clear(&p);
}

Test(validate, fractions_that_nearly_sum_to_1_are_scaled)
{
    assert_sum("[0.75, 0.25]", 0.75, false);
    assert_sum("[0.75, 0.2500000005]", 0.75 / 1.0000000005, false); /* rounding in the file */
    assert_sum("[0.75, 0.249]", 0.75 / 0.999, true);
    assert_sum("[0.75, 0.251]", 0.75 / 1.001, true);
    assert_sum("[0.75, 0.25000001]", 0.75 / 1.00000001, true);
    assert_warned("fractionnalR0: [0.75, 0.25]", "fractionnalR0: [0.75, 0.2495]",
        "atmosphere_parameters.fractionnalR0", "the fractions sum to 0.9995");
}

Test(validate, fractions_that_miss_1_by_more_are_refused)
{
    const char *key = "atmosphere_parameters.fractionnalR0";
    assert_refused("fractionnalR0: [0.75, 0.25]", "fractionnalR0: [0.75, 0.2485]", key, "[0.75",
        "a list of 2", "the fractions sum to 0.9985", "a sum of 1 within 0.001");
    assert_refused("fractionnalR0: [0.75, 0.25]", "fractionnalR0: [0.75, 0.252]", key, "[0.75",
        "a list of 2", "the fractions sum to 1.002", "a sum of 1 within 0.001");
    assert_refused("fractionnalR0: [0.75, 0.25]", "fractionnalR0: [75, 25]",
        "atmosphere_parameters.fractionnalR0[0]", "75,", "75", "out of range", "0 <= x");
}

/* ---- stars and directions ------------------------------------------------------------------ */

Test(validate, coincident_guide_stars_are_legal)
{
    parsed p = parse_edited("radiusAst: 20", "radiusAst: 0");
    const cltomo_system_description *d = parsed_description(&p);
    for (size_t i = 0; i < 2; ++i) {
        cr_assert_eq(d->guide_star_x[i], 0.0);
        cr_assert_eq(d->guide_star_y[i], 0.0);
    }
    parsed_clear(&p);
}

Test(validate, directions_exclude_what_shapes_the_polygon)
{
    assert_refused("  radiusAst: 20\n", "  azimuthOffset: 10\n  directions: [[1, 2], [3, 4]]\n",
        "lgs_asterism.azimuthOffset", "10\n", "10", "leave out one", NULL);
    assert_warned("  radiusAst: 20\n", "  radiusAst: 20\n  directions: [[1, 2], [3, 4]]\n",
        "lgs_asterism.radiusAst", "no effect");
}

Test(validate, a_field_and_its_directions)
{
    assert_refused("fovOptimization: 10", "fovOptimization: 0",
        "tomography_parameters.fovOptimization", "0\n  nFit", "0", "nFitSrc asks for several",
        "above 0");
    assert_warned("nFitSrc: 3", "nFitSrc: 1", "tomography_parameters.fovOptimization",
        "the field has no effect, nFitSrc is 1");
}
