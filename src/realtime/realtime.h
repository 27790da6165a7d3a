/* The real-time controller, in parts. What the loop's thread writes and what others write lie on
 * different cache lines. */
#ifndef CLTOMO_REALTIME_REALTIME_H
#define CLTOMO_REALTIME_REALTIME_H

#include <cltomo/controller.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>

#include "backend/cpu/loop_kernels.h"
#include "backend/plan.h"

#define CLTOMO_MAX_DELAY 16U

/* An interaction matrix, shared by the matrices that are used with it. */
typedef struct cltomo_live_interaction {
    size_t n_users; /* guarded by the controller's staging */
    cltomo_prepared *prepared;
} cltomo_live_interaction;

/* A matrix that waits for the loop, is in use by it, or was left behind, with what it is used with:
 * a frame that takes one takes the other. */
typedef struct cltomo_live_matrix {
    struct cltomo_live_matrix *next; /* of those left behind */
    cltomo_prepared *prepared;
    cltomo_live_interaction *interaction; /* NULL: none */
} cltomo_live_matrix;

/* gain and leak as one word, so that both change at once. */
typedef union cltomo_gain_word {
    struct {
        float gain;
        float leak;
    } value;
    uint64_t word;
} cltomo_gain_word;

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): cache lines, not bytes, count here */
struct cltomo_controller {
    const cltomo_context *context;
    const cltomo_plan_operations *operations;
    const cltomo_loop_kernels *kernels;
    cltomo_plan *plan;
    size_t n_slopes;
    size_t n_commands;
    float *offset; /* n_slopes */
    float *lower;  /* n_commands */
    float *upper;
    uint32_t delay;

    /* The loop's own. */
    alignas(CLTOMO_ALIGNMENT) cltomo_live_matrix *live;
    float *e;        /* slopes of the frame */
    float *added;    /* slopes that the mirror adds, D c */
    float *x;        /* what the matrix gives */
    float *past;     /* delay x room of n_commands: commands of the last frames, in turn */
    size_t past_row; /* of c_(k-delay), which c_k takes the place of */
    size_t last_row; /* of c_(k-1) */

    /* Between the loop and others. */
    alignas(CLTOMO_ALIGNMENT) _Atomic(cltomo_live_matrix *) staged; /* NULL: none */
    _Atomic(cltomo_live_matrix *) left; /* a list; the loop alone adds to it */
    _Atomic uint64_t gain;              /* a cltomo_gain_word */

    /* Between others; never the loop's. */
    pthread_mutex_t staging;
    cltomo_live_interaction *newest; /* interaction matrix handed over; NULL: none */

    /* Written by the loop alone. */
    alignas(CLTOMO_ALIGNMENT) _Atomic uint64_t frames;
    _Atomic uint64_t swaps;
    _Atomic uint64_t nonfinite_slopes;
    _Atomic uint64_t overflows;
    _Atomic uint64_t clipped;
};

/* ---- options.c ------------------------------------------------------------------------------ */

/* Copies what the caller's version of the options has, NULL giving the defaults, and checks it for
 * a matrix of n_commands x n_slopes. */
cltomo_status cltomo_controller_read_options(cltomo_controller_options *own,
    const cltomo_controller_options *options, size_t n_slopes, size_t n_commands,
    cltomo_error *error);

cltomo_status cltomo_controller_check_gain(float gain, float leak, cltomo_error *error);

/* The shape; NULL passes. */
cltomo_status cltomo_controller_check_interaction(
    const cltomo_matrix *interaction, size_t n_slopes, size_t n_commands, cltomo_error *error);

/* ---- stage.c -------------------------------------------------------------------------------- */

/* Copies of the first matrices, interaction NULL for none. */
cltomo_status cltomo_controller_first_matrices(cltomo_controller *controller,
    const cltomo_matrix *matrix, const cltomo_matrix *interaction, cltomo_error *error);

/* When nobody uses any of them any more. */
void cltomo_controller_release_matrices(cltomo_controller *controller);

/* [rt] Makes the staged matrix, if there is one, the live one, with its interaction matrix. */
void cltomo_controller_take_staged(cltomo_controller *controller);

#endif
