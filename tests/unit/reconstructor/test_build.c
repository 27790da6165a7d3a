/* The whole build against independent references: mpmath at 40 digits for small systems in which
 * nothing is symmetric, pyTomoAO 2.0.0 for its own examples. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "golden/pytomoao_systems.h"
#include "support/fault.h"
#include "support/fixture.h"

static cltomo_reconstructor *build(const char *name, const cltomo_build_options *options)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, name);
    cltomo_reconstructor *reconstructor = NULL;
    cltomo_error error = {0};
    cltomo_status status =
        cltomo_reconstructor_build(context, &reconstructor, system, options, &error);
    cr_assert_eq(status, CLTOMO_OK, "%s: %s", name, error.message);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
    return reconstructor;
}

static const double *values(const cltomo_reconstructor *reconstructor, cltomo_product product)
{
    return cltomo_matrix_double(cltomo_reconstructor_matrix(reconstructor, product));
}

static void expect_reference(const cltomo_reconstructor *reconstructor, cltomo_product product,
    const char *system, const char *matrix, double limit)
{
    golden_array reference = fixture_golden(system, matrix);
    const cltomo_matrix *candidate = cltomo_reconstructor_matrix(reconstructor, product);
    cr_assert_not_null(candidate);
    double difference = golden_difference(fixture_view(candidate), &reference);
    cr_expect_lt(difference, limit, "%s of %s: %g", matrix, system, difference);
    golden_destroy(&reference);
}

static const char *const small_systems[] = {"small_asymmetric", "small_directions", "small_single"};
enum { n_small_systems = sizeof small_systems / sizeof small_systems[0] };

Test(build, equals_the_high_precision_evaluation)
{
    cltomo_build_options options = cltomo_build_options_init();
    options.products = CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_R_UNSCALED | CLTOMO_PRODUCT_C_SS |
                       CLTOMO_PRODUCT_C_PS | CLTOMO_PRODUCT_IF | CLTOMO_PRODUCT_F |
                       CLTOMO_PRODUCT_FR;
    for (size_t i = 0; i < n_small_systems; ++i) {
        const char *name = small_systems[i];
        options.evaluation = CLTOMO_EVALUATION_DIRECT;
        cltomo_reconstructor *r = build(name, &options);
        expect_reference(r, CLTOMO_PRODUCT_C_SS, name, "c_ss", 1e-12);
        expect_reference(r, CLTOMO_PRODUCT_C_PS, name, "c_ps", 1e-12);
        expect_reference(r, CLTOMO_PRODUCT_R, name, "r", 1e-12);
        expect_reference(r, CLTOMO_PRODUCT_R_UNSCALED, name, "r_unscaled", 1e-12);
        expect_reference(r, CLTOMO_PRODUCT_IF, name, "modes", 1e-13);
        expect_reference(r, CLTOMO_PRODUCT_F, name, "f", 1e-11);
        expect_reference(r, CLTOMO_PRODUCT_FR, name, "fr", 1e-11);
        cltomo_reconstructor_destroy(r);
        options.evaluation = CLTOMO_EVALUATION_AUTO;
        r = build(name, &options);
        expect_reference(r, CLTOMO_PRODUCT_C_SS, name, "c_ss", 1e-12);
        expect_reference(r, CLTOMO_PRODUCT_R, name, "r", 1e-12);
        cltomo_reconstructor_destroy(r);
    }
}

Test(build, single_precision_stays_close_to_the_high_precision_evaluation)
{
    cltomo_build_options options = cltomo_build_options_init();
    options.products = CLTOMO_PRODUCT_R;
    options.precision = CLTOMO_PRECISION_SINGLE;
    for (size_t i = 0; i < n_small_systems; ++i) {
        cltomo_reconstructor *r = build(small_systems[i], &options);
        expect_reference(r, CLTOMO_PRODUCT_R, small_systems[i], "r", 1e-5);
        cltomo_reconstructor_destroy(r);
    }
}

/* R, in pyTomoAO's column order, against probes from both sides and against whole rows. */
static void expect_pytomoao(const golden_system *golden, cltomo_precision precision, double limit)
{
    cltomo_build_options options = cltomo_build_options_init();
    options.products = CLTOMO_PRODUCT_R;
    options.precision = precision;
    options.lenslet_order = CLTOMO_LENSLETS_COLUMN;
    cltomo_reconstructor *r = build(golden->name, &options);
    golden_view view = fixture_view(cltomo_reconstructor_matrix(r, CLTOMO_PRODUCT_R));
    golden_array right = fixture_golden(golden->name, "r_right");
    golden_array left = fixture_golden(golden->name, "r_left");
    golden_array rows = fixture_golden(golden->name, "r_rows");
    double by_right = golden_difference_right(view, &right, golden->r_norm);
    double by_left = golden_difference_left(view, &left, golden->r_norm);
    double by_rows = golden_difference_rows(view, &rows);
    cr_expect_lt(by_right, limit, "%s: %g", golden->name, by_right);
    cr_expect_lt(by_left, limit, "%s: %g", golden->name, by_left);
    cr_expect_lt(by_rows, limit, "%s: %g", golden->name, by_rows);
    golden_destroy(&right);
    golden_destroy(&left);
    golden_destroy(&rows);
    cltomo_reconstructor_destroy(r);
}

Test(build, equals_pytomoao_for_all_of_its_examples, .description = "large")
{
    for (size_t i = 0; i < sizeof golden_systems / sizeof golden_systems[0]; ++i) {
        expect_pytomoao(&golden_systems[i], CLTOMO_PRECISION_DOUBLE, 1e-6);
        expect_pytomoao(&golden_systems[i], CLTOMO_PRECISION_SINGLE, 1e-5);
    }
}

/* Number, in the list `all`, of each of the slopes. */
static void find_slopes(
    size_t *place, const cltomo_slope *slopes, const cltomo_slope *all, size_t n)
{
    for (size_t k = 0; k < n; ++k) {
        place[k] = n;
        for (size_t m = 0; m < n; ++m) {
            if (memcmp(&slopes[k], &all[m], sizeof slopes[k]) == 0) {
                place[k] = m;
            }
        }
        cr_assert_lt(place[k], n);
    }
}

/* The columns of R in any order are those of the library's own order, found through the list of
 * slopes. */
Test(build, orders_the_slopes_as_asked)
{
    enum { n = 96, n_phase = 88 };
    cltomo_slope own_slopes[n];
    cltomo_slope slopes[n];
    size_t place[n];
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_build_options options = cltomo_build_options_init();
    options.products = CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_C_SS;
    cltomo_reconstructor *own = build("small_asymmetric", &options);
    cr_assert_eq(
        cltomo_system_slopes(system, own_slopes, n, CLTOMO_SLOPES_XY, CLTOMO_LENSLETS_ROW, NULL),
        CLTOMO_OK);
    for (int order = 0; order < 6; ++order) {
        options.slope_order = (cltomo_slope_order)(order % 3);
        options.lenslet_order = (cltomo_lenslet_order)(order / 3);
        cltomo_reconstructor *r = build("small_asymmetric", &options);
        cr_assert_eq(cltomo_system_slopes(
                         system, slopes, n, options.slope_order, options.lenslet_order, NULL),
            CLTOMO_OK);
        find_slopes(place, slopes, own_slopes, n);
        for (size_t k = 0; k < n; ++k) {
            for (size_t i = 0; i < n_phase; ++i) {
                cr_assert_eq(values(r, CLTOMO_PRODUCT_R)[i * n + k],
                    values(own, CLTOMO_PRODUCT_R)[i * n + place[k]]);
            }
            for (size_t i = 0; i < n; ++i) {
                cr_assert_eq(values(r, CLTOMO_PRODUCT_C_SS)[i * n + k],
                    values(own, CLTOMO_PRODUCT_C_SS)[place[i] * n + place[k]]);
            }
        }
        cltomo_reconstructor_destroy(r);
    }
    cltomo_reconstructor_destroy(own);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

/* ||R - R'||_F / ||R'||_F */
static double difference(const cltomo_reconstructor *r, const cltomo_reconstructor *reference)
{
    const cltomo_matrix *m = cltomo_reconstructor_matrix(reference, CLTOMO_PRODUCT_R);
    golden_array whole = {.rows = cltomo_matrix_rows(m),
        .columns = cltomo_matrix_cols(m),
        .data = (double *)(uintptr_t)cltomo_matrix_double(m)};
    return golden_difference(
        fixture_view(cltomo_reconstructor_matrix(r, CLTOMO_PRODUCT_R)), &whole);
}

Test(build, tells_how_much_single_precision_loses, .description = "large")
{
    const double alphas[] = {10.0, 1.0, 0.1, 0.01};
    for (size_t i = 0; i < sizeof alphas / sizeof alphas[0]; ++i) {
        cltomo_build_options options = cltomo_build_options_init();
        options.products = CLTOMO_PRODUCT_R;
        options.alpha = alphas[i];
        cltomo_reconstructor *exact = build("reduced_kapa", &options);
        options.precision = CLTOMO_PRECISION_SINGLE;
        cltomo_reconstructor *single = build("reduced_kapa", &options);
        double loss = difference(single, exact);
        double estimate = cltomo_reconstructor_report(single)->estimated_error;
        cr_expect(loss < estimate && estimate < 30.0 * loss, "alpha %g: %g, estimated %g",
            alphas[i], loss, estimate);
        cltomo_reconstructor_destroy(exact);
        cltomo_reconstructor_destroy(single);
    }
}

static void count_warning(void *user, cltomo_log_level level, const char *text)
{
    size_t *count = user;
    *count += level == CLTOMO_LOG_WARNING && strstr(text, "digits cancel") != NULL;
}

/* Warnings about digits lost to an outer scale, in a build of a small system. */
static size_t warnings_for_outer_scale(double outer_scale)
{
    size_t count = 0;
    cltomo_context_options with_log = CLTOMO_CONTEXT_OPTIONS_INIT;
    with_log.backend = CLTOMO_BACKEND_CPU;
    with_log.log = count_warning;
    with_log.log_user = &count;
    cltomo_context *context = NULL;
    cr_assert_eq(cltomo_context_create(&context, &with_log, NULL), CLTOMO_OK);
    cltomo_system *system = fixture_system(context, "small_single");
    cltomo_system_description description = *cltomo_system_get_description(system);
    description.L0 = outer_scale;
    cltomo_system *changed = fixture_describe(context, &description);
    cltomo_build_options options = cltomo_build_options_init();
    options.products = CLTOMO_PRODUCT_R;
    cltomo_reconstructor *r = NULL;
    cr_assert_eq(cltomo_reconstructor_build(context, &r, changed, &options, NULL), CLTOMO_OK);
    cltomo_reconstructor_destroy(r);
    cltomo_system_destroy(changed);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
    return count;
}

Test(build, warns_of_an_outer_scale_that_cancels_digits)
{
    cr_expect_eq(warnings_for_outer_scale(1e3), 0);
    cr_expect_eq(warnings_for_outer_scale(1e6), 1);
}

/* FR alone, where F is applied before the solves, is the FR that comes with R. */
Test(build, commands_alone_equal_the_commands_beside_r)
{
    const uint32_t masked[] = {0, 3};
    cltomo_build_options options = cltomo_build_options_init();
    options.slope_order = CLTOMO_SLOPES_INTERLEAVED;
    options.mirror_rotation = 1;
    options.mirror_flip = 1;
    options.masked_actuators = masked;
    options.n_masked_actuators = 2;
    cltomo_reconstructor *both = build("small_asymmetric", &options);
    options.products = CLTOMO_PRODUCT_FR;
    cltomo_reconstructor *alone = build("small_asymmetric", &options);
    cr_assert_null(cltomo_reconstructor_matrix(alone, CLTOMO_PRODUCT_R));
    const cltomo_matrix *expected = cltomo_reconstructor_matrix(both, CLTOMO_PRODUCT_FR);
    const cltomo_matrix *found = cltomo_reconstructor_matrix(alone, CLTOMO_PRODUCT_FR);
    size_t n = cltomo_matrix_cols(expected);
    double scale = golden_frobenius(fixture_view(expected));
    for (size_t k = 0; k < n * cltomo_matrix_rows(expected); ++k) {
        cr_assert_float_eq(
            cltomo_matrix_double(found)[k], cltomo_matrix_double(expected)[k], 1e-12 * scale);
    }
    for (size_t k = 0; k < n; ++k) {
        cr_assert_eq(cltomo_matrix_double(found)[k], 0.0);
        cr_assert_eq(cltomo_matrix_double(found)[3 * n + k], 0.0);
        cr_assert_neq(cltomo_matrix_double(found)[2 * n + k], 0.0);
    }
    cltomo_reconstructor_destroy(both);
    cltomo_reconstructor_destroy(alone);
}

Test(build, singular_covariance_is_an_error, .description = "large")
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "kapa-single-channel");
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_reconstructor *r = NULL;
    cltomo_error error = {0};
    options.products = CLTOMO_PRODUCT_R;
    options.alpha = 0.0; /* four coincident guide stars: rank a quarter of the slopes */
    cr_assert_eq(cltomo_reconstructor_build(context, &r, system, &options, &error),
        CLTOMO_ERROR_NOT_POSITIVE_DEFINITE);
    cr_assert_null(r);
    cr_assert_not_null(strstr(error.message, "alpha"), "%s", error.message);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(build, gives_what_follows_from_the_geometry)
{
    cltomo_build_options options = cltomo_build_options_init();
    options.products = CLTOMO_PRODUCT_GAMMA | CLTOMO_PRODUCT_GRID_MASK | CLTOMO_PRODUCT_C_N;
    cltomo_reconstructor *r = build("small_asymmetric", &options);
    golden_array gamma = fixture_golden("small_asymmetric", "gamma");
    const cltomo_sparse *sparse = cltomo_reconstructor_gradient(r);
    expect_reference(r, CLTOMO_PRODUCT_GRID_MASK, "small_asymmetric", "mask", 1e-15);
    cr_assert_eq(sparse->cols, gamma.columns);
    for (size_t i = 0; i < sparse->rows; ++i) {
        for (size_t k = sparse->row_start[i]; k < sparse->row_start[i + 1]; ++k) {
            cr_assert_eq(gamma.data[i * gamma.columns + sparse->column[k]], sparse->value[k]);
        }
    }
    const cltomo_build_report *report = cltomo_reconstructor_report(r);
    cr_assert_eq(values(r, CLTOMO_PRODUCT_C_N)[1], 10.0 * report->mean_slope_variance);
    golden_destroy(&gamma);
    cltomo_reconstructor_destroy(r);
}

typedef struct cancel_at {
    int calls_left;
} cancel_at;

static int count_down(void *user, const char *stage, double fraction)
{
    cancel_at *counter = user;
    cr_assert_not_null(stage);
    cr_assert(fraction >= 0.0 && fraction <= 1.0, "%s: %g", stage, fraction);
    return counter->calls_left-- == 0;
}

Test(build, can_be_cancelled_at_every_report_of_progress, .description = "large")
{
    cancel_at counter = {0};
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    options.progress = count_down;
    options.progress_user = &counter;
    cltomo_context *context = NULL;
    cr_assert_eq(cltomo_context_create(&context, &options, NULL), CLTOMO_OK);
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_status status = CLTOMO_ERROR_CANCELLED;
    int calls = 0;
    while (status == CLTOMO_ERROR_CANCELLED) {
        cltomo_reconstructor *r = NULL;
        counter.calls_left = calls++;
        status = cltomo_reconstructor_build(context, &r, system, NULL, NULL);
        cltomo_reconstructor_destroy(r);
    }
    cr_assert_eq(status, CLTOMO_OK);
    cr_assert_gt(calls, 3);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(build, survives_the_failure_of_any_allocation, .description = "large")
{
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_build_options options = cltomo_build_options_init();
    options.products = (1U << 10U) - 1U; /* all there are */
    options.slope_order = CLTOMO_SLOPES_YX;
    long before = atomic_load(&state.live);
    cltomo_status status = CLTOMO_ERROR_MEMORY;
    for (long n = 0; status == CLTOMO_ERROR_MEMORY; ++n) {
        cltomo_reconstructor *r = NULL;
        cltomo_error error = {0};
        atomic_store(&state.left, n);
        status = cltomo_reconstructor_build(context, &r, system, &options, &error);
        if (status == CLTOMO_ERROR_MEMORY) {
            cr_assert_null(r);
            cr_assert_neq(error.message[0], '\0');
        }
        cltomo_reconstructor_destroy(r);
        cr_assert_eq(atomic_load(&state.live), before, "allocation %ld leaks", n);
    }
    cr_assert_eq(status, CLTOMO_OK);
    atomic_store(&state.left, LONG_MAX);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
    cr_assert_eq(atomic_load(&state.live), 0);
}
