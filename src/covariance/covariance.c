#include "covariance/covariance.h"

#include <math.h>

#include "turbulence/turbulence.h"

static const double two_pi = 6.283185307179586476925286766559;

const double cltomo_lag_dd[5] = {-1.0, 0.0, 2.0, 0.0, -1.0};
const double cltomo_lag_ss[5] = {1.0 / 16, 4.0 / 16, 6.0 / 16, 4.0 / 16, 1.0 / 16};
const double cltomo_lag_ds[5] = {-1.0 / 4, -2.0 / 4, 0.0, 2.0 / 4, 1.0 / 4};

cltomo_status cltomo_covariance_init(cltomo_covariance *covariance, const cltomo_geometry *geometry,
    double accuracy, cltomo_error *error)
{
    *covariance = (cltomo_covariance){.geometry = geometry,
        .variance_factor = cltomo_von_karman_variance_factor(geometry->r0, geometry->L0),
        .wavenumber = two_pi / geometry->L0};
    return cltomo_gaussian_mixture_select(&covariance->mixture, accuracy, error);
}

double cltomo_covariance_default_accuracy(
    const cltomo_geometry *geometry, cltomo_precision precision)
{
    bool is_double = precision == CLTOMO_PRECISION_DOUBLE;
    double pitch = 2.0 * geometry->spacing;
    double structure =
        2.0 * (1.0 - cltomo_von_karman_f(two_pi * pitch / geometry->L0) / cltomo_von_karman_f(0.0));
    double wanted = (is_double ? 1e-11 : 3e-7) * structure;
    return fmax(1e-14, fmin(wanted, is_double ? 1e-12 : 1e-8));
}

bool cltomo_covariance_same_scale(const cltomo_geometry *g, size_t i, size_t j)
{
    for (size_t l = 0; l < g->n_layers; ++l) {
        if (g->scale[i * g->n_layers + l] != g->scale[j * g->n_layers + l]) {
            return false;
        }
    }
    return true;
}

cltomo_evaluator_choice cltomo_covariance_choose_slope(
    const cltomo_covariance *covariance, size_t i, size_t j)
{
    const cltomo_geometry *g = covariance->geometry;
    const char *reason = covariance->direct_reason != NULL  ? covariance->direct_reason
                         : g->rotation[i] != g->rotation[j] ? "sensors rotated by different angles"
                         : !cltomo_covariance_same_scale(g, i, j)
                             ? "guide stars at different heights"
                             : NULL;
    return (cltomo_evaluator_choice){
        reason == NULL ? CLTOMO_EVALUATOR_TOEPLITZ : CLTOMO_EVALUATOR_DIRECT, reason};
}

/* For a rotated sensor the direct evaluator is the cheaper one while there is one direction. */
cltomo_evaluator_choice cltomo_covariance_choose_phase(
    const cltomo_covariance *covariance, size_t i)
{
    const cltomo_geometry *g = covariance->geometry;
    if (covariance->direct_reason != NULL) {
        return (cltomo_evaluator_choice){CLTOMO_EVALUATOR_DIRECT, covariance->direct_reason};
    }
    if (g->rotation[i] == 0.0) {
        return (cltomo_evaluator_choice){CLTOMO_EVALUATOR_SEPARABLE, NULL};
    }
    if (g->n_directions_across > 1) {
        return (cltomo_evaluator_choice){
            CLTOMO_EVALUATOR_ROTATED, "sensor rotated, mean over several directions"};
    }
    return (cltomo_evaluator_choice){
        CLTOMO_EVALUATOR_DIRECT, "sensor rotated, one direction at a time"};
}

bool cltomo_covariance_has_phase_evaluator(
    const cltomo_covariance *covariance, cltomo_evaluator evaluator)
{
    for (size_t i = 0; i < covariance->geometry->n_wfs; ++i) {
        if (cltomo_covariance_phase_evaluator(covariance, i) == evaluator) {
            return true;
        }
    }
    return false;
}
