/* Products with a vector, y = A x in single precision, for a loop that repeats them at a steady
 * rate: planned and prepared beforehand, by any thread, and executed by the loop's. */
#ifndef CLTOMO_BACKEND_PLAN_H
#define CLTOMO_BACKEND_PLAN_H

#include "core/core.h"

/* What executes: helper threads, or buffers and a queue of commands. */
typedef struct cltomo_plan cltomo_plan;

/* A matrix, copied to where the plan can use it at once. */
typedef struct cltomo_prepared cltomo_prepared;

typedef struct cltomo_plan_options {
    uint32_t n_threads; /* the caller's included; at least 1 */
    const uint32_t *processors;
    size_t n_processors;
    double spin;
} cltomo_plan_options;

/* Vectors are aligned to CLTOMO_ALIGNMENT and have room for their length rounded up to a multiple
 * of this, with zeros beyond the length. */
#define CLTOMO_VECTOR_BLOCK 32U

static inline size_t cltomo_vector_room(size_t n)
{
    return (n + CLTOMO_VECTOR_BLOCK - 1) / CLTOMO_VECTOR_BLOCK * CLTOMO_VECTOR_BLOCK;
}

/* Vectors as rows of a matrix; whoever uses it writes to it only if they may. */
static inline cltomo_matrix cltomo_vectors_view(
    const cltomo_context *context, const float *vectors, size_t n, size_t stride)
{
    return (cltomo_matrix){.context = context,
        .rows = n,
        .cols = stride,
        .precision = CLTOMO_PRECISION_SINGLE,
        .data.f32 = (float *)(uintptr_t)vectors};
}

typedef struct cltomo_plan_operations {
    cltomo_status (*create)(const cltomo_context *context, cltomo_plan **plan,
        const cltomo_plan_options *options, cltomo_error *error);
    void (*destroy)(cltomo_plan *plan); /* accepts NULL */
    uint32_t (*threads)(const cltomo_plan *plan);
    cltomo_status (*prepare)(cltomo_plan *plan, cltomo_prepared **prepared,
        const cltomo_matrix *matrix, cltomo_error *error);
    /* Accepts a prepared matrix of NULL. */
    void (*release)(cltomo_plan *plan, cltomo_prepared *prepared);
    /* [rt] y = A x */
    cltomo_status (*execute)(
        cltomo_plan *plan, const cltomo_prepared *a, float *y, const float *x, cltomo_error *error);
    /* Row i of y (n x rows of A) = A times row i of x, which has room as said above. */
    cltomo_status (*execute_many)(cltomo_plan *plan, const cltomo_prepared *a, float *y,
        const float *x, size_t n, cltomo_error *error);
} cltomo_plan_operations;

extern const cltomo_plan_operations cltomo_plan_cpu;
extern const cltomo_plan_operations cltomo_plan_opencl;

#endif
