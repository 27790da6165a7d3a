#define _GNU_SOURCE /* sched_setaffinity */
#include <criterion/criterion.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/core.h"
#include "support/fault.h"

static cltomo_status create(cltomo_context **context, const cltomo_context_options *options)
{
    return cltomo_context_create(context, options, NULL);
}

static void expect_refused(const cltomo_context_options *options, const char *key)
{
    cltomo_context *context = (cltomo_context *)(uintptr_t)1;
    cltomo_error error = {0};
    cr_expect_eq(cltomo_context_create(&context, options, &error), CLTOMO_ERROR_ARGUMENT);
    cr_expect_null(context);
    cr_expect_eq(error.status, CLTOMO_ERROR_ARGUMENT);
    cr_expect_str_eq(error.key, key);
    cr_expect_eq(create(&context, options), CLTOMO_ERROR_ARGUMENT);
}

Test(context, works_without_options)
{
    cltomo_context *context = NULL;
    cr_assert_eq(setenv("CLTOMO_BACKEND", "cpu", 1), 0); /* whatever devices there are */
    cr_assert_eq(create(&context, NULL), CLTOMO_OK);
    cr_assert_str_eq(cltomo_context_backend(context), "cpu");
    cr_assert_geq(cltomo_context_threads(context), 1);
    cr_assert_not(cltomo_context_threads_requested(context));
    cltomo_context_destroy(context);
    cltomo_context_destroy(NULL);
}

Test(context, takes_the_options_of_an_older_caller)
{
    cltomo_context_options options;
    memset(&options, 0xFF, sizeof options); /* beyond the size nothing may be read */
    options.size = offsetof(cltomo_context_options, log);
    options.backend = CLTOMO_BACKEND_CPU;
    options.n_threads = 3;
    cltomo_context *context = NULL;
    cr_assert_eq(create(&context, &options), CLTOMO_OK);
    cr_assert_eq(cltomo_context_threads(context), 3);
    cr_assert(cltomo_context_threads_requested(context));
    cltomo_log(context, CLTOMO_LOG_WARNING, "to nobody");
    cr_assert_eq(cltomo_progress(context, "stage", 0.5, NULL), CLTOMO_OK);
    cltomo_context_destroy(context);

    options.size = sizeof options.size;
    cr_assert_eq(create(&context, &options), CLTOMO_OK);
    cr_assert_not(cltomo_context_threads_requested(context));
    cltomo_context_destroy(context);
}

Test(context, refuses_bad_sizes)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    static const uint32_t sizes[] = {0, 1, 3, sizeof options + 1, UINT32_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        options.size = sizes[i];
        expect_refused(&options, "options.size");
    }
}

static void *allocate(void *user, size_t alignment, size_t size)
{
    (void)user;
    (void)alignment;
    (void)size;
    return NULL;
}

static void release(void *user, void *pointer)
{
    (void)user;
    (void)pointer;
}

Test(context, refuses_half_an_allocator)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    const cltomo_allocator cases[] = {
        {NULL, NULL, NULL}, {allocate, NULL, NULL}, {NULL, release, NULL}};
    for (size_t i = 0; i < 3; ++i) {
        options.allocator = &cases[i];
        expect_refused(&options, "options.allocator");
    }
}

Test(context, fails_cleanly_without_memory)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    const cltomo_allocator none = {allocate, release, NULL};
    cltomo_context *context = (cltomo_context *)(uintptr_t)1;
    cltomo_error error = {0};
    options.allocator = &none;
    cr_assert_eq(cltomo_context_create(&context, &options, &error), CLTOMO_ERROR_MEMORY);
    cr_assert_null(context);
    cr_assert_eq(error.status, CLTOMO_ERROR_MEMORY);
}

Test(context, limits_the_threads)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    options.n_threads = 1024;
    cr_assert_eq(create(&context, &options), CLTOMO_OK);
    cr_assert_eq(cltomo_context_threads(context), 1024);
    cltomo_context_destroy(context);
    options.n_threads = 1025;
    expect_refused(&options, "options.n_threads");
    options.n_threads = UINT32_MAX;
    expect_refused(&options, "options.n_threads");
}

Test(context, uses_only_the_processors_it_may)
{
    cpu_set_t all;
    cpu_set_t one;
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &all)) {
            CPU_SET(cpu, &one);
            break;
        }
    }
    cltomo_context *context = NULL;
    cr_assert_eq(create(&context, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_context_threads(context), (uint32_t)CPU_COUNT(&all));
    cltomo_context_destroy(context);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    cr_assert_eq(create(&context, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_context_threads(context), 1);
    cltomo_context_destroy(context);
    cr_assert_eq(sched_setaffinity(0, sizeof all, &all), 0);
}

Test(context, lives_as_long_as_its_last_reference)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    const cltomo_context *second = cltomo_context_retain(context);
    const cltomo_context *third = cltomo_context_retain(second);
    cltomo_context_destroy(context);
    cr_assert_eq(atomic_load(&state.live), 1);
    cltomo_context_release(second);
    cr_assert_eq(atomic_load(&state.live), 1);
    cr_assert_eq(cltomo_context_threads(third), 1);
    cltomo_context_release(third);
    cr_assert_eq(atomic_load(&state.live), 0);
}

typedef struct log_entry {
    int n;
    cltomo_log_level level;
    char text[2048];
} log_entry;

static void keep_log(void *user, cltomo_log_level level, const char *text)
{
    log_entry *entry = user;
    ++entry->n;
    entry->level = level;
    strcpy(entry->text, text);
}

Test(context, logs_to_the_callback)
{
    static log_entry entry;
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    options.log = keep_log;
    options.log_user = &entry;
    cr_assert_eq(create(&context, &options), CLTOMO_OK);
    static const cltomo_log_level levels[] = {
        CLTOMO_LOG_WARNING, CLTOMO_LOG_INFO, CLTOMO_LOG_DEBUG};
    entry.n = 0; /* a warning about the BLAS is a matter of the machine */
    for (int i = 0; i < 3; ++i) {
        cltomo_log(context, levels[i], "star %d of %s", i, "three");
        cr_assert_eq(entry.n, i + 1);
        cr_assert_eq(entry.level, levels[i]);
    }
    cr_assert_str_eq(entry.text, "star 2 of three");
    char text[1500];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    cltomo_log(context, CLTOMO_LOG_INFO, "%s", text);
    cr_assert_eq(strlen(entry.text), 1023);
    cltomo_context_destroy(context);
}

typedef struct progress_entry {
    char stage[32];
    double fraction;
    int answer;
} progress_entry;

static int keep_progress(void *user, const char *stage, double fraction)
{
    progress_entry *entry = user;
    strcpy(entry->stage, stage);
    entry->fraction = fraction;
    return entry->answer;
}

Test(context, progress_can_cancel)
{
    progress_entry entry = {"", 0.0, 0};
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    cltomo_error error = {0};
    options.progress = keep_progress;
    options.progress_user = &entry;
    cr_assert_eq(create(&context, &options), CLTOMO_OK);
    cr_assert_eq(cltomo_progress(context, "solve", 0.25, &error), CLTOMO_OK);
    cr_assert_str_eq(entry.stage, "solve");
    cr_assert_eq(entry.fraction, 0.25);
    cr_assert_eq(error.status, CLTOMO_OK);
    entry.answer = -7;
    cr_assert_eq(cltomo_progress(context, "solve", 0.5, &error), CLTOMO_ERROR_CANCELLED);
    cr_assert_eq(error.status, CLTOMO_ERROR_CANCELLED);
    cr_assert_not_null(strstr(error.message, "solve"));
    cr_assert_eq(cltomo_progress(context, "solve", 0.5, NULL), CLTOMO_ERROR_CANCELLED);
    cltomo_context_destroy(context);
}

Test(context, seconds_do_not_go_back)
{
    double first = cltomo_seconds();
    cr_assert_gt(first, 0.0);
    cr_assert_geq(cltomo_seconds(), first);
}
