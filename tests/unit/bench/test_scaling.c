#include "bench.h"

#include <criterion/criterion.h>

#include <math.h>

/* Three sizes with a stage that grows like n^3, one like n^2 that is too short at first, and one
 * that always is. */
static void fill(bench_scaling *scaling)
{
    static const size_t n[] = {600, 1200, 2400};
    scaling->n_cases = 2;
    scaling->n_sizes = 3;
    for (size_t size = 0; size < 3; ++size) {
        bench_case *c = &scaling->cases[size][1];
        double x = (double)n[size] / 600.0;
        c->dimensions.n_slopes = n[size];
        c->stage[0].median = 0.010 * x * x * x;
        c->stage[1].median = size == 0 ? 0.0009 : 0.001 * x * x;
        c->stage[2].median = 0.00001 * x;
        c->total.median = 0.02 * pow(x, 2.5);
        c->memory.library_peak = 1000000 * n[size] * n[size];
    }
}

Test(scaling, exponents)
{
    static bench_scaling scaling;
    fill(&scaling);
    cr_expect_float_eq(bench_scaling_stage_exponent(&scaling, 1, 0), 3.0, 1e-12);
    cr_expect_float_eq(bench_scaling_stage_exponent(&scaling, 1, 1), 2.0, 1e-12);
    cr_expect(isnan(bench_scaling_stage_exponent(&scaling, 1, 2)));
    cr_expect_float_eq(bench_scaling_total_exponent(&scaling, 1), 2.5, 1e-12);
    cr_expect_float_eq(bench_scaling_memory_exponent(&scaling, 1), 2.0, 1e-12);
}

/* What an interrupt does. */
static int cancel(void *user, const char *stage, double fraction)
{
    (void)user;
    (void)stage;
    (void)fraction;
    return 1;
}

Test(scaling, is_cancelled_as_builds_are)
{
    static const bench_plan plan = {
        .precision = {CLTOMO_PRECISION_SINGLE},
        .n_precisions = 1,
        .product = {CLTOMO_PRODUCT_R, CLTOMO_PRODUCT_FR},
        .n_products = 2,
        .n_runs = 2,
    };
    static bench_scaling scaling;
    bench_allocations allocations = {0};
    cltomo_allocator allocator = bench_counting_allocator(&allocations);
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    cltomo_error error;
    options.allocator = &allocator;
    options.progress = cancel;
    cr_assert_eq(cltomo_context_create(&context, &options, &error), CLTOMO_OK);
    bench_settings settings = {context, &allocations};
    cr_expect_eq(
        bench_scaling_run(&scaling, &plan, 60.0, &settings, &error), CLTOMO_ERROR_CANCELLED);
    cr_expect_eq(scaling.n_sizes, 0);
    cr_expect_eq(scaling.n_cases, 2);
    cr_expect_eq(scaling.stop, BENCH_STOP_ERROR);
    cr_expect_eq(scaling.cases[0][0].product, CLTOMO_PRODUCT_R);
    cr_expect_eq(scaling.cases[0][1].product, CLTOMO_PRODUCT_FR);
    cr_expect_eq(scaling.cases[0][1].precision, CLTOMO_PRECISION_SINGLE);
    cr_expect_eq(scaling.cases[0][0].n_lenslets, 10);
    bench_scaling_destroy(&scaling);
    cltomo_context_destroy(context);
    cr_expect_eq(atomic_load(&allocations.live), 0);
}
