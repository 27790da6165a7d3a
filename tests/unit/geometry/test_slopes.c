/* Orders of slopes against an enumeration that is written down for each order by itself. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/geometry.h"
#include "support/fault.h"
#include "support/fixture.h"

enum { n_across = 5, n_lenslets = 16, n_wfs = 3, n_slopes = 2 * n_lenslets * n_wfs };

static const char map[n_across][n_across + 1] = {"01110", "11111", "11011", "01110", "00100"};

static void list_lenslets(cltomo_slope *lenslets, bool by_column)
{
    size_t k = 0;
    for (uint32_t a = 0; a < n_across; ++a) {
        for (uint32_t b = 0; b < n_across; ++b) {
            uint32_t row = by_column ? b : a;
            uint32_t col = by_column ? a : b;
            if (map[row][col] == '1') {
                lenslets[k++] = (cltomo_slope){0, row, col, 0};
            }
        }
    }
    cr_assert_eq(k, n_lenslets);
}

static void list_slopes(
    cltomo_slope *slopes, cltomo_slope_order slope_order, cltomo_lenslet_order lenslet_order)
{
    cltomo_slope lenslets[n_lenslets];
    cltomo_slope *next = slopes;
    list_lenslets(lenslets, lenslet_order == CLTOMO_LENSLETS_COLUMN);
    for (uint32_t wfs = 0; wfs < n_wfs; ++wfs) {
        if (slope_order == CLTOMO_SLOPES_INTERLEAVED) {
            for (size_t k = 0; k < n_lenslets; ++k) {
                *next++ = (cltomo_slope){wfs, lenslets[k].lenslet_row, lenslets[k].lenslet_col, 0};
                *next++ = (cltomo_slope){wfs, lenslets[k].lenslet_row, lenslets[k].lenslet_col, 1};
            }
            continue;
        }
        uint32_t first = slope_order == CLTOMO_SLOPES_XY ? 0 : 1;
        for (uint32_t half = 0; half < 2; ++half) {
            uint32_t axis = half == 0 ? first : 1 - first;
            for (size_t k = 0; k < n_lenslets; ++k) {
                *next++ =
                    (cltomo_slope){wfs, lenslets[k].lenslet_row, lenslets[k].lenslet_col, axis};
            }
        }
    }
}

static const cltomo_slope_order slope_orders[] = {
    CLTOMO_SLOPES_XY, CLTOMO_SLOPES_YX, CLTOMO_SLOPES_INTERLEAVED};
static const cltomo_lenslet_order lenslet_orders[] = {CLTOMO_LENSLETS_ROW, CLTOMO_LENSLETS_COLUMN};

Test(slopes, each_order_lists_the_slopes_as_it_says)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    for (size_t a = 0; a < 3; ++a) {
        for (size_t b = 0; b < 2; ++b) {
            cltomo_slope expected[n_slopes];
            cltomo_slope slopes[n_slopes];
            list_slopes(expected, slope_orders[a], lenslet_orders[b]);
            cr_assert_eq(cltomo_system_slopes(
                             system, slopes, n_slopes, slope_orders[a], lenslet_orders[b], NULL),
                CLTOMO_OK);
            cr_expect_eq(memcmp(slopes, expected, sizeof slopes), 0, "orders %zu, %zu", a, b);
        }
    }
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

/* Two sensors of 2 x 2 lenslets, three valid in one and two in the other, written out. */
Test(slopes, sensors_with_lenslets_of_their_own)
{
    const uint8_t maps[] = {1, 0, 1, 1, /* */ 0, 1, 1, 0};
    const double zero[] = {0.0, 0.0};
    const double star[] = {1e-5, -2e-5};
    const double one = 1.0;
    const cltomo_slope expected[] = {{0, 0, 0, 1}, {0, 1, 0, 1}, {0, 1, 1, 1}, {0, 0, 0, 0},
        {0, 1, 0, 0}, {0, 1, 1, 0}, {1, 1, 0, 1}, {1, 0, 1, 1}, {1, 1, 0, 0}, {1, 0, 1, 0}};
    cltomo_slope slopes[10];
    cltomo_dimensions dimensions;
    cltomo_context *context = fixture_context();
    cltomo_system_description d = cltomo_system_description_init();
    d.telescope_diameter = 2.0;
    d.n_lenslets = 2;
    d.valid_lenslets_per_wfs = maps;
    d.n_wfs = 2;
    d.guide_star_x = star;
    d.guide_star_y = zero;
    d.guide_star_wavelength = 5e-7;
    d.guide_star_height = 90e3;
    d.r0 = 0.15;
    d.L0 = 25.0;
    d.n_layers = 1;
    d.layer_altitude = zero;
    d.layer_fraction = &one;
    d.n_directions = 2;
    d.direction_x = star;
    d.direction_y = zero;
    cltomo_system *system = fixture_describe(context, &d);
    cltomo_system_dimensions(system, &dimensions);
    cr_expect_eq(dimensions.n_lenslets, 4);
    cr_expect_eq(dimensions.n_slopes, 10);
    cr_expect_eq(dimensions.n_phase, 25); /* the union's */
    cr_expect_eq(dimensions.n_directions, 2);
    cr_assert_eq(
        cltomo_system_slopes(system, slopes, 10, CLTOMO_SLOPES_YX, CLTOMO_LENSLETS_COLUMN, NULL),
        CLTOMO_OK);
    cr_expect_eq(memcmp(slopes, expected, sizeof slopes), 0);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(slopes, permutations_lead_from_the_library_s_order)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_geometry *geometry = NULL;
    cltomo_slope own[n_slopes];
    list_slopes(own, CLTOMO_SLOPES_XY, CLTOMO_LENSLETS_ROW);
    cr_assert_eq(cltomo_geometry_create(context, &geometry, system, NULL), CLTOMO_OK);
    for (size_t a = 0; a < 3; ++a) {
        for (size_t b = 0; b < 2; ++b) {
            uint32_t *permutation = NULL;
            cltomo_slope wanted[n_slopes];
            bool taken[n_slopes] = {false};
            bool identity = true;
            list_slopes(wanted, slope_orders[a], lenslet_orders[b]);
            cr_assert_eq(cltomo_slope_permutation(system, &permutation, geometry, slope_orders[a],
                             lenslet_orders[b], NULL),
                CLTOMO_OK);
            for (size_t k = 0; k < n_slopes; ++k) {
                cr_assert_lt(permutation[k], n_slopes);
                cr_assert_not(taken[permutation[k]]);
                taken[permutation[k]] = true;
                identity = identity && permutation[k] == k;
                cr_assert_eq(memcmp(&own[permutation[k]], &wanted[k], sizeof *own), 0);
            }
            cr_expect_eq(identity, a == 0 && b == 0);
            cr_expect_eq(cltomo_is_own_order(slope_orders[a], lenslet_orders[b]), identity);
            cltomo_release(context, permutation);
        }
    }
    cltomo_geometry_destroy(geometry);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

static void expect_refused(const cltomo_system *system, size_t n, cltomo_slope_order slope_order,
    cltomo_lenslet_order lenslet_order, cltomo_status expected, const char *key)
{
    cltomo_slope untouched = {7, 7, 7, 7};
    cltomo_error error = {0};
    cr_expect_eq(
        cltomo_system_slopes(system, &untouched, n, slope_order, lenslet_order, &error), expected);
    cr_expect_eq(error.status, expected);
    cr_expect_str_eq(error.key, key);
    cr_expect_eq(untouched.wfs, 7);
    cr_expect_eq(
        cltomo_system_slopes(system, &untouched, n, slope_order, lenslet_order, NULL), expected);
}

Test(slopes, refuses_unknown_orders_and_wrong_room)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_slope_order xy = CLTOMO_SLOPES_XY;
    cltomo_lenslet_order row = CLTOMO_LENSLETS_ROW;
    expect_refused(
        system, n_slopes, (cltomo_slope_order)3, row, CLTOMO_ERROR_ARGUMENT, "slope_order");
    expect_refused(
        system, n_slopes, (cltomo_slope_order)-1, row, CLTOMO_ERROR_ARGUMENT, "slope_order");
    expect_refused(
        system, n_slopes, xy, (cltomo_lenslet_order)2, CLTOMO_ERROR_ARGUMENT, "lenslet_order");
    expect_refused(system, n_slopes - 1, xy, row, CLTOMO_ERROR_SHAPE, "");
    expect_refused(system, n_slopes + 1, xy, row, CLTOMO_ERROR_SHAPE, "");
    expect_refused(system, 0, xy, row, CLTOMO_ERROR_SHAPE, "");
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(slopes, a_permutation_fails_cleanly)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_geometry *geometry = NULL;
    cr_assert_eq(cltomo_geometry_create(context, &geometry, system, NULL), CLTOMO_OK);
    long live = atomic_load(&state.live);
    uint32_t *permutation = (uint32_t *)(uintptr_t)1;
    cr_assert_eq(cltomo_slope_permutation(system, &permutation, geometry, (cltomo_slope_order)9,
                     CLTOMO_LENSLETS_ROW, NULL),
        CLTOMO_ERROR_ARGUMENT);
    cr_assert_null(permutation);
    for (long n = 0; n < 3; ++n) {
        permutation = (uint32_t *)(uintptr_t)1;
        atomic_store(&state.left, n);
        cr_assert_eq(cltomo_slope_permutation(system, &permutation, geometry, CLTOMO_SLOPES_YX,
                         CLTOMO_LENSLETS_ROW, NULL),
            CLTOMO_ERROR_MEMORY);
        cr_assert_null(permutation);
        cr_assert_eq(atomic_load(&state.live), live);
    }
    cltomo_geometry_destroy(geometry);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
    cr_assert_eq(atomic_load(&state.live), 0);
}
