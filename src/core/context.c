#define _GNU_SOURCE /* sched_getaffinity */
#include "core/context.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/core.h"

#define MAX_THREADS 1024

static void *default_allocate(void *user, size_t alignment, size_t size)
{
    void *pointer = NULL;
    (void)user;
    return posix_memalign(&pointer, alignment, size) == 0 ? pointer : NULL;
}

static void default_release(void *user, void *pointer)
{
    (void)user;
    free(pointer);
}

/* The processors this process may run on, which may be fewer than the machine has. */
static uint32_t available_threads(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
#if defined(__linux__) && defined(CPU_COUNT)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
        n = CPU_COUNT(&set);
    }
#endif
    if (n < 1) {
        return 1;
    }
    return n > MAX_THREADS ? MAX_THREADS : (uint32_t)n;
}

cltomo_status cltomo_context_read_options(
    cltomo_context_options *own, const cltomo_context_options *options, cltomo_error *error)
{
    const cltomo_context_options defaults = CLTOMO_CONTEXT_OPTIONS_INIT;
    *own = defaults;
    if (options == NULL) {
        return CLTOMO_OK;
    }
    if (options->size < sizeof options->size || options->size > sizeof *own) {
        return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "options.size", "",
            "sizeof(cltomo_context_options)", "initialise with CLTOMO_CONTEXT_OPTIONS_INIT");
    }
    memcpy(own, options, options->size);
    if (own->n_threads > MAX_THREADS) {
        char value[16];
        (void)snprintf(value, sizeof value, "%u", (unsigned)own->n_threads);
        return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "options.n_threads", value,
            "0 to 1024", "too many threads");
    }
    const cltomo_allocator *allocator = own->allocator;
    if (allocator != NULL && (allocator->allocate == NULL || allocator->release == NULL)) {
        return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "options.allocator", "",
            "both functions set", "incomplete allocator");
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_context_allocate(
    cltomo_context **context, const cltomo_context_options *options, cltomo_error *error)
{
    *context = NULL;
    cltomo_allocator allocator = {default_allocate, default_release, NULL};
    if (options->allocator != NULL) {
        allocator = *options->allocator;
    }
    cltomo_context *created =
        allocator.allocate(allocator.user, CLTOMO_ALIGNMENT, sizeof(cltomo_context));
    if (created == NULL) {
        return cltomo_fail_memory(error, "the context");
    }
    memset(created, 0, sizeof *created);
    atomic_init(&created->references, 1);
    created->allocator = allocator;
    created->log = options->log;
    created->log_user = options->log_user;
    created->progress = options->progress;
    created->progress_user = options->progress_user;
    created->n_threads = options->n_threads > 0 ? options->n_threads : available_threads();
    created->threads_requested = options->n_threads > 0;
    *context = created;
    return CLTOMO_OK;
}

const cltomo_context *cltomo_context_retain(const cltomo_context *context)
{
    /* The count is the one part of a shared, otherwise immutable context that changes. */
    (void)atomic_fetch_add(&((cltomo_context *)(uintptr_t)context)->references, 1);
    return context;
}

void cltomo_context_release(const cltomo_context *context)
{
    cltomo_context *own = (cltomo_context *)(uintptr_t)context;
    if (own != NULL && atomic_fetch_sub(&own->references, 1) == 1) {
        if (own->release_backend != NULL) {
            own->release_backend(own);
        }
        cltomo_allocator allocator = own->allocator;
        allocator.release(allocator.user, own);
    }
}

void cltomo_context_destroy(cltomo_context *context)
{
    cltomo_context_release(context);
}

uint32_t cltomo_context_threads(const cltomo_context *context)
{
    return context->n_threads;
}

bool cltomo_context_threads_requested(const cltomo_context *context)
{
    return context->threads_requested;
}

void cltomo_log(const cltomo_context *context, cltomo_log_level level, const char *format, ...)
{
    if (context->log == NULL) {
        return;
    }
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= 0) {
        context->log(context->log_user, level, text);
    }
}

cltomo_status cltomo_progress(
    const cltomo_context *context, const char *stage, double fraction, cltomo_error *error)
{
    if (context->progress != NULL &&
        context->progress(context->progress_user, stage, fraction) != 0) {
        return cltomo_fail(error, CLTOMO_ERROR_CANCELLED, "cancelled during \"%s\"", stage);
    }
    return CLTOMO_OK;
}

double cltomo_seconds(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        return 0.0;
    }
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
