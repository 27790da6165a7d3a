#include "support/failing_allocator.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void *allocate(void *user, size_t alignment, size_t size)
{
    failing_allocator *state = user;
    void *pointer = NULL;
    ++state->n_calls;
    if ((state->fails_at != 0 && state->n_calls >= state->fails_at) ||
        posix_memalign(&pointer, alignment, size) != 0) {
        return NULL;
    }
    ++state->n_live;
    return pointer;
}

static void release(void *user, void *pointer)
{
    failing_allocator *state = user;
    --state->n_live;
    free(pointer);
}

cltomo_context *failing_context(failing_allocator *state)
{
    cltomo_context *context = NULL;
    cltomo_allocator allocator = {allocate, release, state};
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    options.allocator = &allocator;
    cr_assert_eq(cltomo_context_create(&context, &options, NULL), CLTOMO_OK);
    return context;
}
