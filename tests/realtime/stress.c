/* stress N_FRAMES
 * Runs that many frames, and more until a hundredth as many matrices were taken, while another
 * thread hands over one matrix after the other. All elements of a matrix are the same number, so
 * that a frame that worked with parts of two of them shows. Also counts what the loop's thread
 * allocates, and lets the kernel kill it if it makes a system call. */
#define _GNU_SOURCE
#include <cltomo/cltomo.h>
#include <errno.h>
#include <linux/seccomp.h>
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

enum { n_slopes = 29, n_commands = 6, largest_value = 1 << 16 };

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

static cltomo_matrix *constant(const cltomo_context *context, float value)
{
    float elements[n_commands * n_slopes];
    cltomo_matrix *matrix = NULL;
    for (size_t i = 0; i < n_commands * n_slopes; ++i) {
        elements[i] = value;
    }
    CHECK(cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_SINGLE, n_commands, n_slopes,
              elements, NULL) == CLTOMO_OK,
        "no matrix");
    return matrix;
}

typedef struct stager {
    const cltomo_context *context;
    cltomo_controller *controller;
    atomic_bool stop;
} stager;

static void *stage(void *argument)
{
    stager *self = argument;
    for (unsigned value = 2; !atomic_load(&self->stop); ++value) {
        cltomo_matrix *next = constant(self->context, (float)(value % largest_value));
        CHECK(cltomo_controller_stage(self->controller, next, NULL) == CLTOMO_OK, "not staged");
        cltomo_matrix_destroy(next);
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

static cltomo_controller *create_controller(const cltomo_context *context, uint32_t n_threads)
{
    cltomo_controller_options options = cltomo_controller_options_init();
    cltomo_controller *controller = NULL;
    cltomo_matrix *first = constant(context, 1.0F);
    options.n_threads = n_threads;
    CHECK(cltomo_controller_create(context, &controller, first, &options, NULL) == CLTOMO_OK,
        "no controller");
    cltomo_matrix_destroy(first);
    return controller;
}

/* ---- the loop ---------------------------------------------------------------------------------
 */

static uint64_t swaps_of(const cltomo_controller *controller)
{
    cltomo_controller_counters counters;
    cltomo_controller_get_counters(controller, &counters);
    return counters.swaps;
}

/* Slopes of 1: every command is n_slopes times the matrix's number, exactly. */
static void run_frame(cltomo_controller *controller, const float *slopes)
{
    float commands[n_commands];
    CHECK(cltomo_controller_apply(controller, commands, slopes, NULL) == CLTOMO_OK, "no commands");
    for (size_t i = 1; i < n_commands; ++i) {
        CHECK(commands[i] == commands[0], "torn: command %zu is %g, the first %g", i,
            (double)commands[i], (double)commands[0]);
    }
    float value = commands[0] / (float)n_slopes;
    CHECK(value >= 0.0F && value < (float)largest_value && value == (float)(int)value,
        "torn: %g is none of the matrices", (double)value);
}

static void run_loop(uint32_t n_threads, unsigned long n_frames)
{
    cltomo_context *context = create_context();
    cltomo_controller *controller = create_controller(context, n_threads);
    stager other = {.context = context, .controller = controller};
    float slopes[n_slopes];
    pthread_t thread;
    for (size_t j = 0; j < n_slopes; ++j) {
        slopes[j] = 1.0F;
    }
    CHECK(pthread_create(&thread, NULL, stage, &other) == 0, "no thread");
    unsigned long before = n_allocations;
    unsigned long frames = 0;
    for (; frames < n_frames || swaps_of(controller) < n_frames / 100; ++frames) {
        run_frame(controller, slopes);
    }
    unsigned long allocations = n_allocations - before;
    atomic_store(&other.stop, true);
    (void)pthread_join(thread, NULL);
    CHECK(allocations == 0, "the loop's thread allocated or released %lu times", allocations);
    (void)printf("%u threads, %lu frames, %lu matrices, %s\n", (unsigned)n_threads, frames,
        (unsigned long)swaps_of(controller),
        can_count ? "no allocation" : "allocations not counted");
    cltomo_controller_destroy(controller);
    cltomo_context_destroy(context);
}

/* ---- system calls ------------------------------------------------------------------------------
 */

enum { told_quiet = 'q', told_impossible = 'i' };

/* In a process of its own: once seccomp is strict, any call but read, write and exit kills it. */
static void run_without_system_calls(uint32_t n_threads, int answer)
{
    cltomo_context *context = create_context();
    cltomo_controller *controller = create_controller(context, n_threads);
    float slopes[n_slopes] = {0.0F};
    char told = told_quiet;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) {
        told = told_impossible;
    }
    for (int frame = 0; frame < 10000; ++frame) {
        run_frame(controller, slopes);
    }
    (void)!write(answer, &told, 1);
    (void)syscall(SYS_exit, 0);
}

static void expect_no_system_call(uint32_t n_threads)
{
    int ends[2];
    char told = 0;
    CHECK(pipe(ends) == 0, "no pipe");
    (void)fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0, "no process");
    if (child == 0) {
        (void)close(ends[0]);
        run_without_system_calls(n_threads, ends[1]);
        _exit(1);
    }
    (void)close(ends[1]);
    ssize_t n = read(ends[0], &told, 1);
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
    CHECK(n_frames > 0, "usage: stress N_FRAMES");
    if (can_count) {
        expect_no_system_call(1);
        expect_no_system_call(2);
    }
    run_loop(1, n_frames);
    run_loop(2, n_frames / 10);
    return 0;
}
