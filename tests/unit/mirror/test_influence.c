/* Influence functions against mpmath, pyTomoAO, whole maps turned one element at a time, and the
 * symmetry of a square mirror. */
#include "mirror/mirror.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "golden/pytomoao_systems.h"
#include "support/fault.h"
#include "support/fixture.h"

static cltomo_matrix *influence_of(
    const cltomo_context *context, const cltomo_system *system, const cltomo_build_options *options)
{
    cltomo_matrix *influence = NULL;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_influence_functions(
                     context, cltomo_backend_of(context), &influence, system, options, &error),
        CLTOMO_OK, "%s", error.message);
    return influence;
}

Test(influence, equals_the_high_precision_evaluation)
{
    static const char *const names[] = {"small_asymmetric", "small_directions", "small_single"};
    const cltomo_build_options options = cltomo_build_options_init();
    cltomo_context *context = fixture_context();
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        golden_array expected = fixture_golden(names[i], "modes");
        cltomo_system *system = fixture_system(context, names[i]);
        cltomo_matrix *influence = influence_of(context, system, &options);
        double difference = golden_difference(fixture_view(influence), &expected);
        cr_expect_lt(difference, 1e-14, "%s: %g", names[i], difference);
        cltomo_matrix_destroy(influence);
        cltomo_system_destroy(system);
        golden_destroy(&expected);
    }
    cltomo_context_destroy(context);
}

Test(influence, equals_pytomoao)
{
    const cltomo_build_options options = cltomo_build_options_init();
    cltomo_context *context = fixture_context();
    size_t n_compared = 0;
    for (size_t i = 0; i < sizeof golden_systems / sizeof *golden_systems; ++i) {
        const golden_system *golden = &golden_systems[i];
        if (strncmp(golden->name, "kapa-", 5) == 0 || strcmp(golden->name, "keck") == 0) {
            continue; /* only their R is stored */
        }
        golden_array right = fixture_golden(golden->name, "modes_right");
        golden_array left = fixture_golden(golden->name, "modes_left");
        cltomo_system *system = fixture_system(context, golden->name);
        cltomo_matrix *influence = influence_of(context, system, &options);
        golden_view view = fixture_view(influence);
        cr_expect_lt(golden_difference_right(view, &right, golden->modes_norm), 1e-12);
        cr_expect_lt(golden_difference_left(view, &left, golden->modes_norm), 1e-12);
        cltomo_matrix_destroy(influence);
        cltomo_system_destroy(system);
        golden_destroy(&right);
        golden_destroy(&left);
        ++n_compared;
    }
    cr_assert_eq(n_compared, 3);
    cltomo_context_destroy(context);
}

/* The influence function of the actuator at (actuator_row, actuator_col) of an n x n mirror, as a
 * map of n_grid x n_grid points, straight from its definition. */
static void fill_map(
    double *map, size_t n_grid, size_t n, size_t actuator_row, size_t actuator_col, double stretch)
{
    const double pi = acos(-1.0);
    const double centre = ((double)n_grid - 1.0) / 2.0;
    /* from one actuator of the padded map to the next, in grid points */
    const double step = ((double)n_grid - 1.0) / ((double)n + 3.0);
    const double middle = ((double)n - 1.0) / 2.0;
    const double y0 = centre + stretch * step * ((double)actuator_row - middle);
    const double x0 = centre + stretch * step * ((double)actuator_col - middle);
    for (size_t i = 0; i < n_grid; ++i) {
        for (size_t j = 0; j < n_grid; ++j) {
            double r2 = pow((double)i - y0, 2.0) + pow((double)j - x0, 2.0);
            map[i * n_grid + j] = 2.0 / (2.0 * pi) * exp(-r2 / 2.0) -
                                  1.0 / (2.0 * pi * 1.7 * 1.7) * exp(-r2 / (2.0 * 1.7 * 1.7));
        }
    }
}

/* A quarter turn, counter-clockwise seen with row 0 at the top: the right column becomes row 0. */
static void turn(double *map, size_t n)
{
    double *old = malloc(n * n * sizeof *old);
    for (size_t i = 0; i < n * n; ++i) {
        old[i] = map[i];
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
            map[i * n + j] = old[j * n + (n - 1 - i)];
        }
    }
    free(old);
}

static void flip_rows(double *map, size_t n)
{
    for (size_t i = 0; i < n / 2; ++i) {
        for (size_t j = 0; j < n; ++j) {
            double upper = map[i * n + j];
            map[i * n + j] = map[(n - 1 - i) * n + j];
            map[(n - 1 - i) * n + j] = upper;
        }
    }
}

/* Compares with whole maps that are turned, flipped, and read at the points of the grid mask. */
static void assert_equals_maps(const cltomo_matrix *influence, const cltomo_system *system,
    const cltomo_build_options *options)
{
    const cltomo_system_description *d = cltomo_system_get_description(system);
    golden_array mask = fixture_golden("small_asymmetric", "mask");
    size_t n_grid = mask.rows;
    size_t n = d->n_actuators;
    double *map = malloc(n_grid * n_grid * sizeof *map);
    size_t column = 0;
    for (size_t a = 0; a < n * n; ++a) {
        if (d->valid_actuators[a] == 0) {
            continue;
        }
        fill_map(map, n_grid, n, a / n, a % n, options->stretch);
        for (uint32_t k = 0; k < options->mirror_rotation; ++k) {
            turn(map, n_grid);
        }
        if (options->mirror_flip != 0) {
            flip_rows(map, n_grid);
        }
        size_t row = 0;
        for (size_t p = 0; p < n_grid * n_grid; ++p) {
            if (mask.data[p] != 0.0) {
                cr_assert_float_eq(influence->data.f64[row * influence->cols + column], map[p],
                    1e-15, "rotation %u, flip %u, actuator %zu, point %zu",
                    options->mirror_rotation, options->mirror_flip, column, row);
                ++row;
            }
        }
        cr_assert_eq(row, influence->rows);
        ++column;
    }
    cr_assert_eq(column, influence->cols);
    free(map);
    golden_destroy(&mask);
}

Test(influence, turns_flips_and_stretches_whole_maps)
{
    static const double stretches[] = {1.0, 1.03, 0.7, 1.9};
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    for (uint32_t k = 0; k < 32; ++k) {
        options.mirror_rotation = k % 4;
        options.mirror_flip = k / 4 % 2;
        options.stretch = stretches[k / 8];
        cltomo_matrix *influence = influence_of(context, system, &options);
        assert_equals_maps(influence, system, &options);
        cltomo_matrix_destroy(influence);
    }
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

/* A copy of the system in which every one of the n x n actuators is valid. */
static cltomo_system *with_full_mirror(const cltomo_context *context, const cltomo_system *system)
{
    static uint8_t all[36];
    cltomo_system *full = NULL;
    cltomo_system_description d = *cltomo_system_get_description(system);
    cr_assert_eq(d.n_actuators, 6);
    for (size_t a = 0; a < sizeof all; ++a) {
        all[a] = 1;
    }
    d.valid_actuators = all;
    cr_assert_eq(cltomo_system_create(context, &full, NULL, &d, NULL), CLTOMO_OK);
    return full;
}

/* On a square mirror a quarter turn of the maps makes each actuator work where its neighbour a
 * quarter turn further stands: the one at the right end of row 0 at the left end of it. */
Test(influence, a_turned_actuator_works_where_another_stands)
{
    enum { n = 6 };
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_system *full = with_full_mirror(context, system);
    cltomo_matrix *straight = influence_of(context, full, &options);
    options.mirror_rotation = 1;
    cltomo_matrix *turned = influence_of(context, full, &options);
    options.mirror_rotation = 0;
    options.mirror_flip = 1;
    cltomo_matrix *flipped = influence_of(context, full, &options);
    for (size_t p = 0; p < straight->rows; ++p) {
        const double *before = &straight->data.f64[p * n * n];
        for (size_t r = 0; r < n; ++r) {
            for (size_t c = 0; c < n; ++c) {
                cr_assert_float_eq(
                    turned->data.f64[p * n * n + r * n + c], before[(n - 1 - c) * n + r], 1e-15);
                cr_assert_float_eq(
                    flipped->data.f64[p * n * n + r * n + c], before[(n - 1 - r) * n + c], 1e-15);
            }
        }
    }
    cltomo_matrix_destroy(straight);
    cltomo_matrix_destroy(turned);
    cltomo_matrix_destroy(flipped);
    cltomo_system_destroy(full);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(influence, survives_every_failed_allocation)
{
    fault memory;
    cltomo_context *context = fault_context(&memory);
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    const cltomo_build_options options = cltomo_build_options_init();
    cltomo_status status = CLTOMO_ERROR_MEMORY;
    long live = memory.live;
    for (long n = 0; status == CLTOMO_ERROR_MEMORY; ++n) {
        cltomo_matrix *influence = NULL;
        memory.left = n;
        status = cltomo_influence_functions(
            context, cltomo_backend_of(context), &influence, system, &options, NULL);
        cr_assert((influence != NULL) == (status == CLTOMO_OK));
        cltomo_matrix_destroy(influence);
        cr_assert_eq(memory.live, live);
        cr_assert_lt(n, 100);
    }
    cr_assert_eq(status, CLTOMO_OK);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
    cr_assert_eq(memory.live, 0);
}
