/* Builds from interaction matrices, on any backend. Each function ends the test if something fails.
 */
#ifndef INTERACTION_H
#define INTERACTION_H

#include <cltomo/cltomo.h>

/* A golden matrix of a system, tests/golden/SYSTEM/NAME.npy. */
cltomo_matrix *interaction_matrix(
    const cltomo_context *context, const char *system, const char *name);

/* The options of the golden matrices. */
cltomo_interaction_options interaction_options(void);

/* R_IM of the small systems, and of one whose sensors, flux and directions differ, against 40-digit
 * arithmetic: actuators by the pitch and over the padded
 * diameter, a block for each sensor and one for all. Within 1e-12 in double precision, within the
 * error that the report estimates in single precision. */
void interaction_expect_golden(const cltomo_context *context, cltomo_precision precision);

#endif
