#include "support/meter.h"

#include <criterion/criterion.h>
#include <malloc.h>
#include <stdlib.h>

static void *allocate(void *user, size_t alignment, size_t size)
{
    meter *m = user;
    void *pointer = NULL;
    if (posix_memalign(&pointer, alignment, size) != 0) {
        return NULL;
    }
    long long bytes = (long long)malloc_usable_size(pointer);
    long long used = atomic_fetch_add(&m->used, bytes) + bytes;
    long long peak = atomic_load(&m->peak);
    while (used > peak && !atomic_compare_exchange_weak(&m->peak, &peak, used)) {
    }
    return pointer;
}

static void release(void *user, void *pointer)
{
    meter *m = user;
    (void)atomic_fetch_sub(&m->used, (long long)malloc_usable_size(pointer));
    free(pointer);
}

cltomo_context *meter_context(meter *m)
{
    const cltomo_allocator allocator = {allocate, release, m};
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    atomic_init(&m->used, 0);
    atomic_init(&m->peak, 0);
    options.backend = CLTOMO_BACKEND_CPU;
    options.allocator = &allocator;
    cr_assert_eq(cltomo_context_create(&context, &options, NULL), CLTOMO_OK);
    return context;
}
