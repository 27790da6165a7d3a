/* Which sensors are taken for mirror images of others, and that each map does what it says. */
#include "covariance/symmetry.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "support/fixture.h"

enum { max_wfs = 8 };

typedef struct asterism {
    uint32_t n;
    double x[max_wfs]; /* tangents */
    double y[max_wfs];
    double rotation[max_wfs];
    double offset_x[max_wfs];
    double offset_y[max_wfs];
} asterism;

static asterism regular(uint32_t n, double first_azimuth)
{
    asterism a = {.n = n};
    for (uint32_t i = 0; i < n; ++i) {
        double azimuth = 2.0 * acos(-1.0) * i / n + first_azimuth;
        a.x[i] = 1e-4 * cos(azimuth);
        a.y[i] = 1e-4 * sin(azimuth);
    }
    return a;
}

/* Every map takes the shifts of a sensor into those of its representative. */
static void check_maps(const cltomo_symmetry *symmetry, const cltomo_geometry *g)
{
    for (size_t m = 0; m < g->n_wfs; ++m) {
        const cltomo_symmetry *t = &symmetry[m];
        size_t r = t->representative;
        cr_assert_leq(r, m);
        cr_assert_eq(symmetry[r].representative, r);
        cr_assert_not(symmetry[r].swap || symmetry[r].negate_x || symmetry[r].negate_y);
        for (size_t l = 0; l < g->n_layers; ++l) {
            double from[2] = {g->shift_x[m * g->n_layers + l], g->shift_y[m * g->n_layers + l]};
            double x = (t->negate_x ? -1.0 : 1.0) * from[t->swap ? 1 : 0];
            double y = (t->negate_y ? -1.0 : 1.0) * from[t->swap ? 0 : 1];
            cr_assert_float_eq(x, g->shift_x[r * g->n_layers + l], 1e-14 * g->span);
            cr_assert_float_eq(y, g->shift_y[r * g->n_layers + l], 1e-14 * g->span);
            cr_assert_eq(g->scale[m * g->n_layers + l], g->scale[r * g->n_layers + l]);
        }
        cr_assert(m == r || (g->rotation[m] == 0.0 && g->rotation[r] == 0.0));
    }
}

static void check_system(
    const cltomo_context *context, const cltomo_system *system, const char *representatives)
{
    cltomo_geometry *g = NULL;
    cltomo_symmetry symmetry[max_wfs];
    memset(symmetry, 0xFF, sizeof symmetry);
    cr_assert_eq(cltomo_geometry_create(context, &g, system, NULL), CLTOMO_OK);
    cr_assert_eq(g->n_wfs, strlen(representatives));
    cltomo_find_symmetries(symmetry, g);
    for (size_t m = 0; m < g->n_wfs; ++m) {
        cr_expect_eq(symmetry[m].representative, (size_t)(representatives[m] - '0'),
            "%s: sensor %zu has %zu", representatives, m, symmetry[m].representative);
    }
    check_maps(symmetry, g);
    cltomo_geometry_destroy(g);
}

/* representatives: one digit per sensor. */
static void expect_classes(const asterism *a, const char *representatives)
{
    cltomo_context *context = fixture_context();
    cltomo_system *base = fixture_system(context, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(base);
    d.n_wfs = a->n;
    d.guide_star_x = a->x;
    d.guide_star_y = a->y;
    d.wfs_rotation = a->rotation;
    d.wfs_offset_x = a->offset_x;
    d.wfs_offset_y = a->offset_y;
    cltomo_system *system = fixture_describe(context, &d);
    check_system(context, system, representatives);
    cltomo_system_destroy(system);
    cltomo_system_destroy(base);
    cltomo_context_destroy(context);
}

Test(symmetry, regular_asterisms)
{
    double eighth = acos(-1.0) / 4.0;
    static const struct {
        uint32_t n;
        int turned; /* by 45 degrees */
        const char *classes;
    } cases[] = {{1, 0, "0"}, {2, 0, "00"}, {3, 0, "011"}, {4, 0, "0000"}, {4, 1, "0000"},
        {6, 0, "011011"}, {8, 0, "01010101"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        asterism a = regular(cases[i].n, cases[i].turned * eighth);
        expect_classes(&a, cases[i].classes);
    }
}

Test(symmetry, an_azimuth_that_no_mirroring_keeps)
{
    asterism a = regular(4, 0.3); /* quarter turns still map them */
    expect_classes(&a, "0000");
    a = regular(3, 0.3);
    expect_classes(&a, "012");
}

Test(symmetry, a_star_on_the_axis_stands_alone)
{
    asterism a = regular(4, 0.0);
    a.n = 5;
    expect_classes(&a, "00004");
}

Test(symmetry, coincident_stars_share)
{
    asterism a = regular(3, 0.3);
    a.x[2] = a.x[0];
    a.y[2] = a.y[0];
    expect_classes(&a, "010");
}

Test(symmetry, offsets_count)
{
    asterism a = regular(4, 0.0);
    a.offset_x[2] = 0.01;
    expect_classes(&a, "0020");
    static const double x[] = {0.01, -0.02, 0.03, 0.015};
    static const double y[] = {0.005, 0.012, -0.007, 0.021};
    memcpy(a.offset_x, x, sizeof x);
    memcpy(a.offset_y, y, sizeof y);
    expect_classes(&a, "0123");
}

Test(symmetry, a_rotated_sensor_is_never_mapped)
{
    asterism a = regular(4, 0.0);
    a.rotation[0] = 0.1;
    expect_classes(&a, "0111");
    a = regular(4, 0.0);
    a.rotation[3] = 0.1;
    expect_classes(&a, "0003");
    a = regular(4, 0.0);
    for (size_t i = 0; i < 4; ++i) {
        a.rotation[i] = 0.1;
    }
    expect_classes(&a, "0123");
}

Test(symmetry, small_differences_count)
{
    asterism a = regular(4, 0.0);
    a.x[1] += 1e-15; /* 1e-11 m in the highest layer */
    expect_classes(&a, "0100");
}

Test(symmetry, of_the_examples)
{
    static const char *const cases[][2] = {{"keck", "0000"}, {"kapa", "0000"}, {"revolt", "0"}};
    cltomo_context *context = fixture_context();
    for (size_t i = 0; i < 3; ++i) {
        cltomo_system *system = fixture_system(context, cases[i][0]);
        check_system(context, system, cases[i][1]);
        cltomo_system_destroy(system);
    }
    cltomo_context_destroy(context);
}

Test(symmetry, sensors_of_different_scale_are_not_mapped)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "kapa");
    cltomo_geometry *g = NULL;
    cltomo_symmetry symmetry[4];
    cr_assert_eq(cltomo_geometry_create(context, &g, system, NULL), CLTOMO_OK);
    g->scale[2 * g->n_layers + 3] *= 1.001;
    cltomo_find_symmetries(symmetry, g);
    cr_expect_eq(symmetry[1].representative, 0);
    cr_expect_eq(symmetry[2].representative, 2);
    cr_expect_eq(symmetry[3].representative, 0);
    cltomo_geometry_destroy(g);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

static void expect_self(double x, double y, const char *expected)
{
    asterism a = {.n = 1, .x = {x}, .y = {y}};
    cltomo_context *context = fixture_context();
    cltomo_system *base = fixture_system(context, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(base);
    cltomo_geometry *g = NULL;
    d.n_wfs = 1;
    d.guide_star_x = a.x;
    d.guide_star_y = a.y;
    d.wfs_rotation = NULL;
    d.wfs_offset_x = NULL;
    d.wfs_offset_y = NULL;
    cltomo_system *system = fixture_describe(context, &d);
    cr_assert_eq(cltomo_geometry_create(context, &g, system, NULL), CLTOMO_OK);
    cltomo_self_symmetry self = cltomo_find_self_symmetry(g, 0);
    cr_expect_eq(self.mirror_x, strchr(expected, 'x') != NULL, "%g %g", x, y);
    cr_expect_eq(self.mirror_y, strchr(expected, 'y') != NULL, "%g %g", x, y);
    cr_expect_eq(self.diagonal, strchr(expected, 'd') != NULL, "%g %g", x, y);
    cltomo_geometry_destroy(g);
    cltomo_system_destroy(system);
    cltomo_system_destroy(base);
    cltomo_context_destroy(context);
}

Test(symmetry, of_a_sensor_with_itself)
{
    expect_self(0.0, 0.0, "xyd");
    expect_self(1e-4, 0.0, "y");
    expect_self(0.0, -1e-4, "x");
    expect_self(-1e-4, -1e-4, "d");
    expect_self(1e-4, -1e-4, "");
    expect_self(1e-4, 2e-4, "");
}

/* Indices and signs against what the map does to coordinates. */
Test(symmetry, maps_indices_and_slopes_as_it_maps_coordinates)
{
    const size_t last = 6;
    for (unsigned k = 0; k < 8; ++k) {
        cltomo_symmetry t = {
            .swap = (k & 4U) != 0, .negate_x = (k & 1U) != 0, .negate_y = (k & 2U) != 0};
        for (size_t place = 0; place < (last + 1) * (last + 1); ++place) {
            size_t y = place / (last + 1);
            size_t x = place % (last + 1);
            int from[2] = {2 * (int)x - (int)last, 2 * (int)y - (int)last};
            int to_x = (t.negate_x ? -1 : 1) * from[t.swap ? 1 : 0];
            int to_y = (t.negate_y ? -1 : 1) * from[t.swap ? 0 : 1];
            cltomo_symmetry_map(&t, last, &y, &x);
            cr_assert_eq(2 * (int)x - (int)last, to_x);
            cr_assert_eq(2 * (int)y - (int)last, to_y);
        }
        for (uint32_t axis = 0; axis < 2; ++axis) {
            int from[2] = {axis == 0, axis == 1}; /* a step along the axis */
            int to_x = (t.negate_x ? -1 : 1) * from[t.swap ? 1 : 0];
            int to_y = (t.negate_y ? -1 : 1) * from[t.swap ? 0 : 1];
            cr_assert_eq(cltomo_symmetry_sign(&t, axis), to_x + to_y);
        }
    }
}
