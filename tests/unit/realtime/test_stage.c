#include <criterion/criterion.h>

#include "support/fault.h"
#include "support/loop.h"

static fault memory;
static cltomo_context *context;
static cltomo_controller *controller;

/* n_commands x n_slopes elements of that value. */
static cltomo_matrix *constant(size_t rows, size_t cols, double value)
{
    double elements[6 * 5];
    for (size_t i = 0; i < rows * cols; ++i) {
        elements[i] = value;
    }
    return loop_matrix(context, elements, rows, cols, CLTOMO_PRECISION_DOUBLE);
}

static void set_up(void)
{
    context = fault_context(&memory);
    cltomo_matrix *first = constant(5, 3, 1.0);
    cr_assert_eq(cltomo_controller_create(context, &controller, first, NULL, NULL), CLTOMO_OK);
    cltomo_matrix_destroy(first);
}

static void tear_down(void)
{
    cltomo_controller_destroy(controller);
    cltomo_context_destroy(context);
    cr_assert_eq(memory.live, 0);
}

TestSuite(stage, .init = set_up, .fini = tear_down);

static void stage(double value)
{
    cltomo_error error = {0};
    cltomo_matrix *next = constant(5, 3, value);
    cr_assert_eq(cltomo_controller_stage(controller, next, &error), CLTOMO_OK, "%s", error.message);
    cltomo_matrix_destroy(next);
}

static void expect_frame(float value)
{
    static const float slopes[] = {1.0F, 1.0F, 1.0F};
    float commands[5];
    cr_assert_eq(cltomo_controller_apply(controller, commands, slopes, NULL), CLTOMO_OK);
    for (size_t i = 0; i < 5; ++i) {
        cr_assert(commands[i] == 3.0F * value);
    }
}

static uint64_t swaps(void)
{
    cltomo_controller_counters counters;
    cltomo_controller_get_counters(controller, &counters);
    return counters.swaps;
}

Test(stage, the_next_frame_takes_the_matrix)
{
    expect_frame(1.0F);
    stage(2.0);
    cr_assert_eq(swaps(), 0);
    expect_frame(2.0F);
    expect_frame(2.0F);
    cr_assert_eq(swaps(), 1);
}

Test(stage, the_last_one_counts)
{
    stage(2.0);
    stage(3.0);
    stage(4.0);
    expect_frame(4.0F);
    cr_assert_eq(swaps(), 1);
}

Test(stage, old_matrices_are_released)
{
    expect_frame(1.0F);
    long before = atomic_load(&memory.live);
    for (int i = 2; i < 50; ++i) {
        stage((double)i);
        expect_frame((float)i);
        cr_assert_leq(atomic_load(&memory.live), before + 3); /* the one left behind */
    }
}

Test(stage, one_that_no_frame_took_is_released_with_the_controller)
{
    stage(2.0);
    expect_frame(2.0F);
    stage(3.0);
}

Test(stage, another_shape_is_refused)
{
    static const size_t shapes[][2] = {{4, 3}, {5, 2}, {3, 5}, {6, 3}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        cltomo_error error = {0};
        cltomo_matrix *wrong = constant(shapes[i][0], shapes[i][1], 7.0);
        cr_assert_eq(cltomo_controller_stage(controller, wrong, &error), CLTOMO_ERROR_SHAPE);
        cr_assert_neq(error.message[0], '\0');
        cltomo_matrix_destroy(wrong);
    }
    expect_frame(1.0F);
    cr_assert_eq(swaps(), 0);
}

Test(stage, without_memory_the_old_matrix_stays)
{
    cltomo_error error = {0};
    cltomo_matrix *next = constant(5, 3, 2.0);
    atomic_store(&memory.left, 0);
    cr_assert_eq(cltomo_controller_stage(controller, next, &error), CLTOMO_ERROR_MEMORY);
    expect_frame(1.0F);
    cltomo_matrix_destroy(next);
}
