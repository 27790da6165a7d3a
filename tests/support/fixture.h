/* Contexts, systems and reference matrices for tests. Each ends the test if it cannot be had. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <cltomo/cltomo.h>

#include "support/golden.h"

/* A context on the C path with the default options. */
cltomo_context *fixture_context(void);

/* The same, with that many threads. */
cltomo_context *fixture_threads(uint32_t n_threads);

/* The system of tests/golden/NAME.yaml, or else the built-in example NAME. */
cltomo_system *fixture_system(const cltomo_context *context, const char *name);

/* The system of a description. */
cltomo_system *fixture_describe(
    const cltomo_context *context, const cltomo_system_description *description);

/* tests/golden/SYSTEM/MATRIX.npy */
golden_array fixture_golden(const char *system, const char *matrix);

/* A view of a matrix for the distances of golden.h. */
golden_view fixture_view(const cltomo_matrix *matrix);

#endif
