/* A controller in a loop of a fixed rate, with matrices exchanged under it, and by turns with it
 * the bare product of the BLAS.
 *
 * Who waits between two frames by spinning slows what runs beside it, and the BLAS keeps its
 * helpers spinning for some 25 ms. So the contestants take turns in blocks, each at the same beat
 * and after the same pause, and nothing is counted while the others' helpers fall asleep. */
#include <cblas.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "tool.h"

#define SECONDS_BETWEEN_SWAPS 0.01
#define BLOCK_SECONDS 0.15
#define SECONDS_OF_SPINNING 300e-6 /* before a frame: a sleep may end that much late */

/* ---- the other thread ------------------------------------------------------------------------ */

typedef struct stager {
    cltomo_controller *controller;
    const cltomo_matrix *matrix;
    atomic_bool stop;
    cltomo_status status;
    cltomo_error error;
} stager;

static void sleep_for(double seconds)
{
    const struct timespec time = {.tv_nsec = (long)(1e9 * seconds)};
    (void)nanosleep(&time, NULL);
}

static void *stage(void *argument)
{
    stager *self = argument;
    while (!atomic_load(&self->stop) && self->status == CLTOMO_OK) {
        self->status = cltomo_controller_stage(self->controller, self->matrix, &self->error);
        sleep_for(SECONDS_BETWEEN_SWAPS);
    }
    return NULL;
}

/* ---- the loop -------------------------------------------------------------------------------- */

typedef enum contestant { APPLY, BARE, BARE_SINGLE, N_CONTESTANTS } contestant;

typedef struct samples {
    double *seconds;
    size_t n;
} samples;

typedef struct loop {
    cltomo_controller *controller;
    const float *matrix; /* for the bare product */
    int rows;
    int cols;
    uint32_t bare_threads;
    float *slopes;
    float *commands;
    samples of[N_CONTESTANTS];
    samples swap; /* of the frames that took a matrix */
    uint64_t beats;
    uint64_t block;  /* beats of a contestant's turn */
    uint64_t settle; /* of them, not counted */
} loop;

static void wait_until(double due)
{
    double left = due - seconds_now();
    if (left > SECONDS_OF_SPINNING) {
        sleep_for(left - SECONDS_OF_SPINNING);
    }
    while (seconds_now() < due) {
    }
}

static uint64_t swaps_of(const cltomo_controller *controller)
{
    cltomo_controller_counters counters;
    cltomo_controller_get_counters(controller, &counters);
    return counters.swaps;
}

static void add(samples *to, double seconds)
{
    to->seconds[to->n++] = seconds;
}

static cltomo_status run_frame(loop *l, double *seconds, bool *swapped, cltomo_error *error)
{
    uint64_t swaps = swaps_of(l->controller);
    double begin = seconds_now();
    cltomo_status status = cltomo_controller_apply(l->controller, l->commands, l->slopes, error);
    *seconds = seconds_now() - begin;
    *swapped = swaps_of(l->controller) != swaps;
    return status;
}

static double run_bare(loop *l)
{
    double begin = seconds_now();
    cblas_sgemv(CblasRowMajor, CblasNoTrans, l->rows, l->cols, 1.0F, l->matrix, l->cols, l->slopes,
        1, 0.0F, l->commands, 1);
    return seconds_now() - begin;
}

static cltomo_status run_contestant(loop *l, contestant who, bool counts, cltomo_error *error)
{
    double seconds = 0.0;
    bool swapped = false;
    cltomo_status status = CLTOMO_OK;
    if (who == APPLY) {
        status = run_frame(l, &seconds, &swapped, error);
    } else {
        seconds = run_bare(l);
    }
    if (counts) {
        add(&l->of[who], seconds);
    }
    if (counts && swapped) {
        add(&l->swap, seconds);
    }
    return status;
}

static contestant whose_turn(const loop *l, uint64_t beat)
{
    return (contestant)(beat / l->block % N_CONTESTANTS);
}

static void begin_turn(const loop *l, contestant who)
{
    if (who != APPLY) {
        bench_bare_set_threads(who == BARE ? l->bare_threads : 1);
    }
}

/* Something at each beat; when it ends after the next was due, that is left out. */
static cltomo_status run_frames(bench_realtime *r, loop *l, cltomo_error *error)
{
    double period = 1.0 / r->rate;
    double begin = seconds_now() + period;
    contestant before = N_CONTESTANTS;
    cltomo_status status = CLTOMO_OK;
    for (uint64_t beat = 0; beat < l->beats && status == CLTOMO_OK && !interrupted(); ++beat) {
        contestant who = whose_turn(l, beat);
        bool counts = beat % l->block >= l->settle;
        double due = begin + (double)beat * period;
        if (who != before) {
            begin_turn(l, who);
            before = who;
        }
        wait_until(due);
        status = run_contestant(l, who, counts, error);
        double end = seconds_now();
        if (end > due + period) {
            r->missed += who == APPLY && counts ? 1 : 0;
            beat = (uint64_t)((end - begin) / period);
        }
    }
    return status;
}

static cltomo_status run_loop(
    bench_realtime *r, loop *l, const cltomo_matrix *matrix, cltomo_error *error)
{
    stager other = {.controller = l->controller, .matrix = matrix, .status = CLTOMO_OK};
    pthread_t thread;
    if (pthread_create(&thread, NULL, stage, &other) != 0) {
        return bench_fail(error, CLTOMO_ERROR_MEMORY, "no thread to exchange matrices");
    }
    cltomo_status status = run_frames(r, l, error);
    atomic_store(&other.stop, true);
    (void)pthread_join(thread, NULL);
    if (status == CLTOMO_OK && other.status != CLTOMO_OK) {
        *error = other.error;
        return other.status;
    }
    return status;
}

/* Turns of BLOCK_SECONDS, but at least one for each contestant. */
static void plan_turns(loop *l, const bench_realtime *r)
{
    l->beats = (uint64_t)(r->seconds * r->rate);
    l->block = (uint64_t)(BLOCK_SECONDS * r->rate);
    l->block = l->block < l->beats / N_CONTESTANTS ? l->block : l->beats / N_CONTESTANTS;
    l->block = l->block > 1 ? l->block : 1;
    l->settle = l->block / 3;
}

static bool create_samples(samples *created, const loop *l)
{
    created->seconds = calloc(l->beats + 1, sizeof *created->seconds);
    return created->seconds != NULL;
}

static bool create_loop(loop *l, const bench_realtime *r, const cltomo_matrix *matrix)
{
    l->rows = (int)r->rows;
    l->cols = (int)r->cols;
    l->matrix = cltomo_matrix_single(matrix);
    plan_turns(l, r);
    l->slopes = calloc(r->cols, sizeof *l->slopes);
    l->commands = calloc(r->rows, sizeof *l->commands);
    bool created = create_samples(&l->swap, l) && l->slopes != NULL && l->commands != NULL;
    for (size_t who = 0; who < N_CONTESTANTS; ++who) {
        created = create_samples(&l->of[who], l) && created;
    }
    for (size_t j = 0; j < r->cols && created; ++j) {
        l->slopes[j] = (float)(j % 17) / 16.0F - 0.5F;
    }
    return created;
}

static void release_loop(loop *l)
{
    cltomo_controller_destroy(l->controller);
    free(l->slopes);
    free(l->commands);
    free(l->swap.seconds);
    for (size_t who = 0; who < N_CONTESTANTS; ++who) {
        free(l->of[who].seconds);
    }
}

static bench_latency latency_of(samples *of)
{
    return bench_latency_of(of->seconds, of->n);
}

static void summarise(bench_realtime *r, loop *l)
{
    r->swaps = swaps_of(l->controller);
    r->n_frames = l->of[APPLY].n;
    r->apply = latency_of(&l->of[APPLY]);
    r->at_swap = latency_of(&l->swap);
    r->bare = latency_of(&l->of[BARE]);
    r->bare_single = latency_of(&l->of[BARE_SINGLE]);
}

static cltomo_status run_controller(bench_realtime *r, loop *l, const cltomo_context *context,
    const cltomo_matrix *matrix, cltomo_error *error)
{
    uint32_t before = bench_bare_threads();
    bool on_device = strcmp(cltomo_context_backend(context), "opencl") == 0;
    r->n_threads = cltomo_controller_threads(l->controller);
    r->bare_threads = on_device ? cltomo_context_threads(context) : r->n_threads;
    l->bare_threads = r->bare_threads;
    cltomo_status status = run_loop(r, l, matrix, error);
    bench_bare_set_threads(before);
    return status;
}

cltomo_status bench_realtime_run(bench_realtime *r, const cltomo_context *context,
    const cltomo_matrix *matrix, cltomo_error *error)
{
    loop l = {.rows = 0};
    r->rows = cltomo_matrix_rows(matrix);
    r->cols = cltomo_matrix_cols(matrix);
    if (!create_loop(&l, r, matrix)) {
        release_loop(&l);
        return bench_fail(error, CLTOMO_ERROR_MEMORY, "no memory for the samples");
    }
    cltomo_status status = cltomo_controller_create(context, &l.controller, matrix, NULL, error);
    if (status == CLTOMO_OK) {
        status = run_controller(r, &l, context, matrix, error);
    }
    if (status == CLTOMO_OK) {
        summarise(r, &l);
    }
    release_loop(&l);
    return status;
}

double bench_realtime_ratio(const bench_realtime *r)
{
    return r->apply.median / r->bare.median;
}
