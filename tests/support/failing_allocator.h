/* An allocator whose n-th allocation fails, and which knows what was not given back. For tests
 * only. */
#ifndef FAILING_ALLOCATOR_H
#define FAILING_ALLOCATOR_H

#include <cltomo/context.h>

typedef struct failing_allocator {
    size_t
        fails_at; /* the first allocation that fails, from 1; all later ones fail too; 0: never */
    size_t n_calls;
    size_t n_live;
} failing_allocator;

/* A context that allocates through it; it must outlive the context. One thread at a time. */
cltomo_context *failing_context(failing_allocator *state);

#endif
