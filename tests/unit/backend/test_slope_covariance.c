/* C_ss as a whole: against the high-precision evaluation, point by point against the shortcuts, and
 * what every covariance must be. */
#include <criterion/criterion.h>
#include <math.h>

#include "backend/backend.h"
#include "support/fault.h"
#include "support/fixture.h"
#include "support/model.h"

static const char *const names[] = {"small_asymmetric", "small_directions", "small_single"};

static void expect_golden(const char *name, cltomo_precision precision, bool direct, double limit)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, name);
    model m = model_create(context, system, 0.0);
    m.covariance.direct_reason = direct ? "a test" : NULL;
    golden_array golden = fixture_golden(name, "c_ss");
    cltomo_matrix *c_ss = model_c_ss(&m, precision);
    double difference = golden_difference(fixture_view(c_ss), &golden);
    cr_expect_lt(difference, limit, "%s, direct %d: %g", name, direct, difference);
    cltomo_matrix_destroy(c_ss);
    golden_destroy(&golden);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(slope_covariance, equals_the_high_precision_evaluation)
{
    for (size_t i = 0; i < 3; ++i) {
        expect_golden(names[i], CLTOMO_PRECISION_DOUBLE, false, 1e-13);
        expect_golden(names[i], CLTOMO_PRECISION_DOUBLE, true, 1e-13);
        expect_golden(names[i], CLTOMO_PRECISION_SINGLE, false, 1e-7);
        expect_golden(names[i], CLTOMO_PRECISION_SINGLE, true, 1e-7);
    }
}

/* Three sensors of small_asymmetric, changed; both ways must agree. */
static void expect_shortcuts_agree(const cltomo_system_description *d)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_describe(context, d);
    model m = model_create(context, system, 0.0);
    cltomo_matrix *fast = model_c_ss(&m, CLTOMO_PRECISION_DOUBLE);
    cltomo_matrix *single = model_c_ss(&m, CLTOMO_PRECISION_SINGLE);
    m.covariance.direct_reason = "a test";
    cltomo_matrix *direct = model_c_ss(&m, CLTOMO_PRECISION_DOUBLE);
    cr_expect_lt(model_difference(fast, direct), 1e-13, "%g", model_difference(fast, direct));
    cr_expect_lt(model_difference(single, direct), 1e-7, "%g", model_difference(single, direct));
    cltomo_matrix_destroy(fast);
    cltomo_matrix_destroy(single);
    cltomo_matrix_destroy(direct);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(slope_covariance, shortcuts_agree_with_every_pair_of_points, .description = "large")
{
    static const double equal[] = {0.3, 0.3, 0.3};
    static const double two_alike[] = {-0.4, 0.1, -0.4};
    static const double none[] = {0.0, 0.0, 0.0};
    static const double same_x[] = {2e-5, 2e-5, -7e-5};
    static const double same_y[] = {-3e-5, -3e-5, 1e-5};
    cltomo_context *context = fixture_context();
    cltomo_system *base = fixture_system(context, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(base);
    d.wfs_rotation = equal;
    expect_shortcuts_agree(&d);
    d.wfs_rotation = two_alike;
    expect_shortcuts_agree(&d);
    d.wfs_rotation = none;
    expect_shortcuts_agree(&d);
    d.wfs_offset_x = NULL;
    expect_shortcuts_agree(&d);
    d.wfs_offset_y = NULL; /* two sensors that see the very same */
    d.guide_star_x = same_x;
    d.guide_star_y = same_y;
    expect_shortcuts_agree(&d);
    d.guide_star_height = INFINITY;
    expect_shortcuts_agree(&d);
    cltomo_system_destroy(base);
    cltomo_context_destroy(context);
}

/* No description leads to sensors of different scale yet, but the evaluators allow for them. */
Test(slope_covariance, sensors_of_different_scale_share_nothing)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    model m = model_create(context, system, 0.0);
    size_t n_layers = m.geometry->n_layers;
    m.geometry->scale[1 * n_layers + 2] *= 0.9;
    m.geometry->scale[2 * n_layers + 1] *= 0.8;
    cltomo_matrix *fast = model_c_ss(&m, CLTOMO_PRECISION_DOUBLE);
    m.covariance.direct_reason = "a test";
    cltomo_matrix *direct = model_c_ss(&m, CLTOMO_PRECISION_DOUBLE);
    cr_expect_lt(model_difference(fast, direct), 1e-13, "%g", model_difference(fast, direct));
    cltomo_matrix_destroy(fast);
    cltomo_matrix_destroy(direct);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(slope_covariance, of_one_lenslet)
{
    static const uint8_t one[1] = {1};
    cltomo_context *context = fixture_context();
    cltomo_system *base = fixture_system(context, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(base);
    d.n_lenslets = 1;
    d.valid_lenslets = one;
    expect_shortcuts_agree(&d);
    d.wfs_rotation = NULL;
    expect_shortcuts_agree(&d);
    cltomo_system_destroy(base);
    cltomo_context_destroy(context);
}

/* Symmetric on its diagonal blocks without being made so, and positive definite. */
Test(slope_covariance, is_positive_definite)
{
    for (size_t i = 0; i < 3; ++i) {
        cltomo_context *context = fixture_context();
        cltomo_system *system = fixture_system(context, names[i]);
        model m = model_create(context, system, 0.0);
        const cltomo_backend *backend = cltomo_backend_of(context);
        cltomo_array *array = NULL;
        size_t n = m.geometry->n_slopes;
        size_t n_sensor = 2 * m.geometry->n_lenslets;
        double pivot_ratio = 0.0;
        cr_assert_eq(
            backend->array_create(context, &array, CLTOMO_PRECISION_DOUBLE, n, n, NULL), CLTOMO_OK);
        cr_assert_eq(backend->slope_covariance(context, array, &m.covariance, NULL), CLTOMO_OK);
        const double *c = ((const cltomo_matrix *)array)->data.f64;
        for (size_t row = 0; row < n; ++row) {
            size_t first = row - row % n_sensor;
            for (size_t col = first; col < row; ++col) {
                cr_assert_float_eq(c[row * n + col], c[col * n + row], 1e-12 * c[row * n + row]);
            }
        }
        cr_expect_eq(backend->cholesky(context, array, &pivot_ratio, NULL), CLTOMO_OK);
        cr_expect_gt(pivot_ratio, 1e-6);
        backend->array_destroy(context, array);
        model_destroy(&m);
        cltomo_system_destroy(system);
        cltomo_context_destroy(context);
    }
}

Test(slope_covariance, threads_change_nothing)
{
    for (size_t i = 0; i < 2; ++i) {
        cltomo_matrix *first = NULL;
        static const uint32_t threads[] = {1, 2, 5};
        for (size_t t = 0; t < 3; ++t) {
            cltomo_context *context = fixture_threads(threads[t]);
            cltomo_system *system = fixture_system(context, names[i]);
            model m = model_create(context, system, 0.0);
            cltomo_matrix *c_ss = model_c_ss(&m, CLTOMO_PRECISION_DOUBLE);
            if (first == NULL) {
                first = c_ss;
            } else {
                cr_expect_lt(model_difference(c_ss, first), 1e-14);
                cltomo_matrix_destroy(c_ss);
            }
            model_destroy(&m);
            cltomo_system_destroy(system);
            cltomo_context_destroy(context);
        }
        cltomo_matrix_destroy(first);
    }
}

static int cancel_later(void *user, const char *stage, double fraction)
{
    int *left = user;
    cr_expect_str_eq(stage, "slope covariance");
    cr_expect(fraction >= 0.0 && fraction <= 1.0);
    return (*left)-- <= 0;
}

Test(slope_covariance, can_be_cancelled)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    int left = 1;
    options.progress = cancel_later;
    options.progress_user = &left;
    cr_assert_eq(cltomo_context_create(&context, &options, NULL), CLTOMO_OK);
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    model m = model_create(context, system, 0.0);
    const cltomo_backend *backend = cltomo_backend_of(context);
    cltomo_array *array = NULL;
    cltomo_error error = {0};
    cr_assert_eq(
        backend->array_create(context, &array, CLTOMO_PRECISION_DOUBLE, 96, 96, NULL), CLTOMO_OK);
    cr_expect_eq(
        backend->slope_covariance(context, array, &m.covariance, &error), CLTOMO_ERROR_CANCELLED);
    cr_expect_eq(error.status, CLTOMO_ERROR_CANCELLED);
    backend->array_destroy(context, array);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

/* With pairs of both kinds. */
Test(slope_covariance, fails_cleanly_without_memory, .description = "large")
{
    static const double rotation[] = {0.1, 0.1, 0.0};
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_system *base = fixture_system(context, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(base);
    d.wfs_rotation = rotation;
    cltomo_system *system = fixture_describe(context, &d);
    model m = model_create(context, system, 0.0);
    const cltomo_backend *backend = cltomo_backend_of(context);
    cltomo_array *array = NULL;
    cr_assert_eq(
        backend->array_create(context, &array, CLTOMO_PRECISION_DOUBLE, 96, 96, NULL), CLTOMO_OK);
    for (int direct = 0; direct < 2; ++direct) {
        m.covariance.direct_reason = direct != 0 ? "a test" : NULL;
        long live = atomic_load(&state.live);
        cltomo_status status = CLTOMO_ERROR_MEMORY;
        long n = 0;
        for (; status == CLTOMO_ERROR_MEMORY; ++n) {
            cltomo_error error = {0};
            atomic_store(&state.left, n);
            status = backend->slope_covariance(context, array, &m.covariance, &error);
            cr_assert_eq(error.status, status);
            cr_assert_eq(atomic_load(&state.live), live);
        }
        cr_expect_eq(status, CLTOMO_OK);
        cr_expect_gt(n, 20);
    }
    backend->array_destroy(context, array);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_system_destroy(base);
    cltomo_context_destroy(context);
    cr_expect_eq(atomic_load(&state.live), 0);
}
