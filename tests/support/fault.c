#include "support/fault.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static void *allocate(void *user, size_t alignment, size_t size)
{
    fault *state = user;
    void *pointer = NULL;
    long left = atomic_fetch_sub(&state->left, 1);
    if ((state->once ? left == 0 : left <= 0) || posix_memalign(&pointer, alignment, size) != 0) {
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
    state->once = false;
    options.backend = CLTOMO_BACKEND_CPU;
    options.n_threads = 1;
    options.allocator = &allocator;
    if (cltomo_context_create(&context, &options, NULL) != CLTOMO_OK) {
        (void)fputs("fault_context: no context\n", stderr);
        abort();
    }
    return context;
}

static long count_until_success(
    fault *state, const cltomo_context *context, fault_attempt attempt, void *user)
{
    long before = atomic_load(&state->live);
    for (long n = 0;; ++n) {
        cltomo_error error = {0};
        atomic_store(&state->left, n);
        cltomo_status status = attempt(context, user, &error);
        cr_assert_eq(atomic_load(&state->live), before, "failing allocation %ld leaks", n);
        if (status == CLTOMO_OK) {
            return n;
        }
        cr_assert_eq(status, CLTOMO_ERROR_MEMORY, "allocation %ld: %s", n, error.message);
        cr_assert_eq(error.status, CLTOMO_ERROR_MEMORY);
        cr_assert_neq(error.message[0], '\0', "allocation %ld", n);
    }
}

long fault_each(fault *state, const cltomo_context *context, fault_attempt attempt, void *user)
{
    long n = count_until_success(state, context, attempt, user);
    state->once = true;
    cr_assert_eq(count_until_success(state, context, attempt, user), n);
    state->once = false;
    atomic_store(&state->left, LONG_MAX);
    return n;
}
