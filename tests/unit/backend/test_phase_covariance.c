/* C_ps as a whole: against the high-precision evaluation, the shortcut against every pair of
 * points, and the mean over the optimisation directions. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

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
    golden_array golden = fixture_golden(name, "c_ps");
    cltomo_matrix *c_ps = model_c_ps(&m, precision);
    double difference = golden_difference(fixture_view(c_ps), &golden);
    cr_expect_lt(difference, limit, "%s, direct %d: %g", name, direct, difference);
    cltomo_matrix_destroy(c_ps);
    golden_destroy(&golden);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(phase_covariance, equals_the_high_precision_evaluation, .description = "large")
{
    for (size_t i = 0; i < 3; ++i) {
        expect_golden(names[i], CLTOMO_PRECISION_DOUBLE, false, 1e-12);
        expect_golden(names[i], CLTOMO_PRECISION_DOUBLE, true, 1e-13);
        expect_golden(names[i], CLTOMO_PRECISION_SINGLE, false, 1e-5);
        expect_golden(names[i], CLTOMO_PRECISION_SINGLE, true, 1e-7);
    }
}

static void add_direction(double *sum, const cltomo_system_description *d)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_describe(context, d);
    model m = model_create(context, system, 0.0);
    m.covariance.direct_reason = "a test";
    cltomo_matrix *c_ps = model_c_ps(&m, CLTOMO_PRECISION_DOUBLE);
    for (size_t k = 0; k < c_ps->rows * c_ps->cols; ++k) {
        sum[k] += c_ps->data.f64[k];
    }
    cltomo_matrix_destroy(c_ps);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

/* Looking in a direction (tx, ty) is looking along the axis while all stars stand at (-tx, -ty)
 * from where they are: in a layer everything shifts by the same. */
Test(phase_covariance, is_the_mean_of_single_directions)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_directions");
    cltomo_system_description d = *cltomo_system_get_description(system);
    model m = model_create(context, system, 0.0);
    cltomo_matrix *c_ps = model_c_ps(&m, CLTOMO_PRECISION_DOUBLE);
    size_t n = c_ps->rows * c_ps->cols;
    cltomo_matrix *mean = NULL;
    cr_assert_eq(cltomo_matrix_create(context, &mean, CLTOMO_PRECISION_DOUBLE, c_ps->rows,
                     c_ps->cols, c_ps->data.f64, NULL),
        CLTOMO_OK);
    memset(mean->data.f64, 0, n * sizeof(double));
    double half = tan(0.5 * d.field_of_view);
    double stars_x[2] = {d.guide_star_x[0], d.guide_star_x[1]};
    double stars_y[2] = {d.guide_star_y[0], d.guide_star_y[1]};
    double x[2];
    double y[2];
    d.n_directions_across = 1;
    d.field_of_view = 0.0;
    d.guide_star_x = x;
    d.guide_star_y = y;
    for (int a = -1; a <= 1; ++a) {
        for (int b = -1; b <= 1; ++b) {
            for (size_t i = 0; i < 2; ++i) {
                x[i] = stars_x[i] - a * half;
                y[i] = stars_y[i] - b * half;
            }
            add_direction(mean->data.f64, &d);
        }
    }
    for (size_t k = 0; k < n; ++k) {
        mean->data.f64[k] /= 9.0;
    }
    cr_expect_lt(model_difference(c_ps, mean), 1e-12, "%g", model_difference(c_ps, mean));
    cltomo_matrix_destroy(mean);
    cltomo_matrix_destroy(c_ps);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

/* The last system is large enough for the threads to work side by side. */
Test(phase_covariance, threads_change_nothing, .description = "large")
{
    static const char *const systems[] = {"small_asymmetric", "small_directions", "revolt"};
    for (size_t i = 0; i < 3; ++i) {
        cltomo_matrix *first = NULL;
        static const uint32_t threads[] = {1, 2, 5};
        for (size_t t = 0; t < 3; ++t) {
            cltomo_context *context = fixture_threads(threads[t]);
            cltomo_system *system = fixture_system(context, systems[i]);
            model m = model_create(context, system, 0.0);
            m.covariance.direct_reason = i == 2 ? "a test" : NULL;
            cltomo_matrix *c_ps = model_c_ps(&m, CLTOMO_PRECISION_DOUBLE);
            if (first == NULL) {
                first = c_ps;
            } else {
                cr_expect_lt(model_difference(c_ps, first), 1e-13);
                cltomo_matrix_destroy(c_ps);
            }
            model_destroy(&m);
            cltomo_system_destroy(system);
            cltomo_context_destroy(context);
        }
        cltomo_matrix_destroy(first);
    }
}

typedef struct watch {
    int calls;
    int cancel_at; /* the call, from 1, that cancels; 0: none */
} watch;

static int watch_progress(void *user, const char *stage, double fraction)
{
    watch *w = user;
    cr_expect_str_eq(stage, "phase-slope covariance");
    cr_expect(fraction >= 0.0 && fraction <= 1.0, "%g", fraction);
    return ++w->calls == w->cancel_at;
}

/* Sensor 1 is separable, the others go point by point. */
static const double mixed_rotation[] = {0.1, 0.0, -0.2};

Test(phase_covariance, can_be_cancelled_at_any_time, .description = "large")
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    watch w = {0, 0};
    options.progress = watch_progress;
    options.progress_user = &w;
    cr_assert_eq(cltomo_context_create(&context, &options, NULL), CLTOMO_OK);
    cltomo_system *base = fixture_system(context, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(base);
    d.wfs_rotation = mixed_rotation;
    cltomo_system *system = fixture_describe(context, &d);
    model m = model_create(context, system, 0.0);
    const cltomo_backend *backend = cltomo_backend_of(context);
    cltomo_array *array = NULL;
    cr_assert_eq(backend->array_create(
                     context, &array, CLTOMO_PRECISION_DOUBLE, m.geometry->n_phase, 96, NULL),
        CLTOMO_OK);
    cr_expect_eq(backend->phase_slope_covariance(context, array, &m.covariance, NULL), CLTOMO_OK);
    int n_calls = w.calls;
    cr_expect_gt(n_calls, 4);
    for (int at = 1; at <= n_calls; ++at) {
        cltomo_error error = {0};
        w = (watch){0, at};
        cr_expect_eq(backend->phase_slope_covariance(context, array, &m.covariance, &error),
            CLTOMO_ERROR_CANCELLED);
        cr_expect_eq(error.status, CLTOMO_ERROR_CANCELLED);
        cr_expect_eq(w.calls, at);
    }
    backend->array_destroy(context, array);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_system_destroy(base);
    cltomo_context_destroy(context);
}

Test(phase_covariance, fails_cleanly_without_memory, .description = "large")
{
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_system *base = fixture_system(context, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(base);
    d.wfs_rotation = mixed_rotation;
    cltomo_system *system = fixture_describe(context, &d);
    model m = model_create(context, system, 1e-4);
    const cltomo_backend *backend = cltomo_backend_of(context);
    cltomo_array *array = NULL;
    cr_assert_eq(backend->array_create(
                     context, &array, CLTOMO_PRECISION_DOUBLE, m.geometry->n_phase, 96, NULL),
        CLTOMO_OK);
    long live = atomic_load(&state.live);
    cltomo_status status = CLTOMO_ERROR_MEMORY;
    long n = 0;
    for (; status == CLTOMO_ERROR_MEMORY; ++n) {
        cltomo_error error = {0};
        atomic_store(&state.left, n);
        status = backend->phase_slope_covariance(context, array, &m.covariance, &error);
        cr_assert_eq(error.status, status);
        cr_assert_eq(atomic_load(&state.live), live);
    }
    cr_expect_eq(status, CLTOMO_OK);
    cr_expect_gt(n, 15);
    backend->array_destroy(context, array);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_system_destroy(base);
    cltomo_context_destroy(context);
    cr_expect_eq(atomic_load(&state.live), 0);
}
