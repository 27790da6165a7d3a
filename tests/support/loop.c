#include "support/loop.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double loop_number(unsigned seed, size_t i)
{
    uint64_t state = (uint64_t)seed * 0x9e3779b97f4a7c15U + i * 0xd1342543de82ef95U;
    state = (state ^ (state >> 31)) * 0xbf58476d1ce4e5b9U;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebU;
    return (double)(float)((double)(state >> 40) / 8388608.0 - 1.0);
}

loop_truth *loop_truth_create(size_t n_commands, size_t n_slopes, unsigned seed)
{
    cr_assert_leq(n_commands, loop_max_commands);
    cr_assert_leq(n_slopes, loop_max_slopes);
    loop_truth *truth = calloc(1, sizeof *truth);
    cr_assert_not_null(truth);
    truth->n_commands = n_commands;
    truth->n_slopes = n_slopes;
    truth->gain = 1.0;
    truth->leak = 1.0;
    truth->delay = 1;
    for (size_t i = 0; i < n_commands * n_slopes; ++i) {
        truth->matrix[i] = (double)(float)(loop_number(seed, i) / (double)n_slopes);
        truth->interaction[i] = (double)(float)(loop_number(seed + 1, i) / (double)n_commands);
    }
    for (size_t i = 0; i < n_commands; ++i) {
        truth->minimum[i] = -INFINITY;
        truth->maximum[i] = INFINITY;
    }
    return truth;
}

static void pseudo_open_loop_slopes(const loop_truth *truth, double *p, const float *slopes)
{
    const double *seen = truth->past[truth->delay];
    for (size_t j = 0; j < truth->n_slopes; ++j) {
        p[j] = isfinite(slopes[j]) ? (double)slopes[j] - truth->offset[j] : 0.0;
        for (size_t i = 0; truth->has_interaction && i < truth->n_commands; ++i) {
            p[j] -= truth->interaction[j * truth->n_commands + i] * seen[i];
        }
    }
}

void loop_truth_apply(loop_truth *truth, const float *slopes)
{
    double p[loop_max_slopes];
    double now[loop_max_commands] = {0};
    memmove(truth->past[1], truth->past[0], sizeof truth->past - sizeof truth->past[0]);
    pseudo_open_loop_slopes(truth, p, slopes);
    for (size_t i = 0; i < truth->n_commands; ++i) {
        double sum = 0.0;
        for (size_t j = 0; j < truth->n_slopes; ++j) {
            sum += truth->matrix[i * truth->n_slopes + j] * p[j];
        }
        double wanted = (1.0 - truth->leak) * truth->past[1][i] + truth->gain * sum;
        now[i] = fmin(fmax(wanted, truth->minimum[i]), truth->maximum[i]);
    }
    memcpy(truth->past[0], now, sizeof now);
}

cltomo_matrix *loop_matrix(const cltomo_context *context, const double *elements, size_t rows,
    size_t cols, cltomo_precision precision)
{
    cltomo_matrix *matrix = NULL;
    cltomo_error error = {0};
    float *single = malloc(rows * cols * sizeof *single);
    cr_assert_not_null(single);
    for (size_t i = 0; i < rows * cols; ++i) {
        single[i] = (float)elements[i];
    }
    const void *data = precision == CLTOMO_PRECISION_SINGLE ? (const void *)single : elements;
    cr_assert_eq(
        cltomo_matrix_create(context, &matrix, precision, rows, cols, data, &error), CLTOMO_OK);
    free(single);
    return matrix;
}

static cltomo_controller *create_controller(
    const cltomo_context *context, const loop_truth *truth, uint32_t n_threads)
{
    size_t n = truth->n_commands;
    size_t k = truth->n_slopes;
    float offset[loop_max_slopes];
    float minimum[loop_max_commands];
    float maximum[loop_max_commands];
    cltomo_error error = {0};
    cltomo_controller *controller = NULL;
    cltomo_matrix *m = loop_matrix(context, truth->matrix, n, k, CLTOMO_PRECISION_DOUBLE);
    cltomo_matrix *d = loop_matrix(context, truth->interaction, k, n, CLTOMO_PRECISION_SINGLE);
    for (size_t j = 0; j < k; ++j) {
        offset[j] = (float)truth->offset[j];
    }
    for (size_t i = 0; i < n; ++i) {
        minimum[i] = (float)truth->minimum[i];
        maximum[i] = (float)truth->maximum[i];
    }
    cltomo_controller_options options = cltomo_controller_options_init();
    options.gain = (float)truth->gain;
    options.leak = (float)truth->leak;
    options.offset = offset;
    options.minimums = minimum;
    options.maximums = maximum;
    options.interaction = truth->has_interaction ? d : NULL;
    options.delay = (uint32_t)truth->delay;
    options.n_threads = n_threads;
    cltomo_status status = cltomo_controller_create(context, &controller, m, &options, &error);
    cr_assert_eq(status, CLTOMO_OK, "%s", error.message);
    cr_assert_eq(cltomo_controller_slopes(controller), k);
    cr_assert_eq(cltomo_controller_commands(controller), n);
    cltomo_matrix_destroy(m);
    cltomo_matrix_destroy(d);
    return controller;
}

void loop_expect(
    const cltomo_context *context, loop_truth *truth, uint32_t n_threads, size_t n_frames)
{
    float slopes[loop_max_slopes];
    float commands[loop_max_commands];
    cltomo_error error = {0};
    cltomo_controller *controller = create_controller(context, truth, n_threads);
    for (size_t frame = 0; frame < n_frames; ++frame) {
        for (size_t j = 0; j < truth->n_slopes; ++j) {
            slopes[j] = (float)loop_number((unsigned)frame + 77, j);
        }
        loop_truth_apply(truth, slopes);
        cr_assert_eq(cltomo_controller_apply(controller, commands, slopes, &error), CLTOMO_OK, "%s",
            error.message);
        for (size_t i = 0; i < truth->n_commands; ++i) {
            cr_assert_float_eq((double)commands[i], truth->past[0][i], 2e-6,
                "%zu x %zu, %u threads, frame %zu, command %zu: %.9g, should be %.9g",
                truth->n_commands, truth->n_slopes, (unsigned)n_threads, frame, i,
                (double)commands[i], truth->past[0][i]);
        }
    }
    cltomo_controller_destroy(controller);
}
