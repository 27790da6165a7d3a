#include <criterion/criterion.h>
#include <stdlib.h>

#include "support/fixture.h"
#include "support/meter.h"

static void expect_peak(const char *name, cltomo_precision precision, uint32_t products)
{
    meter m;
    cltomo_context *context = meter_context(&m);
    cltomo_system *system = fixture_system(context, name);
    cltomo_build_options options = cltomo_build_options_init();
    options.precision = precision;
    options.products = products;
    cltomo_reconstructor *r = NULL;
    cr_assert_eq(cltomo_reconstructor_build(context, &r, system, &options, NULL), CLTOMO_OK);
    cltomo_dimensions d;
    cltomo_system_dimensions(system, &d);
    double element = precision == CLTOMO_PRECISION_DOUBLE ? 8.0 : 4.0;
    double matrices = element * (double)d.n_slopes * (double)(d.n_slopes + d.n_phase);
    double peak = (double)atomic_load(&m.peak);
    double estimate = (double)cltomo_build_memory(system, &options);
    cr_expect_lt(peak, 1.2 * matrices + 60e6, "%s: %.0f MB", name, 1e-6 * peak);
    cr_expect_lt(
        peak, 1.1 * estimate + 60e6, "%s: %.0f MB, not %.0f", name, 1e-6 * peak, 1e-6 * estimate);
    cr_expect_gt(peak, 0.9 * estimate, "%s: %.0f MB, not %.0f", name, 1e-6 * peak, 1e-6 * estimate);
    cltomo_reconstructor_destroy(r);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
    cr_assert_eq(atomic_load(&m.used), 0);
}

Test(memory, a_build_needs_little_more_than_its_matrices, .description = "large")
{
    const uint32_t both = CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_FR;
    expect_peak("kapa", CLTOMO_PRECISION_DOUBLE, both);
    expect_peak("kapa", CLTOMO_PRECISION_SINGLE, both);
    expect_peak("keck", CLTOMO_PRECISION_DOUBLE, CLTOMO_PRODUCT_R);
    expect_peak("keck", CLTOMO_PRECISION_SINGLE, CLTOMO_PRODUCT_FR);
    expect_peak("revolt", CLTOMO_PRECISION_DOUBLE, both);
}

/* A hundred layers over one sensor: the factors of all of them would be larger than the matrices.
 */
Test(memory, does_not_grow_with_the_number_of_layers, .description = "large")
{
    enum { n_layers = 100 };
    meter m;
    cltomo_context *context = meter_context(&m);
    cltomo_system *kapa = fixture_system(context, "kapa");
    double altitude[n_layers];
    double fraction[n_layers];
    for (size_t l = 0; l < n_layers; ++l) {
        altitude[l] = 150.0 * (double)l;
        fraction[l] = 1.0 / n_layers;
    }
    cltomo_system_description d = *cltomo_system_get_description(kapa);
    d.n_wfs = 1;
    d.n_layers = n_layers;
    d.layer_altitude = altitude;
    d.layer_fraction = fraction;
    d.wind_speed = NULL;
    d.wind_direction = NULL;
    cltomo_system *system = fixture_describe(context, &d);
    cltomo_build_options options = cltomo_build_options_init();
    options.products = CLTOMO_PRODUCT_R;
    cltomo_reconstructor *fast = NULL;
    cltomo_reconstructor *direct = NULL;
    cr_assert_eq(cltomo_reconstructor_build(context, &fast, system, &options, NULL), CLTOMO_OK);
    cltomo_dimensions size;
    cltomo_system_dimensions(system, &size);
    double matrices = 8.0 * (double)size.n_slopes * (double)(size.n_slopes + size.n_phase);
    double peak = (double)atomic_load(&m.peak);
    cr_expect_lt(peak, 1.4 * matrices + 100e6, "%.0f MB", 1e-6 * peak);

    options.evaluation = CLTOMO_EVALUATION_DIRECT;
    cr_assert_eq(cltomo_reconstructor_build(context, &direct, system, &options, NULL), CLTOMO_OK);
    const cltomo_matrix *expected = cltomo_reconstructor_matrix(direct, CLTOMO_PRODUCT_R);
    golden_array reference = {.rows = cltomo_matrix_rows(expected),
        .columns = cltomo_matrix_cols(expected),
        .data = (double *)(uintptr_t)cltomo_matrix_double(expected)};
    cr_expect_lt(golden_difference(
                     fixture_view(cltomo_reconstructor_matrix(fast, CLTOMO_PRODUCT_R)), &reference),
        1e-10);
    cltomo_reconstructor_destroy(fast);
    cltomo_reconstructor_destroy(direct);
    cltomo_system_destroy(system);
    cltomo_system_destroy(kapa);
    cltomo_context_destroy(context);
}
