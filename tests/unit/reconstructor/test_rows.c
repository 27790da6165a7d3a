/* R and FR direction by direction, and panel by panel. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/fault.h"
#include "support/fixture.h"
#include "support/model.h"

static cltomo_reconstructor *build(
    const cltomo_context *context, const cltomo_system *system, const cltomo_build_options *options)
{
    cltomo_reconstructor *reconstructor = NULL;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_reconstructor_build(context, &reconstructor, system, options, &error),
        CLTOMO_OK, "%s", error.message);
    return reconstructor;
}

static const cltomo_product row_products[] = {
    CLTOMO_PRODUCT_R, CLTOMO_PRODUCT_FR, CLTOMO_PRODUCT_C_PS, CLTOMO_PRODUCT_R_UNSCALED};
enum { n_row_products = 4 };

static cltomo_build_options all_options(void)
{
    cltomo_build_options options = cltomo_build_options_init();
    options.products = 0;
    for (size_t i = 0; i < n_row_products; ++i) {
        options.products |= (uint32_t)row_products[i];
    }
    return options;
}

/* Rows first ... of a matrix, times the factor, added to a sum of the same shape. */
static void add_rows(double *sum, const cltomo_matrix *a, size_t first, size_t n, double factor)
{
    size_t cols = cltomo_matrix_cols(a);
    for (size_t k = 0; k < n * cols; ++k) {
        sum[k] += factor * cltomo_matrix_double(a)[first * cols + k];
    }
}

static double distance(const double *a, const double *b, size_t n)
{
    double difference = 0.0;
    double norm = 0.0;
    for (size_t k = 0; k < n; ++k) {
        difference += (a[k] - b[k]) * (a[k] - b[k]);
        norm += b[k] * b[k];
    }
    return sqrt(difference / norm);
}

/* ---- directions ---------------------------------------------------------------------------- */

Test(rows, of_single_directions_average_to_the_plain_build)
{
    static const char *const names[] = {"small_directions", "small_asymmetric"};
    cltomo_context *context = fixture_context();
    for (size_t s = 0; s < 2; ++s) {
        cltomo_system *system = fixture_system(context, names[s]);
        cltomo_build_options options = all_options();
        cltomo_dimensions size;
        cltomo_system_dimensions(system, &size);
        options.slope_order = CLTOMO_SLOPES_INTERLEAVED;
        cltomo_reconstructor *plain = build(context, system, &options);
        options.per_direction = 1;
        cltomo_reconstructor *each = build(context, system, &options);
        for (size_t i = 0; i < n_row_products; ++i) {
            const cltomo_matrix *expected = cltomo_reconstructor_matrix(plain, row_products[i]);
            const cltomo_matrix *stack = cltomo_reconstructor_matrix(each, row_products[i]);
            size_t rows = cltomo_matrix_rows(expected);
            size_t n = rows * cltomo_matrix_cols(expected);
            cr_assert_eq(cltomo_matrix_rows(stack), size.n_directions * rows);
            cr_assert_eq(cltomo_matrix_cols(stack), cltomo_matrix_cols(expected));
            double *mean = calloc(n, sizeof *mean);
            for (size_t d = 0; d < size.n_directions; ++d) {
                add_rows(mean, stack, d * rows, rows, 1.0 / (double)size.n_directions);
            }
            double found = distance(mean, cltomo_matrix_double(expected), n);
            cr_expect_lt(
                found, 1e-12, "%s, %s: %g", names[s], cltomo_product_name(row_products[i]), found);
            free(mean);
        }
        cltomo_reconstructor_destroy(each);
        cltomo_reconstructor_destroy(plain);
        cltomo_system_destroy(system);
    }
    cltomo_context_destroy(context);
}

Test(rows, of_one_direction_on_axis_are_the_plain_build)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_single");
    cltomo_build_options options = all_options();
    cltomo_reconstructor *plain = build(context, system, &options);
    options.per_direction = 1;
    cltomo_reconstructor *each = build(context, system, &options);
    for (size_t i = 0; i < n_row_products; ++i) {
        cr_expect_eq(model_difference(cltomo_reconstructor_matrix(each, row_products[i]),
                         cltomo_reconstructor_matrix(plain, row_products[i])),
            0.0);
    }
    cltomo_reconstructor_destroy(each);
    cltomo_reconstructor_destroy(plain);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

/* Looking in a direction (tx, ty) is looking along the axis while all stars stand at (-tx, -ty)
 * from where they are: R of that system is the direction's. */
Test(rows, of_a_direction_are_those_of_a_system_that_is_turned_there)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(system);
    cltomo_build_options options = all_options();
    options.per_direction = 1;
    cltomo_reconstructor *each = build(context, system, &options);
    double half = tan(0.5 * d.field_of_view);
    double x[3];
    double y[3];
    cr_assert_eq(d.n_directions_across, 2);
    cr_assert_eq(d.n_wfs, 3);
    for (size_t k = 0; k < 4; ++k) {
        cltomo_system_description turned = d;
        for (size_t i = 0; i < 3; ++i) {
            x[i] = d.guide_star_x[i] - (k % 2 == 0 ? -half : half);
            y[i] = d.guide_star_y[i] - (k / 2 == 0 ? -half : half);
        }
        turned.guide_star_x = x;
        turned.guide_star_y = y;
        turned.n_directions_across = 1;
        turned.field_of_view = 0.0;
        cltomo_system *other = fixture_describe(context, &turned);
        cltomo_build_options plain = all_options();
        plain.evaluation = CLTOMO_EVALUATION_DIRECT;
        cltomo_reconstructor *expected = build(context, other, &plain);
        for (size_t i = 0; i < n_row_products; ++i) {
            const cltomo_matrix *one = cltomo_reconstructor_matrix(expected, row_products[i]);
            const cltomo_matrix *stack = cltomo_reconstructor_matrix(each, row_products[i]);
            size_t n = cltomo_matrix_rows(one) * cltomo_matrix_cols(one);
            double found =
                distance(cltomo_matrix_double(stack) + k * n, cltomo_matrix_double(one), n);
            cr_expect_lt(found, 1e-11, "direction %zu: %g", k, found);
        }
        cltomo_reconstructor_destroy(expected);
        cltomo_system_destroy(other);
    }
    cltomo_reconstructor_destroy(each);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

/* Stars that are nowhere near the grid, sources at different heights, unequal weights. */
enum { n_listed = 4 };
static const double listed_x[n_listed] = {3e-5, -8e-5, 0.0, 1e-5};
static const double listed_y[n_listed] = {1e-5, 4e-5, 0.0, -6e-5};
static const double listed_weight[n_listed] = {0.5, 0.25, 0.0, 0.25};
static const double listed_height[n_listed] = {INFINITY, 150e3, INFINITY, 60e3};

static cltomo_system *listed_system(
    const cltomo_context *context, const char *name, size_t first, uint32_t n, bool weighted)
{
    cltomo_system *base = fixture_system(context, name);
    cltomo_system_description d = *cltomo_system_get_description(base);
    d.n_directions = n;
    d.direction_x = listed_x + first;
    d.direction_y = listed_y + first;
    d.direction_height = listed_height + first;
    d.direction_weight = weighted ? listed_weight + first : NULL;
    cltomo_system *system = fixture_describe(context, &d);
    cltomo_system_destroy(base);
    return system;
}

Test(rows, of_listed_directions_are_weighted)
{
    static const char *const names[] = {"small_asymmetric", "small_directions"};
    cltomo_context *context = fixture_context();
    for (size_t s = 0; s < 2; ++s) {
        cltomo_system *system = listed_system(context, names[s], 0, n_listed, true);
        cltomo_build_options options = all_options();
        cltomo_reconstructor *plain = build(context, system, &options);
        for (size_t i = 0; i < n_row_products; ++i) {
            const cltomo_matrix *expected = cltomo_reconstructor_matrix(plain, row_products[i]);
            size_t rows = cltomo_matrix_rows(expected);
            double *mean = calloc(rows * cltomo_matrix_cols(expected), sizeof *mean);
            for (size_t k = 0; k < n_listed; ++k) {
                cltomo_system *one = listed_system(context, names[s], k, 1, false);
                cltomo_reconstructor *single = build(context, one, &options);
                add_rows(mean, cltomo_reconstructor_matrix(single, row_products[i]), 0, rows,
                    listed_weight[k]);
                cltomo_reconstructor_destroy(single);
                cltomo_system_destroy(one);
            }
            double found =
                distance(mean, cltomo_matrix_double(expected), rows * cltomo_matrix_cols(expected));
            cr_expect_lt(
                found, 1e-12, "%s, %s: %g", names[s], cltomo_product_name(row_products[i]), found);
            free(mean);
        }
        cltomo_reconstructor_destroy(plain);
        cltomo_system_destroy(system);
    }
    cltomo_context_destroy(context);
}

/* A listed direction on axis with its source at infinity is the grid of one. */
Test(rows, of_a_listed_direction_on_axis_are_those_of_no_field)
{
    cltomo_context *context = fixture_context();
    cltomo_system *base = fixture_system(context, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(base);
    d.n_directions_across = 1;
    d.field_of_view = 0.0;
    cltomo_system *grid = fixture_describe(context, &d);
    cltomo_system *listed = listed_system(context, "small_asymmetric", 2, 1, false);
    cltomo_build_options options = all_options();
    cltomo_reconstructor *expected = build(context, grid, &options);
    for (uint32_t each = 0; each < 2; ++each) {
        options.per_direction = each;
        cltomo_reconstructor *found = build(context, listed, &options);
        for (size_t i = 0; i < n_row_products; ++i) {
            cr_expect_eq(model_difference(cltomo_reconstructor_matrix(found, row_products[i]),
                             cltomo_reconstructor_matrix(expected, row_products[i])),
                0.0);
        }
        cltomo_reconstructor_destroy(found);
    }
    cltomo_reconstructor_destroy(expected);
    cltomo_system_destroy(listed);
    cltomo_system_destroy(grid);
    cltomo_system_destroy(base);
    cltomo_context_destroy(context);
}

/* ---- panels -------------------------------------------------------------------------------- */

/* Collects what a build hands over. */
typedef struct collector {
    double *data[n_row_products];
    size_t rows[n_row_products];
    size_t cols;
    size_t n_calls;
    size_t fail_at; /* the call, from 1; 0: none */
} collector;

static cltomo_status collect(void *user, const cltomo_reconstructor *building,
    cltomo_product product, size_t first_row, const cltomo_matrix *rows, cltomo_error *error)
{
    collector *c = user;
    size_t i = 0;
    cr_assert_not_null(cltomo_reconstructor_system(building));
    while (row_products[i] != product) {
        cr_assert_lt(++i, n_row_products);
    }
    cr_assert_eq(first_row, c->rows[i]); /* in ascending order, without gaps */
    c->cols = cltomo_matrix_cols(rows);
    size_t n = cltomo_matrix_rows(rows);
    c->data[i] = realloc(c->data[i], (first_row + n) * c->cols * sizeof(double));
    for (size_t k = 0; k < n * c->cols; ++k) {
        c->data[i][first_row * c->cols + k] =
            cltomo_matrix_precision(rows) == CLTOMO_PRECISION_DOUBLE
                ? cltomo_matrix_double(rows)[k]
                : (double)cltomo_matrix_single(rows)[k];
    }
    c->rows[i] += n;
    if (++c->n_calls == c->fail_at) {
        error->status = CLTOMO_ERROR_IO;
        return CLTOMO_ERROR_IO;
    }
    return CLTOMO_OK;
}

static void collector_clear(collector *c)
{
    for (size_t i = 0; i < n_row_products; ++i) {
        free(c->data[i]);
    }
}

/* A limit that makes several panels: the least memory, and two fifths of what a whole output takes
 * beyond it. */
static void limit_memory(const cltomo_system *system, cltomo_build_options *options)
{
    options->max_memory = 1;
    uint64_t least = cltomo_build_memory(system, options);
    options->max_memory = 0;
    uint64_t whole = cltomo_build_memory(system, options);
    cr_assert_lt(least, whole);
    options->max_memory = least + (whole - least) * 2 / 5;
}

/* Calls of a sink that takes each output of each product as a whole. */
static size_t count_outputs(const cltomo_reconstructor *whole)
{
    cltomo_dimensions d;
    cltomo_system_dimensions(cltomo_reconstructor_system(whole), &d);
    size_t count = 0;
    for (size_t i = 0; i < n_row_products; ++i) {
        bool is_there = cltomo_reconstructor_matrix(whole, row_products[i]) != NULL;
        count += !is_there                                                 ? 0
                 : cltomo_reconstructor_options(whole)->per_direction != 0 ? d.n_directions
                                                                           : 1;
    }
    return count;
}

static void expect_streamed(const char *name, uint32_t products, cltomo_precision precision)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, name);
    for (uint32_t each = 0; each < 2; ++each) {
        collector c = {.rows = {0}};
        cltomo_build_options options = cltomo_build_options_init();
        options.products = products;
        options.precision = precision;
        options.lenslet_order = CLTOMO_LENSLETS_COLUMN;
        options.per_direction = each;
        cltomo_reconstructor *whole = build(context, system, &options);
        options.row_sink = collect;
        options.row_sink_user = &c;
        limit_memory(system, &options);
        cltomo_reconstructor *streamed = build(context, system, &options);
        cr_expect_null(cltomo_reconstructor_options(streamed)->row_sink);
        cr_expect_gt(c.n_calls, count_outputs(whole), "%s", name);
        for (size_t i = 0; i < n_row_products; ++i) {
            const cltomo_matrix *expected = cltomo_reconstructor_matrix(whole, row_products[i]);
            cr_expect_null(cltomo_reconstructor_matrix(streamed, row_products[i]));
            if (expected == NULL) {
                cr_expect_eq(c.rows[i], 0);
                continue;
            }
            cr_assert_eq(c.rows[i], cltomo_matrix_rows(expected));
            cr_assert_eq(c.cols, cltomo_matrix_cols(expected));
            double difference = 0.0;
            double norm = 0.0;
            for (size_t k = 0; k < c.rows[i] * c.cols; ++k) {
                double value = precision == CLTOMO_PRECISION_DOUBLE
                                   ? cltomo_matrix_double(expected)[k]
                                   : (double)cltomo_matrix_single(expected)[k];
                difference += (c.data[i][k] - value) * (c.data[i][k] - value);
                norm += value * value;
            }
            cr_expect_lt(sqrt(difference / norm),
                precision == CLTOMO_PRECISION_DOUBLE ? 1e-13 : 1e-5, "%s, %s: %g", name,
                cltomo_product_name(row_products[i]), sqrt(difference / norm));
        }
        collector_clear(&c);
        cltomo_reconstructor_destroy(streamed);
        cltomo_reconstructor_destroy(whole);
    }
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

static void expect_all_streamed(const char *name)
{
    expect_streamed(name, all_options().products, CLTOMO_PRECISION_DOUBLE);
    expect_streamed(name, CLTOMO_PRODUCT_R, CLTOMO_PRECISION_SINGLE);
    expect_streamed(name, CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_FR, CLTOMO_PRECISION_SINGLE);
}

Test(rows, come_in_panels_that_make_up_the_whole)
{
    expect_all_streamed("small_asymmetric");
    expect_all_streamed("small_directions");
}

Test(rows, come_in_panels_that_make_up_the_whole_of_kapa, .description = "large")
{
    expect_all_streamed("reduced_kapa");
}

/* FR alone: C_ps in panels, the commands solved at the end. */
Test(rows, commands_alone_come_from_panels)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_build_options options = cltomo_build_options_init();
    collector c = {.rows = {0}};
    options.products = CLTOMO_PRODUCT_FR;
    cltomo_reconstructor *whole = build(context, system, &options);
    options.row_sink = collect;
    options.row_sink_user = &c;
    limit_memory(system, &options);
    cltomo_reconstructor *streamed = build(context, system, &options);
    const cltomo_matrix *expected = cltomo_reconstructor_matrix(whole, CLTOMO_PRODUCT_FR);
    cr_assert_eq(c.rows[1], cltomo_matrix_rows(expected));
    cr_expect_lt(distance(c.data[1], cltomo_matrix_double(expected), c.rows[1] * c.cols), 1e-13);
    collector_clear(&c);
    cltomo_reconstructor_destroy(streamed);
    cltomo_reconstructor_destroy(whole);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(rows, a_limit_that_cannot_be_kept_is_an_error)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_build_options options = cltomo_build_options_init();
    collector c = {.rows = {0}};
    cltomo_reconstructor *reconstructor = NULL;
    cltomo_error error = {0};
    uint64_t needed = cltomo_build_memory(system, &options);
    options.max_memory = needed;
    cltomo_reconstructor_destroy(build(context, system, &options));
    options.max_memory = needed - 1; /* without a sink there is nothing to save */
    cr_expect_eq(cltomo_reconstructor_build(context, &reconstructor, system, &options, &error),
        CLTOMO_ERROR_MEMORY);
    cr_expect_null(reconstructor);
    cr_expect(strstr(error.message, "limited to") != NULL, "%s", error.message);
    options.row_sink = collect;
    options.row_sink_user = &c;
    options.max_memory = 100000;
    cr_expect_eq(cltomo_reconstructor_build(context, &reconstructor, system, &options, &error),
        CLTOMO_ERROR_MEMORY);
    cr_expect_eq(c.n_calls, 0);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(rows, a_sink_that_fails_ends_the_build)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_build_options options = all_options();
    options.per_direction = 1;
    options.row_sink = collect;
    long live = atomic_load(&state.live);
    cltomo_status status = CLTOMO_ERROR_IO;
    size_t at = 0;
    while (status == CLTOMO_ERROR_IO) {
        collector c = {.fail_at = ++at};
        cltomo_reconstructor *reconstructor = NULL;
        cltomo_error error = {0};
        options.row_sink_user = &c;
        status = cltomo_reconstructor_build(context, &reconstructor, system, &options, &error);
        cr_expect_eq(error.status, status);
        cr_expect_eq(reconstructor == NULL, status != CLTOMO_OK);
        cltomo_reconstructor_destroy(reconstructor);
        cr_expect_eq(atomic_load(&state.live), live);
        collector_clear(&c);
    }
    cr_expect_eq(at, 17); /* four directions of four products */
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(rows, fail_cleanly_without_memory)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_system *system = fixture_system(context, "small_directions");
    cltomo_build_options options = all_options();
    options.per_direction = 1;
    options.accuracy = 1e-4;
    long live = atomic_load(&state.live);
    cltomo_status status = CLTOMO_ERROR_MEMORY;
    for (long n = 0; status == CLTOMO_ERROR_MEMORY; n += 1 + n / 16) {
        cltomo_reconstructor *reconstructor = NULL;
        cltomo_error error = {0};
        atomic_store(&state.left, n);
        status = cltomo_reconstructor_build(context, &reconstructor, system, &options, &error);
        cr_assert_eq(error.status, status);
        cltomo_reconstructor_destroy(reconstructor);
        cr_assert_eq(atomic_load(&state.live), live);
    }
    cr_expect_eq(status, CLTOMO_OK);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}
