#include "support/fault.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static void *allocate(void *user, size_t alignment, size_t size)
{
    fault *state = user;
    void *pointer = NULL;
    if (atomic_fetch_sub(&state->left, 1) <= 0 || posix_memalign(&pointer, alignment, size) != 0) {
        return NULL;
    }
    atomic_fetch_add(&state->live, 1);
    return pointer;
}

static void release(void *user, void *pointer)
{
    fault *state = user;
    atomic_fetch_sub(&state->live, 1);
    free(pointer);
}

cltomo_context *fault_context(fault *state)
{
    const cltomo_allocator allocator = {allocate, release, state};
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    atomic_init(&state->left, LONG_MAX);
    atomic_init(&state->live, 0);
    options.n_threads = 1;
    options.allocator = &allocator;
    if (cltomo_context_create(&context, &options, NULL) != CLTOMO_OK) {
        (void)fputs("fault_context: no context\n", stderr);
        abort();
    }
    return context;
}
