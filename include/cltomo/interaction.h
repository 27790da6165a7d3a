/* The reconstructor of a mirror from its measured interaction matrix.
 *
 *   R_IM = C_oa D^T (D C_aa D^T + C_n)^-1    n_actuators x n_slopes, slopes -> actuators
 *
 * D is block diagonal over the sensors: block i, n_slopes of sensor i x n_actuators, holds the
 * slopes that sensor i shows when each actuator is poked. C_aa is the covariance of the phase at
 * the actuators as sensor i and as sensor j see them, C_oa that of the actuators seen in the
 * optimisation directions, their weighted mean, with the actuators seen by sensor j:
 *
 *   cov(p, p') = sum_l w_l B(|p_l - p'_l|)
 *
 * over the layers, with B the von Karman covariance in rad^2, and each point projected into the
 * layers as the points of the phase grid are. No lenslet enters but through D. C_n is diagonal:
 * alpha, over the flux of the slope's lenslet where the system gives one.
 *
 * Units: a poke of one unit is taken to give a phase of one radian (at the wavelength at which r0
 * holds) at its actuator. R_IM gives the phase at the actuators in the unit of the pokes, with a
 * positive sign: commands that correct it are its negative. */
#ifndef CLTOMO_INTERACTION_H
#define CLTOMO_INTERACTION_H

#include <cltomo/reconstructor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How far apart the actuators are in the covariances; the map is centred on the axis. */
typedef enum cltomo_actuator_grid {
    CLTOMO_ACTUATORS_PITCH = 0,   /* actuator_pitch */
    CLTOMO_ACTUATORS_PYTOMOAO = 1 /* as pyTomoAO 2.0 has them, whatever the pitch: the map spans the
                                     padded diameter, grid_span / (actuators across - 1) */
} cltomo_actuator_grid;

typedef struct cltomo_interaction_options {
    uint32_t
        size; /* sizeof(cltomo_interaction_options); set by the initialiser, fields only grow */
    cltomo_precision precision;
    double alpha; /* noise variance of a slope, in the units of D C_aa D^T; 0 to 1e30 */
    cltomo_slope_order slope_order;     /* of D's rows and R_IM's columns */
    cltomo_lenslet_order lenslet_order; /* likewise */
    cltomo_actuator_grid grid;
} cltomo_interaction_options;

/* Double, alpha 10, xy by row, the mirror's pitch. */
CLTOMO_API cltomo_interaction_options cltomo_interaction_options_init(void);

/* Builds R_IM, the one product of the reconstructor. interaction_matrix has a column for each valid
 * actuator, row by row of the map, and a row for each slope of all sensors (the blocks one below
 * the other) or, where all sensors have equally many slopes, a row for each slope of one sensor:
 * one block that serves all. For a subset of the sensors (cltomo_system_subset) it may also have
 * the rows of the whole system, of which those of the subset are taken; the number of rows tells
 * which it is. It is read during the call only. options may be NULL for the defaults.
 *
 * cltomo_reconstructor_options then tells precision, alpha and orders; mean_slope_variance in the
 * report is mean(diag D C_aa D^T), noise_variance is alpha. An actuator that no sensor sees is
 * logged as a warning: its value comes from its correlation with the others alone.
 *
 * Errors: CLTOMO_ERROR_CONFIG without a mirror, CLTOMO_ERROR_SHAPE if the matrix has another shape,
 * CLTOMO_ERROR_ARGUMENT if the block of a sensor is zero throughout, and those of
 * cltomo_reconstructor_build. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_reconstructor_build_interaction(
    const cltomo_context *context, cltomo_reconstructor **reconstructor,
    const cltomo_system *system, const cltomo_matrix *interaction_matrix,
    const cltomo_interaction_options *options, cltomo_error *error);

/* Bytes that such a build needs at its peak, R_IM included but not D. */
CLTOMO_API uint64_t cltomo_interaction_memory(
    const cltomo_system *system, const cltomo_interaction_options *options);

#ifdef __cplusplus
}
#endif

#endif
