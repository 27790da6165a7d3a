#include <criterion/criterion.h>
#include <math.h>

#include "geometry/geometry.h"
#include "support/fixture.h"

static const cltomo_point points[] = {
    {0, 0, 0.0, 0.0}, {0, 0, 1.0, 0.0}, {0, 0, 0.0, 1.0}, {0, 0, -0.7, 0.4}};
enum { n_points = sizeof points / sizeof points[0] };

/* Of the axis a sensor sees its offset alone; two points more tell its rotation and scale. */
Test(project, a_sensor_turns_scales_and_shifts)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_geometry *g = NULL;
    cr_assert_eq(cltomo_geometry_create(context, &g, system, NULL), CLTOMO_OK);
    const cltomo_system_description *d = cltomo_system_get_description(system);
    double airmass = 1.0 / cos(d->zenith_angle);
    for (size_t wfs = 0; wfs < 3; ++wfs) {
        for (size_t l = 0; l < 3; ++l) {
            double x[n_points];
            double y[n_points];
            double height = airmass * d->layer_altitude[l];
            double scale = 1.0 - d->layer_altitude[l] / d->guide_star_height;
            double span = 3.7 * 9.0 / 5.0;
            cltomo_project_layer(g, x, y, points, n_points, wfs, l);
            for (size_t k = 0; k < n_points; ++k) {
                double angle = d->wfs_rotation[wfs];
                double turned_x = points[k].x * cos(angle) - points[k].y * sin(angle);
                double turned_y = points[k].x * sin(angle) + points[k].y * cos(angle);
                cr_expect_float_eq(x[k],
                    scale * (turned_x - d->wfs_offset_x[wfs] * span) +
                        height * d->guide_star_x[wfs],
                    1e-14);
                cr_expect_float_eq(y[k],
                    scale * (turned_y - d->wfs_offset_y[wfs] * span) +
                        height * d->guide_star_y[wfs],
                    1e-14);
            }
        }
    }
    cltomo_geometry_destroy(g);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(project, a_direction_scales_and_shifts)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_geometry *g = NULL;
    const cltomo_direction far = {.x = 1e-4, .y = -3e-4, .height = INFINITY};
    const cltomo_direction near = {.x = 1e-4, .y = -3e-4, .height = 50000.0};
    double x[n_points];
    double y[n_points];
    cr_assert_eq(cltomo_geometry_create(context, &g, system, NULL), CLTOMO_OK);
    for (size_t l = 0; l < 3; ++l) {
        double height = g->height[l];
        cltomo_project_direction(g, x, y, points, n_points, &far, l);
        for (size_t k = 0; k < n_points; ++k) {
            cr_expect_float_eq(x[k], points[k].x + 1e-4 * height, 1e-14);
            cr_expect_float_eq(y[k], points[k].y - 3e-4 * height, 1e-14);
        }
        cltomo_project_direction(g, x, y, points, n_points, &near, l);
        for (size_t k = 0; k < n_points; ++k) {
            double scale = (50000.0 - height) / 50000.0;
            cr_expect_float_eq(x[k], scale * points[k].x + 1e-4 * height, 1e-14);
            cr_expect_float_eq(y[k], scale * points[k].y - 3e-4 * height, 1e-14);
        }
    }
    cltomo_geometry_destroy(g);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(project, a_grid_lists_its_directions_row_by_row)
{
    cltomo_system_description d = cltomo_system_description_init();
    cltomo_direction list[9];
    cr_expect_eq(cltomo_count_directions(&d), 1);
    cltomo_list_directions(list, &d);
    cr_expect_eq(list[0].x, 0.0);
    cr_expect_eq(list[0].y, 0.0);
    cr_expect_eq(list[0].weight, 1.0);
    d.n_directions_across = 3;
    d.field_of_view = 2e-4;
    cr_assert_eq(cltomo_count_directions(&d), 9);
    cltomo_list_directions(list, &d);
    for (size_t k = 0; k < 9; ++k) {
        cr_expect_float_eq(list[k].x, tan(1e-4 * ((double)(k % 3) - 1.0)), 1e-20);
        cr_expect_float_eq(list[k].y, tan(1e-4 * ((double)(k / 3) - 1.0)), 1e-20);
        cr_expect_float_eq(list[k].weight, 1.0 / 9.0, 1e-16);
        cr_expect(isinf(list[k].height));
    }
}

Test(project, directions_one_by_one_have_weights_and_heights)
{
    static const double x[] = {1e-5, -2e-5, 7e-5};
    static const double y[] = {3e-5, 0.0, -4e-5};
    static const double weight[] = {2.0, 0.0, 6.0};
    static const double height[] = {90000.0, INFINITY, 40000.0};
    cltomo_system_description d = cltomo_system_description_init();
    cltomo_direction list[3];
    d.zenith_angle = 0.4;
    d.n_directions_across = 2; /* not read */
    d.n_directions = 3;
    d.direction_x = x;
    d.direction_y = y;
    cr_assert_eq(cltomo_count_directions(&d), 3);
    cltomo_list_directions(list, &d);
    for (size_t k = 0; k < 3; ++k) {
        cr_expect_eq(list[k].x, x[k]);
        cr_expect_eq(list[k].y, y[k]);
        cr_expect_float_eq(list[k].weight, 1.0 / 3.0, 1e-16);
        cr_expect(isinf(list[k].height));
    }
    d.direction_weight = weight;
    d.direction_height = height;
    cltomo_list_directions(list, &d);
    for (size_t k = 0; k < 3; ++k) {
        cr_expect_float_eq(list[k].weight, weight[k] / 8.0, 1e-16);
        cr_expect(k == 1 ? (bool)isinf(list[k].height)
                         : fabs(list[k].height * cos(0.4) / height[k] - 1.0) < 1e-15);
    }
}
