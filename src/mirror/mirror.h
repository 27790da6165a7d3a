/* The deformable mirror on the phase grid: influence functions, and the fit of a wavefront by them.
 */
#ifndef CLTOMO_MIRROR_MIRROR_H
#define CLTOMO_MIRROR_MIRROR_H

#include <cltomo/reconstructor.h>

#include "backend/backend.h"

/* n_phase x n_actuators, double. The map of valid actuators, padded by two on each side, is
 * stretched about its centre and laid over the phase grid. An actuator then displaces the point at
 * distance r, counted in grid points, by w1 / (2 pi s1^2) exp(-r^2 / (2 s1^2)) + w2 / (2 pi s2^2)
 * exp(-r^2 / (2 s2^2)), w1 = 2, w2 = -1, s1 = 1.0, s2 = 1.7. The backend
 * computes them. Of the options stretch, mirror_rotation and mirror_flip count: the maps of the
 * grid are turned and flipped as a whole. */
cltomo_status cltomo_influence_functions(const cltomo_context *context,
    const cltomo_backend *backend, cltomo_matrix **influence, const cltomo_system *system,
    const cltomo_build_options *options, cltomo_error *error);

/* The pseudo-inverse, n_actuators x n_phase. Directions whose singular value is below max(n_phase,
 * n_actuators) epsilon times the largest are left out and logged as a warning: an actuator that
 * moves nothing gets no command. */
cltomo_status cltomo_fitting_matrix(const cltomo_context *context, cltomo_matrix **fitting,
    const cltomo_matrix *influence, cltomo_error *error);

/* Bytes that the pseudo-inverse takes for a while beside the two matrices, at most. */
double cltomo_fitting_scratch(size_t n_phase, size_t n_actuators);

#endif
