#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/system_text.h"

#define GRID "  fovOptimization: 10\n  nFitSrc: 3\n"
#define SECTION "tomography_parameters."
#define PAIRS "  directions: [[1, -2], [0, 3.5], [20, 0]]\n"

static const double arcsecond = 3.14159265358979323846 / 648000.0;

static parsed with(const char *keys)
{
    return parse_edited(GRID, keys);
}

static uint64_t hash_with(const char *keys)
{
    parsed p = with(keys);
    (void)parsed_description(&p);
    uint64_t hash = cltomo_system_hash(p.system);
    parsed_clear(&p);
    return hash;
}

Test(directions, listed)
{
    parsed p = with(PAIRS "  directionWeights: [1, 2, 1]\n"
                          "  directionHeights: [90e3, .inf, 6000]\n");
    const cltomo_system_description *d = parsed_description(&p);
    const double x[] = {1.0, 0.0, 20.0};
    const double y[] = {-2.0, 3.5, 0.0};
    const double weight[] = {0.25, 0.5, 0.25};
    const double height[] = {90e3, (double)INFINITY, 6000.0};
    cr_assert_eq(d->n_directions, 3);
    for (size_t i = 0; i < 3; ++i) {
        cr_assert_eq(d->direction_x[i], tan(x[i] * arcsecond));
        cr_assert_eq(d->direction_y[i], tan(y[i] * arcsecond));
        cr_assert_eq(d->direction_weight[i], weight[i]);
        cr_assert_eq(d->direction_height[i], height[i]);
    }
    cr_assert_eq(d->n_directions_across, 1);
    cr_assert_eq(d->field_of_view, 0.0);
    parsed_clear(&p);
}

Test(directions, what_says_nothing_is_left_out)
{
    parsed p = with(PAIRS "  directionWeights: [2, 2, 2]\n"
                          "  directionHeights: [.inf, .inf, .inf]\n");
    const cltomo_system_description *d = parsed_description(&p);
    cr_assert_null(d->direction_weight);
    cr_assert_null(d->direction_height);
    cr_assert_eq(cltomo_system_hash(p.system), hash_with(PAIRS));
    parsed_clear(&p);
}

Test(directions, hash)
{
    const char *const different[] = {
        GRID,
        PAIRS,
        "  directions: [[0, 3.5], [1, -2], [20, 0]]\n",
        "  directions: [[1, -2], [0, 3.5]]\n",
        PAIRS "  directionWeights: [1, 2, 1]\n",
        PAIRS "  directionWeights: [1, 1, 2]\n",
        PAIRS "  directionHeights: [90e3, .inf, 6000]\n",
        PAIRS "  directionHeights: [90e3, 90e3, 90e3]\n",
    };
    for (size_t i = 0; i < sizeof different / sizeof different[0]; ++i) {
        for (size_t k = 0; k < i; ++k) {
            cr_assert_neq(hash_with(different[i]), hash_with(different[k]), "%zu %zu", i, k);
        }
    }
    cr_assert_eq(hash_with(PAIRS "  directionWeights: [1, 2, 1]\n"),
        hash_with(PAIRS "  directionWeights: [0.5, 1, 0.5]\n"));
    cr_assert_eq(hash_with(PAIRS "  directionWeights: [1, 2, 7]\n"),
        hash_with(PAIRS "  directionWeights: [0.1, 0.2, 0.7]\n"));
}

Test(directions, the_grid_has_no_effect)
{
    parsed p = with(PAIRS GRID);
    const cltomo_error *across = parsed_find(&p, CLTOMO_SEVERITY_WARNING, SECTION "nFitSrc");
    const cltomo_error *field = parsed_find(&p, CLTOMO_SEVERITY_WARNING, SECTION "fovOptimization");
    cr_assert_eq(cltomo_system_hash(p.system), hash_with(PAIRS));
    cr_assert_not_null(across);
    cr_assert_not_null(field);
    assert_holds(across->message, "no effect, directions are given");
    assert_holds(field->message, "no effect, directions are given");
    parsed_clear(&p);
    p = with(PAIRS "  fovOptimization: 10\n  nFitSrc: 1\n"); /* one warning each, not two */
    cr_assert_eq(parsed_description(&p)->n_directions, 3);
    size_t n = 0;
    for (size_t i = 0; i < cltomo_diagnostics_count(p.diagnostics); ++i) {
        n += strstr(cltomo_diagnostics_get(p.diagnostics, i)->key, SECTION) != NULL;
    }
    cr_assert_eq(n, 2);
    parsed_clear(&p);
}

Test(directions, most)
{
    static char text[32 * 1100];
    for (size_t count = 1024; count <= 1025; ++count) {
        size_t length = (size_t)snprintf(text, sizeof text, "  directions: [[0, 0]");
        for (size_t i = 1; i < count; ++i) {
            length += (size_t)snprintf(text + length, sizeof text - length, ", [%zu, 1]", i);
        }
        (void)snprintf(text + length, sizeof text - length, "]\n");
        parsed p = with(text);
        if (count == 1024) {
            cr_assert_eq(parsed_description(&p)->n_directions, 1024);
        } else {
            const cltomo_error *e = parsed_find(&p, CLTOMO_SEVERITY_ERROR, SECTION "directions");
            cr_assert_not_null(e);
            assert_holds(e->message, "the list has 1025 elements, more than 1024");
        }
        parsed_clear(&p);
    }
}

static void refuse(const char *keys, const char *key, const char *at, const char *shown,
    const char *message, const char *allowed)
{
    char name[128];
    (void)snprintf(name, sizeof name, SECTION "%s", key);
    assert_refused(GRID, keys, name, at, shown, message, allowed);
}

#define WEIGHTS(list) PAIRS "  directionWeights: " list "\n"
#define HEIGHTS(list) PAIRS "  directionHeights: " list "\n"

Test(directions, that_are_wrong)
{
    const char *pairs = "a list of [x, y] pairs in arcsec";
    refuse("  directions: 33\n", "directions", "33\n", "33", "not a list", pairs);
    refuse("  directions: []\n", "directions", "[]", "a list of 0", "empty", pairs);
    refuse(
        "  directions: [[1, 2], 88]\n", "directions[1]", "88]", "88", "not an [x, y] pair", pairs);
    refuse("  directions: [[1, 2, 3]]\n", "directions[0]", "[1, 2, 3]", "a list of 3",
        "not an [x, y] pair", pairs);
    refuse("  directions: [[1, 2], [x, 4]]\n", "directions[1][0]", "x,", "x", "not a number",
        "-3600 <= x <= 3600 arcsec");
    refuse("  directions: [[1, 2], [3, 4000]]\n", "directions[1][1]", "4000", "4000",
        "out of range", "-3600 <= x <= 3600 arcsec");
    refuse(WEIGHTS("[1, 2]"), "directionWeights", "[1, 2]\n", "a list of 2",
        "the list has 2 elements, but the number of directions is 3", "");
    refuse(WEIGHTS("[1, -2, 1]"), "directionWeights[1]", "-2, 1]", "-2", "out of range",
        "0 <= x <= 1e+12");
    refuse(WEIGHTS("[0, 0, 0]"), "directionWeights", "[0, 0, 0]", "a list of 3",
        "every weight is 0", "at least one above 0");
    refuse(
        WEIGHTS("[1, .inf, 1]"), "directionWeights[1]", ".inf", ".inf", "not a finite", "0 <= x");
    refuse(WEIGHTS("11"), "directionWeights", "11\n", "11", "not a list", "");
    refuse(HEIGHTS("[.inf, 7000]"), "directionHeights", "[.inf, 7", "a list of 2",
        "the list has 2 elements, but the number of directions is 3", "");
    refuse(HEIGHTS("[.inf, 7000, 0.0e0]"), "directionHeights[2]", "0.0e0]", "0.0e0", "out of range",
        "1 <= x <= 1e+12 m, or .inf");
    refuse(HEIGHTS("[.inf, .nan, 7000]"), "directionHeights[1]", ".nan", ".nan", "not a finite",
        "1 <= x");
    refuse(HEIGHTS("[.inf, 5500, 7000]"), "directionHeights[1]", "5500", "5500",
        "the source is not above every layer", "above the highest layer, at 5500 m");
    refuse(GRID "  directionWeights: [1, 2, 3]\n", "directionWeights", "[1, 2, 3]", "a list of 3",
        "goes with directions, which are not given", "");
    refuse(GRID "  directionHeights: [1, 2, 3]\n", "directionHeights", "[1, 2, 3]", "a list of 3",
        "goes with directions, which are not given", "");
}

/* A grid in vain is still checked for what its values are. */
Test(directions, a_grid_that_is_wrong)
{
    refuse(PAIRS "  nFitSrc: 129\n", "nFitSrc", "129\n", "129", "out of range", "from 1 to 128");
}

/* Layers without strength may be above the sources, as above the guide stars. */
Test(directions, heights_count_layers_of_nonzero_strength)
{
    parsed p = parse_edited(
        "tomography_parameters:\n" GRID, "tomography_parameters:\n" HEIGHTS("[.inf, 5501, 7000]"));
    (void)parsed_description(&p);
    parsed_clear(&p);
    assert_refused("altitude: [0, 5.5]", "altitude: [0, x]", "atmosphere_parameters.altitude[1]",
        "x]", "x", "not a number", "km");
}
