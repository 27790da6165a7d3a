/* The control law of cltomo/controller.h written down once more, in double precision and with plain
 * loops, and controllers to compare with it. Each function ends the test if something fails. */
#ifndef LOOP_H
#define LOOP_H

#include <cltomo/cltomo.h>

enum { loop_max_slopes = 160, loop_max_commands = 160, loop_max_delay = 16 };

typedef struct loop_truth {
    size_t n_slopes;
    size_t n_commands;
    double matrix[loop_max_commands * loop_max_slopes];
    double interaction[loop_max_slopes * loop_max_commands];
    int has_interaction;
    double offset[loop_max_slopes];
    double minimum[loop_max_commands];
    double maximum[loop_max_commands];
    double gain;
    double leak;
    size_t delay;
    double past[loop_max_delay + 1][loop_max_commands]; /* [0]: the last commands, then older */
} loop_truth;

/* A number from -1 to 1 that depends on the seed and the place alone; a float. */
double loop_number(unsigned seed, size_t i);

/* Random matrices of that shape, scaled so that the loop is stable; no limits, gain and leak 1. */
loop_truth *loop_truth_create(size_t n_commands, size_t n_slopes, unsigned seed);

/* The next frame; the commands are then past[0]. */
void loop_truth_apply(loop_truth *truth, const float *slopes);

/* M or D as a matrix of that precision. */
cltomo_matrix *loop_matrix(const cltomo_context *context, const double *elements, size_t rows,
    size_t cols, cltomo_precision precision);

/* Runs n_frames frames of random slopes through a controller with the law of the truth, on that
 * many threads (0: chosen), and asserts that they agree. */
void loop_expect(
    const cltomo_context *context, loop_truth *truth, uint32_t n_threads, size_t n_frames);

#endif
