#include <math.h>

#include "mirror/mirror.h"

static const double two_pi = 6.283185307179586476925286766559;

enum { padding = 2 }; /* actuators on each side of the map */

typedef struct gaussian {
    double weight;
    double sigma; /* grid points */
} gaussian;

static const gaussian component[2] = {{2.0, 1.0}, {-1.0, 1.7}};

/* The Gaussians factor into rows and columns, and both axes are alike: table[c][a][i] is the factor
 * of component c for actuator index a and grid index i. */
static void fill_table(double *table, size_t n_actuators, size_t n_grid, double stretch)
{
    double half = 0.5 * (double)(n_grid - 1);
    for (size_t c = 0; c < 2; ++c) {
        double sigma = component[c].sigma;
        for (size_t a = 0; a < n_actuators; ++a) {
            double place = 2.0 * (double)(a + padding) / (double)(n_actuators + 2UL * padding - 1);
            double centre = half * (1.0 + stretch * (place - 1.0));
            for (size_t i = 0; i < n_grid; ++i) {
                double distance = (double)i - centre;
                table[(c * n_actuators + a) * n_grid + i] =
                    exp(-distance * distance / (2.0 * sigma * sigma));
            }
        }
    }
}

/* Where the value at (row, col) of the turned and flipped map stood before. */
static void find_source(const cltomo_build_options *options, size_t last, size_t *row, size_t *col)
{
    if (options->mirror_flip != 0) {
        *row = last - *row;
    }
    for (uint32_t turn = 0; turn < options->mirror_rotation; ++turn) {
        size_t old_row = *row;
        *row = *col;
        *col = last - old_row;
    }
}

/* Fills what is allocated. */
static cltomo_status describe(cltomo_influence *m, const cltomo_system *system,
    const cltomo_build_options *options, cltomo_point *point, cltomo_error *error)
{
    const cltomo_system_description *d = cltomo_system_get_description(system);
    size_t n = 0;
    cltomo_status status = cltomo_system_phase_points(system, point, m->n_phase, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    for (size_t k = 0; k < m->n_phase; ++k) {
        size_t row = point[k].row;
        size_t col = point[k].col;
        find_source(options, m->n_grid - 1, &row, &col);
        m->point[k] = (cltomo_place){(int32_t)row, (int32_t)col};
    }
    for (size_t a = 0; a < m->n_across * m->n_across; ++a) {
        if (d->valid_actuators[a] != 0) {
            m->actuator[n++] =
                (cltomo_place){(int32_t)(a / m->n_across), (int32_t)(a % m->n_across)};
        }
    }
    for (size_t c = 0; c < 2; ++c) {
        m->weight[c] = component[c].weight / (two_pi * component[c].sigma * component[c].sigma);
    }
    fill_table(m->factor, m->n_across, m->n_grid, options->stretch);
    return CLTOMO_OK;
}

cltomo_status cltomo_influence_functions(const cltomo_context *context,
    const cltomo_backend *backend, cltomo_matrix **influence, const cltomo_system *system,
    const cltomo_build_options *options, cltomo_error *error)
{
    cltomo_dimensions dimensions;
    cltomo_system_dimensions(system, &dimensions);
    cltomo_influence m = {.n_grid = dimensions.n_grid,
        .n_across = cltomo_system_get_description(system)->n_actuators,
        .n_phase = dimensions.n_phase,
        .n_actuators = dimensions.n_actuators};
    cltomo_point *point = cltomo_allocate(context, m.n_phase, sizeof *point);
    m.factor = cltomo_allocate(context, 2 * m.n_across * m.n_grid, sizeof *m.factor);
    m.point = cltomo_allocate(context, m.n_phase, sizeof *m.point);
    m.actuator = cltomo_allocate(context, m.n_actuators, sizeof *m.actuator);
    cltomo_status status = CLTOMO_OK;
    *influence = NULL;
    if (point != NULL && m.factor != NULL && m.point != NULL && m.actuator != NULL) {
        status = describe(&m, system, options, point, error);
    } else {
        status = cltomo_fail_memory(error, "the influence functions");
    }
    if (status == CLTOMO_OK) {
        status = backend->influence_functions(context, influence, &m, options->precision, error);
    }
    cltomo_release(context, point);
    cltomo_release(context, m.factor);
    cltomo_release(context, m.point);
    cltomo_release(context, m.actuator);
    return status;
}
