/* Contexts and builds that may fail, for tests of the OpenCL backend. */
#ifndef ATTEMPT_H
#define ATTEMPT_H

#include <cltomo/cltomo.h>
#include <stdatomic.h>

typedef struct attempt {
    atomic_long live; /* blocks of the context that are not released */
    atomic_long made; /* blocks so far */
    long refused; /* the number, from 1, of the first block that is refused, as all after it are; 0:
                     none */
    char heard[16384];  /* what was logged, line by line */
    cltomo_error error; /* of the last call */
} attempt;

/* NULL for device and cache_dir gives the defaults. The attempt must outlive the context. */
cltomo_status attempt_context(attempt *self, cltomo_context **context, cltomo_backend_kind backend,
    const char *device, const char *cache_dir);

/* Builds R and FR of tests/golden/small_asymmetric.yaml; where it succeeds, compares FR with the C
 * path's, and fails the test if it differs. */
cltomo_status attempt_build(
    attempt *self, const cltomo_context *context, cltomo_precision precision);

/* Builds R_IM of tests/golden/small_asymmetric.yaml; where it succeeds, compares it with 40-digit
 * arithmetic. */
cltomo_status attempt_interaction(
    attempt *self, const cltomo_context *context, cltomo_precision precision);

/* Applies a matrix to a vector and the transposed gradient operator, and evaluates the structure
 * function, where all of it succeeds; the status of the first failure. */
cltomo_status attempt_operations(
    attempt *self, const cltomo_context *context, cltomo_precision precision);

/* Runs a controller with an interaction matrix: frames, a new pair of matrices, a batch, in single
 * precision whatever the other is. Where all of it succeeds, compares with the control law; after a
 * frame that fails, the commands must be those of the frame before. */
cltomo_status attempt_controller(
    attempt *self, const cltomo_context *context, cltomo_precision unused);

/* Relative distance in the Frobenius norm. */
double attempt_distance(const cltomo_matrix *a, const cltomo_matrix *reference);

#endif
