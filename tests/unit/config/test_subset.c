/* Subsets of the sensors against configurations that were written with just those. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fault.h"
#include "support/fixture.h"
#include "support/sensors.h"
#include "support/system_text.h"

typedef struct list {
    uint32_t sensor[sensors_max];
    size_t n;
} list;

/* Every subset, all four included. */
static list list_of(unsigned bits)
{
    list l = {.n = 0};
    for (uint32_t i = 0; i < sensors_max; ++i) {
        if ((bits >> i & 1U) != 0) {
            l.sensor[l.n++] = i;
        }
    }
    return l;
}

static parsed parse_list(const list *l)
{
    char *text = sensors_text(l->sensor, l->n);
    parsed p = parse_text(text);
    (void)parsed_description(&p);
    free(text);
    return p;
}

static parsed parse_all(void)
{
    list all = list_of(15);
    return parse_list(&all);
}

static cltomo_system *subset_of(const parsed *p, const uint32_t *sensors, size_t n)
{
    cltomo_system *subset = NULL;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_system_subset(p->context, &subset, p->system, sensors, n, &error),
        CLTOMO_OK, "%s: %s", error.key, error.message);
    return subset;
}

static void expect_bytes(const void *found, const void *expected, size_t size, const char *what)
{
    cr_expect((found == NULL) == (expected == NULL), "%s", what);
    cr_expect(found == NULL || memcmp(found, expected, size) == 0, "%s", what);
}

static void expect_equal(const cltomo_system *found, const cltomo_system *expected)
{
    const cltomo_system_description *f = cltomo_system_get_description(found);
    const cltomo_system_description *e = cltomo_system_get_description(expected);
    const size_t reals = e->n_wfs * sizeof(double);
    const size_t n_cells = (size_t)e->n_lenslets * e->n_lenslets;
    cr_assert_eq(f->n_wfs, e->n_wfs);
    cr_expect_eq(cltomo_system_hash(found), cltomo_system_hash(expected));
    expect_bytes(f->wfs_rotation, e->wfs_rotation, reals, "rotation");
    expect_bytes(f->wfs_offset_x, e->wfs_offset_x, reals, "offset in x");
    expect_bytes(f->wfs_offset_y, e->wfs_offset_y, reals, "offset in y");
    expect_bytes(f->guide_star_x, e->guide_star_x, reals, "guide stars in x");
    expect_bytes(f->guide_star_y, e->guide_star_y, reals, "guide stars in y");
    expect_bytes(f->valid_lenslets, e->valid_lenslets, n_cells, "union of the lenslets");
    expect_bytes(
        f->valid_lenslets_per_wfs, e->valid_lenslets_per_wfs, e->n_wfs * n_cells, "lenslets");
    expect_bytes(f->lenslet_flux, e->lenslet_flux, e->n_wfs * n_cells * sizeof(double), "flux");
    expect_bytes(f->layer_fraction, e->layer_fraction, 3 * sizeof(double), "fractions");
    expect_bytes(f->direction_weight, e->direction_weight, 3 * sizeof(double), "weights");
    expect_bytes(f->direction_height, e->direction_height, 3 * sizeof(double), "heights");
    expect_bytes(f->valid_actuators, e->valid_actuators, 25, "actuators");
    cr_expect_eq(f->pixels_per_lenslet, e->pixels_per_lenslet);
    cltomo_dimensions of_found;
    cltomo_dimensions of_expected;
    cltomo_system_dimensions(found, &of_found);
    cltomo_system_dimensions(expected, &of_expected);
    expect_bytes(&of_found, &of_expected, sizeof of_found, "dimensions");
}

Test(subset, equals_a_configuration_of_those_sensors)
{
    parsed whole = parse_all();
    for (unsigned bits = 1; bits < 16; ++bits) {
        list l = list_of(bits);
        parsed p = parse_list(&l);
        cltomo_system *subset = subset_of(&whole, l.sensor, l.n);
        expect_equal(subset, p.system);
        cr_expect_eq(bits == 15, cltomo_system_hash(subset) == cltomo_system_hash(whole.system));
        cltomo_system_destroy(subset);
        parsed_clear(&p);
    }
    parsed_clear(&whole);
}

/* What the sensors differ in is there to be lost: these have it all, those have none of it. */
Test(subset, drops_maps_and_flux_that_no_longer_differ)
{
    static const uint32_t equal_maps[] = {0, 2};
    static const uint32_t no_flux[] = {1};
    parsed whole = parse_all();
    cltomo_system *subset = subset_of(&whole, equal_maps, 2);
    cr_expect_null(cltomo_system_get_description(subset)->valid_lenslets_per_wfs);
    cr_expect_not_null(cltomo_system_get_description(subset)->lenslet_flux);
    cltomo_system_destroy(subset);
    subset = subset_of(&whole, no_flux, 1);
    cr_expect_null(cltomo_system_get_description(subset)->lenslet_flux);
    cltomo_system_destroy(subset);
    parsed_clear(&whole);
}

/* A system without maps, flux, rotations and offsets of its sensors. */
Test(subset, of_sensors_that_are_alike)
{
    static const uint32_t second = 1;
    cltomo_context *context = fixture_context();
    cltomo_system *whole = fixture_system(context, "keck");
    cltomo_system *subset = NULL;
    cr_assert_eq(cltomo_system_subset(context, &subset, whole, &second, 1, NULL), CLTOMO_OK);
    cltomo_system_description d = *cltomo_system_get_description(whole);
    d.n_wfs = 1;
    ++d.guide_star_x;
    ++d.guide_star_y;
    ++d.wfs_rotation;
    ++d.wfs_offset_x;
    ++d.wfs_offset_y;
    cltomo_system *expected = fixture_describe(context, &d);
    cr_expect_eq(cltomo_system_hash(subset), cltomo_system_hash(expected));
    cltomo_system_destroy(expected);
    cltomo_system_destroy(whole);
    cltomo_system_destroy(subset);
    cltomo_context_destroy(context);
}

static void expect_numbers(const cltomo_system *system, uint32_t first, uint32_t second)
{
    const uint32_t *numbers = cltomo_system_wfs_numbers(system);
    cr_assert_not_null(numbers);
    cr_expect(numbers[0] == first && numbers[1] == second, "%u %u", numbers[0], numbers[1]);
}

Test(subset, tells_where_its_sensors_come_from)
{
    static const uint32_t three[] = {0, 2, 3};
    static const uint32_t two[] = {1, 2};
    static const uint32_t all[] = {0, 1, 2, 3};
    parsed whole = parse_all();
    cr_expect_null(cltomo_system_wfs_numbers(whole.system));
    cltomo_system *subset = subset_of(&whole, three, 3);
    cltomo_system *of_subset = NULL;
    cltomo_system *same = NULL;
    cr_assert_eq(cltomo_system_subset(whole.context, &of_subset, subset, two, 2, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_system_subset(whole.context, &same, of_subset, all, 2, NULL), CLTOMO_OK);
    cltomo_system *complete = subset_of(&whole, all, 4);
    cltomo_system_destroy(whole.system); /* subsets live on */
    whole.system = NULL;
    cltomo_system_destroy(subset);
    expect_numbers(of_subset, 2, 3);
    expect_numbers(same, 2, 3);
    cr_expect_null(cltomo_system_wfs_numbers(complete));
    cltomo_system *described =
        fixture_describe(whole.context, cltomo_system_get_description(of_subset));
    cr_expect_null(cltomo_system_wfs_numbers(described));
    cr_expect_eq(cltomo_system_hash(described), cltomo_system_hash(of_subset));
    cltomo_system_destroy(described);
    cltomo_system_destroy(complete);
    cltomo_system_destroy(same);
    cltomo_system_destroy(of_subset);
    parsed_clear(&whole);
}

/* ---- what is wrong ------------------------------------------------------------------------- */

static void refuse(const parsed *p, const uint32_t *sensors, size_t n, const char *key,
    const char *value, const char *allowed, const char *message)
{
    cltomo_system *subset = p->system;
    cltomo_error error = {0};
    cr_expect_eq(cltomo_system_subset(p->context, &subset, p->system, sensors, n, &error),
        CLTOMO_ERROR_ARGUMENT);
    cr_expect_null(subset);
    cr_expect_str_eq(error.key, key);
    cr_expect_str_eq(error.value, value);
    cr_expect_str_eq(error.allowed, allowed);
    assert_holds(error.message, message);
}

Test(subset, sensors_that_are_wrong)
{
    static const uint32_t beyond[] = {1, 4};
    static const uint32_t twice[] = {2, 2};
    static const uint32_t backwards[] = {0, 3, 1};
    static const uint32_t huge[] = {UINT32_MAX};
    static const uint32_t last_twice[] = {3, 3};
    static const uint32_t many[5] = {0, 1, 2, 3, 4};
    parsed whole = parse_all();
    refuse(&whole, beyond, 2, "sensors[1]", "4", "0 to 3", "no sensor of that number");
    refuse(&whole, huge, 1, "sensors[0]", "4294967295", "0 to 3", "no sensor of that number");
    refuse(&whole, twice, 2, "sensors[1]", "2", "above 2", "ascending order");
    refuse(&whole, backwards, 3, "sensors[2]", "1", "above 3", "ascending order");
    refuse(&whole, last_twice, 2, "sensors[1]", "3", "above 3", "each once");
    refuse(&whole, many, 0, "n_sensors", "0", "1 to 4", "the system has 4 sensors");
    refuse(&whole, many, 5, "n_sensors", "5", "1 to 4", "the system has 4 sensors");
    parsed_clear(&whole);
}

Test(subset, arguments_that_are_missing)
{
    static const uint32_t first = 0;
    parsed p = parse_all();
    cltomo_system *subset = p.system;
    cr_expect_eq(
        cltomo_system_subset(NULL, &subset, p.system, &first, 1, NULL), CLTOMO_ERROR_ARGUMENT);
    cr_expect_null(subset);
    cr_expect_eq(
        cltomo_system_subset(p.context, NULL, p.system, &first, 1, NULL), CLTOMO_ERROR_ARGUMENT);
    cr_expect_eq(
        cltomo_system_subset(p.context, &subset, NULL, &first, 1, NULL), CLTOMO_ERROR_ARGUMENT);
    cr_expect_eq(
        cltomo_system_subset(p.context, &subset, p.system, NULL, 1, NULL), CLTOMO_ERROR_ARGUMENT);
    parsed_clear(&p);
}

static cltomo_status attempt(const cltomo_context *context, void *user, cltomo_error *error)
{
    static const uint32_t sensors[] = {0, 1, 3};
    cltomo_system *subset = NULL;
    cltomo_status status = cltomo_system_subset(context, &subset, user, sensors, 3, error);
    cr_assert((subset != NULL) == (status == CLTOMO_OK));
    cltomo_system_destroy(subset);
    return status;
}

Test(subset, memory_may_run_out)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    char *text = sensors_all_text();
    cltomo_system *whole = NULL;
    cr_assert_eq(
        cltomo_system_parse(context, &whole, NULL, text, strlen(text), NULL, NULL), CLTOMO_OK);
    cr_assert_gt(fault_each(&state, context, attempt, whole), 15);
    cltomo_system_destroy(whole);
    cltomo_context_destroy(context);
    free(text);
}
