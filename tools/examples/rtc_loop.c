/* rtc_loop CONFIG [FRAMES [RATE]]: a real-time loop with simulated slopes whose command matrix is
 * built anew, for another r0, by a second thread while the loop runs; docs/embedding.md explains
 * it. cc rtc_loop.c -o rtc_loop $(pkg-config --cflags --libs cltomo) -pthread -lm */
#define _POSIX_C_SOURCE 200809L
#include <cltomo/cltomo.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct program {
    cltomo_context *context;
    cltomo_system *system;
    cltomo_build_options options;
    cltomo_controller *controller;
    atomic_int rebuilt; /* 1: the second thread is done, -1: it failed */
} program;

static int report(const cltomo_error *error)
{
    char text[1024];
    (void)cltomo_error_format(text, sizeof text, error);
    (void)fprintf(stderr, "rtc_loop: %s\n", text);
    return 1;
}

/* ---- the second thread: may take its time, allocate and lock ----------------------------------
 */

static cltomo_status rebuild(program *self, double r0, cltomo_error *error)
{
    cltomo_system_description description = *cltomo_system_get_description(self->system);
    cltomo_build_options options = self->options;
    cltomo_system *system = NULL;
    cltomo_reconstructor *built = NULL;
    /* alpha is the noise relative to the variance of the slopes, which goes with r0^(-5/3) */
    options.alpha *= pow(r0 / description.r0, 5.0 / 3.0);
    description.r0 = r0;
    cltomo_status status = cltomo_system_create(self->context, &system, NULL, &description, error);
    if (status == CLTOMO_OK) {
        status = cltomo_reconstructor_build(self->context, &built, system, &options, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_controller_stage(
            self->controller, cltomo_reconstructor_matrix(built, CLTOMO_PRODUCT_FR), error);
    }
    cltomo_reconstructor_destroy(built);
    cltomo_system_destroy(system);
    return status;
}

static void *run_rebuild(void *argument)
{
    program *self = argument;
    cltomo_error error;
    double r0 = 0.7 * cltomo_system_get_description(self->system)->r0;
    atomic_store(&self->rebuilt, rebuild(self, r0, &error) == CLTOMO_OK ? 1 : -report(&error));
    return NULL;
}

/* ---- the loop's thread: nothing below waits for anything but the next frame ----------------- */
/* Stands for a camera and a centroider: slopes that wander slowly. */
static void read_slopes(float *slopes, size_t n, unsigned long frame)
{
    for (size_t j = 0; j < n; ++j) {
        slopes[j] = sinf(0.003F * (float)frame + 0.7F * (float)j);
    }
}

static double seconds_of(struct timespec time)
{
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint64_t swaps_of(const program *self)
{
    cltomo_controller_counters counters;
    cltomo_controller_get_counters(self->controller, &counters);
    return counters.swaps;
}

/* Runs n_frames, and on until the new matrix has taken effect. */
static int loop(program *self, unsigned long n_frames, double rate, float *slopes, float *commands)
{
    struct timespec due, begin, end;
    double longest = 0.0;
    unsigned long frame;
    (void)clock_gettime(CLOCK_MONOTONIC, &due);
    for (frame = 0; frame < n_frames || (swaps_of(self) == 0 && atomic_load(&self->rebuilt) >= 0);
         ++frame) {
        due.tv_nsec += (long)(1e9 / rate);
        due.tv_sec += due.tv_nsec / 1000000000;
        due.tv_nsec %= 1000000000;
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
        read_slopes(slopes, cltomo_controller_slopes(self->controller), frame);
        (void)clock_gettime(CLOCK_MONOTONIC, &begin);
        /* never fails on the C path; on OpenCL after a failure the commands stay as they were */
        if (cltomo_controller_apply(self->controller, commands, slopes, NULL) != CLTOMO_OK) {
            return 1;
        }
        (void)clock_gettime(CLOCK_MONOTONIC, &end);
        longest = fmax(longest, seconds_of(end) - seconds_of(begin));
    }
    (void)printf("%lu frames, %lu new matrices, longest apply %.1f us\n", frame,
        (unsigned long)swaps_of(self), 1e6 * longest);
    return atomic_load(&self->rebuilt) < 0;
}

static int run(program *self, unsigned long n_frames, double rate)
{
    pthread_t thread;
    float *slopes = calloc(cltomo_controller_slopes(self->controller), sizeof *slopes);
    float *commands = calloc(cltomo_controller_commands(self->controller), sizeof *commands);
    int failed =
        slopes == NULL || commands == NULL || pthread_create(&thread, NULL, run_rebuild, self) != 0;
    if (!failed) {
        failed = loop(self, n_frames, rate, slopes, commands);
        (void)pthread_join(thread, NULL);
    }
    free(slopes);
    free(commands);
    return failed;
}

int main(int argc, char **argv)
{
    program self = {.options = cltomo_build_options_init()};
    cltomo_reconstructor *built = NULL;
    cltomo_error error = {.message = "usage: rtc_loop CONFIG [FRAMES [RATE]]"};
    self.options.products = CLTOMO_PRODUCT_FR;
    self.options.precision = CLTOMO_PRECISION_SINGLE;
    int failed =
        argc < 2 || cltomo_context_create(&self.context, NULL, &error) != CLTOMO_OK ||
        cltomo_system_load(self.context, &self.system, NULL, argv[1], &error) != CLTOMO_OK ||
        cltomo_reconstructor_build(self.context, &built, self.system, &self.options, &error) !=
            CLTOMO_OK ||
        cltomo_controller_create(self.context, &self.controller,
            cltomo_reconstructor_matrix(built, CLTOMO_PRODUCT_FR), NULL, &error) != CLTOMO_OK;
    cltomo_reconstructor_destroy(built); /* the controller has its own copy */
    failed = failed ? report(&error)
                    : run(&self, argc > 2 ? strtoul(argv[2], NULL, 10) : 2000,
                          argc > 3 ? strtod(argv[3], NULL) : 1000.0);
    cltomo_controller_destroy(self.controller);
    cltomo_system_destroy(self.system);
    cltomo_context_destroy(self.context);
    return failed;
}
