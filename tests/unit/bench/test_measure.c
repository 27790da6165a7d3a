#include "bench.h"

#include <criterion/criterion.h>

#include <math.h>

typedef struct fixture {
    bench_allocations allocations;
    cltomo_context *context;
    cltomo_system *system;
    bench_settings settings;
} fixture;

static void create(fixture *f)
{
    cltomo_error error;
    cltomo_allocator allocator = bench_counting_allocator(&f->allocations);
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    options.allocator = &allocator;
    cr_assert_eq(cltomo_context_create(&f->context, &options, &error), CLTOMO_OK);
    cr_assert_eq(bench_family_create(f->context, &f->system, 6, &error), CLTOMO_OK);
    f->settings = (bench_settings){f->context, &f->allocations};
}

static void destroy(fixture *f)
{
    cltomo_system_destroy(f->system);
    cltomo_context_destroy(f->context);
    cr_expect_eq(atomic_load(&f->allocations.live), 0);
}

Test(measure, each_case_is_run_as_often_as_asked)
{
    enum { n_runs = 3 };
    fixture f = {0};
    bench_case cases[2];
    cltomo_error error;
    create(&f);
    cr_assert(bench_case_create(
        &cases[0], "six", f.system, CLTOMO_PRECISION_DOUBLE, CLTOMO_PRODUCT_R, n_runs));
    cr_assert(bench_case_create(
        &cases[1], "six", f.system, CLTOMO_PRECISION_SINGLE, CLTOMO_PRODUCT_FR, n_runs));
    cr_assert_eq(
        bench_measure(cases, 2, n_runs, &f.settings, &error), CLTOMO_OK, "%s", error.message);
    for (size_t i = 0; i < 2; ++i) {
        const bench_case *c = &cases[i];
        double stages = 0.0;
        cr_expect_eq(c->n_runs, n_runs);
        for (size_t stage = 0; stage < c->report.n_stages; ++stage) {
            stages += c->stage[stage].minimum;
        }
        cr_expect_gt(stages, 0.0);
        cr_expect_leq(stages, c->total.median);
        cr_expect_gt(c->total.minimum, 0.0);
        cr_expect_leq(c->bare_factorisation.minimum + c->bare_solve.minimum,
            c->bare_total.minimum * (1.0 + 1e-12));
        cr_expect_float_eq(bench_case_ratio(c) * c->bare_total.median, c->total.median, 1e-12);
        cr_expect_gt(bench_case_covariance_ratio(c), 0.0);
        cr_expect_gt(bench_case_bare_rate(c), 0.0);
        cr_expect_geq((double)c->memory.library_peak, bench_case_matrix_bytes(c));
    }
    double n = (double)cases[0].dimensions.n_slopes;
    double n_phase = (double)cases[0].dimensions.n_phase;
    cr_expect_eq(bench_case_matrix_bytes(&cases[0]), 8.0 * n * (n + n_phase));
    cr_expect_eq(bench_case_matrix_bytes(&cases[1]), 4.0 * n * (n + n_phase));
    cr_expect_eq(bench_case_rhs(&cases[0]), cases[0].dimensions.n_phase);
    cr_expect_eq(bench_case_rhs(&cases[1]), cases[1].dimensions.n_actuators);
    bench_case_destroy(&cases[0]);
    bench_case_destroy(&cases[1]);
    destroy(&f);
}

Test(measure, rates_are_operations_per_time)
{
    fixture f = {0};
    bench_case c;
    create(&f);
    cr_assert(bench_case_create(&c, "six", f.system, CLTOMO_PRECISION_DOUBLE, CLTOMO_PRODUCT_R, 1));
    c.dimensions = (cltomo_dimensions){.n_slopes = 3000, .n_phase = 2000};
    c.report = (cltomo_build_report){.n_stages = 4,
        .stage_name = {"slope covariance", "factorisation", "solve", "ordering and checks"}};
    c.stage[0].median = 0.3;
    c.stage[1].median = 0.5;
    c.stage[2].median = 2.0;
    c.stage[3].median = 9.0;
    c.total.median = 6.0;
    c.bare_total.median = 1.5;
    cr_expect(isnan(bench_case_stage_rate(&c, 0)));
    cr_expect_float_eq(bench_case_stage_rate(&c, 1), 18.0, 1e-12);
    cr_expect_float_eq(bench_case_stage_rate(&c, 2), 18.0, 1e-12);
    cr_expect_float_eq(bench_case_bare_rate(&c), 30.0, 1e-12);
    cr_expect_float_eq(bench_case_ratio(&c), 4.0, 1e-12);
    cr_expect_float_eq(bench_case_covariance_ratio(&c), 0.12, 1e-12);
    bench_case_destroy(&c);
    destroy(&f);
}

Test(measure, a_failing_build_is_reported)
{
    static const uint8_t lenslet = 1;
    static const double zero = 0.0;
    static const double one = 1.0;
    fixture f = {0};
    bench_case c;
    cltomo_error error;
    cltomo_system *blind = NULL;
    create(&f);
    cltomo_system_description d = *cltomo_system_get_description(f.system);
    d.n_lenslets = 1;
    d.valid_lenslets = &lenslet;
    d.n_wfs = 1;
    d.guide_star_x = &zero;
    d.guide_star_y = &zero;
    d.n_layers = 1;
    d.layer_altitude = &zero;
    d.layer_fraction = &one;
    d.wfs_rotation = d.wfs_offset_x = d.wfs_offset_y = d.wind_speed = d.wind_direction = NULL;
    d.n_actuators = 0;
    d.valid_actuators = NULL;
    cr_assert_eq(
        cltomo_system_create(f.context, &blind, NULL, &d, &error), CLTOMO_OK, "%s", error.message);
    cr_assert(bench_case_create(&c, "blind", blind, CLTOMO_PRECISION_DOUBLE, CLTOMO_PRODUCT_FR, 1));
    cr_expect_neq(bench_measure(&c, 1, 1, &f.settings, &error), CLTOMO_OK);
    cr_expect(error.message[0] != '\0');
    bench_case_destroy(&c);
    cltomo_system_destroy(blind);
    destroy(&f);
}
