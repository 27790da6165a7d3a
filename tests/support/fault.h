/* A context whose n-th allocation fails, and that counts what was not released. */
#ifndef FAULT_H
#define FAULT_H

#include <cltomo/context.h>
#include <stdatomic.h>

typedef struct fault {
    atomic_long left; /* allocations that still succeed; LONG_MAX at first */
    atomic_long live; /* blocks not released */
} fault;

/* A context with one thread that allocates through *state, which must outlive it. Ends the program
 * when it cannot be made. */
cltomo_context *fault_context(fault *state);

#endif
