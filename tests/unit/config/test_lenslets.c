#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/system_text.h"

#define ROWS "\n    - [0, 1, 1]\n    - [1, 1, 1]\n    - [1, 1, 0]\n"
#define KEY "lgs_wfs_parameters.validLLMap"
#define FLUX_KEY "lgs_wfs_parameters.lensletFlux"
#define FIRST "[[0, 1, 1], [1, 1, 1], [1, 1, 0]]"
#define SECOND "[[0, 0, 1], [1, 0, 1], [1, 1, 1]]"
#define FLUX_AT "  wfsLensletsRotation"

static uint64_t hash_of(const char *from, const char *to)
{
    parsed p = parse_edited(from, to);
    (void)parsed_description(&p);
    uint64_t hash = cltomo_system_hash(p.system);
    parsed_clear(&p);
    return hash;
}

static void assert_cells(const uint8_t *map, const char *cells)
{
    for (size_t i = 0; i < strlen(cells); ++i) {
        cr_assert_eq(map[i], cells[i] - '0', "cell %zu of %s", i, cells);
    }
}

Test(lenslets, a_map_for_each_sensor)
{
    parsed p = parse_edited(ROWS, " [" FIRST ", " SECOND "]\n");
    const cltomo_system_description *d = parsed_description(&p);
    assert_cells(d->valid_lenslets_per_wfs, "011111110"
                                            "001101111");
    assert_cells(d->valid_lenslets, "011111111");
    parsed_clear(&p);
}

Test(lenslets, rows_and_annuli_in_one_list)
{
    parsed p =
        parse_edited(ROWS, "\n    - {shape: annulus, outer: 1.1, inner: 1}\n    - " SECOND "\n");
    const cltomo_system_description *d = parsed_description(&p);
    assert_cells(d->valid_lenslets_per_wfs, "010101010"
                                            "001101111");
    parsed_clear(&p);
}

Test(lenslets, equal_maps_are_one_map)
{
    uint64_t plain = hash_of("D: 8.5", "D: 8.5");
    parsed p = parse_edited(ROWS, " [" FIRST ", " FIRST "]\n");
    cr_assert_null(parsed_description(&p)->valid_lenslets_per_wfs);
    assert_cells(parsed_description(&p)->valid_lenslets, "011111110");
    cr_assert_eq(cltomo_system_hash(p.system), plain);
    parsed_clear(&p);
    cr_assert_neq(hash_of(ROWS, " [" FIRST ", " SECOND "]\n"), plain);
    cr_assert_neq(
        hash_of(ROWS, " [" FIRST ", " SECOND "]\n"), hash_of(ROWS, " [" SECOND ", " FIRST "]\n"));
}

static void refuse(const char *value, const char *key, const char *at, const char *shown,
    const char *message, const char *allowed)
{
    char text[512];
    (void)snprintf(text, sizeof text, " %s\n", value);
    assert_refused(ROWS, text, key, at, shown, message, allowed);
}

Test(lenslets, lists_of_maps_that_are_wrong)
{
    refuse(
        "[" FIRST "]", KEY, "[" FIRST "]", "a list of 1", "the list has 1 map, but nLGS is 2", "");
    refuse("[" FIRST ", " FIRST ", " SECOND "]", KEY, "[" FIRST, "a list of 3",
        "the list has 3 maps, but nLGS is 2", "");
    refuse("[" FIRST ", [[0, 1], [1, 1]]]", KEY "[1]", "[[0, 1], [1, 1]]", "a list of 2",
        "the map has 2 rows, but nLenslet is 3", "");
    refuse("[" FIRST ", [[0, 1, 0], [1, 1], [1, 1, 1]]]", KEY "[1][1]", "[1, 1],", "a list of 2",
        "the row has 2 cells", "");
    refuse("[" FIRST ", [[0, 1, 0], [1, 2, 1], [1, 1, 1]]]", KEY "[1][1][1]", "2, 1]", "2",
        "not a cell", "0 or 1");
    refuse("[" FIRST ", [[0, 0, 0], [0, 0, 0], [0, 0, 0]]]", KEY "[1]", "[[0, 0", "a list of 3",
        "no lenslet of sensor 1 is valid", "at least one valid cell");
    refuse("[7, " FIRST "]", KEY "[0]", "7,", "7", "not a map", "annulus");
    refuse("[" FIRST ", [0, 1, 1]]", KEY "[1][0]", "0, 1, 1]]", "0", "not a row",
        "a list of zeros and ones");
    refuse("[" FIRST ", {shape: circle, outer: 2}]", KEY "[1].shape", "circle", "circle",
        "the shape of the map is unknown", "annulus");
    refuse("[" FIRST ", {shape: annulus}]", KEY "[1].outer", "{shape", "a mapping",
        "the outer radius is missing", "");
    refuse("[" FIRST ", {shape: annulus, outer: 2, inner: 3}]", KEY "[1].inner", "3}", "3",
        "the inner radius is larger", "");
    refuse("[" FIRST ", {shape: annulus, outer: 2, width: 3}]", KEY "[1].width", "width", NULL,
        "an annulus has shape", "");
}

/* The mirror has one map. */
Test(lenslets, actuators_have_no_list_of_maps)
{
    assert_refused("    - [0, 1, 1, 0]\n", "    - [[0, 1, 1, 0]]\n",
        "dm_parameters.validActuators[0]", "[[0, 1, 1, 0]]", NULL, "the row has 1 cells", "");
}

/* ---- flux ---------------------------------------------------------------------------------- */

static parsed with_flux(const char *flux)
{
    char text[512];
    (void)snprintf(text, sizeof text, "  lensletFlux: %s\n" FLUX_AT, flux);
    return parse_edited(FLUX_AT, text);
}

static uint64_t hash_with_flux(const char *flux)
{
    parsed p = with_flux(flux);
    (void)parsed_description(&p);
    uint64_t hash = cltomo_system_hash(p.system);
    parsed_clear(&p);
    return hash;
}

Test(lenslets, flux_for_all_sensors)
{
    const double expected[] = {0, 0.5, 1, 2, 3, 4, 5, 6, 0};
    parsed p = with_flux("[[9, 0.5, 1], [2, 3, 4], [5, 6, 0]]");
    const cltomo_system_description *d = parsed_description(&p);
    for (size_t i = 0; i < 18; ++i) {
        cr_assert_eq(d->lenslet_flux[i], expected[i % 9], "%zu", i);
    }
    parsed_clear(&p);
}

Test(lenslets, flux_for_each_sensor)
{
    parsed p =
        with_flux("[[[9, 1, 1], [2, 3, 4], [5, 6, 0]], [[0, 1e-6, 1e6], [1, 1, 1], [1, 1, 7]]]");
    const cltomo_system_description *d = parsed_description(&p);
    cr_assert_eq(d->lenslet_flux[3], 2.0);
    cr_assert_eq(d->lenslet_flux[9 + 1], 1e-6);
    cr_assert_eq(d->lenslet_flux[9 + 2], 1e6);
    cr_assert_eq(d->lenslet_flux[9 + 8], 0.0);
    parsed_clear(&p);
}

Test(lenslets, flux_that_says_nothing)
{
    uint64_t plain = hash_of("D: 8.5", "D: 8.5");
    parsed p = with_flux("[[3, 1, 1], [1, 1, 1], [1, 1, 0]]");
    cr_assert_null(parsed_description(&p)->lenslet_flux);
    cr_assert_eq(cltomo_system_hash(p.system), plain);
    parsed_clear(&p);
    uint64_t bright = hash_with_flux("[[0, 2, 2], [2, 2, 2], [2, 2, 0]]");
    cr_assert_neq(bright, plain);
    cr_assert_eq(bright, hash_with_flux("[[7, 2, 2], [2, 2, 2], [2, 2, 7]]"));
    cr_assert_eq(bright, hash_with_flux("[[[0, 2, 2], [2, 2, 2], [2, 2, 0]],"
                                        " [[1, 2, 2], [2, 2, 2], [2, 2, 0]]]"));
    cr_assert_neq(bright, hash_with_flux("[[[0, 2, 2], [2, 2, 2], [2, 2, 0]],"
                                         " [[1, 2, 2], [2, 3, 2], [2, 2, 0]]]"));
}

static void refuse_flux(const char *value, const char *key, const char *at, const char *shown,
    const char *message, const char *allowed)
{
    char text[512];
    (void)snprintf(text, sizeof text, "  lensletFlux: %s\n" FLUX_AT, value);
    assert_refused(FLUX_AT, text, key, at, shown, message, allowed);
}

Test(lenslets, flux_that_is_wrong)
{
    const char *low = "its flux is too low";
    const char *range = "1e-06 <= x <= 1e+06";
    refuse_flux(
        "[[0, 1, 1], [1, 0.0, 1], [1, 1, 0]]", FLUX_KEY "[1][1]", "0.0,", "0.0", low, range);
    refuse_flux(
        "[[0, 1, 1], [1, 1, 9e-7], [1, 1, 0]]", FLUX_KEY "[1][2]", "9e-7", "9e-7", low, range);
    refuse_flux("[[-0.5, 1, 1], [1, 1, 1], [1, 1, 0]]", FLUX_KEY "[0][0]", "-0.5", "-0.5",
        "out of range", "0 <= x <= 1e+06");
    refuse_flux("[[0, 1, 1], [1, 1, 1.1e6], [1, 1, 0]]", FLUX_KEY "[1][2]", "1.1e6", "1.1e6",
        "out of range", "0 <= x <= 1e+06");
    refuse_flux("[[0, 1, 1], [1, 1, .nan], [1, 1, 0]]", FLUX_KEY "[1][2]", ".nan", ".nan",
        "not a finite number", "0 <= x");
    refuse_flux("[[0, 1, 1], [1, 1, .inf], [1, 1, 0]]", FLUX_KEY "[1][2]", ".inf", ".inf",
        "not a finite number", "0 <= x");
    refuse_flux("[[0, 1, 1], [1, x, 1], [1, 1, 0]]", FLUX_KEY "[1][1]", "x,", "x", "not a number",
        "0 <= x");
    refuse_flux("[[0, 1, 1], [1, 1], [1, 1, 0]]", FLUX_KEY "[1]", "[1, 1],", "a list of 2",
        "the row has 2 cells", "");
    refuse_flux("[[0, 1], [1, 1]]", FLUX_KEY, "[[0, 1], [1, 1]]", "a list of 2",
        "the map has 2 rows, but nLenslet is 3", "");
    refuse_flux("[[0, 1, 1], 5, [1, 1, 0]]", FLUX_KEY "[1]", "5,", "5", "not a row of the map",
        "a list of numbers");
    refuse_flux("[[[0, 1, 1], [1, 1, 1], [1, 1, 0]]]", FLUX_KEY, "[[[", "a list of 1",
        "the list has 1 map, but nLGS is 2", "");
    refuse_flux("[[[0, 1, 1], [1, 1, 1], [1, 1, 0]], {shape: annulus, outer: 1}]", FLUX_KEY "[1]",
        "{shape", "a mapping", "not a map", "rows of nLenslet numbers");
    refuse_flux("[[[0, 1, 1], [1, 1, 1], [1, 1, 0]], [[0, 1, 1], [1, 0.0, 1], [1, 1, 0]]]",
        FLUX_KEY "[1][1][1]", "0.0,", "0.0", low, range);
    refuse_flux("{shape: annulus, outer: 1}", FLUX_KEY, "{shape", "a mapping", "not a map", "");
    refuse_flux("33", FLUX_KEY, "33\n", "33", "not a map", "rows of nLenslet numbers");
    refuse_flux("[]", FLUX_KEY, "[]", "a list of 0", "the map has 0 rows", "");
}

/* One map of flux serves sensors with maps of their own: it is needed where any of them looks. */
Test(lenslets, flux_for_all_and_a_map_for_each)
{
    const char *const edits[] = {"0", "2"};
    for (size_t i = 0; i < 2; ++i) {
        char text[512];
        (void)snprintf(text, sizeof text,
            " [" FIRST ", " SECOND "]\n  lensletFlux: [[0, 1, 1], [1, 1, 1], [1, 1, %s]]\n",
            edits[i]);
        parsed p = parse_edited(ROWS, text);
        const cltomo_error *error = parsed_find(&p, CLTOMO_SEVERITY_ERROR, FLUX_KEY "[2][2]");
        cr_assert_eq(error != NULL, i == 0);
        if (i == 1) {
            const double *flux = parsed_description(&p)->lenslet_flux;
            cr_assert_eq(flux[8], 0.0);
            cr_assert_eq(flux[9 + 1], 0.0);
            cr_assert_eq(flux[9 + 8], 2.0);
        }
        parsed_clear(&p);
    }
}

/* What they are counted by is reported alone. */
Test(lenslets, without_their_counts)
{
    char text[512];
    (void)snprintf(text, sizeof text, "nLenslet: x\n  lensletFlux: " FIRST "\n");
    parsed p = parse_edited("nLenslet: 3\n", text);
    cr_assert_eq(cltomo_diagnostics_count_severity(p.diagnostics, CLTOMO_SEVERITY_ERROR), 1);
    cr_assert_str_eq(p.error.key, "lgs_wfs_parameters.nLenslet");
    parsed_clear(&p);
}

/* Aliases make a small file ask for a lot. */
Test(lenslets, more_cells_than_a_file_can_hold)
{
    char *many = system_text_edit(system_text, "nLGS: 2", "nLGS: 60");
    char *large = system_text_edit(many, "nLenslet: 3\n", "nLenslet: 256\n  lensletFlux: [[1]]\n");
    parsed p = parse_text(large);
    const cltomo_error *error = parsed_find(&p, CLTOMO_SEVERITY_ERROR, FLUX_KEY);
    cr_assert_not_null(error);
    assert_holds(
        error->message, "maps for 60 sensors of 256 x 256 lenslets have more than 2500000 cells");
    parsed_clear(&p);
    free(large);
    free(many);
}
