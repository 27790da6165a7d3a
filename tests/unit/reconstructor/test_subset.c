/* Builds for a subset of the sensors against builds for a configuration of just those. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/fixture.h"
#include "support/model.h"
#include "support/sensors.h"

static cltomo_system *parse(const cltomo_context *context, const uint32_t *sensors, size_t n)
{
    char *text = sensors_text(sensors, n);
    cltomo_system *system = NULL;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_system_parse(context, &system, NULL, text, strlen(text), NULL, &error),
        CLTOMO_OK, "%s", error.message);
    free(text);
    return system;
}

static cltomo_reconstructor *build(const cltomo_context *context, const cltomo_system *system)
{
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_reconstructor *reconstructor = NULL;
    cltomo_error error = {0};
    options.products = CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_FR;
    options.slope_order = CLTOMO_SLOPES_YX;
    options.alpha = 0.7;
    cr_assert_eq(cltomo_reconstructor_build(context, &reconstructor, system, &options, &error),
        CLTOMO_OK, "%s", error.message);
    return reconstructor;
}

static void expect_equal(
    const cltomo_reconstructor *found, const cltomo_reconstructor *expected, cltomo_product product)
{
    double difference = model_difference(cltomo_reconstructor_matrix(found, product),
        cltomo_reconstructor_matrix(expected, product));
    cr_expect_lt(difference, 1e-12, "%s: %g", cltomo_product_name(product), difference);
}

static void expect_builds_equal(const uint32_t *sensors, size_t n)
{
    static const uint32_t all[] = {0, 1, 2, 3};
    cltomo_context *context = fixture_context();
    cltomo_system *whole = parse(context, all, sensors_max);
    cltomo_system *alone = parse(context, sensors, n);
    cltomo_system *subset = NULL;
    cr_assert_eq(cltomo_system_subset(context, &subset, whole, sensors, n, NULL), CLTOMO_OK);
    cltomo_reconstructor *expected = build(context, alone);
    cltomo_reconstructor *found = build(context, subset);
    expect_equal(found, expected, CLTOMO_PRODUCT_R);
    expect_equal(found, expected, CLTOMO_PRODUCT_FR);
    cltomo_reconstructor_destroy(found);
    cltomo_reconstructor_destroy(expected);
    cltomo_system_destroy(subset);
    cltomo_system_destroy(alone);
    cltomo_system_destroy(whole);
    cltomo_context_destroy(context);
}

Test(subset, of_sensors_that_differ)
{
    static const uint32_t sensors[] = {0, 1, 3};
    expect_builds_equal(sensors, 3);
}

/* The union of their lenslets, and with it the grid's valid points, is smaller. */
Test(subset, without_the_lenslets_of_others)
{
    static const uint32_t sensors[] = {1, 3};
    expect_builds_equal(sensors, 2);
}

Test(subset, of_sensors_with_the_same_lenslets)
{
    static const uint32_t sensors[] = {0, 2};
    expect_builds_equal(sensors, 2);
}

Test(subset, of_one_sensor)
{
    static const uint32_t sensor = 3;
    expect_builds_equal(&sensor, 1);
}
