/* An allocator that fails once at a chosen allocation and counts what is not released. */
#ifndef FAILING_ALLOCATOR_H
#define FAILING_ALLOCATOR_H

#include <cltomo/context.h>
#include <stdatomic.h>

typedef struct failing_allocator {
    atomic_long calls_left;  /* allocations that still succeed; negative: all do */
    atomic_long outstanding; /* blocks allocated and not released */
    cltomo_allocator allocator;
} failing_allocator;

/* Never fails until failing_allocator_arm is called. The object must stay in place. */
void failing_allocator_init(failing_allocator *failing);

/* The n-th allocation from now fails (n counts from 0), later ones succeed again; -1: none fails.
 */
void failing_allocator_arm(failing_allocator *failing, long n);

/* A context on the C path with this allocator; NULL if the armed failure hits its creation. */
cltomo_context *failing_allocator_context(failing_allocator *failing);

#endif
