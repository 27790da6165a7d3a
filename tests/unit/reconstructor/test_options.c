#include <criterion/criterion.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "reconstructor/reconstructor_internal.h"

static const cltomo_dimensions with_mirror = {.n_actuators = 20};
static const cltomo_dimensions without_mirror = {.n_actuators = 0};

Test(options, products_have_names)
{
    unsigned count = 0;
#define CHECK(product, bit, text, meaning)                                                         \
    cr_expect_eq(cltomo_product_from_name(text), (uint32_t)(product));                             \
    cr_expect_str_eq(cltomo_product_name(product), text);                                          \
    cr_expect_eq(cltomo_product_bit(product), bit);                                                \
    ++count;
    CLTOMO_PRODUCT_LIST(CHECK)
#undef CHECK
    cr_assert_eq(count, CLTOMO_PRODUCT_COUNT);
    cr_assert_eq(cltomo_product_from_name("r"), 0);
    cr_assert_eq(cltomo_product_from_name(""), 0);
    cr_assert_null(cltomo_product_name(3));
    cr_assert_null(cltomo_product_name(0));
}

Test(options, defaults_are_valid)
{
    cltomo_build_options own;
    cr_assert_eq(cltomo_build_options_read(&own, NULL, &with_mirror, NULL), CLTOMO_OK);
    cr_assert_eq(own.alpha, 10.0);
    cr_assert_eq(own.products, CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_FR);
}

/* An older caller's shorter struct leaves the rest at its defaults. */
Test(options, a_shorter_struct_keeps_the_defaults_of_the_rest)
{
    cltomo_build_options old = cltomo_build_options_init();
    cltomo_build_options own;
    old.alpha = 3.0;
    old.stretch = 7.0;
    old.size = (uint32_t)offsetof(cltomo_build_options, slope_order);
    cr_assert_eq(cltomo_build_options_read(&own, &old, &with_mirror, NULL), CLTOMO_OK);
    cr_assert_eq(own.alpha, 3.0);
    cr_assert_eq(own.stretch, 1.03);
}

static void expect_refusal(
    const cltomo_build_options *options, const cltomo_dimensions *d, const char *key)
{
    cltomo_build_options own;
    cltomo_error error = {0};
    cr_expect_neq(cltomo_build_options_read(&own, options, d, &error), CLTOMO_OK, "%s", key);
    cr_expect_str_eq(error.key, key);
    cr_expect_neq(error.message[0], '\0');
}

Test(options, values_out_of_range_are_named)
{
    const double bad_alpha[] = {-1.0, NAN, INFINITY, 1e16};
    const double bad_scaling[] = {0.0, NAN, INFINITY, 1e31};
    const double bad_stretch[] = {0.0, -1.0, NAN, 1e3};
    for (size_t i = 0; i < 4; ++i) {
        cltomo_build_options o = cltomo_build_options_init();
        o.alpha = bad_alpha[i];
        expect_refusal(&o, &with_mirror, "alpha");
        o = cltomo_build_options_init();
        o.scaling = bad_scaling[i];
        expect_refusal(&o, &with_mirror, "scaling");
        o = cltomo_build_options_init();
        o.stretch = bad_stretch[i];
        expect_refusal(&o, &with_mirror, "stretch");
    }
    cltomo_build_options o = cltomo_build_options_init();
    o.products = 0;
    expect_refusal(&o, &with_mirror, "products");
    o.products = 1U << 30U;
    expect_refusal(&o, &with_mirror, "products");
    o = cltomo_build_options_init();
    o.precision = (cltomo_precision)7;
    expect_refusal(&o, &with_mirror, "precision");
    o = cltomo_build_options_init();
    o.slope_order = (cltomo_slope_order)3;
    expect_refusal(&o, &with_mirror, "slope_order");
    o = cltomo_build_options_init();
    o.lenslet_order = (cltomo_lenslet_order)2;
    expect_refusal(&o, &with_mirror, "lenslet_order");
    o = cltomo_build_options_init();
    o.mirror_rotation = 4;
    expect_refusal(&o, &with_mirror, "mirror_rotation");
    o = cltomo_build_options_init();
    o.size = 0;
    expect_refusal(&o, &with_mirror, "size");
    o.size = (uint32_t)sizeof o + 8;
    expect_refusal(&o, &with_mirror, "size");
}

Test(options, commands_need_a_mirror)
{
    const uint32_t masked[] = {19, 20};
    cltomo_build_options own;
    cltomo_build_options o = cltomo_build_options_init();
    expect_refusal(&o, &without_mirror, "dm_parameters");
    o.products = CLTOMO_PRODUCT_R;
    cr_assert_eq(cltomo_build_options_read(&own, &o, &without_mirror, NULL), CLTOMO_OK);
    o = cltomo_build_options_init();
    o.masked_actuators = masked;
    o.n_masked_actuators = 1;
    cr_assert_eq(cltomo_build_options_read(&own, &o, &with_mirror, NULL), CLTOMO_OK);
    o.n_masked_actuators = 2;
    expect_refusal(&o, &with_mirror, "masked_actuators");
}
