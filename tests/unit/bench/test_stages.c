#include "bench.h"

#include <criterion/criterion.h>

static const cltomo_dimensions dimensions = {.n_slopes = 30, .n_phase = 20, .n_actuators = 10};

Test(stages, operations)
{
    cr_expect_float_eq(bench_stage_operations("factorisation", &dimensions), 9000.0, 1e-9);
    cr_expect_float_eq(bench_stage_operations("solve", &dimensions), 36000.0, 1e-9);
    cr_expect_float_eq(bench_stage_operations("solve for commands", &dimensions), 30000.0, 1e-9);
    cr_expect_eq(bench_stage_operations("geometry", &dimensions), 0.0);
    cr_expect_eq(bench_stage_operations("no such stage", &dimensions), 0.0);
}

Test(stages, kinds)
{
    cr_expect_eq(bench_stage_kind_of("slope covariance"), BENCH_STAGE_COVARIANCE);
    cr_expect_eq(bench_stage_kind_of("phase-slope covariance"), BENCH_STAGE_COVARIANCE);
    cr_expect_eq(bench_stage_kind_of("factorisation"), BENCH_STAGE_SOLVE);
    cr_expect_eq(bench_stage_kind_of("solve"), BENCH_STAGE_SOLVE);
    cr_expect_eq(bench_stage_kind_of("solve for commands"), BENCH_STAGE_SOLVE);
    cr_expect_eq(bench_stage_kind_of("ordering and checks"), BENCH_STAGE_OTHER);
    cr_expect_eq(bench_stage_kind_of("no such stage"), BENCH_STAGE_OTHER);
}

/* A stage that the library names otherwise would silently lose its rate and its kind. */
Test(stages, those_of_a_build_are_known)
{
    cltomo_context *context = NULL;
    cltomo_system *system = NULL;
    cltomo_error error;
    cr_assert_eq(cltomo_context_create(&context, NULL, &error), CLTOMO_OK);
    cr_assert_eq(bench_family_create(context, &system, 4, &error), CLTOMO_OK, "%s", error.message);
    static const uint32_t products[] = {CLTOMO_PRODUCT_R, CLTOMO_PRODUCT_FR};
    for (size_t i = 0; i < 2; ++i) {
        cltomo_build_options options = cltomo_build_options_init();
        cltomo_reconstructor *reconstructor = NULL;
        options.products = products[i];
        cr_assert_eq(cltomo_reconstructor_build(context, &reconstructor, system, &options, &error),
            CLTOMO_OK, "%s", error.message);
        const cltomo_build_report *report = cltomo_reconstructor_report(reconstructor);
        for (size_t stage = 0; stage < report->n_stages; ++stage) {
            cr_expect_gt(bench_stage_exponent(report->stage_name[stage]), 0.0, "%s",
                report->stage_name[stage]);
        }
        cltomo_reconstructor_destroy(reconstructor);
    }
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}
