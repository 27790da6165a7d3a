/* Dimensions and projections against their definitions and the high-precision evaluation. */
#include "geometry/geometry.h"

#include <criterion/criterion.h>
#include <math.h>

#include "support/fault.h"
#include "support/fixture.h"

static cltomo_geometry *create(const cltomo_context *context, const cltomo_system *system)
{
    cltomo_geometry *geometry = NULL;
    cltomo_error error = {0};
    cr_assert_eq(
        cltomo_geometry_create(context, &geometry, system, &error), CLTOMO_OK, "%s", error.message);
    return geometry;
}

Test(geometry, dimensions_of_the_asymmetric_system)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_dimensions d;
    cltomo_system_dimensions(system, &d);
    double zenith = 37.0 * acos(-1.0) / 180.0;
    cr_expect_eq(d.n_wfs, 3);
    cr_expect_eq(d.n_lenslets, 16);
    cr_expect_eq(d.n_grid, 19);
    cr_expect_eq(d.n_slopes, 96);
    cr_expect_eq(d.n_actuators, 25);
    cr_expect_eq(d.n_layers, 3);
    cr_expect_eq(d.n_directions, 4);
    cr_expect_float_eq(d.grid_spacing, 0.37, 1e-15);
    cr_expect_float_eq(d.grid_span, 3.7 * 9.0 / 5.0, 1e-14);
    cr_expect_float_eq(d.airmass, 1.0 / cos(zenith), 1e-14);
    cr_expect_float_eq(d.r0, 0.14 * pow(cos(zenith), 0.6), 1e-15);
    cr_expect_float_eq(d.guide_star_height, 90000.0 / cos(zenith), 1e-9);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

static const char *const golden_names[] = {"small_asymmetric", "small_directions", "small_single"};

Test(geometry, mask_equals_the_high_precision_evaluation)
{
    static const char *const others[] = {"revolt", "kapa", "keck", "reduced_kapa"};
    cltomo_context *context = fixture_context();
    for (size_t s = 0; s < 7; ++s) {
        const char *name = s < 3 ? golden_names[s] : others[s - 3];
        golden_array mask = fixture_golden(name, "mask");
        cltomo_system *system = fixture_system(context, name);
        cltomo_geometry *g = create(context, system);
        cr_assert_eq(mask.rows, g->n_grid);
        cr_assert_eq(mask.columns, g->n_grid);
        int32_t k = 0;
        for (size_t i = 0; i < g->n_grid * g->n_grid; ++i) {
            if (mask.data[i] != 0.0) {
                cr_assert_eq(g->phase_index[i], k, "%s: point %zu", name, i);
                cr_assert_eq(g->phase[k].row * g->n_grid + g->phase[k].col, i);
                ++k;
            } else {
                cr_assert_eq(g->phase_index[i], -1, "%s: point %zu", name, i);
            }
        }
        cr_assert_eq((size_t)k, g->n_phase);
        cltomo_geometry_destroy(g);
        cltomo_system_destroy(system);
        golden_destroy(&mask);
    }
    cltomo_context_destroy(context);
}

Test(geometry, projections_equal_the_high_precision_evaluation)
{
    cltomo_context *context = fixture_context();
    for (size_t s = 0; s < 3; ++s) {
        golden_array projected = fixture_golden(golden_names[s], "projected");
        cltomo_system *system = fixture_system(context, golden_names[s]);
        cltomo_geometry *g = create(context, system);
        cr_assert_eq(projected.rows, g->n_wfs * g->n_layers * g->n_phase);
        cr_assert_eq(projected.columns, 2);
        const double *expected = projected.data;
        for (size_t i = 0; i < g->n_wfs; ++i) {
            for (size_t l = 0; l < g->n_layers; ++l) {
                size_t at = i * g->n_layers + l;
                for (size_t k = 0; k < g->n_phase; ++k, expected += 2) {
                    double x = g->phase[k].x;
                    double y = g->phase[k].y;
                    double turned_x = x * cos(g->rotation[i]) - y * sin(g->rotation[i]);
                    double turned_y = y * cos(g->rotation[i]) + x * sin(g->rotation[i]);
                    double px = g->scale[at] * turned_x + g->shift_x[at];
                    double py = g->scale[at] * turned_y + g->shift_y[at];
                    cr_assert_float_eq(px, expected[0], 1e-14 * g->span);
                    cr_assert_float_eq(py, expected[1], 1e-14 * g->span);
                }
            }
        }
        cltomo_geometry_destroy(g);
        cltomo_system_destroy(system);
        golden_destroy(&projected);
    }
    cltomo_context_destroy(context);
}

Test(geometry, coordinates_are_centred)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_directions");
    cltomo_geometry *g = create(context, system);
    cr_expect_eq(cltomo_grid_coordinate(g, 8), 0.0);
    cr_expect_float_eq(cltomo_grid_coordinate(g, 0), -0.5 * g->span, 1e-15);
    cr_expect_float_eq(cltomo_grid_coordinate(g, 16), 0.5 * g->span, 1e-15);
    for (size_t k = 0; k < g->n_phase; ++k) {
        cr_expect_eq(g->phase[k].x, cltomo_grid_coordinate(g, g->phase[k].col));
        cr_expect_eq(g->phase[k].y, cltomo_grid_coordinate(g, g->phase[k].row));
    }
    cltomo_geometry_destroy(g);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(geometry, directions_cover_the_field_with_its_ends)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_directions");
    cltomo_geometry *g = create(context, system);
    double half = tan(13.0 / 3600.0 * acos(-1.0) / 180.0);
    cr_assert_eq(g->n_directions_across, 3);
    cr_expect_float_eq(g->direction[0], -half, 1e-19);
    cr_expect_eq(g->direction[1], 0.0);
    cr_expect_float_eq(g->direction[2], half, 1e-19);
    cltomo_geometry_destroy(g);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(geometry, layers_without_strength_do_not_count)
{
    cltomo_context *context = fixture_context();
    cltomo_system *base = fixture_system(context, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(base);
    const double altitude[] = {200000.0, 0.0, 90000.0, 4300.0, 700.0, 11800.0}; /* not in order */
    const double fraction[] = {0.0, 0.55, 0.0, 0.27, 0.0, 0.18};
    d.n_layers = 6;
    d.layer_altitude = altitude;
    d.layer_fraction = fraction;
    d.wind_speed = NULL;
    d.wind_direction = NULL;
    cltomo_system *system = fixture_describe(context, &d);
    cltomo_geometry *plain = create(context, base);
    cltomo_geometry *g = create(context, system);
    cr_assert_eq(g->n_layers, 3);
    for (size_t l = 0; l < 3; ++l) {
        cr_expect_eq(g->height[l], plain->height[l]);
        cr_expect_eq(g->fraction[l], plain->fraction[l]);
    }
    for (size_t k = 0; k < 9; ++k) {
        cr_expect_eq(g->scale[k], plain->scale[k]);
        cr_expect_eq(g->shift_x[k], plain->shift_x[k]);
        cr_expect_eq(g->shift_y[k], plain->shift_y[k]);
        cr_expect_gt(g->scale[k], 0.0);
    }
    cltomo_geometry_destroy(plain);
    cltomo_geometry_destroy(g);
    cltomo_system_destroy(system);
    cltomo_system_destroy(base);
    cltomo_context_destroy(context);
}

Test(geometry, natural_stars_keep_the_scale)
{
    cltomo_context *context = fixture_context();
    cltomo_system *base = fixture_system(context, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(base);
    d.guide_star_height = INFINITY;
    cltomo_system *system = fixture_describe(context, &d);
    cltomo_geometry *g = create(context, system);
    cr_expect(isinf(g->guide_star_height));
    for (size_t i = 0; i < g->n_wfs; ++i) {
        for (size_t l = 0; l < g->n_layers; ++l) {
            size_t k = i * g->n_layers + l;
            cr_expect_eq(g->scale[k], 1.0);
            cr_expect_float_eq(g->shift_x[k],
                d.guide_star_x[i] * g->height[l] - d.wfs_offset_x[i] * g->span, 1e-15);
            cr_expect_float_eq(g->shift_y[k],
                d.guide_star_y[i] * g->height[l] - d.wfs_offset_y[i] * g->span, 1e-15);
        }
    }
    cltomo_geometry_destroy(g);
    cltomo_system_destroy(system);
    cltomo_system_destroy(base);
    cltomo_context_destroy(context);
}

/* One lenslet, alone or in a map, and what may be left out. */
Test(geometry, a_single_lenslet_has_nine_points)
{
    cltomo_context *context = fixture_context();
    cltomo_system *base = fixture_system(context, "small_single");
    cltomo_system_description d = *cltomo_system_get_description(base);
    uint8_t map[4 * 4] = {[2 * 4 + 3] = 1};
    static const uint32_t across[] = {1, 4};
    for (size_t c = 0; c < 2; ++c) {
        uint32_t n = across[c];
        map[0] = n == 1;
        d.n_lenslets = n;
        d.valid_lenslets = map;
        d.wfs_rotation = NULL;
        d.wfs_offset_x = NULL;
        d.wfs_offset_y = NULL;
        cltomo_system *system = fixture_describe(context, &d);
        cltomo_geometry *g = create(context, system);
        cr_expect_eq(g->n_grid, 2 * (n + 4) + 1);
        cr_expect_eq(g->n_lenslets, 1);
        cr_expect_eq(g->n_slopes, 2);
        cr_assert_eq(g->n_phase, 9);
        size_t row = n == 1 ? 4 : 8;
        size_t col = n == 1 ? 4 : 10;
        for (size_t k = 0; k < 9; ++k) {
            cr_expect_eq(g->phase[k].row, row + k / 3);
            cr_expect_eq(g->phase[k].col, col + k % 3);
        }
        cr_expect_eq(g->rotation[0], 0.0);
        cr_expect_float_eq(g->shift_x[0], d.guide_star_x[0] * g->height[0], 1e-15);
        cltomo_geometry_destroy(g);
        cltomo_system_destroy(system);
    }
    cltomo_system_destroy(base);
    cltomo_context_destroy(context);
}

Test(geometry, fails_cleanly_without_memory)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_context *plain = fixture_context();
    cltomo_system *system = fixture_system(plain, "small_asymmetric");
    cltomo_status status = CLTOMO_ERROR_MEMORY;
    long n = 0;
    for (; status == CLTOMO_ERROR_MEMORY; ++n) {
        cltomo_geometry *g = (cltomo_geometry *)(uintptr_t)1;
        cltomo_error error = {0};
        atomic_store(&state.left, n);
        status = cltomo_geometry_create(context, &g, system, &error);
        if (status == CLTOMO_OK) {
            cltomo_geometry_destroy(g);
        } else {
            cr_assert_eq(status, CLTOMO_ERROR_MEMORY);
            cr_assert_eq(error.status, CLTOMO_ERROR_MEMORY);
            cr_assert_null(g);
        }
        cr_assert_eq(atomic_load(&state.live), 1);
    }
    cr_assert_eq(status, CLTOMO_OK);
    cr_assert_gt(n, 10);
    cltomo_geometry_destroy(NULL);
    cltomo_system_destroy(system);
    cltomo_context_destroy(plain);
    cltomo_context_destroy(context);
}
