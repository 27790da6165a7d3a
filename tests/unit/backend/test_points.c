#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "backend/cpu/cpu.h"
#include "support/fault.h"
#include "support/fixture.h"
#include "support/model.h"

static const char *const names[] = {"small_asymmetric", "small_directions", "small_single"};

Test(points, projections_equal_the_high_precision_evaluation)
{
    cltomo_context *context = fixture_context();
    for (size_t s = 0; s < 3; ++s) {
        golden_array projected = fixture_golden(names[s], "projected");
        cltomo_system *system = fixture_system(context, names[s]);
        model m = model_create(context, system, 0.0);
        const cltomo_geometry *g = m.geometry;
        const double *expected = projected.data;
        for (size_t wfs = 0; wfs < g->n_wfs; ++wfs) {
            cltomo_cpu_points points = {0};
            cr_assert_eq(cltomo_cpu_project_points(&points, g, wfs, NULL), CLTOMO_OK);
            cr_assert_eq(points.n_points, g->n_phase);
            for (size_t k = 0; k < g->n_layers * g->n_phase; ++k, expected += 2) {
                cr_assert_float_eq(points.x[k], expected[0], 1e-14 * g->span);
                cr_assert_float_eq(points.y[k], expected[1], 1e-14 * g->span);
            }
            cltomo_cpu_points_release(context, &points);
            cr_assert_null(points.x);
            cr_assert_null(points.y);
            cltomo_cpu_points_release(context, &points);
        }
        cr_assert_eq(expected, projected.data + 2 * projected.rows);
        model_destroy(&m);
        cltomo_system_destroy(system);
        golden_destroy(&projected);
    }
    cltomo_context_destroy(context);
}

Test(points, gradient_equals_the_operator)
{
    cltomo_context *context = fixture_context();
    for (size_t s = 0; s < 3; ++s) {
        golden_array gamma = fixture_golden(names[s], "gamma");
        cltomo_system *system = fixture_system(context, names[s]);
        model m = model_create(context, system, 0.0);
        size_t n = m.geometry->n_phase;
        double *phase = calloc(n, sizeof *phase);
        double *slopes = calloc(gamma.rows, sizeof *slopes);
        for (size_t k = 0; k < n; ++k) {
            phase[k] = sin(1.7 * (double)(k * k + 1));
        }
        cltomo_cpu_gradient(m.geometry, slopes, phase);
        for (size_t row = 0; row < gamma.rows; ++row) {
            double expected = 0.0;
            for (size_t k = 0; k < n; ++k) {
                expected += gamma.data[row * n + k] * phase[k];
            }
            cr_assert_float_eq(slopes[row], expected, 1e-14);
        }
        free(phase);
        free(slopes);
        model_destroy(&m);
        cltomo_system_destroy(system);
        golden_destroy(&gamma);
    }
    cltomo_context_destroy(context);
}

Test(points, projection_fails_cleanly)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_system *system = fixture_system(context, "small_single");
    model m = model_create(context, system, 0.0);
    long live = atomic_load(&state.live);
    for (long n = 0; n < 2; ++n) {
        cltomo_cpu_points points = {0};
        atomic_store(&state.left, n);
        cr_expect_eq(cltomo_cpu_project_points(&points, m.geometry, 0, NULL), CLTOMO_ERROR_MEMORY);
        cr_expect_null(points.x);
        cr_expect_null(points.y);
        cr_expect_eq(atomic_load(&state.live), live);
    }
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}
