/* Each factor against the formula of the header, term by term. */
#include "backend/cpu/axis_factors.h"

#include <criterion/criterion.h>
#include <math.h>

#include "backend/cpu/row_kernels.h"
#include "support/fault.h"
#include "support/fixture.h"
#include "support/model.h"

/* e(j, i), indices counting in the grid without padding. */
static double mean_exponential(
    const model *m, size_t wfs, size_t layer, double exponent, size_t j, size_t i)
{
    const cltomo_geometry *g = m->geometry;
    double middle = (double)g->n_across;
    double place = g->scale[wfs * g->n_layers + layer] * ((double)i - middle) * g->spacing +
                   g->shift_y[wfs * g->n_layers + layer];
    double sum = 0.0;
    for (size_t t = 0; t < g->n_directions_across; ++t) {
        double at = ((double)j - middle) * g->spacing + g->height[layer] * g->direction[t];
        double power = exponent * (place - at) * (place - at);
        sum += power < CLTOMO_GAUSSIAN_CUT ? exp(-power) : 0.0;
    }
    return sum / (double)g->n_directions_across;
}

static void expect_factors(const model *m, size_t wfs, bool weighted, cltomo_precision precision)
{
    const cltomo_geometry *g = m->geometry;
    const cltomo_covariance *c = &m->covariance;
    size_t n_terms = c->mixture.n_terms;
    size_t cols = (2 * g->n_across + 1) * g->n_across;
    double tolerance = precision == CLTOMO_PRECISION_DOUBLE ? 1e-13 : 1e-6;
    cltomo_axis_factors factors;
    cr_assert_eq(
        cltomo_cpu_axis_factors(m->context, &factors, c, &g->scale[wfs * g->n_layers],
            &g->shift_y[wfs * g->n_layers], 2 * g->n_across + 1, weighted, precision, NULL),
        CLTOMO_OK);
    cr_assert_eq(factors.difference->rows, g->n_layers * n_terms);
    cr_assert_eq(factors.difference->cols, cols);
    cr_assert_eq(factors.average->rows, g->n_layers * n_terms);
    cr_assert_eq(factors.average->cols, cols);
    for (size_t row = 0; row < g->n_layers * n_terms; ++row) {
        size_t layer = row / n_terms;
        size_t term = row % n_terms;
        double exponent = c->mixture.exponent[term] * c->wavenumber * c->wavenumber;
        double weight =
            weighted ? c->mixture.weight[term] * c->variance_factor * g->fraction[layer] : 1.0;
        for (size_t col = 0; col < cols; ++col) {
            size_t j = col / g->n_across;
            size_t k = col % g->n_across;
            double e[3];
            for (size_t a = 0; a < 3; ++a) {
                e[a] = weight * mean_exponential(m, wfs, layer, exponent, j, 2 * k + a);
            }
            size_t at = row * cols + col;
            double difference = precision == CLTOMO_PRECISION_DOUBLE
                                    ? factors.difference->data.f64[at]
                                    : (double)factors.difference->data.f32[at];
            double average = precision == CLTOMO_PRECISION_DOUBLE
                                 ? factors.average->data.f64[at]
                                 : (double)factors.average->data.f32[at];
            cr_assert_float_eq(difference, e[2] - e[0], tolerance * weight);
            cr_assert_float_eq(average, 0.25 * (e[0] + 2.0 * e[1] + e[2]), tolerance * weight);
        }
    }
    cltomo_cpu_axis_factors_release(&factors);
    cr_assert_null(factors.difference);
    cr_assert_null(factors.average);
    cltomo_cpu_axis_factors_release(&factors);
}

Test(axis_factors, equal_their_formula)
{
    static const uint32_t threads[] = {1, 3};
    for (size_t t = 0; t < 2; ++t) {
        cltomo_context *context = fixture_threads(threads[t]);
        cltomo_system *system = fixture_system(context, "small_directions");
        model m = model_create(context, system, 1e-9);
        expect_factors(&m, 0, false, CLTOMO_PRECISION_DOUBLE);
        expect_factors(&m, 1, true, CLTOMO_PRECISION_DOUBLE);
        expect_factors(&m, 1, true, CLTOMO_PRECISION_SINGLE);
        model_destroy(&m);
        cltomo_system_destroy(system);
        cltomo_context_destroy(context);
    }
}

Test(axis_factors, fail_cleanly_without_memory)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_system *system = fixture_system(context, "small_directions");
    model m = model_create(context, system, 1e-4);
    const cltomo_geometry *g = m.geometry;
    long live = atomic_load(&state.live);
    cltomo_status status = CLTOMO_ERROR_MEMORY;
    long n = 0;
    for (; status == CLTOMO_ERROR_MEMORY; ++n) {
        cltomo_axis_factors factors;
        atomic_store(&state.left, n);
        status = cltomo_cpu_axis_factors(context, &factors, &m.covariance, g->scale, g->shift_x,
            2 * g->n_across + 1, true, CLTOMO_PRECISION_DOUBLE, NULL);
        cr_assert_eq(factors.difference == NULL, status != CLTOMO_OK);
        cr_assert_eq(factors.average == NULL, status != CLTOMO_OK);
        cltomo_cpu_axis_factors_release(&factors);
        cr_assert_eq(atomic_load(&state.live), live);
    }
    cr_expect_eq(status, CLTOMO_OK);
    cr_expect_eq(n, 6);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}
