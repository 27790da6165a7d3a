/* The working state of a build from an interaction matrix, and its parts. */
#ifndef CLTOMO_RECONSTRUCTOR_INTERACTION_H
#define CLTOMO_RECONSTRUCTOR_INTERACTION_H

#include <cltomo/interaction.h>

#include "reconstructor/builder.h"

/* What a build has beside the builder's state: there c_ss is D C_aa D^T, c_ps is C_oa D^T and then
 * R_IM, in the caller's order of slopes from the start. */
typedef struct cltomo_interaction {
    cltomo_builder base;
    const cltomo_matrix *matrix; /* the caller's: D's blocks, those of the whole system of which
                                    this one is a subset, or the one that serves all */
    size_t *first_row;           /* n_wfs: where in it the block of each sensor begins */
    size_t n_wfs;
    size_t n_actuators;
    size_t *first_slope; /* n_wfs + 1: where the slopes of each sensor begin */
    cltomo_point *actuators;
    double *place;        /* x and y of the actuators in a layer, as seen twice: 4 n_actuators */
    cltomo_matrix *layer; /* n_actuators x n_actuators, double: of one layer, */
    cltomo_matrix *covariance; /* and summed over layers */
} cltomo_interaction;

/* The slopes of one sensor. */
static inline size_t cltomo_interaction_slopes(const cltomo_interaction *m, size_t wfs)
{
    return m->first_slope[wfs + 1] - m->first_slope[wfs];
}

/* Finds the blocks in the interaction matrix, checks it against the system, and warns of actuators
 * that no sensor sees. */
cltomo_status cltomo_interaction_check(cltomo_interaction *m, cltomo_error *error);

/* The block of D of one sensor, and its transpose, as arrays of the build's precision. */
cltomo_status cltomo_interaction_block(
    const cltomo_interaction *m, cltomo_array **block, size_t wfs, cltomo_error *error);
cltomo_status cltomo_interaction_block_transposed(
    const cltomo_interaction *m, cltomo_array **block, size_t wfs, cltomo_error *error);

/* The mean over all slopes of the square of the sum of absolute values in their rows of D: the
 * largest variance that they can have, over the variance of the phase. */
double cltomo_interaction_sensitivity(const cltomo_interaction *m);

/* m->covariance becomes that of the actuators as sensors i (rows) and j (columns) see them, */
cltomo_status cltomo_interaction_pair(
    cltomo_interaction *m, size_t i, size_t j, cltomo_error *error);
/* or as they are seen in the optimisation directions, on average, and by sensor j. */
cltomo_status cltomo_interaction_science(cltomo_interaction *m, size_t j, cltomo_error *error);

#endif
