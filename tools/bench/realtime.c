/* A controller in a loop of a fixed rate, with matrices exchanged under it, and by turns with it
 * the bare product of the BLAS. */
#include <cblas.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "tool.h"

#define SECONDS_BETWEEN_SWAPS 0.01
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

typedef struct loop {
    cltomo_controller *controller;
    const float *matrix; /* for the bare product */
    int rows;
    int cols;
    float *slopes;
    float *commands;
    double *apply; /* seconds, of each frame */
    double *swap;  /* of the frames that took a matrix */
    double *bare;
    size_t room; /* of each of the three */
    size_t n_apply;
    size_t n_swap;
    size_t n_bare;
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

/* When it was done, in *end. */
static cltomo_status run_frame(loop *l, double *end, cltomo_error *error)
{
    uint64_t swaps = swaps_of(l->controller);
    double begin = seconds_now();
    cltomo_status status = cltomo_controller_apply(l->controller, l->commands, l->slopes, error);
    *end = seconds_now();
    l->apply[l->n_apply++] = *end - begin;
    if (swaps_of(l->controller) != swaps) {
        l->swap[l->n_swap++] = *end - begin;
    }
    return status;
}

static void run_bare(loop *l)
{
    double begin = seconds_now();
    cblas_sgemv(CblasRowMajor, CblasNoTrans, l->rows, l->cols, 1.0F, l->matrix, l->cols, l->slopes,
        1, 0.0F, l->commands, 1);
    l->bare[l->n_bare++] = seconds_now() - begin;
}

/* A frame at each beat, and the bare product half a period later, if that is not past. */
static cltomo_status run_frames(bench_realtime *r, loop *l, cltomo_error *error)
{
    double period = 1.0 / r->rate;
    double begin = seconds_now() + period;
    uint64_t beats = (uint64_t)(r->seconds * r->rate);
    cltomo_status status = CLTOMO_OK;
    for (uint64_t beat = 0; beat < beats && status == CLTOMO_OK && !interrupted(); ++beat) {
        double due = begin + (double)beat * period;
        double end = due;
        wait_until(due);
        status = run_frame(l, &end, error);
        if (end > due + period) {
            ++r->missed;
            beat = (uint64_t)((end - begin) / period);
        } else if (end < due + 0.5 * period) {
            wait_until(due + 0.5 * period);
            run_bare(l);
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

static bool create_loop(loop *l, const bench_realtime *r, const cltomo_matrix *matrix)
{
    l->rows = (int)r->rows;
    l->cols = (int)r->cols;
    l->matrix = cltomo_matrix_single(matrix);
    l->room = (size_t)(r->seconds * r->rate) + 2;
    l->slopes = calloc(r->cols, sizeof *l->slopes);
    l->commands = calloc(r->rows, sizeof *l->commands);
    l->apply = calloc(l->room, sizeof *l->apply);
    l->swap = calloc(l->room, sizeof *l->swap);
    l->bare = calloc(l->room, sizeof *l->bare);
    if (l->slopes == NULL || l->commands == NULL || l->apply == NULL || l->swap == NULL ||
        l->bare == NULL) {
        return false;
    }
    for (size_t j = 0; j < r->cols; ++j) {
        l->slopes[j] = (float)(j % 17) / 16.0F - 0.5F;
    }
    return true;
}

static void release_loop(loop *l)
{
    cltomo_controller_destroy(l->controller);
    free(l->slopes);
    free(l->commands);
    free(l->apply);
    free(l->swap);
    free(l->bare);
}

cltomo_status bench_realtime_run(bench_realtime *r, const cltomo_context *context,
    const cltomo_matrix *matrix, cltomo_error *error)
{
    loop l = {.n_apply = 0};
    r->rows = cltomo_matrix_rows(matrix);
    r->cols = cltomo_matrix_cols(matrix);
    if (!create_loop(&l, r, matrix)) {
        release_loop(&l);
        return bench_fail(error, CLTOMO_ERROR_MEMORY, "no memory for the samples");
    }
    cltomo_status status = cltomo_controller_create(context, &l.controller, matrix, NULL, error);
    if (status == CLTOMO_OK) {
        r->n_threads = cltomo_controller_threads(l.controller);
        run_bare(&l); /* the first of each takes longer */
        l.n_bare = 0;
        status = run_loop(r, &l, matrix, error);
    }
    if (status == CLTOMO_OK) {
        r->swaps = swaps_of(l.controller);
        r->n_frames = l.n_apply;
        r->apply = bench_latency_of(l.apply, l.n_apply);
        r->at_swap = bench_latency_of(l.swap, l.n_swap);
        r->bare = bench_latency_of(l.bare, l.n_bare);
    }
    release_loop(&l);
    return status;
}

double bench_realtime_ratio(const bench_realtime *r)
{
    return r->apply.median / r->bare.median;
}
