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

static void fill_influence(cltomo_matrix *influence, const double *table, size_t n_grid,
    const cltomo_system_description *d, const cltomo_point *point,
    const cltomo_build_options *options)
{
    double amplitude[2];
    for (size_t c = 0; c < 2; ++c) {
        amplitude[c] = component[c].weight / (two_pi * component[c].sigma * component[c].sigma);
    }
    const double *second = &table[d->n_actuators * n_grid];
    double *out = influence->data.f64;
    for (size_t k = 0; k < influence->rows; ++k) {
        size_t row = point[k].row;
        size_t col = point[k].col;
        find_source(options, n_grid - 1, &row, &col);
        for (size_t a = 0; a < (size_t)d->n_actuators * d->n_actuators; ++a) {
            if (d->valid_actuators[a] != 0) {
                size_t in_row = (a / d->n_actuators) * n_grid + row;
                size_t in_col = (a % d->n_actuators) * n_grid + col;
                *out++ = amplitude[0] * table[in_row] * table[in_col] +
                         amplitude[1] * second[in_row] * second[in_col];
            }
        }
    }
}

cltomo_status cltomo_influence_functions(const cltomo_context *context, cltomo_matrix **influence,
    const cltomo_system *system, const cltomo_build_options *options, cltomo_error *error)
{
    const cltomo_system_description *d = cltomo_system_get_description(system);
    cltomo_dimensions dimensions;
    cltomo_system_dimensions(system, &dimensions);
    cltomo_status status = cltomo_matrix_allocate(context, influence, CLTOMO_PRECISION_DOUBLE,
        dimensions.n_phase, dimensions.n_actuators, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    cltomo_point *point = cltomo_allocate(context, dimensions.n_phase, sizeof *point);
    double *table = cltomo_allocate(context, 2 * dimensions.n_grid * d->n_actuators, sizeof *table);
    if (point == NULL || table == NULL) {
        status = cltomo_fail_memory(error, "the influence functions");
    } else {
        status = cltomo_system_phase_points(system, point, dimensions.n_phase, error);
    }
    if (status == CLTOMO_OK) {
        fill_table(table, d->n_actuators, dimensions.n_grid, options->stretch);
        fill_influence(*influence, table, dimensions.n_grid, d, point, options);
    } else {
        cltomo_matrix_destroy(*influence);
        *influence = NULL;
    }
    cltomo_release(context, point);
    cltomo_release(context, table);
    return status;
}
