/* The ways to work that depend on the device, each forced on the one at hand: matrices in several
 * buffers, a memory apart from the host's, CLBlast, no double precision. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "backend/opencl/opencl.h"
#include "opencl/attempt.h"
#include "support/fixture.h"
#include "support/operations.h"

typedef struct variant {
    const char *name;
    size_t largest_buffer; /* 0: the device's own */
    bool host_memory;
    cltomo_opencl_blas blas;
    unsigned width;
    bool has_double;
} variant;

static cltomo_context *context_for(const variant *v)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    cltomo_error error = {0};
    options.backend = CLTOMO_BACKEND_OPENCL;
    cr_assert_eq(cltomo_context_create(&context, &options, &error), CLTOMO_OK, "%s", error.message);
    cltomo_opencl *cl = cltomo_opencl_of(context);
    if (v->largest_buffer != 0) {
        cl->largest_buffer = v->largest_buffer;
    }
    cl->quirks.host_memory = v->host_memory;
    cl->quirks.blas = v->blas;
    cl->quirks.blas_is_forced = true;
    cl->quirks.width = v->width;
    cl->quirks.launch_flops = 2e6; /* several launches for one product */
    cl->quirks.launch_covariances = 1e5;
    cl->has_double = cl->has_double && v->has_double;
    return context;
}

static cltomo_reconstructor *build(
    const cltomo_context *context, const char *name, const cltomo_build_options *options)
{
    cltomo_system *system = fixture_system(context, name);
    cltomo_reconstructor *reconstructor = NULL;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_reconstructor_build(context, &reconstructor, system, options, &error),
        CLTOMO_OK, "%s: %s", name, error.message);
    cltomo_system_destroy(system);
    return reconstructor;
}

static const cltomo_product products[] = {CLTOMO_PRODUCT_R, CLTOMO_PRODUCT_FR, CLTOMO_PRODUCT_C_SS,
    CLTOMO_PRODUCT_C_PS, CLTOMO_PRODUCT_R_UNSCALED};
enum { n_products = sizeof products / sizeof products[0] };

static void expect_same(const variant *v, const char *name, cltomo_build_options options)
{
    cltomo_context *cpu = fixture_context();
    cltomo_context *opencl = context_for(v);
    double limit = options.precision == CLTOMO_PRECISION_DOUBLE ? 1e-12 : 1e-5;
    for (size_t i = 0; i < n_products; ++i) {
        options.products |= (uint32_t)products[i];
    }
    cltomo_reconstructor *expected = build(cpu, name, &options);
    cltomo_reconstructor *found = build(opencl, name, &options);
    for (size_t i = 0; i < n_products; ++i) {
        double d = attempt_distance(cltomo_reconstructor_matrix(found, products[i]),
            cltomo_reconstructor_matrix(expected, products[i]));
        cr_expect_lt(
            d, limit, "%s of %s, %s: %g", cltomo_product_name(products[i]), name, v->name, d);
    }
    double condition = cltomo_reconstructor_report(expected)->condition;
    cr_expect_float_eq(
        cltomo_reconstructor_report(found)->condition, condition, 1e-5 * condition, "%s", v->name);
    cltomo_reconstructor_destroy(expected);
    cltomo_reconstructor_destroy(found);
    cltomo_context_destroy(cpu);
    cltomo_context_destroy(opencl);
}

/* Panels of 128 rows: several for each matrix of the two larger systems. */
enum { small_buffer = 900000 };

static const variant variants[] = {
    {"panels over host memory", small_buffer, true, CLTOMO_BLAS_HOST, 8, true},
    {"panels and CLBlast", small_buffer, true, CLTOMO_BLAS_CLBLAST, 8, true},
    {"memory apart and CLBlast", 0, false, CLTOMO_BLAS_CLBLAST, 1, true},
    {"panels apart and CLBlast", small_buffer, false, CLTOMO_BLAS_CLBLAST, 1, true},
    {"panels apart and host BLAS", small_buffer, false, CLTOMO_BLAS_HOST, 1, true},
};
enum { n_variants = sizeof variants / sizeof variants[0] };

static void expect_all_same(cltomo_precision precision)
{
    for (size_t i = 0; i < n_variants; ++i) {
        cltomo_build_options options = cltomo_build_options_init();
        options.precision = precision;
        expect_same(&variants[i], "small_asymmetric", options);
        expect_same(&variants[i], "reduced_kapa", options);
        options.evaluation = CLTOMO_EVALUATION_DIRECT;
        expect_same(&variants[i], "small_directions", options);
    }
}

Test(panels, double_precision_is_the_same_in_every_way_to_work)
{
    expect_all_same(CLTOMO_PRECISION_DOUBLE);
}

Test(panels, single_precision_is_the_same_in_every_way_to_work)
{
    expect_all_same(CLTOMO_PRECISION_SINGLE);
}

Test(panels, single_precision_does_without_double)
{
    const variant apart = {"no double", 0, false, CLTOMO_BLAS_CLBLAST, 1, false};
    const variant unified = {"no double, vectors", 0, true, CLTOMO_BLAS_HOST, 8, false};
    cltomo_build_options options = cltomo_build_options_init();
    options.precision = CLTOMO_PRECISION_SINGLE;
    expect_same(&apart, "reduced_kapa", options);
    expect_same(&unified, "reduced_kapa", options);
}

static cltomo_reconstructor *build_interaction(
    const cltomo_context *context, cltomo_precision precision)
{
    cltomo_system *system = fixture_system(context, "reduced_kapa");
    cltomo_interaction_options options = cltomo_interaction_options_init();
    cltomo_reconstructor *r = NULL;
    cltomo_matrix *matrix = NULL;
    cltomo_error error = {0};
    cltomo_dimensions d;
    cltomo_system_dimensions(system, &d);
    double *data = calloc(d.n_slopes * d.n_actuators, sizeof *data);
    for (size_t i = 0; i < d.n_slopes * d.n_actuators; ++i) {
        data[i] = (double)(i * 7919 % 101) / 100.0 - 0.5; /* made up; no two rows are alike */
    }
    cr_assert_eq(cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_DOUBLE, d.n_slopes,
                     d.n_actuators, data, NULL),
        CLTOMO_OK);
    options.precision = precision;
    options.alpha = 1e3;
    cr_assert_eq(
        cltomo_reconstructor_build_interaction(context, &r, system, matrix, &options, &error),
        CLTOMO_OK, "%s", error.message);
    cltomo_matrix_destroy(matrix);
    cltomo_system_destroy(system);
    free(data);
    return r;
}

Test(panels, interaction_matrices_give_the_same_in_every_way_to_work)
{
    static const cltomo_precision precisions[] = {CLTOMO_PRECISION_DOUBLE, CLTOMO_PRECISION_SINGLE};
    for (size_t p = 0; p < 2; ++p) {
        cltomo_context *cpu = fixture_context();
        cltomo_reconstructor *expected = build_interaction(cpu, CLTOMO_PRECISION_DOUBLE);
        for (size_t i = 0; i < n_variants; ++i) {
            cltomo_context *opencl = context_for(&variants[i]);
            cltomo_reconstructor *found = build_interaction(opencl, precisions[p]);
            double difference =
                attempt_distance(cltomo_reconstructor_matrix(found, CLTOMO_PRODUCT_R_IM),
                    cltomo_reconstructor_matrix(expected, CLTOMO_PRODUCT_R_IM));
            cr_expect_lt(difference, p == 0 ? 1e-12 : 1e-3, "%s: %g", variants[i].name, difference);
            cltomo_reconstructor_destroy(found);
            cltomo_context_destroy(opencl);
        }
        cltomo_reconstructor_destroy(expected);
        cltomo_context_destroy(cpu);
    }
}

static cltomo_array *numbers(const cltomo_context *context, cltomo_precision precision, size_t rows,
    size_t cols, double first)
{
    double *value = calloc(rows * cols, sizeof *value);
    cltomo_context *cpu = fixture_context();
    cltomo_matrix *matrix = NULL;
    cltomo_array *array = NULL;
    for (size_t i = 0; i < rows * cols; ++i) {
        value[i] = first + (double)i;
    }
    cr_assert_eq(
        cltomo_matrix_create(cpu, &matrix, CLTOMO_PRECISION_DOUBLE, rows, cols, value, NULL),
        CLTOMO_OK);
    cr_assert_eq(
        cltomo_backend_of(context)->upload(context, &array, matrix, precision, NULL), CLTOMO_OK);
    cltomo_matrix_destroy(matrix);
    cltomo_context_destroy(cpu);
    free(value);
    return array;
}

/* Blocks over the borders of panels of 128 rows each, of both matrices. */
static void expect_places(const variant *v, cltomo_precision precision)
{
    enum { rows = 400, cols = 800, block_rows = 300, block_cols = 600, row = 77, col = 130 };
    cltomo_context *context = context_for(v);
    const cltomo_backend *backend = cltomo_backend_of(context);
    cltomo_array *a = numbers(context, precision, rows, cols, 0.0);
    cltomo_array *block = numbers(context, precision, block_rows, block_cols, 1e6);
    cltomo_matrix *found = NULL;
    cr_assert_eq(backend->place(context, a, row, col, block, NULL), CLTOMO_OK);
    backend->array_destroy(context, block);
    cr_assert_eq(backend->download(context, &found, &a, NULL), CLTOMO_OK);
    for (size_t i = 0; i < rows; ++i) {
        for (size_t j = 0; j < cols; ++j) {
            bool inside = i >= row && i < row + block_rows && j >= col && j < col + block_cols;
            double expected = inside ? 1e6 + (double)((i - row) * block_cols + (j - col))
                                     : (double)(i * cols + j);
            cr_assert_eq(operations_element(found, i, j), expected, "%s: %zu, %zu", v->name, i, j);
        }
    }
    cltomo_matrix_destroy(found);
    cltomo_context_destroy(context);
}

Test(panels, a_block_takes_its_place)
{
    for (size_t i = 0; i < n_variants; ++i) {
        expect_places(&variants[i], CLTOMO_PRECISION_DOUBLE);
        expect_places(&variants[i], CLTOMO_PRECISION_SINGLE);
    }
}

static void expect_refused(const variant *v, cltomo_precision precision, cltomo_status expected)
{
    cltomo_context *context = context_for(v);
    cltomo_system *system = fixture_system(context, "reduced_kapa");
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_reconstructor *r = NULL;
    cltomo_error error = {0};
    options.precision = precision;
    cr_expect_eq(cltomo_reconstructor_build(context, &r, system, &options, &error), expected,
        "%s: %s", v->name, error.message);
    cr_expect_null(r);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(panels, what_does_not_fit_is_an_error)
{
    const variant no_double = {"no double", 0, true, CLTOMO_BLAS_HOST, 8, false};
    const variant narrow = {"rows too long", 10000, true, CLTOMO_BLAS_HOST, 8, true};
    expect_refused(&no_double, CLTOMO_PRECISION_DOUBLE, CLTOMO_ERROR_UNSUPPORTED);
    expect_refused(&narrow, CLTOMO_PRECISION_DOUBLE, CLTOMO_ERROR_MEMORY);
}
