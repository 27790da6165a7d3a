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

/* ---- with an interaction matrix -------------------------------------------------------------- */

static void stage_pair(double value, double interaction)
{
    cltomo_error error = {0};
    cltomo_matrix *m = constant(5, 3, value);
    cltomo_matrix *d = constant(3, 5, interaction);
    cr_assert_eq(cltomo_controller_stage_with_interaction(controller, m, d, &error), CLTOMO_OK,
        "%s", error.message);
    cltomo_matrix_destroy(d);
    cltomo_matrix_destroy(m);
}

/* A frame of slopes 1 after commands of 1/16: each command is 3 m (1 - 5 d / 16). All numbers of
 * these tests are exact. */
static void expect_pair(double value, double interaction)
{
    static const float before[] = {0.0625F, 0.0625F, 0.0625F, 0.0625F, 0.0625F};
    cltomo_controller_reset(controller, before);
    expect_frame((float)(value * (1.0 - interaction * 5.0 / 16.0)));
}

Test(stage, the_next_frame_takes_the_pair)
{
    expect_pair(1.0, 0.0);
    stage_pair(2.0, 4.0);
    cr_assert_eq(swaps(), 0);
    expect_pair(2.0, 4.0);
    stage_pair(3.0, -8.0);
    expect_pair(3.0, -8.0);
    cr_assert_eq(swaps(), 2);
}

Test(stage, a_matrix_alone_goes_with_the_last_interaction_matrix)
{
    stage_pair(2.0, 4.0);
    expect_pair(2.0, 4.0);
    stage(3.0);
    expect_pair(3.0, 4.0);
    stage_pair(4.0, 8.0);
    stage(5.0); /* no frame has taken the pair */
    expect_pair(5.0, 8.0);
}

Test(stage, without_an_interaction_matrix_from_then_on)
{
    cltomo_matrix *m = constant(5, 3, 3.0);
    stage_pair(2.0, 4.0);
    expect_pair(2.0, 4.0);
    cr_assert_eq(cltomo_controller_stage_with_interaction(controller, m, NULL, NULL), CLTOMO_OK);
    expect_pair(3.0, 0.0);
    stage(4.0);
    expect_pair(4.0, 0.0);
    cltomo_matrix_destroy(m);
}

Test(stage, the_loop_remembers_its_commands)
{
    expect_frame(1.0F); /* commands of 3 */
    stage_pair(1.0, 0.25);
    expect_frame(1.0F - 0.25F * 5.0F * 3.0F);
}

Test(stage, old_pairs_are_released)
{
    long before = atomic_load(&memory.live);
    for (int i = 2; i < 50; ++i) {
        stage_pair((double)i, 4.0);
        if (i % 3 != 0) {
            stage(1.0 + (double)i);
            expect_pair(1.0 + (double)i, 4.0);
        }
        cr_assert_leq(atomic_load(&memory.live), before + 15); /* two matrices, three of D */
    }
}

Test(stage, an_interaction_matrix_that_does_not_fit_is_refused)
{
    cltomo_error error = {0};
    cltomo_matrix *m = constant(5, 3, 2.0);
    cltomo_matrix *wrong = constant(5, 3, 2.0);
    cr_assert_eq(
        cltomo_controller_stage_with_interaction(controller, m, wrong, &error), CLTOMO_ERROR_SHAPE);
    cltomo_matrix_destroy(wrong);
    wrong = constant(3, 5, 2.0);
    cr_assert_eq(cltomo_controller_stage_with_interaction(controller, wrong, wrong, &error),
        CLTOMO_ERROR_SHAPE);
    cltomo_matrix_destroy(wrong);
    wrong = constant(3, 5, 1e39);
    cr_assert_eq(cltomo_controller_stage_with_interaction(controller, m, wrong, &error),
        CLTOMO_ERROR_NOT_FINITE);
    expect_pair(1.0, 0.0);
    cltomo_matrix_destroy(wrong);
    cltomo_matrix_destroy(m);
}

Test(stage, without_memory_the_old_pair_stays)
{
    cltomo_matrix *pair[] = {constant(5, 3, 3.0), constant(3, 5, 8.0)};
    cltomo_error error = {0};
    stage_pair(2.0, 4.0);
    expect_pair(2.0, 4.0);
    for (long n = 0; n < 6; ++n) {
        atomic_store(&memory.left, n);
        cr_assert_eq(cltomo_controller_stage_with_interaction(controller, pair[0], pair[1], &error),
            CLTOMO_ERROR_MEMORY);
        expect_pair(2.0, 4.0);
    }
    atomic_store(&memory.left, 6);
    cr_assert_eq(
        cltomo_controller_stage_with_interaction(controller, pair[0], pair[1], &error), CLTOMO_OK);
    expect_pair(3.0, 8.0);
    cltomo_matrix_destroy(pair[0]);
    cltomo_matrix_destroy(pair[1]);
}
