#include "covariance/covariance.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "support/fixture.h"
#include "turbulence/turbulence.h"

typedef struct model {
    cltomo_context *context;
    cltomo_system *system;
    cltomo_geometry *geometry;
    cltomo_covariance covariance;
} model;

/* The system of that name; rotation: of its sensors, NULL: as it is. */
static model model_create(const char *name, const double *rotation)
{
    model m = {.context = fixture_context()};
    cltomo_system *base = fixture_system(m.context, name);
    cltomo_system_description d = *cltomo_system_get_description(base);
    d.wfs_rotation = rotation != NULL ? rotation : d.wfs_rotation;
    m.system = fixture_describe(m.context, &d);
    cltomo_system_destroy(base);
    cr_assert_eq(cltomo_geometry_create(m.context, &m.geometry, m.system, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_covariance_init(&m.covariance, m.geometry, 1e-12, NULL), CLTOMO_OK);
    return m;
}

static void model_destroy(model *m)
{
    cltomo_geometry_destroy(m->geometry);
    cltomo_system_destroy(m->system);
    cltomo_context_destroy(m->context);
}

static bool is_toeplitz(const model *m, size_t i, size_t j)
{
    cltomo_evaluator one = cltomo_covariance_slope_evaluator(&m->covariance, i, j);
    cr_assert_eq(one, cltomo_covariance_slope_evaluator(&m->covariance, j, i));
    cr_assert(one == CLTOMO_EVALUATOR_TOEPLITZ || one == CLTOMO_EVALUATOR_DIRECT);
    return one == CLTOMO_EVALUATOR_TOEPLITZ;
}

static bool is_separable(const model *m, size_t i)
{
    cltomo_evaluator one = cltomo_covariance_phase_evaluator(&m->covariance, i);
    cltomo_evaluator otherwise =
        m->covariance.direct_reason != NULL || m->geometry->n_directions_across == 1
            ? CLTOMO_EVALUATOR_DIRECT
            : CLTOMO_EVALUATOR_ROTATED;
    cr_assert(one == CLTOMO_EVALUATOR_SEPARABLE || one == otherwise);
    return one == CLTOMO_EVALUATOR_SEPARABLE;
}

Test(covariance, evaluators_follow_the_rotations)
{
    static const double rotation[] = {0.2, 0.0, 0.2};
    model m = model_create("small_asymmetric", rotation);
    static const bool toeplitz[3][3] = {
        {true, false, true}, {false, true, false}, {true, false, true}};
    for (size_t i = 0; i < 3; ++i) {
        for (size_t j = 0; j < 3; ++j) {
            cr_expect_eq(is_toeplitz(&m, i, j), toeplitz[i][j], "%zu, %zu", i, j);
        }
        cr_expect_eq(is_separable(&m, i), i == 1);
    }
    m.covariance.direct_reason = "a test";
    for (size_t i = 0; i < 3; ++i) {
        cr_expect_not(is_toeplitz(&m, i, 1));
        cr_expect_not(is_separable(&m, i));
    }
    model_destroy(&m);
}

Test(covariance, sensors_of_different_scale_share_no_table)
{
    static const double none[] = {0.0, 0.0, -0.0};
    model m = model_create("small_asymmetric", none);
    cr_expect(is_toeplitz(&m, 0, 2));
    cr_expect(is_separable(&m, 2));
    cr_expect(cltomo_covariance_same_scale(m.geometry, 0, 1));
    m.geometry->scale[1 * 3 + 2] *= 1.0 + 1e-15; /* the last layer of sensor 1 */
    cr_expect_not(cltomo_covariance_same_scale(m.geometry, 0, 1));
    cr_expect_not(cltomo_covariance_same_scale(m.geometry, 1, 2));
    cr_expect_not(is_toeplitz(&m, 0, 1));
    cr_expect(is_toeplitz(&m, 0, 2));
    cr_expect(is_toeplitz(&m, 1, 1));
    cr_expect(is_separable(&m, 1));
    model_destroy(&m);
}

Test(covariance, constants_are_those_of_the_atmosphere)
{
    model m = model_create("small_single", NULL);
    double variance = 0.0;
    double zero = 0.0;
    cr_assert_eq(
        cltomo_von_karman_covariance(&variance, &zero, 1, m.geometry->r0, m.geometry->L0, NULL),
        CLTOMO_OK);
    cr_expect_float_eq(
        m.covariance.variance_factor * cltomo_von_karman_f(0.0) / variance, 1.0, 1e-14);
    cr_expect_float_eq(m.covariance.wavenumber, 2.0 * acos(-1.0) / 17.0, 1e-15);
    cr_expect_eq(m.covariance.geometry, m.geometry);
    cr_expect_null(m.covariance.direct_reason);
    cr_expect_leq(m.covariance.mixture.accuracy, 1e-12);
    model_destroy(&m);
}

Test(covariance, refuses_an_accuracy_out_of_range)
{
    model m = model_create("small_single", NULL);
    static const double bad[] = {9e-15, 0.0, -1.0, 1.5, INFINITY, NAN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        cltomo_covariance covariance;
        cltomo_error error = {0};
        cr_expect_eq(
            cltomo_covariance_init(&covariance, m.geometry, bad[i], &error), CLTOMO_ERROR_ARGUMENT);
        cr_expect_str_eq(error.key, "accuracy");
    }
    model_destroy(&m);
}

/* The finer the lenslets against the outer scale, the better; within what mixtures there are. */
Test(covariance, default_accuracy_follows_the_structure_function)
{
    static const cltomo_precision precisions[] = {CLTOMO_PRECISION_DOUBLE, CLTOMO_PRECISION_SINGLE};
    static const double largest[] = {1e-12, 1e-8};
    static const double share[] = {1e-11, 3e-7};
    for (size_t p = 0; p < 2; ++p) {
        double last = 0.0;
        for (double pitch = 1e-9; pitch < 1e3; pitch *= 1.7) {
            cltomo_geometry g = {.spacing = pitch / 2.0, .r0 = 0.1, .L0 = 25.0};
            double accuracy = cltomo_covariance_default_accuracy(&g, precisions[p]);
            double structure = 0.0;
            double variance = 0.0;
            double zero = 0.0;
            cr_assert_eq(
                cltomo_von_karman_structure_function(&structure, &pitch, 1, g.r0, g.L0, NULL),
                CLTOMO_OK);
            cr_assert_eq(
                cltomo_von_karman_covariance(&variance, &zero, 1, g.r0, g.L0, NULL), CLTOMO_OK);
            cr_expect_geq(accuracy, 1e-14);
            cr_expect_leq(accuracy, largest[p]);
            cr_expect_geq(accuracy, last);
            cr_expect(accuracy == 1e-14 || accuracy <= share[p] * structure / variance * 1.0001,
                "pitch %g: %g", pitch, accuracy);
            cltomo_covariance covariance;
            cr_assert_eq(cltomo_covariance_init(&covariance, &g, accuracy, NULL), CLTOMO_OK);
            last = accuracy;
        }
        cr_expect_eq(last, largest[p]);
    }
}

/* Of the stencil's parts d = (-1, 0, 1) and s = (1, 2, 1) / 4. */
Test(covariance, lag_weights_are_correlations_of_the_stencil)
{
    static const double d[3] = {-1.0, 0.0, 1.0};
    static const double s[3] = {0.25, 0.5, 0.25};
    double dd[5] = {0};
    double ss[5] = {0};
    double ds[5] = {0};
    for (size_t a = 0; a < 3; ++a) {
        for (size_t b = 0; b < 3; ++b) {
            dd[a + 2 - b] += d[a] * d[b];
            ss[a + 2 - b] += s[a] * s[b];
            ds[a + 2 - b] += d[a] * s[b];
        }
    }
    cr_expect_eq(memcmp(dd, cltomo_lag_dd, sizeof dd), 0);
    cr_expect_eq(memcmp(ss, cltomo_lag_ss, sizeof ss), 0);
    cr_expect_eq(memcmp(ds, cltomo_lag_ds, sizeof ds), 0);
}
