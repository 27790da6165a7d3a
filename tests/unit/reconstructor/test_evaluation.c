/* R from the evaluators that are chosen against R from point by point everywhere, at alpha 10. The
 * reference is always in double precision, so that in single precision what rounding costs the
 * solve counts too. Sensors that rotate alike and apart, offsets, pupils in which nothing is
 * symmetric, one star and many; means over a grid and over listed directions, one by one. */
#include <criterion/criterion.h>
#include <math.h>

#include "support/fixture.h"
#include "support/model.h"

static cltomo_reconstructor *build(const cltomo_context *context, const cltomo_system *system,
    cltomo_precision precision, cltomo_evaluation evaluation, bool per_direction)
{
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_reconstructor *r = NULL;
    options.products = CLTOMO_PRODUCT_R;
    options.alpha = 10.0;
    options.precision = precision;
    options.evaluation = evaluation;
    options.per_direction = per_direction;
    cr_assert_eq(cltomo_reconstructor_build(context, &r, system, &options, NULL), CLTOMO_OK);
    return r;
}

static void expect_no_shortcut(const cltomo_reconstructor *r)
{
    const cltomo_build_report *report = cltomo_reconstructor_report(r);
    cr_expect_eq(report->n_pairs_toeplitz + report->n_sensors_separable, 0);
    cr_expect_gt(report->n_pairs_direct, 0);
}

static void expect_agreement(const cltomo_context *context, const cltomo_system *system,
    bool per_direction, const char *name)
{
    static const struct {
        cltomo_precision precision;
        double limit;
    } cases[] = {{CLTOMO_PRECISION_DOUBLE, 1e-10}, {CLTOMO_PRECISION_SINGLE, 5e-6}};
    cltomo_reconstructor *direct =
        build(context, system, CLTOMO_PRECISION_DOUBLE, CLTOMO_EVALUATION_DIRECT, per_direction);
    expect_no_shortcut(direct);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        cltomo_reconstructor *r =
            build(context, system, cases[k].precision, CLTOMO_EVALUATION_AUTO, per_direction);
        cr_expect_gt(cltomo_reconstructor_report(r)->n_pairs_toeplitz, 0, "%s", name);
        double difference = model_difference(cltomo_reconstructor_matrix(r, CLTOMO_PRODUCT_R),
            cltomo_reconstructor_matrix(direct, CLTOMO_PRODUCT_R));
        cr_expect_lt(difference, cases[k].limit, "%s, %s: %g", name,
            cases[k].precision == CLTOMO_PRECISION_DOUBLE ? "double" : "single", difference);
        cltomo_reconstructor_destroy(r);
    }
    cltomo_reconstructor_destroy(direct);
}

static void expect_agreement_of(const char *name)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, name);
    expect_agreement(context, system, false, name);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(evaluation, of_kapa, .description = "large")
{
    expect_agreement_of("kapa");
}

Test(evaluation, of_kapa_with_a_single_channel, .description = "large")
{
    expect_agreement_of("kapa-single-channel");
}

Test(evaluation, of_keck, .description = "large")
{
    expect_agreement_of("keck");
}

Test(evaluation, of_revolt, .description = "large")
{
    expect_agreement_of("revolt");
}

Test(evaluation, of_small_systems, .description = "large")
{
    expect_agreement_of("small_asymmetric");
    expect_agreement_of("small_directions");
    expect_agreement_of("small_single");
    expect_agreement_of("reduced_kapa");
}

/* Seven stars, none the mirror image of another. */
static const double star_x[] = {3e-5, -6e-5, 9e-5, -2e-5, 5e-5, -8e-5, 1e-5};
static const double star_y[] = {7e-5, 1e-5, -4e-5, -9e-5, 2e-5, 6e-5, -3e-5};
static const double offset_x[] = {0.012, -0.007, 0.003, 0.0, 0.009, -0.011, 0.004};
static const double offset_y[] = {-0.005, 0.008, 0.0, 0.013, -0.006, 0.002, -0.01};

/* reduced_kapa with other stars and directions: a mean over a grid of n x n. */
static cltomo_system *vary(const cltomo_context *context, uint32_t n_wfs, const double *rotation,
    double height, uint32_t n_directions_across)
{
    cltomo_system *original = fixture_system(context, "reduced_kapa");
    cltomo_system_description d = *cltomo_system_get_description(original);
    d.n_wfs = n_wfs;
    d.guide_star_x = star_x;
    d.guide_star_y = star_y;
    d.guide_star_height = height;
    d.wfs_rotation = rotation;
    d.wfs_offset_x = offset_x;
    d.wfs_offset_y = offset_y;
    d.n_directions_across = n_directions_across;
    d.field_of_view = 1.2e-4;
    cltomo_system *system = fixture_describe(context, &d);
    cltomo_system_destroy(original);
    return system;
}

Test(evaluation, of_rotations_and_offsets, .description = "large")
{
    static const struct {
        const char *name;
        double rotation[7];
    } cases[] = {{"not rotated", {0.0}}, {"rotated alike", {0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3}},
        {"rotated apart", {0.3, -0.7, 0.0, 2.1, 0.3, 0.0, -0.001}}};
    static const uint32_t n_stars[] = {1, 7};
    static const double heights[] = {90e3, INFINITY};
    cltomo_context *context = fixture_context();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        for (size_t i = 0; i < 2; ++i) {
            for (uint32_t n_directions = 1; n_directions <= 3; n_directions += 2) {
                cltomo_system *system =
                    vary(context, n_stars[i], cases[k].rotation, heights[i], n_directions);
                expect_agreement(context, system, false, cases[k].name);
                cltomo_system_destroy(system);
            }
        }
    }
    cltomo_context_destroy(context);
}

Test(evaluation, of_listed_directions, .description = "large")
{
    static const double rotation[] = {0.3, 0.0, 0.3, -0.1};
    static const double x[] = {4e-5, -7e-5, 0.0};
    static const double y[] = {-2e-5, 3e-5, 5e-5};
    static const double height[] = {INFINITY, 90e3, 200e3};
    static const double weight[] = {0.5, 0.2, 0.3};
    cltomo_context *context = fixture_context();
    cltomo_system *original = vary(context, 4, rotation, 90e3, 1);
    cltomo_system_description d = *cltomo_system_get_description(original);
    d.n_directions = 3;
    d.direction_x = x;
    d.direction_y = y;
    d.direction_height = height;
    d.direction_weight = weight;
    cltomo_system *system = fixture_describe(context, &d);
    expect_agreement(context, system, false, "the mean of listed directions");
    expect_agreement(context, system, true, "listed directions");
    cltomo_system_destroy(system);
    cltomo_system_destroy(original);
    cltomo_context_destroy(context);
}
