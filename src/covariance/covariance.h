/* Which evaluator serves which covariance, and the constants that all of them share.
 *
 * The covariance of the phase at two points projected into the layers is
 *     sum_l w_l B(|p_l - p'_l|),  B(rho) = variance_factor f(wavenumber rho),
 * f the von Karman function of turbulence/. An evaluator is a way to sum that:
 *     direct      every pair of points; always valid;
 *     separable   a sensor without rotation: f is a mixture of Gaussians, and a Gaussian is a
 *                 product of one factor in x and one in y, so matrix products do the sums;
 *     rotated     a rotated sensor and several directions: the Gaussians still factor in x and y
 *                 for each of its points, so their mean over the grid of directions is taken on
 *                 each axis; always computed on the host;
 *     toeplitz    two sensors with the same scale and rotation: only the lag between two lenslets
 *                 matters, so one table per pair serves all of their slopes. */
#ifndef CLTOMO_COVARIANCE_COVARIANCE_H
#define CLTOMO_COVARIANCE_COVARIANCE_H

#include <cltomo/reconstructor.h>

#include "covariance/gaussian_mixture.h"
#include "geometry/geometry.h"

/* An evaluator, and why it is not the cheapest one: a static string, NULL for the cheapest. */
typedef struct cltomo_evaluator_choice {
    cltomo_evaluator evaluator;
    const char *reason;
} cltomo_evaluator_choice;

typedef struct cltomo_covariance {
    const cltomo_geometry *geometry; /* not owned */
    double variance_factor;          /* c (L0 / r0)^(5/3), rad^2 */
    double wavenumber;               /* 2 pi / L0, 1/m */
    cltomo_gaussian_mixture mixture; /* of f, for the separable evaluator */
    const char *direct_reason;       /* why all is to be direct, a static string; NULL: it is not */
    size_t first_phase;              /* the point that row 0 of a phase-slope covariance is for */
} cltomo_covariance;

/* accuracy: of the separable evaluator, relative to B(0). There is nothing to release. */
cltomo_status cltomo_covariance_init(cltomo_covariance *covariance, const cltomo_geometry *geometry,
    double accuracy, cltomo_error *error);

/* 1e-12 in double, 1e-8 in single precision, and better than that where lenslets are so small
 * against the outer scale that slopes are tiny beside the phase: the error stays below 1e-11, 3e-7,
 * of the structure function over one lenslet. */
double cltomo_covariance_default_accuracy(
    const cltomo_geometry *geometry, cltomo_precision precision);

/* Whether two sensors are scaled alike in every layer. */
bool cltomo_covariance_same_scale(const cltomo_geometry *geometry, size_t i, size_t j);

/* The cheapest valid evaluator for the slope covariance of sensors i and j, and for the phase-slope
 * covariance of sensor i. */
cltomo_evaluator_choice cltomo_covariance_choose_slope(
    const cltomo_covariance *covariance, size_t i, size_t j);
cltomo_evaluator_choice cltomo_covariance_choose_phase(
    const cltomo_covariance *covariance, size_t i);

static inline cltomo_evaluator cltomo_covariance_slope_evaluator(
    const cltomo_covariance *covariance, size_t i, size_t j)
{
    return cltomo_covariance_choose_slope(covariance, i, j).evaluator;
}

static inline cltomo_evaluator cltomo_covariance_phase_evaluator(
    const cltomo_covariance *covariance, size_t i)
{
    return cltomo_covariance_choose_phase(covariance, i).evaluator;
}

/* Whether any sensor's phase-slope covariance takes this evaluator. */
bool cltomo_covariance_has_phase_evaluator(
    const cltomo_covariance *covariance, cltomo_evaluator evaluator);

/* Lag tables of the gradient stencils. With d = (-1, 0, 1) across and s = (1, 2, 1)/4 along an
 * edge, the covariance of two slopes is a sum over the lags -2..2 of the phase table around twice
 * the lag of the lenslets, with these correlations as weights (row axis first): xx: ss (x) dd, yy:
 * dd (x) ss,   xy and yx: -(ds (x) ds). */
extern const double cltomo_lag_dd[5];
extern const double cltomo_lag_ss[5];
extern const double cltomo_lag_ds[5];

#endif
