/* The real-time controller: applies a matrix to the slopes of one frame after the other, while
 * another thread may replace the matrix.
 *
 * Frame k takes the slopes s (n_slopes) and gives the commands c_k (n_commands):
 *
 *     e   = s - offset, where s is finite; 0 where it is a NaN or an infinity
 *     p   = e                          without an interaction matrix
 *     p   = e - D c_(k-delay)          with one: the slopes that the mirror, held flat, would give
 *     c_k = clip((1 - leak) c_(k-1) + gain M p)
 *
 * M is the controller's matrix (n_commands x n_slopes), FR for commands, R for a wavefront; D
 * (n_slopes x n_commands) holds in column i the slopes that a command of 1 on actuator i adds.
 * With the defaults, gain 1 and leak 1, c_k = M s. A plain integrator has leak 0, a leaky one
 * 0 < leak < 1. With D (pseudo-open-loop control, POLC) M p is the whole command rather than a
 * change of it, so that leak = gain makes the usual first-order filter. All in single precision.
 *
 * Functions marked [rt] are for the loop's thread: one thread at a time. On the C path they
 * allocate nothing, take no lock, make no system call and log nothing; on OpenCL the library itself
 * does not either, but the driver may. Those marked [any] may be called by any thread, also while
 * the loop runs. */
#ifndef CLTOMO_CONTROLLER_H
#define CLTOMO_CONTROLLER_H

#include <cltomo/matrix.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cltomo_controller cltomo_controller;

/* Arrays are copied by cltomo_controller_create. */
typedef struct cltomo_controller_options {
    uint32_t size; /* sizeof(cltomo_controller_options); set by the initialiser, fields only grow */
    float gain;    /* finite */
    float leak;    /* 0 to 1; 1: no memory */
    float minimum; /* of all commands; -INFINITY: none */
    float maximum;
    const float *minimums; /* n_commands, of each command, beside minimum; NULL: none */
    const float *maximums;
    const float *offset;              /* n_slopes, finite: reference slopes; NULL: zero */
    const cltomo_matrix *interaction; /* D, to begin with; NULL: none */
    uint32_t delay; /* frames from a command to the slopes that show it, 1 to 16; used with D */
    /* C path: threads that work at one frame, the loop's own included. 0: chosen by the size of the
     * matrix, at most the context's. The helpers inherit the scheduling policy of the thread that
     * creates the controller. */
    uint32_t n_threads;
    /* Helper i is pinned to processor processors[i % n_processors]. None of them should be the
     * loop's own. NULL: not pinned. */
    const uint32_t *processors;
    size_t n_processors;
    /* Seconds after a frame during which helpers wait for the next by spinning, each at the cost of
     * a processor; 0 or more. Later they sleep, in naps of up to 5 ms, until they find that there
     * was a frame again; the loop's thread never waits for one that does, but works alone. */
    double spin;
} cltomo_controller_options;

/* gain 1, leak 1, no limits, no offset, no interaction matrix, delay 1, threads chosen, not pinned,
 * helpers spin for 2.5 ms: they stay awake at 500 frames per second and more. */
CLTOMO_API cltomo_controller_options cltomo_controller_options_init(void);

/* Copies the matrix, starts the helpers, and touches all memory that frames will use. Commands
 * start at 0, or at the limit next to it. options may be NULL for the defaults. Fails with
 * CLTOMO_ERROR_ARGUMENT for an option out of range, CLTOMO_ERROR_SHAPE if D does not fit,
 * CLTOMO_ERROR_NOT_FINITE if an element of a matrix is too large for single precision. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_controller_create(const cltomo_context *context,
    cltomo_controller **controller, const cltomo_matrix *matrix,
    const cltomo_controller_options *options, cltomo_error *error);

CLTOMO_API size_t cltomo_controller_slopes(const cltomo_controller *controller);
CLTOMO_API size_t cltomo_controller_commands(const cltomo_controller *controller);

/* Threads that work at one frame; 1 on OpenCL. */
CLTOMO_API uint32_t cltomo_controller_threads(const cltomo_controller *controller);

/* [rt] One frame: commands (n_commands) from slopes (n_slopes). Commands are finite whatever the
 * slopes are: what overflows stops at the limit, or at the largest float, and an element of M p
 * that is a NaN counts as 0. Takes a staged matrix first. Never fails on the C path. On OpenCL a
 * driver's failure is CLTOMO_ERROR_DEVICE; the commands are then those of the frame before. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_controller_apply(
    cltomo_controller *controller, float *commands, const float *slopes, cltomo_error *error);

/* The matrix applied to n_vectors independent slope vectors (n_vectors x n_slopes) in one product
 * of matrices: commands (n_vectors x n_commands), each clip(gain M e). The memory of the loop (leak
 * and D) takes no part and stays as it is. Takes a staged matrix first, and belongs to the loop's
 * thread, but is not [rt]: it allocates. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_controller_apply_batch(
    cltomo_controller *controller, float *commands, const float *slopes, size_t n_vectors,
    cltomo_error *error);

/* [rt] Puts the memory of the loop at these commands (n_commands; NULL: 0), clipped; what is not
 * finite becomes 0. */
CLTOMO_API void cltomo_controller_reset(cltomo_controller *controller, const float *commands);

/* [any] Hands over a copy of a matrix of the same shape, which the next frame takes: it works with
 * the old one or the new one, never with parts of both, and never waits. A matrix staged before
 * that no frame took is replaced. Releases the matrices that frames have left behind, so one or two
 * beside the live one exist at most. The commands and counters go on. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_controller_stage(
    cltomo_controller *controller, const cltomo_matrix *matrix, cltomo_error *error);

/* [any] The same with another interaction matrix D (n_slopes x n_commands; NULL: none from then
 * on): the frame that takes the matrix takes D too, so that none works with one old and one new. A
 * matrix staged alone goes with the D handed over last, also if no frame has taken that yet. The
 * commands that D applies to, those of the last frames, stay. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_controller_stage_with_interaction(
    cltomo_controller *controller, const cltomo_matrix *matrix, const cltomo_matrix *interaction,
    cltomo_error *error);

/* [any] Other gain and leak from the next frame on, both at once. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_controller_set_gain(
    cltomo_controller *controller, float gain, float leak, cltomo_error *error);

typedef struct cltomo_controller_counters {
    uint64_t frames;
    uint64_t swaps;            /* staged matrices that a frame took */
    uint64_t nonfinite_slopes; /* slopes that were a NaN or an infinity */
    uint64_t overflows;        /* commands that were not finite before clipping */
    uint64_t clipped;          /* commands that a limit changed */
} cltomo_controller_counters;

/* [any] Sums since the creation, each correct by itself. */
CLTOMO_API void cltomo_controller_get_counters(
    const cltomo_controller *controller, cltomo_controller_counters *counters);

/* After the last call of any other function. Accepts NULL. */
CLTOMO_API void cltomo_controller_destroy(cltomo_controller *controller);

#ifdef __cplusplus
}
#endif

#endif
