/* A context whose n-th allocation fails, and that counts what was not released. */
#ifndef FAULT_H
#define FAULT_H

#include <cltomo/context.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct fault {
    atomic_long left; /* allocations that still succeed; LONG_MAX at first */
    atomic_long live; /* blocks not released */
    bool once;        /* only one allocation fails, not those after it; false at first */
} fault;

/* A context on the C path with one thread that allocates through *state, which must outlive it.
 * Ends the program when it cannot be made. */
cltomo_context *fault_context(fault *state);

/* One attempt at what is tested: creates something with the context, checks that the outputs are
 * NULL on failure, and releases what it got. Returns the status that it was given. */
typedef cltomo_status (*fault_attempt)(
    const cltomo_context *context, void *user, cltomo_error *error);

/* Makes the attempt with no allocation, then one, two ... succeeding until all do; once with all
 * later ones failing and once with them succeeding. Asserts that each failure is
 * CLTOMO_ERROR_MEMORY, says so, and leaks nothing. Returns the number of allocations of a success.
 */
long fault_each(fault *state, const cltomo_context *context, fault_attempt attempt, void *user);

#endif
