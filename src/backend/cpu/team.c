#define _GNU_SOURCE /* pthread_attr_setaffinity_np */
#include "backend/cpu/team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum {
    parts_per_thread = 4, /* so that a helper that comes late still finds some */
    spins_per_look = 64   /* at the clock */
};

#define SHORTEST_NAP 50e-6
#define LONGEST_NAP 5e-3

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): each counter has a cache line */
struct cltomo_team {
    const cltomo_context *context;
    size_t n_parts; /* fixed, so that a part taken belongs to the frame that is running */
    double spin;
    size_t n_helpers;
    pthread_t *helper;
    atomic_bool stop;
    alignas(CLTOMO_ALIGNMENT) cltomo_team_function function; /* of the running frame */
    void *user;
    atomic_size_t frames;                         /* so far: what a helper that slept looks at */
    alignas(CLTOMO_ALIGNMENT) atomic_size_t next; /* part not yet taken; n_parts or more: none */
    alignas(CLTOMO_ALIGNMENT) atomic_size_t done; /* parts of the running frame */
};

static inline void pause_processor(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Does one part if there is one. The next frame begins only when all parts of this one are done, so
 * what is read after taking a part stays as it is until the part is done. */
static bool work(cltomo_team *team)
{
    if (atomic_load_explicit(&team->next, memory_order_relaxed) >= team->n_parts) {
        return false;
    }
    size_t part = atomic_fetch_add_explicit(&team->next, 1, memory_order_acq_rel);
    if (part >= team->n_parts) {
        return false;
    }
    team->function(team->user, part, team->n_parts);
    (void)atomic_fetch_add_explicit(&team->done, 1, memory_order_release);
    return true;
}

static void nap(double seconds)
{
    const struct timespec time = {.tv_nsec = (long)(1e9 * seconds)};
    (void)nanosleep(&time, NULL);
}

/* Spins until there is work; false if there is none for longer than the team may spin. */
static bool await_work(cltomo_team *team)
{
    double begin = cltomo_seconds();
    for (unsigned i = 1; !atomic_load_explicit(&team->stop, memory_order_relaxed); ++i) {
        if (work(team)) {
            return true;
        }
        pause_processor();
        if (i % spins_per_look == 0 && cltomo_seconds() - begin > team->spin) {
            return false;
        }
    }
    return false;
}

/* A nap seldom ends while a frame runs: that there was one is enough to wait for the next awake. */
static void sleep_until_frame(cltomo_team *team)
{
    size_t before = atomic_load_explicit(&team->frames, memory_order_relaxed);
    double rest = SHORTEST_NAP;
    while (!atomic_load_explicit(&team->stop, memory_order_relaxed) &&
           atomic_load_explicit(&team->frames, memory_order_relaxed) == before) {
        nap(rest);
        rest = 2.0 * rest < LONGEST_NAP ? 2.0 * rest : LONGEST_NAP;
    }
}

static void *help(void *argument)
{
    cltomo_team *team = argument;
    while (!atomic_load_explicit(&team->stop, memory_order_relaxed)) {
        if (!await_work(team)) {
            sleep_until_frame(team);
        }
    }
    return NULL;
}

void cltomo_team_run(cltomo_team *team, cltomo_team_function function, void *user)
{
    if (team->n_helpers == 0) {
        function(user, 0, 1);
        return;
    }
    team->function = function;
    team->user = user;
    (void)atomic_fetch_add_explicit(&team->frames, 1, memory_order_relaxed);
    atomic_store_explicit(&team->done, 0, memory_order_relaxed);
    atomic_store_explicit(&team->next, 0, memory_order_release);
    while (work(team)) {
    }
    while (atomic_load_explicit(&team->done, memory_order_acquire) < team->n_parts) {
        pause_processor();
    }
}

uint32_t cltomo_team_threads(const cltomo_team *team)
{
    return (uint32_t)team->n_helpers + 1;
}

/* Zero, or the errno value that says why the helper cannot be started. */
static int start_helper(cltomo_team *team, const cltomo_plan_options *options)
{
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);
    if (code != 0) {
        return code;
    }
    if (options->n_processors > 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(options->processors[team->n_helpers % options->n_processors], &set);
        code = pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
    }
    if (code == 0) {
        code = pthread_create(&team->helper[team->n_helpers], &attributes, help, team);
    }
    (void)pthread_attr_destroy(&attributes);
    return code;
}

static cltomo_status start_helpers(
    cltomo_team *team, const cltomo_plan_options *options, cltomo_error *error)
{
    while (team->n_helpers + 1 < options->n_threads) {
        if (start_helper(team, options) == 0) {
            ++team->n_helpers;
            continue;
        }
        if (options->n_processors > 0) {
            char value[16];
            (void)snprintf(value, sizeof value, "%u",
                (unsigned)options->processors[team->n_helpers % options->n_processors]);
            return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "options.processors", value,
                "processors that this process may use", "a helper thread cannot run there");
        }
        cltomo_log(team->context, CLTOMO_LOG_WARNING,
            "only %zu of %u threads for the real-time loop can be started", team->n_helpers + 1,
            (unsigned)options->n_threads);
        break;
    }
    return CLTOMO_OK;
}

/* Helpers take no signals: those are the program's own. */
static cltomo_status start_without_signals(
    cltomo_team *team, const cltomo_plan_options *options, cltomo_error *error)
{
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    cltomo_status status = start_helpers(team, options, error);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

cltomo_status cltomo_team_create(const cltomo_context *context, cltomo_team **team,
    const cltomo_plan_options *options, cltomo_error *error)
{
    *team = NULL;
    for (size_t i = 0; i < options->n_processors; ++i) {
        if (options->processors[i] >= CPU_SETSIZE) {
            char value[16];
            (void)snprintf(value, sizeof value, "%u", (unsigned)options->processors[i]);
            return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "options.processors", value,
                "numbers below 1024", "no such processor");
        }
    }
    cltomo_team *created = cltomo_allocate_zero(context, 1, sizeof *created);
    if (created == NULL) {
        return cltomo_fail_memory(error, "the threads of a real-time loop");
    }
    created->context = context;
    created->n_parts = (size_t)options->n_threads * parts_per_thread;
    created->spin = options->spin;
    atomic_init(&created->next, created->n_parts);
    created->helper = cltomo_allocate(context, options->n_threads, sizeof *created->helper);
    cltomo_status status = CLTOMO_OK;
    if (created->helper == NULL) {
        status = cltomo_fail_memory(error, "the threads of a real-time loop");
    } else {
        status = start_without_signals(created, options, error);
    }
    if (status != CLTOMO_OK) {
        cltomo_team_destroy(created);
        return status;
    }
    *team = created;
    return CLTOMO_OK;
}

void cltomo_team_destroy(cltomo_team *team)
{
    if (team == NULL) {
        return;
    }
    atomic_store_explicit(&team->stop, true, memory_order_relaxed);
    for (size_t i = 0; i < team->n_helpers; ++i) {
        (void)pthread_join(team->helper[i], NULL);
    }
    cltomo_release(team->context, team->helper);
    cltomo_release(team->context, team);
}
