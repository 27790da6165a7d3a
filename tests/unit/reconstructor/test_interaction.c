/* The reconstructor from an interaction matrix: against 40-digit arithmetic and pyTomoAO on systems
 * in which nothing is symmetric, its forms and orders against each other, its refusals. */
#include <criterion/criterion.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fault.h"
#include "support/fixture.h"
#include "support/interaction.h"
#include "support/model.h"
#include "support/operations.h"

Test(interaction, equals_the_high_precision_evaluation)
{
    cltomo_context *context = fixture_threads(2);
    interaction_expect_golden(context, CLTOMO_PRECISION_DOUBLE);
    interaction_expect_golden(context, CLTOMO_PRECISION_SINGLE);
    cltomo_context_destroy(context);
}

/* A build that works. */
static cltomo_reconstructor *build(const cltomo_context *context, const cltomo_system *system,
    const cltomo_matrix *matrix, const cltomo_interaction_options *options)
{
    cltomo_reconstructor *r = NULL;
    cltomo_error error = {0};
    cr_assert_eq(
        cltomo_reconstructor_build_interaction(context, &r, system, matrix, options, &error),
        CLTOMO_OK, "%s", error.message);
    return r;
}

Test(interaction, equals_pytomoao_with_its_spacing)
{
    static const char *const names[] = {"small_asymmetric", "small_single"};
    cltomo_context *context = fixture_context();
    cltomo_interaction_options options = interaction_options();
    options.grid = CLTOMO_ACTUATORS_PYTOMOAO;
    for (size_t i = 0; i < 2; ++i) {
        golden_array peer = fixture_golden(names[i], "r_im_peer");
        cltomo_system *system = fixture_system(context, names[i]);
        cltomo_matrix *matrix = interaction_matrix(context, names[i], "im");
        cltomo_reconstructor *r = build(context, system, matrix, &options);
        golden_view found = fixture_view(cltomo_reconstructor_matrix(r, CLTOMO_PRODUCT_R_IM));
        cr_expect_lt(golden_difference(found, &peer), 1e-7, "%s", names[i]);
        cltomo_reconstructor_destroy(r);
        cltomo_matrix_destroy(matrix);
        cltomo_system_destroy(system);
        golden_destroy(&peer);
    }
    cltomo_context_destroy(context);
}

/* D's rows in another order give R_IM's columns in that order, the same numbers otherwise. */
Test(interaction, takes_the_slopes_in_the_declared_order)
{
    enum { n = 96, n_actuators = 25 };
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_matrix *own = interaction_matrix(context, "small_asymmetric", "im");
    golden_array expected = fixture_golden("small_asymmetric", "r_im");
    cltomo_slope own_slopes[n];
    cltomo_slope slopes[n];
    cr_assert_eq(
        cltomo_system_slopes(system, own_slopes, n, CLTOMO_SLOPES_XY, CLTOMO_LENSLETS_ROW, NULL),
        CLTOMO_OK);
    for (int order = 1; order < 6; ++order) {
        static double rows[n * n_actuators];
        size_t place[n];
        cltomo_matrix *matrix = NULL;
        cltomo_interaction_options options = interaction_options();
        options.slope_order = (cltomo_slope_order)(order % 3);
        options.lenslet_order = (cltomo_lenslet_order)(order / 3);
        cr_assert_eq(cltomo_system_slopes(
                         system, slopes, n, options.slope_order, options.lenslet_order, NULL),
            CLTOMO_OK);
        for (size_t k = 0; k < n; ++k) {
            for (place[k] = 0; memcmp(&slopes[k], &own_slopes[place[k]], sizeof slopes[k]) != 0;) {
                ++place[k];
            }
            memcpy(&rows[k * n_actuators], cltomo_matrix_double(own) + place[k] * n_actuators,
                n_actuators * sizeof *rows);
        }
        cr_assert_eq(cltomo_matrix_create(
                         context, &matrix, CLTOMO_PRECISION_DOUBLE, n, n_actuators, rows, NULL),
            CLTOMO_OK);
        cltomo_reconstructor *r = build(context, system, matrix, &options);
        const cltomo_matrix *found = cltomo_reconstructor_matrix(r, CLTOMO_PRODUCT_R_IM);
        double largest = 0.0;
        for (size_t a = 0; a < n_actuators; ++a) {
            for (size_t k = 0; k < n; ++k) {
                double difference =
                    operations_element(found, a, k) - expected.data[a * n + place[k]];
                largest = fmax(largest, fabs(difference));
            }
        }
        cr_expect_lt(largest, 1e-12);
        cr_expect_eq(cltomo_reconstructor_options(r)->slope_order, options.slope_order);
        cltomo_reconstructor_destroy(r);
        cltomo_matrix_destroy(matrix);
    }
    golden_destroy(&expected);
    cltomo_matrix_destroy(own);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

/* mean(diag D C D^T), from the phase covariance at zero separation alone: an actuator seen by one
 * slope of each sensor. */
Test(interaction, reports_what_it_did)
{
    static double data[96 * 25];
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_matrix *matrix = NULL;
    cltomo_dimensions d;
    double variance = 0.0;
    double zero = 0.0;
    data[0 * 25 + 3] = 2.0;
    data[32 * 25 + 3] = 2.0;
    data[64 * 25 + 3] = 2.0;
    cr_assert_eq(
        cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_DOUBLE, 96, 25, data, NULL),
        CLTOMO_OK);
    cltomo_reconstructor *r = build(context, system, matrix, NULL);
    const cltomo_build_report *report = cltomo_reconstructor_report(r);
    cltomo_system_dimensions(system, &d);
    cr_assert_eq(cltomo_von_karman_covariance(&variance, &zero, 1, d.r0, 24.0, NULL), CLTOMO_OK);
    cr_expect_float_eq(report->mean_slope_variance, 4.0 * variance / 32.0, 1e-12 * variance);
    cr_expect_eq(report->noise_variance, 10.0);
    cr_expect_eq(report->n_pairs_direct, 6);
    cr_expect_eq(report->n_sensors_direct, 3);
    cr_expect_gt(report->pivot_ratio, 0.0);
    cr_expect_str_eq(report->backend, "cpu");
    static const char *const stages[] = {
        "geometry", "slope covariance", "actuator-slope covariance", "factorisation", "solve"};
    cr_assert_eq(report->n_stages, 5);
    double sum = 0.0;
    for (size_t i = 0; i < 5; ++i) {
        cr_expect_str_eq(report->stage_name[i], stages[i]);
        sum += report->stage_seconds[i];
    }
    cr_expect_leq(sum, report->total_seconds);
    cr_expect_eq(cltomo_reconstructor_options(r)->products, (uint32_t)CLTOMO_PRODUCT_R_IM);
    cr_expect_null(cltomo_reconstructor_matrix(r, CLTOMO_PRODUCT_R));
    cr_expect_eq(cltomo_reconstructor_system(r), system);
    cltomo_reconstructor_destroy(r);
    cltomo_matrix_destroy(matrix);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

/* ---- subsets of the sensors ---------------------------------------------------------------- */

/* The rows of sensors that begin at first_row, n_rows each, below each other. */
static cltomo_matrix *rows_of(const cltomo_context *context, const cltomo_matrix *matrix,
    const size_t *first_row, const size_t *n_rows, size_t n_sensors)
{
    size_t cols = cltomo_matrix_cols(matrix);
    double *data = calloc(cltomo_matrix_rows(matrix) * cols, sizeof *data);
    cltomo_matrix *rows = NULL;
    size_t n = 0;
    for (size_t i = 0; i < n_sensors; ++i) {
        memcpy(data + n * cols, cltomo_matrix_double(matrix) + first_row[i] * cols,
            n_rows[i] * cols * sizeof *data);
        n += n_rows[i];
    }
    cr_assert_eq(cltomo_matrix_create(context, &rows, CLTOMO_PRECISION_DOUBLE, n, cols, data, NULL),
        CLTOMO_OK);
    free(data);
    return rows;
}

/* The same sensors, with no whole system that they would come from. */
static cltomo_system *without_origin(const cltomo_context *context, const cltomo_system *subset)
{
    cltomo_system *system = fixture_describe(context, cltomo_system_get_description(subset));
    cr_assert_null(cltomo_system_wfs_numbers(system));
    return system;
}

static void expect_equal_builds(const cltomo_context *context, const cltomo_system *system,
    const cltomo_matrix *matrix, const cltomo_system *expected_system,
    const cltomo_matrix *expected_matrix, cltomo_precision precision)
{
    cltomo_interaction_options options = interaction_options();
    options.precision = precision;
    cltomo_reconstructor *found = build(context, system, matrix, &options);
    cltomo_reconstructor *expected = build(context, expected_system, expected_matrix, &options);
    double difference = model_difference(cltomo_reconstructor_matrix(found, CLTOMO_PRODUCT_R_IM),
        cltomo_reconstructor_matrix(expected, CLTOMO_PRODUCT_R_IM));
    cr_expect_lt(difference, precision == CLTOMO_PRECISION_DOUBLE ? 1e-12 : 1e-6, "%g", difference);
    cltomo_reconstructor_destroy(expected);
    cltomo_reconstructor_destroy(found);
}

/* 14, 12 and 10 slopes. */
Test(interaction, of_a_subset_takes_its_rows_from_those_of_the_whole_system)
{
    static const uint32_t sensors[] = {0, 2};
    static const size_t first_row[] = {0, 26};
    static const size_t n_rows[] = {14, 10};
    cltomo_context *context = fixture_context();
    cltomo_system *whole = fixture_system(context, "interaction_details");
    cltomo_matrix *matrix = interaction_matrix(context, "interaction_details", "im");
    for (size_t first = 0; first < 2; ++first) { /* both, the second alone */
        cltomo_system *subset = NULL;
        cr_assert_eq(
            cltomo_system_subset(context, &subset, whole, sensors + first, 2 - first, NULL),
            CLTOMO_OK);
        cltomo_system *described = without_origin(context, subset);
        cltomo_matrix *rows =
            rows_of(context, matrix, first_row + first, n_rows + first, 2 - first);
        for (int precision = 0; precision < 2; ++precision) {
            expect_equal_builds(
                context, subset, matrix, described, rows, (cltomo_precision)precision);
            expect_equal_builds(
                context, subset, rows, described, rows, (cltomo_precision)precision);
        }
        cltomo_matrix_destroy(rows);
        cltomo_system_destroy(described);
        cltomo_system_destroy(subset);
    }
    cltomo_matrix_destroy(matrix);
    cltomo_system_destroy(whole);
    cltomo_context_destroy(context);
}

Test(interaction, of_a_subset_takes_one_block_for_all)
{
    static const uint32_t sensors[] = {1, 2};
    static const size_t first_row[] = {32, 32};
    static const size_t n_rows[] = {32, 32};
    cltomo_context *context = fixture_context();
    cltomo_system *whole = fixture_system(context, "small_asymmetric");
    cltomo_matrix *matrix = interaction_matrix(context, "small_asymmetric", "im");
    cltomo_matrix *block = rows_of(context, matrix, first_row, n_rows, 1);
    cltomo_matrix *twice = rows_of(context, matrix, first_row, n_rows, 2);
    cltomo_system *subset = NULL;
    cr_assert_eq(cltomo_system_subset(context, &subset, whole, sensors, 2, NULL), CLTOMO_OK);
    cltomo_system *described = without_origin(context, subset);
    expect_equal_builds(context, subset, block, described, twice, CLTOMO_PRECISION_DOUBLE);
    cltomo_system_destroy(described);
    cltomo_system_destroy(subset);
    cltomo_matrix_destroy(twice);
    cltomo_matrix_destroy(block);
    cltomo_matrix_destroy(matrix);
    cltomo_system_destroy(whole);
    cltomo_context_destroy(context);
}

/* ---- refusals ------------------------------------------------------------------------------ */

static void expect_refused(const cltomo_context *context, const cltomo_system *system,
    const cltomo_matrix *matrix, const cltomo_interaction_options *options, cltomo_status status,
    const char *key, const char *allowed)
{
    cltomo_reconstructor *r = NULL;
    cltomo_error error = {0};
    cr_expect_eq(
        cltomo_reconstructor_build_interaction(context, &r, system, matrix, options, &error),
        status);
    cr_expect_null(r);
    cr_expect_eq(error.status, status);
    cr_expect_str_eq(error.key, key);
    cr_expect_not_null(strstr(error.allowed, allowed), "%s", error.allowed);
    cr_expect_neq(error.message[0], '\0');
    cr_expect_eq(
        cltomo_reconstructor_build_interaction(context, &r, system, matrix, options, NULL), status);
}

static cltomo_matrix *ones(const cltomo_context *context, size_t rows, size_t cols)
{
    double *data = calloc(rows * cols, sizeof *data);
    cltomo_matrix *matrix = NULL;
    for (size_t i = 0; i < rows * cols; ++i) {
        data[i] = 1.0;
    }
    cr_assert_eq(
        cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_DOUBLE, rows, cols, data, NULL),
        CLTOMO_OK);
    free(data);
    return matrix;
}

Test(interaction, refuses_a_matrix_of_another_shape)
{
    static const size_t shapes[][2] = {
        {95, 25}, {97, 25}, {96, 24}, {96, 26}, {25, 96}, {64, 25}, {31, 25}, {1, 25}, {32, 36}};
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
        cltomo_matrix *matrix = ones(context, shapes[i][0], shapes[i][1]);
        cltomo_error error = {0};
        cltomo_reconstructor *r = NULL;
        char value[32];
        (void)snprintf(value, sizeof value, "%zu x %zu", shapes[i][0], shapes[i][1]);
        expect_refused(context, system, matrix, NULL, CLTOMO_ERROR_SHAPE, "interaction_matrix",
            "96 x 25, slopes x actuators, or 32 x 25 for all sensors alike");
        cr_expect_eq(
            cltomo_reconstructor_build_interaction(context, &r, system, matrix, NULL, &error),
            CLTOMO_ERROR_SHAPE);
        cr_expect_str_eq(error.value, value);
        cltomo_matrix_destroy(matrix);
    }
    expect_refused(
        context, system, NULL, NULL, CLTOMO_ERROR_ARGUMENT, "interaction_matrix", "a matrix");
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

/* 14, 12 and 10 slopes: no block could serve all. */
Test(interaction, refuses_one_block_for_sensors_that_differ)
{
    static const size_t rows[] = {14, 12, 10};
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "interaction_details");
    for (size_t i = 0; i < 3; ++i) {
        cltomo_reconstructor *r = NULL;
        cltomo_error error = {0};
        cltomo_matrix *matrix = ones(context, rows[i], 17);
        cr_expect_eq(
            cltomo_reconstructor_build_interaction(context, &r, system, matrix, NULL, &error),
            CLTOMO_ERROR_SHAPE);
        cr_expect_str_eq(error.allowed, "36 x 17, slopes x actuators");
        cltomo_matrix_destroy(matrix);
    }
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(interaction, of_a_subset_refuses_what_fits_neither_it_nor_the_whole)
{
    static const uint32_t alike[] = {0, 1};
    static const uint32_t differ[] = {1, 2};
    cltomo_context *context = fixture_context();
    cltomo_system *whole = fixture_system(context, "small_asymmetric");
    cltomo_system *subset = NULL;
    cltomo_matrix *matrix = ones(context, 33, 25);
    cr_assert_eq(cltomo_system_subset(context, &subset, whole, alike, 2, NULL), CLTOMO_OK);
    expect_refused(context, subset, matrix, NULL, CLTOMO_ERROR_SHAPE, "interaction_matrix",
        "64 x 25, slopes x actuators, or 32 x 25 for all sensors alike, or 96 x 25 for the whole "
        "system");
    cltomo_matrix_destroy(matrix);
    cltomo_system_destroy(subset);
    cltomo_system_destroy(whole);
    whole = fixture_system(context, "interaction_details");
    matrix = ones(context, 12, 17); /* the block of one */
    cr_assert_eq(cltomo_system_subset(context, &subset, whole, differ, 2, NULL), CLTOMO_OK);
    expect_refused(context, subset, matrix, NULL, CLTOMO_ERROR_SHAPE, "interaction_matrix",
        "22 x 17, slopes x actuators, or 36 x 17 for the whole system");
    cltomo_matrix_destroy(matrix);
    cltomo_system_destroy(subset);
    cltomo_system_destroy(whole);
    cltomo_context_destroy(context);
}

/* Only the rows that are taken count, and the sensor has the number of the whole system. */
Test(interaction, of_a_subset_refuses_a_sensor_of_it_that_shows_nothing)
{
    static double data[96 * 25];
    static const uint32_t sensors[] = {0, 2};
    cltomo_context *context = fixture_context();
    cltomo_system *whole = fixture_system(context, "small_asymmetric");
    cltomo_system *subset = NULL;
    cltomo_matrix *matrix = NULL;
    cltomo_reconstructor *r = NULL;
    cltomo_error error = {0};
    data[0] = 1.0;
    data[(size_t)63 * 25] = 1.0; /* the last of sensor 1 */
    cr_assert_eq(
        cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_DOUBLE, 96, 25, data, NULL),
        CLTOMO_OK);
    cr_assert_eq(cltomo_system_subset(context, &subset, whole, sensors, 2, NULL), CLTOMO_OK);
    cr_expect_eq(cltomo_reconstructor_build_interaction(context, &r, subset, matrix, NULL, &error),
        CLTOMO_ERROR_ARGUMENT);
    cr_expect_not_null(strstr(error.message, "sensor 2 is zero"), "%s", error.message);
    cltomo_system_destroy(subset);
    cr_assert_eq(cltomo_system_subset(context, &subset, whole, sensors, 1, NULL), CLTOMO_OK);
    cltomo_reconstructor_destroy(build(context, subset, matrix, NULL));
    cltomo_matrix_destroy(matrix);
    cltomo_system_destroy(subset);
    cltomo_system_destroy(whole);
    cltomo_context_destroy(context);
}

Test(interaction, refuses_a_sensor_that_shows_nothing)
{
    static double data[96 * 25];
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_matrix *matrix = NULL;
    cltomo_reconstructor *r = NULL;
    cltomo_error error = {0};
    data[31 * 25 + 24] = 1e-300; /* the last of the first sensor */
    data[64 * 25] = -1.0;        /* the first of the third */
    cr_assert_eq(
        cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_DOUBLE, 96, 25, data, NULL),
        CLTOMO_OK);
    cr_expect_eq(cltomo_reconstructor_build_interaction(context, &r, system, matrix, NULL, &error),
        CLTOMO_ERROR_ARGUMENT);
    cr_expect_not_null(strstr(error.message, "sensor 1 is zero"), "%s", error.message);
    cr_expect_str_eq(error.key, "interaction_matrix");
    cltomo_matrix_destroy(matrix);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(interaction, refuses_options_out_of_range)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_matrix *matrix = interaction_matrix(context, "small_asymmetric", "im");
    const cltomo_interaction_options defaults = cltomo_interaction_options_init();
    cltomo_interaction_options o = defaults;
    cr_expect_eq(o.alpha, 10.0);
    const double alphas[] = {-1.0, NAN, INFINITY, 2e30};
    for (size_t i = 0; i < 4; ++i) {
        o.alpha = alphas[i];
        expect_refused(context, system, matrix, &o, CLTOMO_ERROR_ARGUMENT, "alpha", "0 to 1e30");
    }
    o = defaults;
    o.precision = (cltomo_precision)7;
    expect_refused(context, system, matrix, &o, CLTOMO_ERROR_ARGUMENT, "precision", "double");
    o = defaults;
    o.grid = (cltomo_actuator_grid)2;
    expect_refused(context, system, matrix, &o, CLTOMO_ERROR_ARGUMENT, "grid", "pytomoao");
    o = defaults;
    o.slope_order = (cltomo_slope_order)3;
    expect_refused(context, system, matrix, &o, CLTOMO_ERROR_ARGUMENT, "slope_order", "");
    o = defaults;
    o.size = sizeof o + 8;
    expect_refused(context, system, matrix, &o, CLTOMO_ERROR_ARGUMENT, "size", "sizeof");
    o.size = 0;
    expect_refused(context, system, matrix, &o, CLTOMO_ERROR_ARGUMENT, "size", "sizeof");
    cltomo_matrix_destroy(matrix);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(interaction, needs_a_mirror)
{
    cltomo_context *context = fixture_context();
    cltomo_system *base = fixture_system(context, "small_single");
    cltomo_system_description d = *cltomo_system_get_description(base);
    const uint8_t one = 1;
    cltomo_matrix *matrix = ones(context, 22, 1);
    cltomo_interaction_options options = cltomo_interaction_options_init();
    d.n_actuators = 0;
    d.valid_actuators = NULL;
    d.actuator_pitch = 0.0;
    cltomo_system *system = fixture_describe(context, &d);
    expect_refused(
        context, system, matrix, &options, CLTOMO_ERROR_CONFIG, "dm_parameters", "a mirror");
    cltomo_system_destroy(system);

    d.n_actuators = 1;
    d.valid_actuators = &one;
    d.actuator_pitch = 1.0;
    system = fixture_describe(context, &d);
    cltomo_reconstructor_destroy(build(context, system, matrix, &options));
    options.grid = CLTOMO_ACTUATORS_PYTOMOAO;
    expect_refused(context, system, matrix, &options, CLTOMO_ERROR_CONFIG,
        "dm_parameters.nActuators", "2 or more");
    cltomo_system_destroy(system);
    cltomo_matrix_destroy(matrix);
    cltomo_system_destroy(base);
    cltomo_context_destroy(context);
}

/* Without noise 96 slopes of 75 actuators' phases have no inverse. */
Test(interaction, tells_that_it_is_singular)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_matrix *matrix = interaction_matrix(context, "small_asymmetric", "im");
    cltomo_interaction_options options = interaction_options();
    options.alpha = 0.0;
    expect_refused(context, system, matrix, &options, CLTOMO_ERROR_NOT_POSITIVE_DEFINITE, "", "");
    cltomo_matrix_destroy(matrix);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(interaction, does_not_come_from_the_model)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_single");
    cltomo_build_options options = cltomo_build_options_init();
    const uint32_t products[] = {CLTOMO_PRODUCT_R_IM, CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_R_IM};
    for (size_t i = 0; i < 2; ++i) {
        cltomo_reconstructor *r = NULL;
        cltomo_error error = {0};
        options.products = products[i];
        cr_expect_eq(cltomo_reconstructor_build(context, &r, system, &options, &error),
            CLTOMO_ERROR_ARGUMENT);
        cr_expect_str_eq(error.key, "products");
        cr_expect_null(r);
    }
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

/* ---- warnings, callbacks, faults ------------------------------------------------------------ */

typedef struct heard {
    char text[2048];
    int warnings;
} heard;

static void hear(void *user, cltomo_log_level level, const char *text)
{
    heard *h = user;
    if (level == CLTOMO_LOG_WARNING) {
        ++h->warnings;
        (void)snprintf(h->text, sizeof h->text, "%s", text);
    }
}

static void expect_warning(size_t n_unseen, const char *expected)
{
    heard h = {"", 0};
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    options.backend = CLTOMO_BACKEND_CPU;
    options.log = hear;
    options.log_user = &h;
    cr_assert_eq(cltomo_context_create(&context, &options, NULL), CLTOMO_OK);
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_matrix *full = interaction_matrix(context, "small_asymmetric", "im");
    cltomo_matrix *matrix = NULL;
    static double data[96 * 25];
    memcpy(data, cltomo_matrix_double(full), sizeof data);
    for (size_t row = 0; row < 96; ++row) {
        for (size_t col = 2; col < 2 + n_unseen; ++col) {
            data[row * 25 + col] = 0.0;
        }
    }
    cr_assert_eq(
        cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_DOUBLE, 96, 25, data, NULL),
        CLTOMO_OK);
    cltomo_interaction_options interaction = interaction_options();
    h.warnings = 0;
    cltomo_reconstructor_destroy(build(context, system, matrix, &interaction));
    cr_expect_eq(h.warnings, expected != NULL);
    if (expected != NULL) {
        cr_expect_not_null(strstr(h.text, expected), "%s", h.text);
    }
    cltomo_matrix_destroy(matrix);
    cltomo_matrix_destroy(full);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(interaction, warns_of_actuators_that_no_sensor_sees)
{
    expect_warning(0, NULL);
    expect_warning(1, "no sensor sees actuator 2 (row 0, column 3): what R_IM gives for it");
    expect_warning(2, "no sensor sees actuators 2 (row 0, column 3), 3 (row 1, column 0): what");
    expect_warning(9, "9 (row 2, column 1), ...: what R_IM gives for them");
}

/* Actuators that only the other sensors see are not seen. */
Test(interaction, warns_of_actuators_that_no_sensor_of_a_subset_sees)
{
    static double data[96 * 25];
    static const uint32_t sensors[] = {0, 1};
    heard h = {"", 0};
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    options.backend = CLTOMO_BACKEND_CPU;
    options.log = hear;
    options.log_user = &h;
    cr_assert_eq(cltomo_context_create(&context, &options, NULL), CLTOMO_OK);
    cltomo_system *whole = fixture_system(context, "small_asymmetric");
    cltomo_system *subset = NULL;
    cltomo_matrix *matrix = NULL;
    for (size_t i = 0; i < (size_t)96 * 25; ++i) {
        data[i] = i % 25 == 4 && i < (size_t)64 * 25 ? 0.0 : 1.0;
    }
    cr_assert_eq(
        cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_DOUBLE, 96, 25, data, NULL),
        CLTOMO_OK);
    cr_assert_eq(cltomo_system_subset(context, &subset, whole, sensors, 2, NULL), CLTOMO_OK);
    cltomo_interaction_options interaction = interaction_options();
    h.warnings = 0;
    cltomo_reconstructor_destroy(build(context, whole, matrix, &interaction));
    cr_expect_eq(h.warnings, 0);
    cltomo_reconstructor_destroy(build(context, subset, matrix, &interaction));
    cr_expect_eq(h.warnings, 1);
    cr_expect_not_null(strstr(h.text, "no sensor sees actuator 4 (row 1, column 1)"), "%s", h.text);
    cltomo_matrix_destroy(matrix);
    cltomo_system_destroy(subset);
    cltomo_system_destroy(whole);
    cltomo_context_destroy(context);
}

static int cancel_later(void *user, const char *stage, double fraction)
{
    int *left = user;
    cr_expect_neq(stage[0], '\0');
    cr_expect(fraction >= 0.0 && fraction <= 1.0);
    return (*left)-- == 0;
}

Test(interaction, can_be_cancelled)
{
    for (int n = 0;; ++n) {
        int left = n;
        cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
        cltomo_context *context = NULL;
        cltomo_reconstructor *r = NULL;
        options.backend = CLTOMO_BACKEND_CPU;
        options.progress = cancel_later;
        options.progress_user = &left;
        cr_assert_eq(cltomo_context_create(&context, &options, NULL), CLTOMO_OK);
        cltomo_system *system = fixture_system(context, "small_asymmetric");
        cltomo_matrix *matrix = interaction_matrix(context, "small_asymmetric", "im");
        cltomo_status status =
            cltomo_reconstructor_build_interaction(context, &r, system, matrix, NULL, NULL);
        cr_expect_eq(status == CLTOMO_OK, r != NULL);
        cltomo_reconstructor_destroy(r);
        cltomo_matrix_destroy(matrix);
        cltomo_system_destroy(system);
        cltomo_context_destroy(context);
        if (status == CLTOMO_OK) {
            cr_expect_geq(n, 11); /* 6 blocks, 3 sensors, factorisation, solve */
            break;
        }
        cr_assert_eq(status, CLTOMO_ERROR_CANCELLED);
    }
}

typedef struct material {
    cltomo_system *system;
    cltomo_matrix *matrix;
} material;

static cltomo_status attempt(const cltomo_context *context, void *user, cltomo_error *error)
{
    const material *m = user;
    cltomo_reconstructor *r = NULL;
    cltomo_status status =
        cltomo_reconstructor_build_interaction(context, &r, m->system, m->matrix, NULL, error);
    cr_assert_eq(status == CLTOMO_OK, r != NULL);
    cltomo_reconstructor_destroy(r);
    return status;
}

Test(interaction, survives_every_failing_allocation)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_context *own = fixture_context();
    material m = {
        fixture_system(own, "small_asymmetric"), interaction_matrix(own, "small_asymmetric", "im")};
    cr_expect_gt(fault_each(&state, context, attempt, &m), 30);
    cltomo_context_destroy(context);
    cr_expect_eq(atomic_load(&state.live), 0);
    cltomo_matrix_destroy(m.matrix);
    cltomo_system_destroy(m.system);
    cltomo_context_destroy(own);
}
