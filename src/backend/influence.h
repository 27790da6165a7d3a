/* The mirror on the phase grid, as the backends take it: the value for phase point k and actuator a
 * is, over both Gaussians c of the mirror,
 *     sum of weight[c] factor[c][row of a][row of k] factor[c][column of a][column of k]. */
#ifndef CLTOMO_BACKEND_INFLUENCE_H
#define CLTOMO_BACKEND_INFLUENCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct cltomo_place {
    int32_t row;
    int32_t col;
} cltomo_place;

typedef struct cltomo_influence {
    size_t n_grid;   /* points of the grid across */
    size_t n_across; /* actuators of the map across */
    double *factor;  /* 2 x n_across x n_grid; both axes share it */
    double weight[2];
    size_t n_phase;
    cltomo_place *point; /* on the grid */
    size_t n_actuators;
    cltomo_place *actuator; /* valid ones, in the map */
} cltomo_influence;

#endif
