#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "support/fixture.h"
#include "support/loop.h"

/* Shapes that fill no vector and no group of rows, wide, tall, and of one row or column. */
static const size_t shapes[][2] = {{37, 53}, {53, 37}, {1, 1}, {1, 97}, {97, 1}, {4, 32}, {6, 131}};
enum { n_shapes = sizeof shapes / sizeof *shapes };

static void expect_law(void (*change)(loop_truth *truth), size_t n_frames)
{
    cltomo_context *context = fixture_context();
    for (size_t i = 0; i < n_shapes; ++i) {
        for (uint32_t n_threads = 0; n_threads <= 3; ++n_threads) {
            loop_truth *truth = loop_truth_create(shapes[i][0], shapes[i][1], (unsigned)i);
            change(truth);
            loop_expect(context, truth, n_threads, n_frames);
            free(truth);
        }
    }
    cltomo_context_destroy(context);
}

static void plain(loop_truth *truth)
{
    (void)truth;
}

static void set_offset(loop_truth *truth)
{
    for (size_t j = 0; j < truth->n_slopes; ++j) {
        truth->offset[j] = loop_number(9, j);
    }
}

static void integrate(loop_truth *truth)
{
    set_offset(truth);
    truth->gain = 0.25;
    truth->leak = 0.0625;
}

static void clip(loop_truth *truth)
{
    integrate(truth);
    for (size_t i = 0; i < truth->n_commands; ++i) {
        truth->minimum[i] = -0.0078125 * (double)(i % 5);
        truth->maximum[i] = 0.015625 * (double)(i % 3);
    }
}

static void close_loop(loop_truth *truth)
{
    clip(truth);
    truth->has_interaction = 1;
    truth->leak = 0.25;
}

static void delay(loop_truth *truth)
{
    close_loop(truth);
    truth->delay = 3;
}

static void delay_most(loop_truth *truth)
{
    close_loop(truth);
    truth->delay = loop_max_delay;
}

Test(frame, multiplies)
{
    expect_law(plain, 3);
}

Test(frame, subtracts_the_offset, .description = "large")
{
    expect_law(set_offset, 3);
}

Test(frame, integrates_with_a_leak, .description = "large")
{
    expect_law(integrate, 20);
}

Test(frame, clips)
{
    expect_law(clip, 20);
}

Test(frame, subtracts_what_the_mirror_adds, .description = "large")
{
    expect_law(close_loop, 20);
}

Test(frame, knows_commands_of_earlier_frames, .description = "large")
{
    expect_law(delay, 20);
    expect_law(delay_most, 20);
}

/* ---- what is not finite --------------------------------------------------------------------- */

typedef struct small_loop {
    cltomo_context *context;
    cltomo_controller *controller;
} small_loop;

/* c = [1 2 4; 1 -1 0] s, with the options. */
static small_loop small(const cltomo_controller_options *options)
{
    static const float elements[] = {1.0F, 2.0F, 4.0F, 1.0F, -1.0F, 0.0F};
    small_loop loop = {.context = fixture_context()};
    cltomo_matrix *matrix = NULL;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_matrix_create(
                     loop.context, &matrix, CLTOMO_PRECISION_SINGLE, 2, 3, elements, &error),
        CLTOMO_OK);
    cr_assert_eq(cltomo_controller_create(loop.context, &loop.controller, matrix, options, &error),
        CLTOMO_OK, "%s", error.message);
    cltomo_matrix_destroy(matrix);
    return loop;
}

static void small_end(small_loop *loop)
{
    cltomo_controller_destroy(loop->controller);
    cltomo_context_destroy(loop->context);
}

static void expect_commands(
    small_loop *loop, float s0, float s1, float s2, float first, float second)
{
    const float slopes[3] = {s0, s1, s2};
    float commands[2] = {NAN, NAN};
    cr_assert_eq(cltomo_controller_apply(loop->controller, commands, slopes, NULL), CLTOMO_OK);
    cr_assert(commands[0] == first && commands[1] == second, "(%g, %g), should be (%g, %g)",
        (double)commands[0], (double)commands[1], (double)first, (double)second);
}

static cltomo_controller_counters counters_of(const small_loop *loop)
{
    cltomo_controller_counters counters;
    cltomo_controller_get_counters(loop->controller, &counters);
    return counters;
}

Test(frame, counts_slopes_that_are_not_finite_and_takes_them_for_zero)
{
    static const float offset[] = {1.0F, 2.0F, 3.0F};
    cltomo_controller_options options = cltomo_controller_options_init();
    options.offset = offset;
    small_loop loop = small(&options);
    expect_commands(&loop, 2.0F, 2.0F, 3.0F, 1.0F, 1.0F);
    cr_assert_eq(counters_of(&loop).nonfinite_slopes, 0);
    expect_commands(&loop, NAN, 3.0F, 3.0F, 2.0F, -1.0F);
    expect_commands(&loop, INFINITY, 3.0F, -INFINITY, 2.0F, -1.0F);
    expect_commands(&loop, NAN, NAN, NAN, 0.0F, 0.0F);
    cltomo_controller_counters counters = counters_of(&loop);
    cr_assert_eq(counters.frames, 4);
    cr_assert_eq(counters.nonfinite_slopes, 6);
    cr_assert_eq(counters.overflows, 0);
    cr_assert_eq(counters.clipped, 0);
    small_end(&loop);
}

Test(frame, saturates_where_it_overflows)
{
    cltomo_controller_options options = cltomo_controller_options_init();
    options.leak = 0.0F;
    small_loop loop = small(&options);
    expect_commands(&loop, FLT_MAX, FLT_MAX, 0.0F, FLT_MAX, 0.0F);
    expect_commands(&loop, FLT_MAX, 0.0F, 0.0F, FLT_MAX, FLT_MAX);
    expect_commands(&loop, -FLT_MAX, 0.0F, 0.0F, 0.0F, 0.0F);
    expect_commands(&loop, 0.0F, -FLT_MAX, 0.0F, -FLT_MAX, FLT_MAX);
    cr_assert_eq(counters_of(&loop).overflows, 3);
    small_end(&loop);
}

/* inf - inf on the way: M p is a NaN, so the commands stay. */
Test(frame, takes_a_product_that_is_a_nan_for_zero)
{
    cltomo_controller_options options = cltomo_controller_options_init();
    options.leak = 0.5F;
    small_loop loop = small(&options);
    expect_commands(&loop, 8.0F, 0.0F, 0.0F, 8.0F, 8.0F);
    expect_commands(&loop, 0.0F, FLT_MAX, -FLT_MAX, 4.0F, -FLT_MAX);
    cr_assert_eq(counters_of(&loop).overflows, 1);
    small_end(&loop);
}

Test(frame, numbers_too_small_for_speed_become_zero)
{
    cltomo_controller_options options = cltomo_controller_options_init();
    options.leak = 0.5F;
    small_loop loop = small(&options);
    expect_commands(&loop, FLT_MIN, 0.0F, 0.0F, FLT_MIN, FLT_MIN);
    expect_commands(&loop, FLT_MIN / 4.0F, 0.0F, 0.0F, 0.0F, 0.0F);
    small_end(&loop);
}

Test(frame, counts_what_it_clips)
{
    cltomo_controller_options options = cltomo_controller_options_init();
    options.minimum = -1.0F;
    options.maximum = 3.0F;
    small_loop loop = small(&options);
    expect_commands(&loop, 5.0F, 0.0F, 0.0F, 3.0F, 3.0F);
    expect_commands(&loop, -5.0F, 0.0F, 1.0F, -1.0F, -1.0F);
    expect_commands(&loop, 1.0F, 0.0F, 0.0F, 1.0F, 1.0F);
    cr_assert_eq(counters_of(&loop).clipped, 3);
    small_end(&loop);
}

/* ---- gain, reset, batch ---------------------------------------------------------------------- */

Test(frame, gain_and_leak_can_change)
{
    cltomo_error error = {0};
    small_loop loop = small(NULL);
    expect_commands(&loop, 1.0F, 0.0F, 0.0F, 1.0F, 1.0F);
    cr_assert_eq(cltomo_controller_set_gain(loop.controller, 0.5F, 0.0F, &error), CLTOMO_OK);
    expect_commands(&loop, 1.0F, 0.0F, 0.0F, 1.5F, 1.5F);
    cr_assert_eq(
        cltomo_controller_set_gain(loop.controller, NAN, 0.0F, &error), CLTOMO_ERROR_ARGUMENT);
    cr_assert_str_eq(error.key, "gain");
    cr_assert_eq(
        cltomo_controller_set_gain(loop.controller, 1.0F, 1.5F, &error), CLTOMO_ERROR_ARGUMENT);
    cr_assert_str_eq(error.key, "leak");
    expect_commands(&loop, 1.0F, 0.0F, 0.0F, 2.0F, 2.0F);
    small_end(&loop);
}

Test(frame, reset_sets_what_the_loop_remembers)
{
    static const float start[] = {7.0F, NAN};
    cltomo_controller_options options = cltomo_controller_options_init();
    options.leak = 0.0F;
    options.maximum = 6.0F;
    small_loop loop = small(&options);
    expect_commands(&loop, 1.0F, 0.0F, 0.0F, 1.0F, 1.0F);
    cltomo_controller_reset(loop.controller, start);
    expect_commands(&loop, 0.0F, 0.0F, 0.0F, 6.0F, 0.0F);
    cltomo_controller_reset(loop.controller, NULL);
    expect_commands(&loop, 1.0F, 0.0F, 0.0F, 1.0F, 1.0F);
    small_end(&loop);
}

Test(frame, commands_start_at_the_limit_next_to_zero)
{
    cltomo_controller_options options = cltomo_controller_options_init();
    options.leak = 0.0F;
    options.minimum = 2.0F;
    options.maximum = 6.0F;
    small_loop loop = small(&options);
    expect_commands(&loop, 1.0F, 0.0F, 0.0F, 3.0F, 3.0F);
    small_end(&loop);
}

Test(frame, a_batch_leaves_the_loop_alone)
{
    static const float offset[] = {1.0F, 0.0F, 0.0F};
    static const float slopes[4][3] = {
        {2.0F, 0.0F, 0.0F}, {1.0F, 1.0F, 1.0F}, {NAN, 1.0F, 0.0F}, {1.0F, 0.0F, 9.0F}};
    static const float expected[4][2] = {{0.5F, 0.5F}, {3.0F, -0.5F}, {1.0F, -0.5F}, {16.0F, 0.0F}};
    float commands[4][2];
    cltomo_error error = {0};
    cltomo_controller_options options = cltomo_controller_options_init();
    options.offset = offset;
    options.gain = 0.5F;
    options.leak = 0.0F;
    options.maximum = 16.0F;
    small_loop loop = small(&options);
    expect_commands(&loop, 3.0F, 0.0F, 0.0F, 1.0F, 1.0F);
    for (size_t n = 0; n <= 4; ++n) {
        cr_assert_eq(
            cltomo_controller_apply_batch(loop.controller, commands[0], slopes[0], n, &error),
            CLTOMO_OK);
        for (size_t i = 0; i < n; ++i) {
            cr_assert(commands[i][0] == expected[i][0] && commands[i][1] == expected[i][1]);
        }
    }
    expect_commands(&loop, 1.0F, 0.0F, 0.0F, 1.0F, 1.0F);
    cr_assert_eq(counters_of(&loop).frames, 2);
    small_end(&loop);
}
