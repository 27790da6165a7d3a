/* Commands follow the wavefront: a wavefront that every sensor sees comes back as the commands that
 * fit it, the right way round. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/fixture.h"

/* A built system, with room for a wavefront, its slopes and its commands. */
typedef struct loop {
    cltomo_context *context;
    cltomo_system *system;
    cltomo_reconstructor *reconstructor;
    cltomo_dimensions size;
    cltomo_point *phase_point;
    cltomo_point *actuator;
    double half_wavelength;
} loop;

static loop loop_create(const char *name)
{
    loop l = {.context = fixture_context()};
    l.system = fixture_system(l.context, name);
    cltomo_system_dimensions(l.system, &l.size);
    cltomo_build_options options = cltomo_build_options_init();
    options.products = CLTOMO_PRODUCT_FR | CLTOMO_PRODUCT_F | CLTOMO_PRODUCT_GAMMA;
    options.scaling = 1.0;
    cr_assert_eq(cltomo_reconstructor_build(l.context, &l.reconstructor, l.system, &options, NULL),
        CLTOMO_OK);
    l.phase_point = calloc(l.size.n_phase, sizeof *l.phase_point);
    l.actuator = calloc(l.size.n_actuators, sizeof *l.actuator);
    cr_assert_eq(
        cltomo_system_phase_points(l.system, l.phase_point, l.size.n_phase, NULL), CLTOMO_OK);
    cr_assert_eq(
        cltomo_system_actuators(l.system, l.actuator, l.size.n_actuators, NULL), CLTOMO_OK);
    l.half_wavelength = 0.5 * cltomo_system_get_description(l.system)->guide_star_wavelength;
    return l;
}

static void loop_destroy(loop *l)
{
    free(l->phase_point);
    free(l->actuator);
    cltomo_reconstructor_destroy(l->reconstructor);
    cltomo_system_destroy(l->system);
    cltomo_context_destroy(l->context);
}

/* y = A x */
static double *multiply(const cltomo_matrix *a, const double *x)
{
    size_t cols = cltomo_matrix_cols(a);
    double *y = calloc(cltomo_matrix_rows(a), sizeof *y);
    for (size_t i = 0; i < cltomo_matrix_rows(a); ++i) {
        for (size_t k = 0; k < cols; ++k) {
            y[i] += cltomo_matrix_double(a)[i * cols + k] * x[k];
        }
    }
    return y;
}

/* A smooth wavefront in metres, of mean zero, which no mirroring maps onto itself. */
static double *wavefront(const loop *l, bool mirror_x, bool mirror_y, bool transpose)
{
    double *phi = calloc(l->size.n_phase, sizeof *phi);
    double radius = 0.5 * cltomo_system_get_description(l->system)->telescope_diameter;
    double mean = 0.0;
    for (size_t k = 0; k < l->size.n_phase; ++k) {
        double x = l->phase_point[k].x / radius * (mirror_x ? -1.0 : 1.0);
        double y = l->phase_point[k].y / radius * (mirror_y ? -1.0 : 1.0);
        double u = transpose ? y : x;
        double v = transpose ? x : y;
        phi[k] = 1e-7 * (u + 0.4 * v + u * u - 0.6 * u * v + 0.5 * u * u * u + sin(2.0 * u + v));
        mean += phi[k] / (double)l->size.n_phase;
    }
    for (size_t k = 0; k < l->size.n_phase; ++k) {
        phi[k] -= mean;
    }
    return phi;
}

/* FR times the slopes of the wavefront, the same for all sensors, in pixels of lambda / (2 d). */
static double *commands(const loop *l, const double *phi)
{
    const cltomo_sparse *gamma = cltomo_reconstructor_gradient(l->reconstructor);
    double *slopes = calloc(l->size.n_slopes, sizeof *slopes);
    for (size_t i = 0; i < l->size.n_slopes; ++i) {
        size_t row = i % gamma->rows;
        for (size_t k = gamma->row_start[row]; k < gamma->row_start[row + 1]; ++k) {
            slopes[i] += gamma->value[k] * phi[gamma->column[k]] / l->half_wavelength;
        }
    }
    double *result =
        multiply(cltomo_reconstructor_matrix(l->reconstructor, CLTOMO_PRODUCT_FR), slopes);
    free(slopes);
    return result;
}

static double correlation(const double *a, const double *b, size_t n)
{
    double mean_a = 0.0;
    double mean_b = 0.0;
    double aa = 0.0;
    double ab = 0.0;
    double bb = 0.0;
    for (size_t i = 0; i < n; ++i) {
        mean_a += a[i] / (double)n;
        mean_b += b[i] / (double)n;
    }
    for (size_t i = 0; i < n; ++i) {
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        ab += (a[i] - mean_a) * (b[i] - mean_b);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return ab / sqrt(aa * bb);
}

static const char *const systems[] = {"revolt", "kapa"};

Test(stages, commands_fit_the_wavefront, .description = "large")
{
    for (size_t s = 0; s < 2; ++s) {
        loop l = loop_create(systems[s]);
        double *phi = wavefront(&l, false, false, false);
        double *found = commands(&l, phi);
        double *expected =
            multiply(cltomo_reconstructor_matrix(l.reconstructor, CLTOMO_PRODUCT_F), phi);
        double r = correlation(found, expected, l.size.n_actuators);
        cr_expect_lt(r, -0.99, "%s: %g", systems[s], r); /* FR has the sign of a correction */
        free(phi);
        free(found);
        free(expected);
        loop_destroy(&l);
    }
}

static size_t find_actuator(const loop *l, uint32_t row, uint32_t col)
{
    for (size_t k = 0; k < l->size.n_actuators; ++k) {
        if (l->actuator[k].row == row && l->actuator[k].col == col) {
            return k;
        }
    }
    cr_assert_fail("no actuator at (%u, %u)", (unsigned)row, (unsigned)col);
    return 0;
}

static void expect_moved_commands(const loop *l, bool mirror_x, bool mirror_y, bool transpose)
{
    double *phi = wavefront(l, false, false, false);
    double *moved_phi = wavefront(l, mirror_x, mirror_y, transpose);
    double *plain = commands(l, phi);
    double *moved = commands(l, moved_phi);
    uint32_t last = cltomo_system_get_description(l->system)->n_actuators - 1;
    double largest = 0.0;
    for (size_t k = 0; k < l->size.n_actuators; ++k) {
        largest = fmax(largest, fabs(plain[k]));
    }
    for (size_t k = 0; k < l->size.n_actuators; ++k) {
        uint32_t row = mirror_y ? last - l->actuator[k].row : l->actuator[k].row;
        uint32_t col = mirror_x ? last - l->actuator[k].col : l->actuator[k].col;
        size_t from = transpose ? find_actuator(l, col, row) : find_actuator(l, row, col);
        cr_assert_float_eq(moved[k], plain[from], 1e-8 * largest);
    }
    free(phi);
    free(moved_phi);
    free(plain);
    free(moved);
}

Test(stages, a_mirrored_or_transposed_wavefront_gives_such_commands, .description = "large")
{
    for (size_t s = 0; s < 2; ++s) {
        loop l = loop_create(systems[s]);
        expect_moved_commands(&l, true, false, false);
        expect_moved_commands(&l, false, true, false);
        expect_moved_commands(&l, false, false, true);
        loop_destroy(&l);
    }
}
