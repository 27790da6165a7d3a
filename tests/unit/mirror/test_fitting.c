/* The pseudo-inverse against mpmath, pyTomoAO and the four identities that define it. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/pytomoao_systems.h"
#include "mirror/mirror.h"
#include "support/fault.h"
#include "support/fixture.h"

static cltomo_matrix *fit(const cltomo_context *context, const cltomo_matrix *influence)
{
    cltomo_matrix *fitting = NULL;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_fitting_matrix(context, &fitting, influence, &error), CLTOMO_OK, "%s",
        error.message);
    cr_assert_eq(fitting->rows, influence->cols);
    cr_assert_eq(fitting->cols, influence->rows);
    return fitting;
}

/* The fitting matrix of a system, and its influence functions if wanted. */
static cltomo_matrix *fit_system(const cltomo_context *context, const char *name,
    const cltomo_build_options *options, cltomo_matrix **influence)
{
    cltomo_matrix *own = NULL;
    cltomo_system *system = fixture_system(context, name);
    cr_assert_eq(cltomo_influence_functions(
                     context, cltomo_backend_of(context), &own, system, options, NULL),
        CLTOMO_OK);
    cltomo_matrix *fitting = fit(context, own);
    cltomo_system_destroy(system);
    if (influence != NULL) {
        *influence = own;
    } else {
        cltomo_matrix_destroy(own);
    }
    return fitting;
}

Test(fitting, equals_the_high_precision_evaluation)
{
    static const struct {
        const char *name;
        uint32_t rotation;
        uint32_t flip;
    } cases[] = {
        {"f", 0, 0}, {"f_rotated", 1, 0}, {"f_flipped", 0, 1}, {"f_rotated_flipped", 1, 1}};
    cltomo_context *context = fixture_context();
    cltomo_build_options options = cltomo_build_options_init();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        options.mirror_rotation = cases[i].rotation;
        options.mirror_flip = cases[i].flip;
        golden_array expected = fixture_golden("small_asymmetric", cases[i].name);
        cltomo_matrix *fitting = fit_system(context, "small_asymmetric", &options, NULL);
        double difference = golden_difference(fixture_view(fitting), &expected);
        cr_expect_lt(difference, 1e-12, "%s: %g", cases[i].name, difference);
        cltomo_matrix_destroy(fitting);
        golden_destroy(&expected);
    }
    cltomo_context_destroy(context);
}

static void expect_probes(const cltomo_context *context, const char *system, const char *matrix,
    uint32_t rotation, uint32_t flip, double norm)
{
    char name[64];
    cltomo_build_options options = cltomo_build_options_init();
    options.mirror_rotation = rotation;
    options.mirror_flip = flip;
    cltomo_matrix *fitting = fit_system(context, system, &options, NULL);
    golden_view view = fixture_view(fitting);
    (void)snprintf(name, sizeof name, "%s_right", matrix);
    golden_array right = fixture_golden(system, name);
    (void)snprintf(name, sizeof name, "%s_left", matrix);
    golden_array left = fixture_golden(system, name);
    double by_right = golden_difference_right(view, &right, norm);
    double by_left = golden_difference_left(view, &left, norm);
    cr_expect_lt(by_right, 1e-10, "%s of %s: %g", matrix, system, by_right);
    cr_expect_lt(by_left, 1e-10, "%s of %s: %g", matrix, system, by_left);
    golden_destroy(&right);
    golden_destroy(&left);
    cltomo_matrix_destroy(fitting);
}

Test(fitting, equals_pytomoao, .description = "large")
{
    cltomo_context *context = fixture_context();
    size_t n_compared = 0;
    for (size_t i = 0; i < sizeof golden_systems / sizeof *golden_systems; ++i) {
        const golden_system *golden = &golden_systems[i];
        if (strncmp(golden->name, "kapa-", 5) == 0 || strcmp(golden->name, "keck") == 0) {
            continue; /* only their R is stored */
        }
        expect_probes(context, golden->name, "f", 0, 0, golden->f_norm);
        if (golden->f_rotated_norm > 0.0) {
            expect_probes(context, golden->name, "f_rotated", 1, 0, golden->f_rotated_norm);
            expect_probes(
                context, golden->name, "f_rotated_flipped", 1, 1, golden->f_rotated_flipped_norm);
        }
        ++n_compared;
    }
    cr_assert_eq(n_compared, 3);
    cltomo_context_destroy(context);
}

/* c = a b, with a (n x m) and b (m x k) */
static double *product(const double *a, const double *b, size_t n, size_t m, size_t k)
{
    double *c = calloc(n * k, sizeof *c);
    for (size_t i = 0; i < n; ++i) {
        for (size_t l = 0; l < m; ++l) {
            for (size_t j = 0; j < k; ++j) {
                c[i * k + j] += a[i * m + l] * b[l * k + j];
            }
        }
    }
    return c;
}

static double largest(const double *a, size_t n)
{
    double found = 0.0;
    for (size_t i = 0; i < n; ++i) {
        found = fmax(found, fabs(a[i]));
    }
    return found;
}

static double asymmetry(const double *a, size_t n)
{
    double found = 0.0;
    for (size_t i = 0; i < n * n; ++i) {
        found = fmax(found, fabs(a[i] - a[(i % n) * n + i / n]));
    }
    return found;
}

static double distance(const double *a, const double *b, size_t n)
{
    double found = 0.0;
    for (size_t i = 0; i < n; ++i) {
        found = fmax(found, fabs(a[i] - b[i]));
    }
    return found;
}

/* M F M = M, F M F = F, M F and F M symmetric (Penrose 1955). */
static void assert_pseudo_inverse(
    const cltomo_matrix *influence, const cltomo_matrix *fitting, double tolerance)
{
    size_t m = influence->rows;
    size_t n = influence->cols;
    const double *forward = influence->data.f64;
    const double *inverse = fitting->data.f64;
    double *projector = product(forward, inverse, m, n, m);
    double *gain = product(inverse, forward, n, m, n);
    double *forward_again = product(projector, forward, m, m, n);
    double *inverse_again = product(gain, inverse, n, n, m);
    cr_assert_leq(asymmetry(projector, m), tolerance, "M F: %g", asymmetry(projector, m));
    cr_assert_leq(asymmetry(gain, n), tolerance, "F M: %g", asymmetry(gain, n));
    cr_assert_leq(distance(forward_again, forward, m * n), tolerance * largest(forward, m * n));
    cr_assert_leq(distance(inverse_again, inverse, m * n), tolerance * largest(inverse, m * n));
    free(projector);
    free(gain);
    free(forward_again);
    free(inverse_again);
}

static cltomo_matrix *make(const cltomo_context *context, size_t rows, size_t cols)
{
    cltomo_matrix *matrix = NULL;
    uint64_t state = 7 * rows + cols;
    cr_assert_eq(
        cltomo_matrix_allocate(context, &matrix, CLTOMO_PRECISION_DOUBLE, rows, cols, NULL),
        CLTOMO_OK);
    for (size_t i = 0; i < rows * cols; ++i) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        matrix->data.f64[i] = (double)(int32_t)(state >> 32) / 2147483648.0;
    }
    return matrix;
}

/* A context that counts warnings in *user. */
static void count_warnings(void *user, cltomo_log_level level, const char *text)
{
    (void)text;
    *(int *)user += level == CLTOMO_LOG_WARNING;
}

static cltomo_context *counting_context(int *n_warnings)
{
    cltomo_context *context = NULL;
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    *n_warnings = 0;
    options.log = count_warnings;
    options.log_user = n_warnings;
    cr_assert_eq(cltomo_context_create(&context, &options, NULL), CLTOMO_OK);
    return context;
}

Test(fitting, inverts_any_shape)
{
    static const size_t shapes[][2] = {
        {1, 1}, {7, 1}, {1, 7}, {9, 9}, {40, 13}, {13, 40}, {130, 70}};
    int n_warnings = 0;
    cltomo_context *context = counting_context(&n_warnings);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        cltomo_matrix *influence = make(context, shapes[i][0], shapes[i][1]);
        cltomo_matrix *fitting = fit(context, influence);
        assert_pseudo_inverse(influence, fitting, 1e-12);
        /* More actuators than points is a rank too small for the actuators. */
        cr_assert_eq(n_warnings, shapes[i][1] > shapes[i][0], "%zu", i);
        n_warnings = 0;
        cltomo_matrix_destroy(fitting);
        cltomo_matrix_destroy(influence);
    }
    cltomo_context_destroy(context);
}

Test(fitting, an_actuator_that_moves_nothing_gets_no_command)
{
    enum { rows = 30, cols = 8, dead = 3 };
    static const double leftovers[] = {0.0, 1e-40};
    int n_warnings = 0;
    cltomo_context *context = counting_context(&n_warnings);
    for (size_t i = 0; i < 2; ++i) {
        cltomo_matrix *influence = make(context, rows, cols);
        for (size_t p = 0; p < rows; ++p) {
            influence->data.f64[p * cols + dead] = leftovers[i];
        }
        cltomo_matrix *fitting = fit(context, influence);
        cr_assert_eq(n_warnings, 1);
        cr_assert_leq(largest(&fitting->data.f64[dead * rows], rows), 1e-14);
        assert_pseudo_inverse(influence, fitting, 1e-12);
        n_warnings = 0;
        cltomo_matrix_destroy(fitting);
        cltomo_matrix_destroy(influence);
    }
    cltomo_context_destroy(context);
}

Test(fitting, actuators_that_move_the_same_share_the_command)
{
    enum { rows = 30, cols = 8 };
    int n_warnings = 0;
    cltomo_context *context = counting_context(&n_warnings);
    cltomo_matrix *influence = make(context, rows, cols);
    for (size_t p = 0; p < rows; ++p) {
        influence->data.f64[p * cols + 5] = influence->data.f64[p * cols + 2];
    }
    cltomo_matrix *fitting = fit(context, influence);
    cr_assert_eq(n_warnings, 1);
    assert_pseudo_inverse(influence, fitting, 1e-12);
    for (size_t p = 0; p < rows; ++p) {
        cr_assert_float_eq(fitting->data.f64[5 * rows + p], fitting->data.f64[2 * rows + p], 1e-13);
    }
    cltomo_matrix_destroy(fitting);
    cltomo_matrix_destroy(influence);
    cltomo_context_destroy(context);
}

/* Two actuators that differ by 1e-10 are still two, but not for the factorisation without pivots.
 */
Test(fitting, keeps_what_is_ill_conditioned_but_of_full_rank)
{
    enum { rows = 30, cols = 8 };
    int n_warnings = 0;
    cltomo_context *context = counting_context(&n_warnings);
    cltomo_matrix *influence = make(context, rows, cols);
    for (size_t p = 0; p < rows; ++p) {
        double *row = &influence->data.f64[p * cols];
        row[5] = row[2] + 1e-10 * row[5];
    }
    cltomo_matrix *fitting = fit(context, influence);
    cr_assert_eq(n_warnings, 0);
    double *gain = product(fitting->data.f64, influence->data.f64, cols, rows, cols);
    for (size_t i = 0; i < cols * cols; ++i) {
        cr_assert_float_eq(gain[i], i % (cols + 1) == 0 ? 1.0 : 0.0, 1e-4);
    }
    free(gain);
    cltomo_matrix_destroy(fitting);
    cltomo_matrix_destroy(influence);
    cltomo_context_destroy(context);
}

Test(fitting, nothing_moves_nothing)
{
    int n_warnings = 0;
    cltomo_context *context = counting_context(&n_warnings);
    cltomo_matrix *influence = make(context, 6, 4);
    memset(influence->data.f64, 0, 24 * sizeof(double));
    cltomo_matrix *fitting = fit(context, influence);
    cr_assert_eq(largest(fitting->data.f64, 24), 0.0);
    cr_assert_eq(n_warnings, 1);
    cltomo_matrix_destroy(fitting);
    cltomo_matrix_destroy(influence);
    cltomo_context_destroy(context);
}

Test(fitting, refuses_numbers_that_are_not_finite)
{
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    static const size_t shapes[][2] = {{6, 4}, {4, 6}};
    cltomo_context *context = fixture_context();
    for (size_t i = 0; i < 6; ++i) {
        cltomo_matrix *fitting = NULL;
        cltomo_matrix *influence = make(context, shapes[i % 2][0], shapes[i % 2][1]);
        influence->data.f64[5] = wrong[i / 2];
        cr_assert_eq(
            cltomo_fitting_matrix(context, &fitting, influence, NULL), CLTOMO_ERROR_NOT_FINITE);
        cr_assert_null(fitting);
        cltomo_matrix_destroy(influence);
    }
    cltomo_context_destroy(context);
}

Test(fitting, undoes_the_influence_functions, .description = "large")
{
    static const char *const names[] = {"revolt", "kapa"};
    const cltomo_build_options options = cltomo_build_options_init();
    cltomo_context *context = fixture_context();
    for (size_t i = 0; i < 2; ++i) {
        cltomo_matrix *influence = NULL;
        cltomo_matrix *fitting = fit_system(context, names[i], &options, &influence);
        size_t n = influence->cols;
        double *gain = product(fitting->data.f64, influence->data.f64, n, influence->rows, n);
        for (size_t k = 0; k < n * n; ++k) {
            cr_assert_float_eq(gain[k], k % (n + 1) == 0 ? 1.0 : 0.0, 1e-10);
        }
        free(gain);
        cltomo_matrix_destroy(fitting);
        cltomo_matrix_destroy(influence);
    }
    cltomo_context_destroy(context);
}

/* Correlation of two lists, their means taken out. */
static double correlation(const double *a, const double *b, size_t n)
{
    double mean_a = 0.0;
    double mean_b = 0.0;
    double aa = 0.0;
    double bb = 0.0;
    double ab = 0.0;
    for (size_t i = 0; i < n; ++i) {
        mean_a += a[i] / (double)n;
        mean_b += b[i] / (double)n;
    }
    for (size_t i = 0; i < n; ++i) {
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
        ab += (a[i] - mean_a) * (b[i] - mean_b);
    }
    return ab / sqrt(aa * bb);
}

/* The commands for wavefront[n_phase], against the coordinates of the actuators in x and in y. */
static void correlate_commands(const cltomo_matrix *fitting, const cltomo_system *system,
    const double *wavefront, double *with_x, double *with_y)
{
    size_t n = fitting->rows;
    double *commands = product(fitting->data.f64, wavefront, n, fitting->cols, 1);
    cltomo_point *actuators = malloc(n * sizeof *actuators);
    double *x = malloc(n * sizeof *x);
    double *y = malloc(n * sizeof *y);
    cr_assert_eq(cltomo_system_actuators(system, actuators, n, NULL), CLTOMO_OK);
    for (size_t a = 0; a < n; ++a) {
        x[a] = actuators[a].x;
        y[a] = actuators[a].y;
    }
    *with_x = correlation(commands, x, n);
    *with_y = correlation(commands, y, n);
    free(commands);
    free(actuators);
    free(x);
    free(y);
}

Test(fitting, a_ramp_becomes_a_ramp_in_the_same_direction)
{
    const cltomo_build_options options = cltomo_build_options_init();
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "revolt");
    cltomo_matrix *fitting = fit_system(context, "revolt", &options, NULL);
    size_t n = fitting->cols;
    cltomo_point *points = malloc(n * sizeof *points);
    double *ramp = malloc(n * sizeof *ramp);
    double along = 0.0;
    double across = 0.0;
    cr_assert_eq(cltomo_system_phase_points(system, points, n, NULL), CLTOMO_OK);
    for (size_t p = 0; p < n; ++p) {
        ramp[p] = points[p].x;
    }
    correlate_commands(fitting, system, ramp, &along, &across);
    cr_assert_gt(along, 0.99, "%g", along);
    cr_assert_lt(fabs(across), 0.05, "%g", across);
    for (size_t p = 0; p < n; ++p) {
        ramp[p] = points[p].y;
    }
    correlate_commands(fitting, system, ramp, &across, &along);
    cr_assert_gt(along, 0.99, "%g", along);
    cr_assert_lt(fabs(across), 0.05, "%g", across);
    free(points);
    free(ramp);
    cltomo_matrix_destroy(fitting);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(fitting, survives_every_failed_allocation)
{
    static const size_t shapes[][2] = {{12, 5}, {5, 12}};
    fault memory;
    cltomo_context *context = fault_context(&memory);
    for (size_t i = 0; i < 2; ++i) {
        cltomo_matrix *influence = make(context, shapes[i][0], shapes[i][1]);
        cltomo_status status = CLTOMO_ERROR_MEMORY;
        long live = memory.live;
        for (long n = 0; status == CLTOMO_ERROR_MEMORY; ++n) {
            cltomo_matrix *fitting = NULL;
            memory.left = n;
            status = cltomo_fitting_matrix(context, &fitting, influence, NULL);
            cr_assert((fitting != NULL) == (status == CLTOMO_OK));
            cltomo_matrix_destroy(fitting);
            cr_assert_eq(memory.live, live);
            cr_assert_lt(n, 100);
        }
        cr_assert_eq(status, CLTOMO_OK);
        memory.left = 1000000;
        cltomo_matrix_destroy(influence);
    }
    cltomo_context_destroy(context);
    cr_assert_eq(memory.live, 0);
}
