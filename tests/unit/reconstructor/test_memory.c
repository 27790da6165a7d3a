#include <criterion/criterion.h>
#include <stddef.h>
#include <stdlib.h>

#include "support/fixture.h"
#include "support/meter.h"

/* Builds of at least this size consist of matrices, and lists and the like do not count. */
static const double large = 20e6;

static cltomo_status discard(void *user, const cltomo_reconstructor *building,
    cltomo_product product, size_t first_row, const cltomo_matrix *rows, cltomo_error *error)
{
    (void)user;
    (void)building;
    (void)product;
    (void)first_row;
    (void)rows;
    (void)error;
    return CLTOMO_OK;
}

/* Bytes that a build really takes, without what the system did before. */
static double measure(meter *m, const cltomo_context *context, const cltomo_system *system,
    const cltomo_build_options *options)
{
    cltomo_reconstructor *r = NULL;
    cltomo_error error = {0};
    long long before = atomic_load(&m->used);
    atomic_store(&m->peak, before);
    cltomo_status status = cltomo_reconstructor_build(context, &r, system, options, &error);
    cr_assert_eq(status, CLTOMO_OK, "%s", error.message);
    cltomo_reconstructor_destroy(r);
    cr_expect_eq(atomic_load(&m->used), before);
    return (double)(atomic_load(&m->peak) - before);
}

static void expect_estimate(meter *m, const cltomo_context *context, const cltomo_system *system,
    const cltomo_build_options *options, const char *name)
{
    double peak = measure(m, context, system, options);
    double estimate = (double)cltomo_build_memory(system, options);
    cr_expect_geq(
        estimate, peak, "%s, products %x: %.0f, not %.0f", name, options->products, peak, estimate);
    cr_expect(peak < large || estimate <= 1.3 * peak, "%s, products %x: %.0f, not %.0f", name,
        options->products, peak, estimate);
    cr_expect(options->max_memory == 0 || peak <= (double)options->max_memory);
}

/* Orders, directions one by one or their mean, rows held or streamed within a limit. */
static void expect_estimates(meter *m, const cltomo_context *context, const cltomo_system *system,
    uint32_t products, const char *name)
{
    for (uint32_t k = 0; k < 4; ++k) {
        cltomo_build_options options = cltomo_build_options_init();
        options.products = products;
        options.precision = k % 2 == 0 ? CLTOMO_PRECISION_DOUBLE : CLTOMO_PRECISION_SINGLE;
        options.lenslet_order = k < 2 ? CLTOMO_LENSLETS_ROW : CLTOMO_LENSLETS_COLUMN;
        options.per_direction = k == 1 || k == 2;
        if (k >= 2) {
            options.row_sink = discard;
            options.max_memory = 1;
            options.max_memory = cltomo_build_memory(system, &options) * 11 / 10;
        }
        expect_estimate(m, context, system, &options, name);
    }
}

static const uint32_t every_product =
    CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_FR | CLTOMO_PRODUCT_F | CLTOMO_PRODUCT_IF |
    CLTOMO_PRODUCT_C_SS | CLTOMO_PRODUCT_C_PS | CLTOMO_PRODUCT_C_N | CLTOMO_PRODUCT_R_UNSCALED |
    CLTOMO_PRODUCT_GRID_MASK | CLTOMO_PRODUCT_GAMMA;

/* Every set of products, of a system with rotated sensors. */
Test(memory, of_a_small_build_is_estimated_from_above, .description = "large")
{
    meter m;
    cltomo_context *context = meter_context(&m);
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    for (uint32_t products = 1; products <= every_product; ++products) {
        cltomo_build_options options = cltomo_build_options_init();
        options.products = products;
        options.precision = products % 3 == 0 ? CLTOMO_PRECISION_SINGLE : CLTOMO_PRECISION_DOUBLE;
        options.evaluation = products % 5 == 0 ? CLTOMO_EVALUATION_DIRECT : CLTOMO_EVALUATION_AUTO;
        expect_estimate(&m, context, system, &options, "small_asymmetric");
    }
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

enum { n_across = 16, n_cells = n_across * n_across, n_wfs = 4 };

/* kapa with a smaller pupil, a quarter of whose lenslets one of the sensors may lack, and two by
 * two directions or three listed ones. */
static cltomo_system *vary(
    const cltomo_context *context, bool has_maps, const double *rotation, bool lists_directions)
{
    static uint8_t pupil[n_cells];
    static uint8_t map[n_wfs * n_cells];
    static double flux[n_wfs * n_cells];
    static const double x[] = {4e-5, -7e-5, 2e-5};
    static const double y[] = {-2e-5, 3e-5, 5e-5};
    cltomo_system *kapa = fixture_system(context, "kapa");
    cltomo_system_description d = *cltomo_system_get_description(kapa);
    cr_assert_eq(d.n_wfs, n_wfs);
    for (size_t k = 0; k < sizeof map; ++k) {
        size_t cell = k % n_cells;
        size_t its_row = cell / n_across;
        double row = (double)its_row - 7.5;
        double col = (double)(cell % n_across) - 7.5;
        bool is_left_out = k < n_cells && k % 4 == 0;
        pupil[cell] = row * row + col * col < 70.0;
        map[k] = (uint8_t)(pupil[cell] != 0 && !is_left_out);
        flux[k] = 0.5 + 0.5 / (double)(1 + k % 3);
    }
    d.n_lenslets = n_across;
    d.valid_lenslets = pupil;
    d.valid_lenslets_per_wfs = has_maps ? map : NULL;
    d.lenslet_flux = has_maps ? flux : NULL;
    d.wfs_rotation = rotation;
    d.n_directions_across = 2;
    d.field_of_view = 1e-4;
    d.n_directions = lists_directions ? 3 : 0;
    d.direction_x = lists_directions ? x : NULL;
    d.direction_y = lists_directions ? y : NULL;
    cltomo_system *system = fixture_describe(context, &d);
    cltomo_system_destroy(kapa);
    return system;
}

static void expect_estimates_of(
    uint32_t products, bool has_maps, const double *rotation, bool lists_directions)
{
    meter m;
    cltomo_context *context = meter_context(&m);
    cltomo_system *system = vary(context, has_maps, rotation, lists_directions);
    expect_estimates(&m, context, system, products, has_maps ? "kapa with maps" : "kapa");
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(memory, of_a_large_build_is_estimated_closely, .description = "large")
{
    static const uint32_t products[] = {CLTOMO_PRODUCT_R, CLTOMO_PRODUCT_FR,
        CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_FR, CLTOMO_PRODUCT_C_SS, CLTOMO_PRODUCT_C_PS,
        CLTOMO_PRODUCT_F | CLTOMO_PRODUCT_C_N, every_product};
    for (size_t k = 0; k < sizeof products / sizeof products[0]; ++k) {
        expect_estimates_of(products[k], false, NULL, false);
    }
}

Test(memory, of_lenslet_maps_and_rotations_is_estimated_closely, .description = "large")
{
    static const double rotation[] = {0.0, 0.1, 0.0, -0.2};
    const uint32_t all = every_product & ~(uint32_t)CLTOMO_PRODUCT_GAMMA;
    expect_estimates_of(CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_FR, true, rotation, false);
    expect_estimates_of(CLTOMO_PRODUCT_FR | CLTOMO_PRODUCT_C_SS, true, rotation, true);
    expect_estimates_of(all, true, NULL, true);
}

/* What kapa is allowed: 1.2 times its two large matrices and 60 MB. */
Test(memory, a_build_needs_little_more_than_its_matrices, .description = "large")
{
    static const char *const names[] = {"kapa", "keck", "revolt"};
    meter m;
    cltomo_context *context = meter_context(&m);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        cltomo_system *system = fixture_system(context, names[k]);
        cltomo_build_options options = cltomo_build_options_init();
        cltomo_dimensions d;
        cltomo_system_dimensions(system, &d);
        double matrices = 8.0 * (double)d.n_slopes * (double)(d.n_slopes + d.n_phase);
        expect_estimate(&m, context, system, &options, names[k]);
        double peak = measure(&m, context, system, &options);
        cr_expect_lt(peak, 1.2 * matrices + 60e6, "%s: %.0f MB", names[k], 1e-6 * peak);
        cltomo_system_destroy(system);
    }
    cltomo_context_destroy(context);
    cr_assert_eq(atomic_load(&m.used), 0);
}

/* A caller learns why from the build. */
Test(memory, of_options_that_are_refused_is_none)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_single");
    cltomo_build_options options = cltomo_build_options_init();
    uint64_t usual = cltomo_build_memory(system, NULL);
    cr_expect_gt(usual, 0);
    cr_expect_eq(cltomo_build_memory(system, &options), usual);
    options.products = 0;
    cr_expect_eq(cltomo_build_memory(system, &options), 0);
    options = cltomo_build_options_init();
    options.precision = (cltomo_precision)7;
    cr_expect_eq(cltomo_build_memory(system, &options), 0);
    options = cltomo_build_options_init();
    options.size = 1;
    cr_expect_eq(cltomo_build_memory(system, &options), 0);
    options.size = offsetof(cltomo_build_options, alpha); /* of an older caller */
    options.alpha = -1.0;
    cr_expect_eq(cltomo_build_memory(system, &options), usual);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
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
