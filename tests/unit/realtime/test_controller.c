#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "support/fault.h"
#include "support/fixture.h"
#include "support/loop.h"

static const double elements[] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};

typedef struct attempt {
    cltomo_matrix *matrix;
    const cltomo_controller_options *options;
} attempt;

static cltomo_status create(const cltomo_context *context, void *user, cltomo_error *error)
{
    const attempt *wanted = user;
    cltomo_controller *controller = NULL;
    cltomo_status status =
        cltomo_controller_create(context, &controller, wanted->matrix, wanted->options, error);
    cr_assert_eq(controller == NULL, status != CLTOMO_OK);
    cltomo_controller_destroy(controller);
    return status;
}

Test(controller, every_allocation_may_fail)
{
    fault memory;
    cltomo_context *context = fault_context(&memory);
    cltomo_controller_options options = cltomo_controller_options_init();
    attempt wanted = {loop_matrix(context, elements, 2, 3, CLTOMO_PRECISION_DOUBLE), &options};
    cltomo_matrix *d = loop_matrix(context, elements, 3, 2, CLTOMO_PRECISION_DOUBLE);
    options.interaction = d;
    options.n_threads = 2;
    cr_assert_geq(fault_each(&memory, context, create, &wanted), 10);
    cltomo_matrix_destroy(d);
    cltomo_matrix_destroy(wanted.matrix);
    cltomo_context_destroy(context);
    cr_assert_eq(memory.live, 0);
}

static cltomo_status stage(const cltomo_context *context, void *user, cltomo_error *error)
{
    const attempt *wanted = user;
    cltomo_controller *controller = NULL;
    float slopes[3] = {1.0F, 1.0F, 1.0F};
    float commands[2];
    cltomo_status status =
        cltomo_controller_create(context, &controller, wanted->matrix, wanted->options, error);
    for (int i = 0; i < 3 && status == CLTOMO_OK; ++i) {
        status = cltomo_controller_stage(controller, wanted->matrix, error);
        if (status == CLTOMO_OK) {
            status = cltomo_controller_apply_batch(controller, commands, slopes, 1, error);
        }
    }
    cltomo_controller_destroy(controller);
    return status;
}

Test(controller, every_allocation_of_a_change_may_fail)
{
    fault memory;
    cltomo_context *context = fault_context(&memory);
    attempt wanted = {loop_matrix(context, elements, 2, 3, CLTOMO_PRECISION_SINGLE), NULL};
    cr_assert_geq(fault_each(&memory, context, stage, &wanted), 20);
    cltomo_matrix_destroy(wanted.matrix);
    cltomo_context_destroy(context);
    cr_assert_eq(memory.live, 0);
}

static cltomo_context *context;
static cltomo_matrix *matrix;

static void set_up(void)
{
    context = fixture_context();
    matrix = loop_matrix(context, elements, 2, 3, CLTOMO_PRECISION_DOUBLE);
}

static void tear_down(void)
{
    cltomo_matrix_destroy(matrix);
    cltomo_context_destroy(context);
}

TestSuite(controller_options, .init = set_up, .fini = tear_down);

static void expect_refused(
    const cltomo_controller_options *options, cltomo_status expected, const char *key)
{
    cltomo_controller *controller = NULL;
    cltomo_error error = {0};
    cltomo_status status = cltomo_controller_create(context, &controller, matrix, options, &error);
    cr_assert_eq(status, expected, "%s: %s", key, error.message);
    cr_assert_null(controller);
    cr_assert_str_eq(error.key, key);
    cr_assert_neq(error.message[0], '\0');
}

#define EXPECT_ARGUMENT_REFUSED(field, wrong, key)                                                 \
    do {                                                                                           \
        cltomo_controller_options options = cltomo_controller_options_init();                      \
        options.field = (wrong);                                                                   \
        expect_refused(&options, CLTOMO_ERROR_ARGUMENT, key);                                      \
    } while (0)

Test(controller_options, out_of_range_are_refused)
{
    static const float not_finite[] = {0.0F, 1.0F, NAN};
    static const float high[] = {0.0F, 2.0F};
    EXPECT_ARGUMENT_REFUSED(size, 1, "options.size");
    EXPECT_ARGUMENT_REFUSED(size, 1000, "options.size");
    EXPECT_ARGUMENT_REFUSED(gain, INFINITY, "gain");
    EXPECT_ARGUMENT_REFUSED(leak, -0.1F, "leak");
    EXPECT_ARGUMENT_REFUSED(leak, NAN, "leak");
    EXPECT_ARGUMENT_REFUSED(minimum, NAN, "minimum");
    EXPECT_ARGUMENT_REFUSED(minimums, not_finite + 1, "minimums[1]");
    EXPECT_ARGUMENT_REFUSED(offset, not_finite, "offset[2]");
    EXPECT_ARGUMENT_REFUSED(delay, 0, "delay");
    EXPECT_ARGUMENT_REFUSED(delay, 17, "delay");
    EXPECT_ARGUMENT_REFUSED(n_threads, 257, "n_threads");
    EXPECT_ARGUMENT_REFUSED(spin, -1.0, "spin");
    EXPECT_ARGUMENT_REFUSED(spin, (double)NAN, "spin");
    EXPECT_ARGUMENT_REFUSED(n_processors, 1, "processors");
    cltomo_controller_options options = cltomo_controller_options_init();
    options.minimums = high;
    options.maximum = 1.0F;
    expect_refused(&options, CLTOMO_ERROR_ARGUMENT, "minimums[1]");
}

Test(controller_options, a_processor_that_is_not_there)
{
    static const uint32_t none[] = {1000};
    static const uint32_t never[] = {1024};
    cltomo_controller_options options = cltomo_controller_options_init();
    options.n_threads = 2;
    options.n_processors = 1;
    options.processors = none;
    expect_refused(&options, CLTOMO_ERROR_ARGUMENT, "options.processors");
    options.processors = never;
    expect_refused(&options, CLTOMO_ERROR_ARGUMENT, "options.processors");
}

Test(controller_options, an_interaction_matrix_that_does_not_fit)
{
    cltomo_controller_options options = cltomo_controller_options_init();
    options.interaction = matrix;
    expect_refused(&options, CLTOMO_ERROR_SHAPE, "");
}

Test(controller_options, numbers_too_large_for_single_precision)
{
    static const double large[] = {1.0, 2.0, 3.0, 4.0, -1e39, 5.0};
    cltomo_controller *controller = NULL;
    cltomo_error error = {0};
    cltomo_matrix *wrong = loop_matrix(context, large, 2, 3, CLTOMO_PRECISION_DOUBLE);
    cr_assert_eq(cltomo_controller_create(context, &controller, wrong, NULL, &error),
        CLTOMO_ERROR_NOT_FINITE);
    cr_assert_not_null(strstr(error.message, "[1][1]"), "%s", error.message);
    cr_assert_null(controller);
    cr_assert_eq(cltomo_controller_create(context, &controller, matrix, NULL, &error), CLTOMO_OK);
    cr_assert_eq(cltomo_controller_stage(controller, wrong, &error), CLTOMO_ERROR_NOT_FINITE);
    cltomo_controller_destroy(controller);
    cltomo_matrix_destroy(wrong);
}

Test(controller_options, threads)
{
    cltomo_controller *controller = NULL;
    cltomo_controller_options options = cltomo_controller_options_init();
    cr_assert_eq(cltomo_controller_create(context, &controller, matrix, &options, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_controller_threads(controller), 1);
    cltomo_controller_destroy(controller);
    options.n_threads = 3;
    cr_assert_eq(cltomo_controller_create(context, &controller, matrix, &options, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_controller_threads(controller), 3);
    cltomo_controller_destroy(controller);
    cltomo_controller_destroy(NULL);
}
