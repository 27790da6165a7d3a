/* stress N_FRAMES
 * Runs that many frames, and more until a hundredth as many matrices were taken, while another
 * thread hands over one matrix after the other, or two threads matrices with their interaction
 * matrices. All elements of a matrix are the same number, so that a frame that worked with parts of
 * two of them shows, or with an interaction matrix of another. Also counts what the loop's thread
 * allocates, and lets the kernel kill it if it makes a system call. */
#define _GNU_SOURCE
#include <cltomo/cltomo.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { n_slopes = 29, n_commands = 6 };

/* Numbers in the matrices stay below this, so that all results are exact. */
enum { end_of_values = 1 << 16, end_of_pair_values = 1 << 8 };

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "stress: " __VA_ARGS__);                                         \
            (void)fputc('\n', stderr);                                                             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* ---- allocations of this thread -------------------------------------------------------------- */

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { can_count = 0 };
static _Thread_local unsigned long n_allocations;
#else
enum { can_count = 1 };
static _Thread_local unsigned long n_allocations;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *pointer);

void *malloc(size_t size)
{
    ++n_allocations;
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    ++n_allocations;
    return __libc_calloc(n, size);
}

void *realloc(void *pointer, size_t size)
{
    ++n_allocations;
    return __libc_realloc(pointer, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    ++n_allocations;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **pointer, size_t alignment, size_t size)
{
    ++n_allocations;
    *pointer = __libc_memalign(alignment, size);
    return *pointer != NULL ? 0 : ENOMEM;
}

void free(void *pointer)
{
    n_allocations += pointer != NULL;
    __libc_free(pointer);
}
#endif

/* ---- the matrices -----------------------------------------------------------------------------
 */

static cltomo_matrix *constant(const cltomo_context *context, size_t rows, size_t cols, float value)
{
    float elements[n_commands * n_slopes];
    cltomo_matrix *matrix = NULL;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; ++i) {
        elements[i] = value;
    }
    CHECK(cltomo_matrix_create(
              context, &matrix, CLTOMO_PRECISION_SINGLE, rows, cols, elements, NULL) == CLTOMO_OK,
        "no matrix");
    return matrix;
}

typedef struct loop {
    cltomo_context *context;
    cltomo_controller *controller;
    bool in_pairs; /* each matrix of v with an interaction matrix of -v */
    atomic_bool stop;
} loop;

static void stage_pair(loop *self, float value)
{
    cltomo_matrix *m = constant(self->context, n_commands, n_slopes, value);
    cltomo_matrix *d = constant(self->context, n_slopes, n_commands, -value);
    CHECK(cltomo_controller_stage_with_interaction(self->controller, m, d, NULL) == CLTOMO_OK,
        "not staged");
    cltomo_matrix_destroy(d);
    cltomo_matrix_destroy(m);
}

static void stage_matrix(loop *self, float value)
{
    cltomo_matrix *m = constant(self->context, n_commands, n_slopes, value);
    CHECK(cltomo_controller_stage(self->controller, m, NULL) == CLTOMO_OK, "not staged");
    cltomo_matrix_destroy(m);
}

static void *stage(void *argument)
{
    loop *self = argument;
    for (unsigned value = 2; !atomic_load(&self->stop); ++value) {
        if (self->in_pairs) {
            stage_pair(self, (float)(value % end_of_pair_values));
        } else {
            stage_matrix(self, (float)(value % end_of_values));
        }
    }
    return NULL;
}

static cltomo_context *create_context(void)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    options.backend = CLTOMO_BACKEND_CPU;
    CHECK(cltomo_context_create(&context, &options, NULL) == CLTOMO_OK, "no context");
    return context;
}

static cltomo_controller *create_controller(
    const cltomo_context *context, uint32_t n_threads, bool in_pairs)
{
    cltomo_controller_options options = cltomo_controller_options_init();
    cltomo_controller *controller = NULL;
    cltomo_matrix *first = constant(context, n_commands, n_slopes, 1.0F);
    cltomo_matrix *interaction = constant(context, n_slopes, n_commands, -1.0F);
    options.n_threads = n_threads;
    options.interaction = in_pairs ? interaction : NULL;
    CHECK(cltomo_controller_create(context, &controller, first, &options, NULL) == CLTOMO_OK,
        "no controller");
    cltomo_matrix_destroy(interaction);
    cltomo_matrix_destroy(first);
    return controller;
}

static loop create_loop(uint32_t n_threads, bool in_pairs)
{
    loop created = {.context = create_context(), .in_pairs = in_pairs};
    created.controller = create_controller(created.context, n_threads, in_pairs);
    return created;
}

/* ---- the loop ---------------------------------------------------------------------------------
 */

static uint64_t swaps_of(const cltomo_controller *controller)
{
    cltomo_controller_counters counters;
    cltomo_controller_get_counters(controller, &counters);
    return counters.swaps;
}

/* Solves v (1 + n_commands v) = product for v >= 0. */
static float value_of_pair(float product)
{
    double n = n_commands;
    return (float)((sqrt(1.0 + 4.0 * n * (double)product) - 1.0) / (2.0 * n));
}

/* Slopes of 1: every command is n_slopes times the matrix's number, exactly. In pairs, with all
 * commands before at 1, the interaction matrix makes 1 + n_commands v of each slope. */
static void run_frame(loop *self, const float *slopes)
{
    static const float before[n_commands] = {1.0F, 1.0F, 1.0F, 1.0F, 1.0F, 1.0F};
    float commands[n_commands];
    if (self->in_pairs) {
        cltomo_controller_reset(self->controller, before);
    }
    CHECK(cltomo_controller_apply(self->controller, commands, slopes, NULL) == CLTOMO_OK,
        "no commands");
    for (size_t i = 1; i < n_commands; ++i) {
        CHECK(commands[i] == commands[0], "torn: command %zu is %g, the first %g", i,
            (double)commands[i], (double)commands[0]);
    }
    float value = commands[0] / (float)n_slopes;
    value = self->in_pairs ? value_of_pair(value) : value;
    CHECK(value >= 0.0F && value < (float)end_of_values && value == (float)(int)value,
        "torn: %g is none of the matrices", (double)value);
}

static void run_frames(loop *self, unsigned long n_frames)
{
    float slopes[n_slopes];
    for (size_t j = 0; j < n_slopes; ++j) {
        slopes[j] = 1.0F;
    }
    for (unsigned long frame = 0; frame < n_frames; ++frame) {
        run_frame(self, slopes);
    }
}

/* All that is allocated or released here is the loop's. */
static unsigned long run_until_swapped(loop *self, unsigned long n_frames)
{
    unsigned long before = n_allocations;
    unsigned long frames = 0;
    do {
        run_frames(self, n_frames / 10);
        frames += n_frames / 10;
    } while (frames < n_frames || swaps_of(self->controller) < n_frames / 100);
    CHECK(n_allocations == before, "the loop's thread allocated or released %lu times",
        n_allocations - before);
    return frames;
}

static void run_loop(uint32_t n_threads, bool in_pairs, unsigned long n_frames)
{
    loop self = create_loop(n_threads, in_pairs);
    pthread_t threads[2];
    size_t n_stagers = in_pairs ? 2 : 1;
    for (size_t i = 0; i < n_stagers; ++i) {
        CHECK(pthread_create(&threads[i], NULL, stage, &self) == 0, "no thread");
    }
    unsigned long frames = run_until_swapped(&self, n_frames);
    atomic_store(&self.stop, true);
    for (size_t i = 0; i < n_stagers; ++i) {
        (void)pthread_join(threads[i], NULL);
    }
    (void)printf("%u threads, %lu frames, %lu %s, %s\n", (unsigned)n_threads, frames,
        (unsigned long)swaps_of(self.controller), in_pairs ? "pairs of matrices" : "matrices",
        can_count ? "no allocation" : "allocations not counted");
    cltomo_controller_destroy(self.controller);
    cltomo_context_destroy(self.context);
}

/* ---- system calls ------------------------------------------------------------------------------
 */

enum { told_quiet = 'q', told_impossible = 'i', longest_wait = 60000 /* ms */ };

/* In a process of its own: once seccomp is strict, any call but read, write and exit kills it. */
static void run_without_system_calls(uint32_t n_threads, bool in_pairs, int answer)
{
    loop self = create_loop(n_threads, in_pairs);
    char told = told_quiet;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) {
        told = told_impossible;
    }
    run_frames(&self, 10000);
    (void)!write(answer, &told, 1);
    (void)syscall(SYS_exit, 0);
}

static void expect_no_system_call(uint32_t n_threads, bool in_pairs)
{
    int ends[2];
    char told = 0;
    CHECK(pipe(ends) == 0, "no pipe");
    (void)fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0, "no process");
    if (child == 0) {
        (void)close(ends[0]);
        run_without_system_calls(n_threads, in_pairs, ends[1]);
        _exit(1);
    }
    (void)close(ends[1]);
    /* A thread that is killed leaves the others, and so the pipe, behind. */
    struct pollfd answer = {.fd = ends[0], .events = POLLIN};
    ssize_t n = poll(&answer, 1, longest_wait) == 1 ? read(ends[0], &told, 1) : 0;
    (void)close(ends[0]);
    (void)kill(child, SIGKILL); /* its helpers may live on */
    (void)waitpid(child, NULL, 0);
    CHECK(n == 1, "the loop's thread made a system call");
    (void)printf("%u threads, %s\n", (unsigned)n_threads,
        told == told_quiet ? "no system call" : "system calls cannot be watched here");
}

int main(int argc, char **argv)
{
    unsigned long n_frames = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    CHECK(n_frames >= 100, "usage: stress N_FRAMES, 100 or more");
    if (can_count) {
        expect_no_system_call(1, false);
        expect_no_system_call(2, false);
        expect_no_system_call(2, true);
    }
    run_loop(1, false, n_frames);
    run_loop(2, false, n_frames / 10);
    run_loop(1, true, n_frames / 10);
    run_loop(2, true, n_frames / 10);
    return 0;
}
