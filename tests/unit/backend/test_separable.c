/* Sensors without rotation: the mixture of Gaussians, with the copies of mirrored sensors, against
 * every pair of points. */
#include "backend/cpu/separable.h"

#include <criterion/criterion.h>
#include <math.h>

#include "support/fixture.h"
#include "support/model.h"

static void expect_agree(
    const cltomo_system_description *d, double accuracy, cltomo_precision precision, double limit)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_describe(context, d);
    model m = model_create(context, system, accuracy);
    cltomo_evaluator rotated =
        d->n_directions_across > 1 ? CLTOMO_EVALUATOR_ROTATED : CLTOMO_EVALUATOR_DIRECT;
    for (size_t i = 0; i < m.geometry->n_wfs; ++i) {
        cr_assert_eq(cltomo_covariance_phase_evaluator(&m.covariance, i),
            d->wfs_rotation == NULL || d->wfs_rotation[i] == 0.0 ? CLTOMO_EVALUATOR_SEPARABLE
                                                                 : rotated);
    }
    cltomo_matrix *fast = model_c_ps(&m, precision);
    m.covariance.direct_reason = "a test";
    cltomo_matrix *direct = model_c_ps(&m, CLTOMO_PRECISION_DOUBLE);
    double difference = model_difference(fast, direct);
    cr_expect_lt(difference, limit, "%g", difference);
    cltomo_matrix_destroy(fast);
    cltomo_matrix_destroy(direct);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

enum { max_wfs = 8 };

/* The asymmetric pupil with n stars on a circle; no map keeps the pupil. */
typedef struct sky {
    cltomo_context *context;
    cltomo_system *base;
    cltomo_system_description d;
    double x[max_wfs];
    double y[max_wfs];
    double rotation[max_wfs];
} sky;

static void sky_create(sky *s, uint32_t n, double first_azimuth)
{
    *s = (sky){.context = fixture_context()};
    s->base = fixture_system(s->context, "small_asymmetric");
    s->d = *cltomo_system_get_description(s->base);
    for (uint32_t i = 0; i < n; ++i) {
        double azimuth = 2.0 * acos(-1.0) * i / n + first_azimuth;
        s->x[i] = 1e-4 * cos(azimuth);
        s->y[i] = 1e-4 * sin(azimuth);
    }
    s->d.n_wfs = n;
    s->d.guide_star_x = s->x;
    s->d.guide_star_y = s->y;
    s->d.wfs_rotation = s->rotation;
    s->d.wfs_offset_x = NULL;
    s->d.wfs_offset_y = NULL;
}

static void sky_destroy(sky *s)
{
    cltomo_system_destroy(s->base);
    cltomo_context_destroy(s->context);
}

Test(separable, agrees_for_mirrored_sensors, .description = "large")
{
    static const struct {
        uint32_t n;
        double azimuth;
    } cases[] = {{1, 0.3}, {1, 0.0}, {1, 1.5707963267948966}, {1, 0.78539816339744831}, {3, 0.0},
        {4, 0.0}, {4, 0.4}, {4, 0.78539816339744831}, {6, 0.0}, {8, 0.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sky s;
        sky_create(&s, cases[i].n, cases[i].azimuth);
        expect_agree(&s.d, 0.0, CLTOMO_PRECISION_DOUBLE, 2e-12);
        sky_destroy(&s);
    }
}

/* A star that is its own image under all maps, beside one that is not. */
Test(separable, agrees_for_a_star_on_axis)
{
    sky s;
    sky_create(&s, 2, 0.3);
    s.x[0] = 0.0;
    s.y[0] = 0.0;
    expect_agree(&s.d, 0.0, CLTOMO_PRECISION_DOUBLE, 2e-12);
    expect_agree(&s.d, 1e-8, CLTOMO_PRECISION_SINGLE, 1e-5);
    sky_destroy(&s);
}

/* All eight maps: a star and its images under swapping and signs. */
Test(separable, agrees_for_every_map, .description = "large")
{
    sky s;
    sky_create(&s, 8, 0.0);
    for (size_t i = 0; i < 8; ++i) {
        double x = (i & 1U) != 0 ? -9e-5 : 9e-5;
        double y = (i & 2U) != 0 ? -4e-5 : 4e-5;
        s.x[i] = (i & 4U) != 0 ? y : x;
        s.y[i] = (i & 4U) != 0 ? x : y;
    }
    expect_agree(&s.d, 0.0, CLTOMO_PRECISION_DOUBLE, 2e-12);
    expect_agree(&s.d, 1e-8, CLTOMO_PRECISION_SINGLE, 1e-5);
    sky_destroy(&s);
}

Test(separable, agrees_with_offsets_that_turn_with_the_stars)
{
    static const double offset_x[] = {0.01, -0.01, -0.01, 0.01};
    static const double offset_y[] = {0.01, 0.01, -0.01, -0.01};
    sky s;
    sky_create(&s, 4, 0.0);
    s.d.wfs_offset_x = offset_x;
    s.d.wfs_offset_y = offset_y;
    expect_agree(&s.d, 0.0, CLTOMO_PRECISION_DOUBLE, 2e-12);
    sky_destroy(&s);
}

Test(separable, agrees_beside_rotated_sensors)
{
    static const double offset_x[] = {0.01, -0.02, 0.03, 0.0};
    static const double offset_y[] = {0.0, 0.015, -0.01, 0.02};
    sky s;
    sky_create(&s, 4, 0.2);
    s.rotation[0] = 0.1;
    s.rotation[2] = -0.3;
    s.d.wfs_offset_x = offset_x;
    s.d.wfs_offset_y = offset_y;
    expect_agree(&s.d, 0.0, CLTOMO_PRECISION_DOUBLE, 2e-12);
    sky_destroy(&s);
}

Test(separable, agrees_for_coincident_natural_stars_and_one_lenslet)
{
    static const uint8_t one[1] = {1};
    sky s;
    sky_create(&s, 3, 0.2);
    s.x[2] = s.x[0];
    s.y[2] = s.y[0];
    s.d.guide_star_height = INFINITY;
    expect_agree(&s.d, 0.0, CLTOMO_PRECISION_DOUBLE, 2e-12);
    s.d.n_lenslets = 1;
    s.d.valid_lenslets = one;
    expect_agree(&s.d, 0.0, CLTOMO_PRECISION_DOUBLE, 2e-12);
    sky_destroy(&s);
}

/* The error is of the phase covariance relative to its variance: for slopes it is larger by the
 * ratio of the two, some hundred here. */
Test(separable, is_as_accurate_as_its_mixture, .description = "large")
{
    sky s;
    sky_create(&s, 2, 0.7);
    for (double accuracy = 1e-4; accuracy > 1e-13; accuracy *= 0.1) {
        expect_agree(&s.d, accuracy, CLTOMO_PRECISION_DOUBLE, 100.0 * accuracy + 1e-13);
    }
    sky_destroy(&s);
}

/* A pupil so wide that the products are made in several bands. */
static void expect_agree_in_bands(double azimuth)
{
    enum { n = 44 };
    static uint8_t map[n * n];
    for (size_t i = 0; i < n; i += 3) {
        map[i * n + (i * 7 + 5) % n] = 1; /* few of them: the direct evaluation is slow */
    }
    map[n * n - 1] = 1;
    map[(n - 1) * n] = 1;
    sky s;
    sky_create(&s, 2, azimuth);
    s.d.n_lenslets = n;
    s.d.valid_lenslets = map;
    s.d.telescope_diameter = 8.0;
    cr_assert_gt((2 * n + 1) * (size_t)n * ((2 * n + 1) * (size_t)n) * 8, (size_t)32 << 20);
    expect_agree(&s.d, 0.0, CLTOMO_PRECISION_DOUBLE, 1e-11);
    sky_destroy(&s);
}

Test(separable, agrees_in_bands, .description = "large")
{
    expect_agree_in_bands(0.2);
}

Test(separable, agrees_in_bands_of_half_a_square, .description = "large")
{
    expect_agree_in_bands(0.0);
}

Test(separable, agrees_in_bands_with_a_transposed_product, .description = "large")
{
    expect_agree_in_bands(0.78539816339744831);
}
