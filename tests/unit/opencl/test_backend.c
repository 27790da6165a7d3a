/* The same builds on both backends. */
#include <cltomo/opencl.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "opencl/attempt.h"
#include "support/fixture.h"
#include "support/interaction.h"

static cltomo_context *opencl_context(void)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    cltomo_error error = {0};
    options.backend = CLTOMO_BACKEND_OPENCL;
    cr_assert_eq(cltomo_context_create(&context, &options, &error), CLTOMO_OK, "%s", error.message);
    cr_assert_str_eq(cltomo_context_backend(context), "opencl");
    return context;
}

/* An asymmetric pupil under stars on a diagonal and on axis, which the separable evaluator takes
 * for their own mirror images. */
static void put_stars_on_a_diagonal(cltomo_system_description *d)
{
    static const double x[2] = {6e-5, 0.0};
    static const double y[2] = {6e-5, 0.0};
    d->n_wfs = 2;
    d->guide_star_x = x;
    d->guide_star_y = y;
    d->wfs_rotation = NULL;
    d->wfs_offset_x = NULL;
    d->wfs_offset_y = NULL;
}

/* Directions one by one, sources at different heights; lenslets and flux of each sensor's own. */
static void differ(cltomo_system_description *d)
{
    enum { n = 3 * 25 };
    static uint8_t map[n];
    static double flux[n];
    static const double x[] = {3e-5, -8e-5, 1e-5};
    static const double y[] = {1e-5, 4e-5, -6e-5};
    static const double height[] = {(double)INFINITY, 150e3, 60e3};
    static const double weight[] = {0.5, 0.25, 0.25};
    cr_assert(d->n_lenslets == 5 && d->n_wfs == 3);
    for (size_t i = 0; i < n; ++i) {
        map[i] = d->valid_lenslets[i % 25] != 0 && (i < 25 || (7 * i + 3) % 11 > 2);
        flux[i] = 0.25 + (double)((5 * i) % 13);
    }
    d->valid_lenslets_per_wfs = map;
    d->lenslet_flux = flux;
    d->n_directions = 3;
    d->direction_x = x;
    d->direction_y = y;
    d->direction_height = height;
    d->direction_weight = weight;
}

/* The system of that name, or a change of the asymmetric one. */
static cltomo_system *make_system(const cltomo_context *context, const char *name)
{
    bool is_diagonal = strcmp(name, "diagonal") == 0;
    bool is_different = strcmp(name, "different") == 0;
    if (!is_diagonal && !is_different) {
        return fixture_system(context, name);
    }
    cltomo_system *base = fixture_system(context, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(base);
    if (is_diagonal) {
        put_stars_on_a_diagonal(&d);
    } else {
        differ(&d);
    }
    cltomo_system *system = fixture_describe(context, &d);
    cltomo_system_destroy(base);
    return system;
}

static cltomo_reconstructor *build(
    cltomo_context *context, const char *name, const cltomo_build_options *options)
{
    cltomo_system *system = make_system(context, name);
    cltomo_reconstructor *reconstructor = NULL;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_reconstructor_build(context, &reconstructor, system, options, &error),
        CLTOMO_OK, "%s: %s", name, error.message);
    cltomo_system_destroy(system);
    return reconstructor;
}

static void expect_same(const char *name, const cltomo_build_options *options)
{
    static const cltomo_product products[] = {CLTOMO_PRODUCT_R, CLTOMO_PRODUCT_FR,
        CLTOMO_PRODUCT_C_SS, CLTOMO_PRODUCT_C_PS, CLTOMO_PRODUCT_R_UNSCALED, CLTOMO_PRODUCT_IF,
        CLTOMO_PRODUCT_F};
    cltomo_context *cpu = fixture_context();
    cltomo_context *opencl = opencl_context();
    cltomo_reconstructor *expected = build(cpu, name, options);
    cltomo_reconstructor *found = build(opencl, name, options);
    double limit = options->precision == CLTOMO_PRECISION_DOUBLE ? 1e-12 : 1e-5;
    for (size_t i = 0; i < sizeof products / sizeof products[0]; ++i) {
        if ((options->products & products[i]) != 0) {
            double d = attempt_distance(cltomo_reconstructor_matrix(found, products[i]),
                cltomo_reconstructor_matrix(expected, products[i]));
            cr_expect_lt(d, limit, "%s of %s: %g", cltomo_product_name(products[i]), name, d);
        }
    }
    const cltomo_build_report *a = cltomo_reconstructor_report(found);
    const cltomo_build_report *b = cltomo_reconstructor_report(expected);
    cr_expect_float_eq(
        a->mean_slope_variance, b->mean_slope_variance, 1e-6 * b->mean_slope_variance);
    cr_expect_float_eq(a->condition, b->condition, 1e-5 * b->condition);
    cltomo_reconstructor_destroy(expected);
    cltomo_reconstructor_destroy(found);
    cltomo_context_destroy(cpu);
    cltomo_context_destroy(opencl);
}

Test(backend, builds_the_same_as_the_c_path)
{
    const char *const systems[] = {"small_asymmetric", "small_directions", "small_single",
        "diagonal", "different", "reduced_kapa", "kapa", "kapa-single-channel", "keck", "revolt"};
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; ++i) {
        cltomo_build_options options = cltomo_build_options_init();
        expect_same(systems[i], &options);
        options.precision = CLTOMO_PRECISION_SINGLE;
        expect_same(systems[i], &options);
    }
}

/* One direction after the other, point by point for the rotated sensors. */
Test(backend, builds_the_same_for_each_direction)
{
    const char *const systems[] = {"small_asymmetric", "small_directions", "diagonal", "different"};
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; ++i) {
        cltomo_build_options options = cltomo_build_options_init();
        options.products |= CLTOMO_PRODUCT_C_PS | CLTOMO_PRODUCT_R_UNSCALED;
        options.per_direction = 1;
        expect_same(systems[i], &options);
        options.precision = CLTOMO_PRECISION_SINGLE;
        expect_same(systems[i], &options);
    }
}

/* Every intermediate, the direct evaluator, another order of slopes, commands alone. */
Test(backend, builds_the_same_with_other_options)
{
    const char *const systems[] = {"small_asymmetric", "small_directions", "reduced_kapa"};
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; ++i) {
        for (int precision = 0; precision < 2; ++precision) {
            cltomo_build_options options = cltomo_build_options_init();
            options.precision = (cltomo_precision)precision;
            options.evaluation = CLTOMO_EVALUATION_DIRECT;
            options.slope_order = CLTOMO_SLOPES_INTERLEAVED;
            options.lenslet_order = CLTOMO_LENSLETS_COLUMN;
            options.products |= CLTOMO_PRODUCT_C_SS | CLTOMO_PRODUCT_C_PS |
                                CLTOMO_PRODUCT_R_UNSCALED | CLTOMO_PRODUCT_IF | CLTOMO_PRODUCT_F;
            options.mirror_rotation = 1;
            expect_same(systems[i], &options);
            options.products = CLTOMO_PRODUCT_FR;
            expect_same(systems[i], &options);
        }
    }
}

Test(backend, builds_from_interaction_matrices)
{
    cltomo_context *context = opencl_context();
    interaction_expect_golden(context, CLTOMO_PRECISION_DOUBLE);
    interaction_expect_golden(context, CLTOMO_PRECISION_SINGLE);
    cltomo_context_destroy(context);
}

Test(backend, singular_covariance_is_an_error)
{
    cltomo_context *context = opencl_context();
    cltomo_system *system = fixture_system(context, "kapa-single-channel");
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_reconstructor *r = NULL;
    options.alpha = 0.0;
    cr_assert_eq(cltomo_reconstructor_build(context, &r, system, &options, NULL),
        CLTOMO_ERROR_NOT_POSITIVE_DEFINITE);
    cr_assert_null(r);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

/* PoCL's threads drop theirs a moment after the queue has finished. */
static void expect_the_only_reference(cl_command_queue queue)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    cl_uint references = 0;
    for (int i = 0; i < 1000 && references != 1; ++i) {
        cr_assert_eq(clGetCommandQueueInfo(
                         queue, CL_QUEUE_REFERENCE_COUNT, sizeof references, &references, NULL),
            CL_SUCCESS);
        (void)nanosleep(&moment, NULL);
    }
    cr_assert_eq(references, 1);
}

/* A program that uses OpenCL itself lends its context and queue, and has them back afterwards. */
Test(backend, works_on_the_callers_queue)
{
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    cl_int code = CL_SUCCESS;
    cr_assert_eq(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    cr_assert_eq(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), CL_SUCCESS);
    cl_context own = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    cl_command_queue queue = clCreateCommandQueue(own, device, 0, &code);
    cr_assert_eq(code, CL_SUCCESS);
    cltomo_context *context = NULL;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_context_create_opencl(&context, own, device, queue, NULL, &error),
        CLTOMO_OK, "%s", error.message);
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_reconstructor_destroy(build(context, "small_asymmetric", &options));
    cltomo_context_destroy(context);
    expect_the_only_reference(queue);

    cl_command_queue unordered =
        clCreateCommandQueue(own, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code == CL_SUCCESS) {
        cr_assert_eq(cltomo_context_create_opencl(&context, own, device, unordered, NULL, &error),
            CLTOMO_ERROR_ARGUMENT);
        clReleaseCommandQueue(unordered);
    }
    clReleaseCommandQueue(queue);
    clReleaseContext(own);
}
