/* Lag tables against the definition: Gamma C Gamma^T for one pair of lenslets at a time. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu.h"
#include "support/fault.h"
#include "support/fixture.h"
#include "support/model.h"
#include "turbulence/turbulence.h"

/* The covariance of the phase at two points of the grid, in steps from its centre: (x, y) seen by
 * sensor i and the centre seen by sensor j. */
static double phase_covariance(const model *m, size_t i, size_t j, double x, double y)
{
    const cltomo_geometry *g = m->geometry;
    double sum = 0.0;
    for (size_t l = 0; l < g->n_layers; ++l) {
        size_t a = i * g->n_layers + l;
        size_t b = j * g->n_layers + l;
        double turned_x = cos(g->rotation[i]) * x - sin(g->rotation[i]) * y;
        double turned_y = sin(g->rotation[i]) * x + cos(g->rotation[i]) * y;
        double dx = g->scale[a] * g->spacing * turned_x + g->shift_x[a] - g->shift_x[b];
        double dy = g->scale[a] * g->spacing * turned_y + g->shift_y[a] - g->shift_y[b];
        sum += m->covariance.variance_factor * g->fraction[l] *
               cltomo_von_karman_f(m->covariance.wavenumber * hypot(dx, dy));
    }
    return sum;
}

/* Stencil weight of one axis at the point (row, col) of a lenslet. */
static double weight(int axis, int row, int col)
{
    static const double ends[3] = {-1.0, 0.0, 1.0};
    static const double edge[3] = {0.25, 0.5, 0.25};
    return axis == 0 ? ends[col] * edge[row] : ends[row] * edge[col];
}

/* Slopes of a lenslet of sensor i, (lag_row, lag_col) lenslets from one of sensor j. */
static double slope_covariance(
    const model *m, size_t i, size_t j, int lag_row, int lag_col, int axis_i, int axis_j)
{
    double sum = 0.0;
    for (int p = 0; p < 9; ++p) {
        for (int q = 0; q < 9; ++q) {
            double factor = weight(axis_i, p / 3, p % 3) * weight(axis_j, q / 3, q % 3);
            int row = 2 * lag_row + p / 3 - q / 3;
            int col = 2 * lag_col + p % 3 - q % 3;
            if (factor != 0.0) {
                sum += factor * phase_covariance(m, i, j, col, row);
            }
        }
    }
    return sum;
}

static void expect_table(const model *m, size_t i, size_t j)
{
    cltomo_slope_table table = {0};
    int n_across = (int)m->geometry->n_across;
    cr_assert_eq(cltomo_cpu_slope_table(m->context, &table, &m->covariance, i, j, NULL), CLTOMO_OK);
    cr_assert_eq(table.n, (size_t)(2 * n_across - 1));
    double tolerance = 1e-13 * slope_covariance(m, i, i, 0, 0, 0, 0);
    const double *element[3] = {table.xx, table.xy, table.yy};
    for (int row = 1 - n_across; row < n_across; ++row) {
        for (int col = 1 - n_across; col < n_across; ++col) {
            for (int kind = 0; kind < 3; ++kind) {
                double expected = slope_covariance(m, i, j, row, col, kind == 2, kind != 0);
                double value = *element[kind]++;
                cr_assert_float_eq(value, expected, tolerance,
                    "sensors %zu, %zu, lag (%d, %d), kind %d: %g", i, j, row, col, kind,
                    value - expected);
                if (kind == 1) { /* xy serves yx too */
                    cr_assert_float_eq(
                        slope_covariance(m, i, j, row, col, 1, 0), expected, tolerance);
                }
            }
        }
    }
    cltomo_cpu_slope_table_release(m->context, &table);
    cr_assert_null(table.xx);
    cltomo_cpu_slope_table_release(m->context, &table);
}

Test(slope_table, equals_the_definition)
{
    static const double rotation[] = {0.3, -0.2, 0.3};
    cltomo_context *context = fixture_context();
    cltomo_system *base = fixture_system(context, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(base);
    d.wfs_rotation = rotation;
    cltomo_system *system = fixture_describe(context, &d);
    model m = model_create(context, system, 0.0);
    expect_table(&m, 2, 0);
    expect_table(&m, 0, 2);
    expect_table(&m, 1, 1);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_system_destroy(base);
    cltomo_context_destroy(context);
}

/* More lenslets than gather_block takes at a time, and an empty corner. */
Test(slope_table, gather_finds_every_lag)
{
    enum { n = 19 };
    static uint8_t map[n * n];
    cltomo_context *context = fixture_context();
    cltomo_system *base = fixture_system(context, "small_directions");
    cltomo_system_description d = *cltomo_system_get_description(base);
    for (size_t k = 0; k < sizeof map; ++k) {
        map[k] = k > n + 5 && k % 13 != 0;
    }
    d.n_lenslets = n;
    d.valid_lenslets = map;
    cltomo_system *system = fixture_describe(context, &d);
    model m = model_create(context, system, 0.0);
    const cltomo_geometry *g = m.geometry;
    cr_assert_gt(g->n_lenslets, 256);
    size_t n_lags = 2 * n - 1;
    cltomo_slope_table table = {.n = n_lags};
    double *lags = calloc(3 * n_lags * n_lags, sizeof *lags);
    for (size_t k = 0; k < 3 * n_lags * n_lags; ++k) {
        lags[k] = (double)k;
    }
    table.xx = lags;
    table.xy = lags + n_lags * n_lags;
    table.yy = table.xy + n_lags * n_lags;
    for (int precision = 0; precision < 2; ++precision) {
        cltomo_matrix *c_ss = NULL;
        cr_assert_eq(cltomo_matrix_allocate(context, &c_ss, (cltomo_precision)precision,
                         g->n_slopes, g->n_slopes, NULL),
            CLTOMO_OK);
        cltomo_cpu_gather_block(context, c_ss, g, &table, 1, 0);
        size_t n_sensor = 2 * g->n_lenslets;
        for (size_t row = 0; row < n_sensor; ++row) {
            for (size_t col = 0; col < n_sensor; ++col) {
                size_t to = row % g->n_lenslets;
                size_t from = col % g->n_lenslets;
                size_t lag_row = g->lenslet_row[from] + n - 1 - g->lenslet_row[to];
                size_t lag_col = g->lenslet_col[from] + n - 1 - g->lenslet_col[to];
                size_t kind = (row >= g->n_lenslets) + (size_t)(col >= g->n_lenslets);
                size_t k = row * g->n_slopes + n_sensor + col;
                double value = precision == 0 ? c_ss->data.f64[k] : (double)c_ss->data.f32[k];
                cr_assert_eq(value, (double)((kind * n_lags + lag_row) * n_lags + lag_col));
            }
        }
        cltomo_matrix_destroy(c_ss);
    }
    free(lags);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_system_destroy(base);
    cltomo_context_destroy(context);
}

/* Large enough that the threads really work side by side. */
Test(slope_table, does_not_depend_on_the_number_of_threads)
{
    enum { n = 64 };
    static uint8_t map[n * n];
    cltomo_context *alone = fixture_threads(1);
    cltomo_context *many = fixture_threads(5);
    cltomo_system *base = fixture_system(alone, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(base);
    memset(map, 1, sizeof map);
    d.n_lenslets = n;
    d.valid_lenslets = map;
    cltomo_system *system = fixture_describe(alone, &d);
    model m = model_create(alone, system, 0.0);
    cltomo_slope_table expected = {0};
    cltomo_slope_table found = {0};
    cr_assert_eq(cltomo_cpu_slope_table(alone, &expected, &m.covariance, 1, 1, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_cpu_slope_table(many, &found, &m.covariance, 1, 1, NULL), CLTOMO_OK);
    size_t size = 3 * expected.n * expected.n * sizeof *expected.xx;
    cr_assert_eq(memcmp(expected.xx, found.xx, size), 0);
    cltomo_cpu_slope_table_release(alone, &expected);
    cltomo_cpu_slope_table_release(many, &found);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_system_destroy(base);
    cltomo_context_destroy(alone);
    cltomo_context_destroy(many);
}

Test(slope_table, fails_cleanly_without_memory)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_system *system = fixture_system(context, "small_directions");
    model m = model_create(context, system, 0.0);
    long live = atomic_load(&state.live);
    for (long n = 0; n < 4; ++n) {
        cltomo_slope_table table = {0};
        atomic_store(&state.left, n);
        cr_expect_eq(cltomo_cpu_slope_table(context, &table, &m.covariance, 0, 1, NULL),
            CLTOMO_ERROR_MEMORY);
        cr_expect_null(table.xx);
        cr_expect_eq(atomic_load(&state.live), live);
    }
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}
