/* Pairs of builds, here both on the C path. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "bench.h"
#include "support/fixture.h"

Test(compare, difference_is_relative_to_the_reference)
{
    const double a[] = {3.0, 1.0, -2.0, 0.5};
    const double b[] = {3.0, 1.0, -2.0, 1.5};
    const float c[] = {6.0F, 2.0F, -4.0F, 1.0F};
    cltomo_context *context = fixture_context();
    cltomo_matrix *m[3];
    cr_assert_eq(cltomo_matrix_create(context, &m[0], CLTOMO_PRECISION_DOUBLE, 2, 2, a, NULL), 0);
    cr_assert_eq(cltomo_matrix_create(context, &m[1], CLTOMO_PRECISION_DOUBLE, 2, 2, b, NULL), 0);
    cr_assert_eq(cltomo_matrix_create(context, &m[2], CLTOMO_PRECISION_SINGLE, 2, 2, c, NULL), 0);
    cr_expect_eq(bench_relative_difference(m[0], m[0]), 0.0);
    cr_expect_float_eq(bench_relative_difference(m[1], m[0]), 1.0 / sqrt(14.25), 1e-15);
    cr_expect_float_eq(bench_relative_difference(m[2], m[0]), 1.0, 1e-15);
    for (size_t i = 0; i < 3; ++i) {
        cltomo_matrix_destroy(m[i]);
    }
    cltomo_context_destroy(context);
}

static void measure(const char *name, cltomo_precision precision)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, name);
    bench_allocations allocations = {0};
    const bench_settings settings[BENCH_BACKENDS] = {
        {context, &allocations}, {context, &allocations}};
    bench_pair pair;
    cltomo_error error = {0};
    cr_assert(bench_pair_create(&pair, name, system, precision, 2));
    cr_assert_eq(bench_pairs_measure(&pair, 1, 2, settings, &error), CLTOMO_OK);
    cr_expect_eq(pair.wavefront_difference, 0.0);
    cr_expect_eq(pair.command_difference, 0.0);
    for (size_t i = 0; i < BENCH_BACKENDS; ++i) {
        cr_expect_eq(pair.on[i].n_runs, 2);
        cr_expect_gt(pair.first_build[i], 0.0);
        cr_expect_eq(pair.on[i].precision, precision);
        cr_expect_lt(bench_case_stage(&pair.on[i], "factorisation"), pair.on[i].report.n_stages);
        cr_expect_eq(bench_case_stage(&pair.on[i], "tea"), pair.on[i].report.n_stages);
        pair.on[i].total.median = i == BENCH_CPU ? 3.0 : 2.0;
        pair.on[i].stage[0].median = i == BENCH_CPU ? 1.0 : 0.0;
        pair.on[i].stage[1].median = i == BENCH_CPU ? 1.0 : 4.0;
    }
    cr_expect_eq(bench_pair_speed_up(&pair), 1.5);
    cr_expect(isnan(bench_pair_stage_speed_up(&pair, pair.on[0].report.stage_name[0])));
    cr_expect_eq(bench_pair_stage_speed_up(&pair, pair.on[0].report.stage_name[1]), 0.25);
    cr_expect(isnan(bench_pair_stage_speed_up(&pair, "tea")));
    bench_pair_destroy(&pair);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(compare, pairs_are_built_and_compared)
{
    measure("small_asymmetric", CLTOMO_PRECISION_DOUBLE);
    measure("small_single", CLTOMO_PRECISION_SINGLE);
}
