#include "support/failing_allocator.h"

#include <stdlib.h>

static void *allocate(void *user, size_t alignment, size_t size)
{
    failing_allocator *failing = user;
    void *pointer = NULL;
    if (atomic_load(&failing->calls_left) >= 0 && atomic_fetch_sub(&failing->calls_left, 1) == 0) {
        return NULL;
    }
    if (posix_memalign(&pointer, alignment, size) != 0) {
        return NULL;
    }
    (void)atomic_fetch_add(&failing->outstanding, 1);
    return pointer;
}

static void release(void *user, void *pointer)
{
    failing_allocator *failing = user;
    (void)atomic_fetch_sub(&failing->outstanding, 1);
    free(pointer);
}

void failing_allocator_init(failing_allocator *failing)
{
    atomic_init(&failing->calls_left, -1);
    atomic_init(&failing->outstanding, 0);
    failing->allocator = (cltomo_allocator){allocate, release, failing};
}

void failing_allocator_arm(failing_allocator *failing, long n)
{
    atomic_store(&failing->calls_left, n);
}

cltomo_context *failing_allocator_context(failing_allocator *failing)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    options.backend = CLTOMO_BACKEND_CPU;
    options.allocator = &failing->allocator;
    return cltomo_context_create(&context, &options, NULL) == CLTOMO_OK ? context : NULL;
}
