#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/system_text.h"

#define LENSLETS "    - [0, 1, 1]\n    - [1, 1, 1]\n    - [1, 1, 0]\n"
#define KEY "lgs_wfs_parameters.validLLMap"

static void assert_lenslets(const char *from, const char *to, const char *cells)
{
    parsed p = parse_edited(from, to);
    const cltomo_system_description *d = parsed_description(&p);
    cr_assert_eq((size_t)d->n_lenslets * d->n_lenslets, strlen(cells));
    for (size_t i = 0; i < strlen(cells); ++i) {
        cr_assert_eq(d->valid_lenslets[i], cells[i] - '0', "cell %zu of %s", i, to);
    }
    parsed_clear(&p);
}

/* Not equal to its transpose nor to any of its mirror images. */
Test(map, rows_stay_rows)
{
    assert_lenslets(LENSLETS, "    - [0, 1, 0]\n    - [1, 1, 1]\n    - [1, 0, 0]\n", "010111100");
}

Test(map, ragged)
{
    assert_refused("[1, 1, 0]", "[1, 1]", KEY "[2]", "[1, 1]\n", "a list of 2",
        "the row has 2 cells, but the map has 3 rows", "");
    assert_refused(
        "[0, 1, 1]\n", "[0, 1, 1, 1]\n", KEY "[0]", "[0, 1, 1, 1]", "a list of 4", "4 cells", "");
}

Test(map, every_ragged_row_is_named)
{
    parsed p = parse_edited(LENSLETS, "    - [1]\n    - [1, 1, 1]\n    - [1, 1]\n");
    cr_assert_not_null(parsed_find(&p, CLTOMO_SEVERITY_ERROR, KEY "[0]"));
    cr_assert_null(parsed_find(&p, CLTOMO_SEVERITY_ERROR, KEY "[1]"));
    cr_assert_not_null(parsed_find(&p, CLTOMO_SEVERITY_ERROR, KEY "[2]"));
    parsed_clear(&p);
}

Test(map, not_square)
{
    assert_refused(LENSLETS, "    - [1, 1, 1]\n    - [1, 1, 1]\n", KEY "[0]", "[1, 1, 1]", NULL,
        "the map has 2 rows and must be square", "");
}

Test(map, other_size_than_the_sensor_or_the_mirror)
{
    assert_refused("nLenslet: 3", "nLenslet: 4", KEY, "- [0, 1, 1]", "a list of 3",
        "the map has 3 rows, but nLenslet is 4", "");
    assert_refused("nActuators: [4]", "nActuators: [5]", "dm_parameters.validActuators",
        "- [0, 1, 1, 0]", "a list of 4", "the map has 4 rows, but nActuators is 5", "");
}

Test(map, empty)
{
    assert_refused("  validLLMap:\n" LENSLETS, "  validLLMap: []\n", KEY, "[]", "a list of 0",
        "the map is empty", "annulus");
    assert_refused("  validLLMap:\n" LENSLETS, "  validLLMap: [[], [], []]\n", KEY "[0]", "[], [],",
        "a list of 0", "0 cells", "");
    assert_refused("  validLLMap:\n" LENSLETS, "  validLLMap:\n", KEY, "validLLMap", "",
        "the key has no value", "");
    assert_refused(LENSLETS, "    - [0, 0, 0]\n    - [0, 0, 0]\n    - [0, 0, 0]\n", KEY,
        "- [0, 0, 0]", "a list of 3", "no cell of the map is valid", "at least one");
}

Test(map, cells_that_are_neither_0_nor_1)
{
    const char *const cells[] = {"2", "-1", "0.5", "x", "\"1\"", "~", ".nan", "[1]", "0x1"};
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; ++i) {
        char to[64];
        snprintf(to, sizeof to, "[1, 1, %s]", cells[i]);
        assert_refused("[1, 1, 0]", to, KEY "[2][2]", NULL, NULL, "not a cell", "0 or 1");
    }
    parsed p = parse_edited("[1, 1, 0]", "[1, 7, 0]");
    cr_assert_eq(p.error.line, 9);
    cr_assert_eq(p.error.column, 11);
    cr_assert_str_eq(p.error.value, "7");
    parsed_clear(&p);
}

Test(map, things_that_are_no_map)
{
    assert_refused("  validLLMap:\n" LENSLETS, "  validLLMap: circle\n", KEY, "circle", "circle",
        "not a map", "annulus");
    assert_refused("[0, 1, 1]", "011", KEY "[0]", "011", "011", "not a row", "zeros and ones");
}

Test(map, a_million_wrong_cells_are_not_all_listed)
{
    parsed p = parse_edited(LENSLETS, "    - [2, 2, 2]\n    - [2, 2, 2]\n    - [2, 2, 2]\n");
    cr_assert_eq(cltomo_diagnostics_count_severity(p.diagnostics, CLTOMO_SEVERITY_ERROR), 5);
    const cltomo_error *last = parsed_find(&p, CLTOMO_SEVERITY_ERROR, KEY "[1][1]");
    cr_assert_not_null(last);
    assert_holds(last->message, "further ones with this key are not listed");
    parsed_clear(&p);
}

Test(map, more_rows_than_any_sensor)
{
    static char to[1025 * 10 + 1];
    for (size_t i = 0; i < 1025; ++i) {
        memcpy(to + i * 10, "    - [1]\n", 11);
    }
    assert_refused(LENSLETS, to, KEY, NULL, "a list of 1025", "1025 rows, more than 1024", "");
}

/* ---- annulus ------------------------------------------------------------------------------- */

static void assert_annulus(const char *n, const char *annulus, const char *cells)
{
    char to[256];
    snprintf(to, sizeof to, "nLenslet: %s\n  validLLMap: %s", n, annulus);
    assert_lenslets(
        "nLenslet: 3\n  nPx: 8\n  fieldStopSize: 4\n  validLLMap:\n    - [0, 1, 1]\n    - [1, 1, "
        "1]\n    - [1, 1, 0]",
        to, cells);
}

Test(map, annulus_of_odd_size)
{
    assert_annulus("3", "{shape: annulus, outer: 1.5}", "111111111");
    assert_annulus("3", "{shape: annulus, outer: 1}", "010111010"); /* a centre on the circle */
    assert_annulus("3", "{shape: annulus, outer: 0.999}", "000010000");
    assert_annulus("3", "{shape: annulus, outer: 1.5, inner: 0.5}", "111101111");
    assert_annulus("3", "{inner: 1, outer: 1, shape: annulus}", "010101010");
    assert_annulus("3", "\n    shape: annulus\n    outer: 1", "010111010");
}

Test(map, annulus_of_even_size)
{
    assert_annulus("4", "{shape: annulus, outer: 2}", "0110111111110110");
    assert_annulus("4", "{shape: annulus, outer: 2, inner: 1}", "0110100110010110");
    assert_annulus("4", "{shape: annulus, outer: 3, inner: 2}", "1001000000001001");
    assert_annulus("1", "{shape: annulus, outer: 0}", "1");
}

static void assert_annulus_refused(const char *annulus, const char *key, const char *at,
    const char *value, const char *message, const char *allowed)
{
    char to[256];
    snprintf(to, sizeof to, "  validLLMap: %s\n", annulus);
    assert_refused("  validLLMap:\n" LENSLETS, to, key, at, value, message, allowed);
}

Test(map, annulus_with_mistakes)
{
    assert_annulus_refused("{shape: circle, outer: 1}", KEY ".shape", "circle", "circle",
        "shape of the map is unknown", "annulus");
    assert_annulus_refused("{outer: 1}", KEY ".shape", "{outer", "a mapping",
        "shape of the map is unknown", "annulus");
    assert_annulus_refused("{shape: annulus}", KEY ".outer", "{shape", "a mapping",
        "the outer radius is missing", "RADIUS");
    assert_annulus_refused("{shape: annulus, outer: -1}", KEY ".outer", "-1", "-1", "out of range",
        "0 <= x <= 1024 cells");
    assert_annulus_refused("{shape: annulus, outer: wide}", KEY ".outer", "wide", "wide",
        "not a number", "0 <= x <= 1024 cells");
    assert_annulus_refused("{shape: annulus, outer: .inf}", KEY ".outer", ".inf", ".inf",
        "not a finite number", "0 <= x <= 1024 cells");
    assert_annulus_refused("{shape: annulus, outer: 1, inner: 2}", KEY ".inner", "2}", "2",
        "larger than the outer one", "");
    assert_annulus_refused("{shape: annulus, outer: 1, radius: 2}", KEY ".radius", "radius", "",
        "an annulus has shape, outer and inner", "");
    assert_annulus_refused("{shape: annulus, outer: 0.9, inner: 0.5}", KEY, "{shape", "a mapping",
        "no cell of the map is valid", "at least one");
}

Test(map, annulus_of_unknown_size_adds_no_second_complaint)
{
    parsed p = parse_edited("nLenslet: 3\n  nPx: 8\n  fieldStopSize: 4\n  validLLMap:\n" LENSLETS,
        "nLenslet: none\n  validLLMap: {shape: annulus, outer: 1}\n");
    cr_assert_eq(p.status, CLTOMO_ERROR_CONFIG);
    cr_assert_eq(cltomo_diagnostics_count_severity(p.diagnostics, CLTOMO_SEVERITY_ERROR), 1);
    parsed_clear(&p);
}
