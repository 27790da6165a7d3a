#include "bench.h"

#include <criterion/criterion.h>

#include <string.h>

/* Of 20 lenslets across it is the example kapa. */
Test(family, is_kapa_at_its_size)
{
    cltomo_context *context = NULL;
    cltomo_system *member = NULL;
    cltomo_system *kapa = NULL;
    cltomo_error error;
    const char *text = cltomo_example_text("kapa");
    cr_assert_eq(cltomo_context_create(&context, NULL, &error), CLTOMO_OK);
    cr_assert_eq(cltomo_system_parse(context, &kapa, NULL, text, strlen(text), NULL, &error),
        CLTOMO_OK, "%s", error.message);
    cr_assert_eq(bench_family_create(context, &member, 20, &error), CLTOMO_OK, "%s", error.message);
    cltomo_dimensions a;
    cltomo_dimensions b;
    cltomo_system_dimensions(member, &a);
    cltomo_system_dimensions(kapa, &b);
    cr_expect_eq(a.n_slopes, b.n_slopes);
    cr_expect_eq(a.n_phase, b.n_phase);
    cr_expect_eq(a.n_actuators, b.n_actuators);
    cr_expect_float_eq(a.grid_span, b.grid_span, 1e-12);
    cr_expect_float_eq(a.r0, b.r0, 1e-12);
    cr_expect_float_eq(a.guide_star_height, b.guide_star_height, 1e-6);
    cltomo_system_destroy(member);
    cltomo_system_destroy(kapa);
    cltomo_context_destroy(context);
}

Test(family, grows_with_the_number_of_lenslets)
{
    cltomo_context *context = NULL;
    cltomo_error error;
    cr_assert_eq(cltomo_context_create(&context, NULL, &error), CLTOMO_OK);
    double before = 0.0;
    for (size_t i = 0; i < BENCH_FAMILY_SIZE; ++i) {
        cltomo_system *system = NULL;
        cltomo_dimensions d;
        cr_assert_eq(bench_family_create(context, &system, bench_family[i].n_lenslets, &error),
            CLTOMO_OK, "%s", error.message);
        cltomo_system_dimensions(system, &d);
        double per_area =
            (double)d.n_slopes / (double)(bench_family[i].n_lenslets * bench_family[i].n_lenslets);
        /* 4 sensors, 2 axes, an annulus of radii 1/2 and 1/10 */
        cr_expect_float_eq(per_area, 8.0 * 3.14159265 * (0.25 - 0.01), 0.35);
        cr_expect_gt((double)d.n_slopes, before);
        before = (double)d.n_slopes;
        cltomo_system_destroy(system);
    }
    cltomo_context_destroy(context);
}
