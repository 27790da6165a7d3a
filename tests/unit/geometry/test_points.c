#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "geometry/geometry.h"
#include "support/fixture.h"

/* Twice the distance from the centre in units of the spacing is a whole number: nothing rounds. */
static void expect_place(const cltomo_point *point, double spacing, double last)
{
    cr_expect_float_eq(point->x, (2.0 * point->col - last) * spacing / 2.0, 1e-14);
    cr_expect_float_eq(point->y, (2.0 * point->row - last) * spacing / 2.0, 1e-14);
}

Test(points, phase_points_are_those_of_the_mask)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    golden_array mask = fixture_golden("small_asymmetric", "mask");
    cltomo_dimensions size;
    cltomo_system_dimensions(system, &size);
    cltomo_point *points = calloc(size.n_phase, sizeof *points);
    cr_assert_eq(cltomo_system_phase_points(system, points, size.n_phase, NULL), CLTOMO_OK);
    size_t k = 0;
    for (uint32_t row = 0; row < mask.rows; ++row) {
        for (uint32_t col = 0; col < mask.columns; ++col) {
            if (mask.data[row * mask.columns + col] != 0.0) {
                cr_assert_lt(k, size.n_phase);
                cr_assert_eq(points[k].row, row);
                cr_assert_eq(points[k].col, col);
                expect_place(&points[k++], 0.37, (double)mask.rows - 1.0);
            }
        }
    }
    cr_assert_eq(k, size.n_phase);
    free(points);
    golden_destroy(&mask);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(points, actuators_are_those_of_the_map)
{
    static const char map[6][7] = {"011100", "111110", "111111", "111110", "011110", "001100"};
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_point points[25];
    cr_assert_eq(cltomo_system_actuators(system, points, 25, NULL), CLTOMO_OK);
    size_t k = 0;
    for (uint32_t row = 0; row < 6; ++row) {
        for (uint32_t col = 0; col < 6; ++col) {
            if (map[row][col] == '1') {
                cr_assert_eq(points[k].row, row);
                cr_assert_eq(points[k].col, col);
                expect_place(&points[k++], 0.74, 5.0);
            }
        }
    }
    cr_assert_eq(k, 25);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(points, a_system_without_a_mirror_has_no_actuators)
{
    cltomo_context *context = fixture_context();
    cltomo_system *base = fixture_system(context, "small_single");
    cltomo_system_description d = *cltomo_system_get_description(base);
    d.n_actuators = 0;
    d.valid_actuators = NULL;
    d.actuator_pitch = 0.0;
    cltomo_system *system = fixture_describe(context, &d);
    cltomo_dimensions size;
    cltomo_system_dimensions(system, &size);
    cr_assert_eq(size.n_actuators, 0);
    cr_assert_eq(cltomo_system_actuators(system, NULL, 0, NULL), CLTOMO_OK);
    cltomo_system_destroy(system);
    cltomo_system_destroy(base);
    cltomo_context_destroy(context);
}

Test(points, room_must_fit)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_single");
    cltomo_dimensions size;
    cltomo_system_dimensions(system, &size);
    cltomo_point untouched = {7, 7, 7.0, 7.0};
    const size_t wrong[] = {0, 1, SIZE_MAX};
    for (size_t i = 0; i < 3; ++i) {
        cltomo_error error = {0};
        cr_expect_eq(
            cltomo_system_phase_points(system, &untouched, wrong[i], &error), CLTOMO_ERROR_SHAPE);
        cr_expect_eq(error.status, CLTOMO_ERROR_SHAPE);
        cr_expect_eq(
            cltomo_system_actuators(system, &untouched, wrong[i], NULL), CLTOMO_ERROR_SHAPE);
    }
    cr_expect_eq(untouched.row, 7);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}
