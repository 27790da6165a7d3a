#include "support/interaction.h"

#include <criterion/criterion.h>
#include <string.h>

#include "support/fixture.h"

cltomo_matrix *interaction_matrix(
    const cltomo_context *context, const char *system, const char *name)
{
    golden_array golden = fixture_golden(system, name);
    cltomo_matrix *matrix = NULL;
    cr_assert_eq(cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_DOUBLE, golden.rows,
                     golden.columns, golden.data, NULL),
        CLTOMO_OK);
    golden_destroy(&golden);
    return matrix;
}

cltomo_interaction_options interaction_options(void)
{
    cltomo_interaction_options options = cltomo_interaction_options_init();
    options.alpha = 10.0;
    return options;
}

static void expect_reference(const cltomo_context *context, const char *name,
    const cltomo_matrix *matrix, const cltomo_interaction_options *options, const char *reference)
{
    cltomo_system *system = fixture_system(context, name);
    cltomo_reconstructor *r = NULL;
    cltomo_error error = {0};
    cr_assert_eq(
        cltomo_reconstructor_build_interaction(context, &r, system, matrix, options, &error),
        CLTOMO_OK, "%s: %s", name, error.message);
    const cltomo_matrix *found = cltomo_reconstructor_matrix(r, CLTOMO_PRODUCT_R_IM);
    cr_assert_not_null(found);
    cr_assert_eq(cltomo_matrix_precision(found), options->precision);
    golden_array expected = fixture_golden(name, reference);
    double difference = golden_difference(fixture_view(found), &expected);
    double estimate = cltomo_reconstructor_report(r)->estimated_error;
    double limit = options->precision == CLTOMO_PRECISION_DOUBLE ? 1e-12 : estimate;
    cr_expect_lt(difference, limit, "%s of %s: %g, not %g", reference, name, difference, limit);
    golden_destroy(&expected);
    cltomo_reconstructor_destroy(r);
    cltomo_system_destroy(system);
}

void interaction_expect_golden(const cltomo_context *context, cltomo_precision precision)
{
    static const char *const names[] = {
        "small_asymmetric", "small_directions", "small_single", "interaction_details"};
    cltomo_interaction_options options = interaction_options();
    options.precision = precision;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        cltomo_matrix *matrix = interaction_matrix(context, names[i], "im");
        options.grid = CLTOMO_ACTUATORS_PITCH;
        expect_reference(context, names[i], matrix, &options, "r_im");
        options.grid = CLTOMO_ACTUATORS_PYTOMOAO;
        expect_reference(context, names[i], matrix, &options, "r_im_spread");
        cltomo_matrix_destroy(matrix);
    }
    /* 32 slopes of one sensor, 20 of the other's */
    static const size_t slopes[] = {32, 20};
    options.grid = CLTOMO_ACTUATORS_PITCH;
    for (size_t i = 0; i < 2; ++i) {
        cltomo_matrix *matrix = interaction_matrix(context, names[i], "im");
        cltomo_matrix *first = NULL;
        cr_assert_eq(cltomo_matrix_create(context, &first, CLTOMO_PRECISION_DOUBLE, slopes[i],
                         cltomo_matrix_cols(matrix), cltomo_matrix_double(matrix), NULL),
            CLTOMO_OK);
        expect_reference(context, names[i], first, &options, "r_im_shared");
        cltomo_matrix_destroy(first);
        cltomo_matrix_destroy(matrix);
    }
}
