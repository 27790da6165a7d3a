#include <criterion/criterion.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "support/fault.h"
#include "support/fixture.h"

Test(matrix, holds_a_copy_in_double)
{
    cltomo_context *context = fixture_context();
    double data[6] = {1.0, -2.0, 3.0, DBL_MAX, -DBL_MAX, DBL_TRUE_MIN};
    cltomo_matrix *matrix = NULL;
    cr_assert_eq(cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_DOUBLE, 2, 3, data, NULL),
        CLTOMO_OK);
    data[0] = 0.0;
    cr_assert_eq(cltomo_matrix_rows(matrix), 2);
    cr_assert_eq(cltomo_matrix_cols(matrix), 3);
    cr_assert_eq(cltomo_matrix_precision(matrix), CLTOMO_PRECISION_DOUBLE);
    cr_assert_null(cltomo_matrix_single(matrix));
    const double *held = cltomo_matrix_double(matrix);
    cr_assert_eq(held[0], 1.0);
    cr_assert_eq(memcmp(held + 1, data + 1, 5 * sizeof *held), 0);
    cltomo_matrix_destroy(matrix);
    cltomo_context_destroy(context);
}

Test(matrix, holds_a_copy_in_single)
{
    cltomo_context *context = fixture_context();
    float data[6] = {1.0F, -2.0F, 3.0F, FLT_MAX, -FLT_MAX, FLT_TRUE_MIN};
    cltomo_matrix *matrix = NULL;
    cr_assert_eq(cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_SINGLE, 3, 2, data, NULL),
        CLTOMO_OK);
    data[0] = 0.0F;
    cr_assert_eq(cltomo_matrix_rows(matrix), 3);
    cr_assert_eq(cltomo_matrix_cols(matrix), 2);
    cr_assert_eq(cltomo_matrix_precision(matrix), CLTOMO_PRECISION_SINGLE);
    cr_assert_null(cltomo_matrix_double(matrix));
    cr_assert_eq(cltomo_matrix_single(matrix)[0], 1.0F);
    cr_assert_eq(memcmp(cltomo_matrix_single(matrix) + 1, data + 1, 5 * sizeof *data), 0);
    cltomo_matrix_destroy(matrix);
    cltomo_context_destroy(context);
}

Test(matrix, outlives_its_context)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    double data[2] = {4.0, 5.0};
    cltomo_matrix *matrix = NULL;
    cr_assert_eq(cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_DOUBLE, 1, 2, data, NULL),
        CLTOMO_OK);
    cltomo_context_destroy(context);
    cr_assert_eq(atomic_load(&state.live), 3);
    cr_assert_eq(cltomo_matrix_double(matrix)[1], 5.0);
    cltomo_matrix_destroy(matrix);
    cr_assert_eq(atomic_load(&state.live), 0);
    cltomo_matrix_destroy(NULL);
}

static void expect_refused(const cltomo_context *context, cltomo_precision precision, size_t rows,
    size_t cols, const void *data, cltomo_status expected)
{
    cltomo_matrix *matrix = (cltomo_matrix *)(uintptr_t)1;
    cltomo_error error = {0};
    cr_expect_eq(
        cltomo_matrix_create(context, &matrix, precision, rows, cols, data, &error), expected);
    cr_expect_null(matrix);
    cr_expect_eq(error.status, expected);
    cr_expect_str_neq(error.message, "");
    cr_expect_eq(
        cltomo_matrix_create(context, &matrix, precision, rows, cols, data, NULL), expected);
}

Test(matrix, refuses_what_is_not_finite)
{
    enum { n = 77 };
    fault state;
    cltomo_context *context = fault_context(&state);
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    double f64[n] = {0};
    float f32[n] = {0};
    for (size_t place = 0; place < n; place += 19) {
        for (size_t k = 0; k < 3; ++k) {
            f64[place] = bad[k];
            f32[place] = (float)bad[k];
            expect_refused(context, CLTOMO_PRECISION_DOUBLE, 7, 11, f64, CLTOMO_ERROR_NOT_FINITE);
            expect_refused(context, CLTOMO_PRECISION_SINGLE, 11, 7, f32, CLTOMO_ERROR_NOT_FINITE);
            f64[place] = 0.0;
            f32[place] = 0.0F;
        }
    }
    cr_expect_eq(atomic_load(&state.live), 1);
    cltomo_context_destroy(context);
}

Test(matrix, refuses_bad_shapes_and_precisions)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    double data[4] = {0};
    cltomo_precision wide = CLTOMO_PRECISION_DOUBLE;
    expect_refused(context, wide, 0, 4, data, CLTOMO_ERROR_ARGUMENT);
    expect_refused(context, wide, 4, 0, data, CLTOMO_ERROR_ARGUMENT);
    expect_refused(context, (cltomo_precision)2, 2, 2, data, CLTOMO_ERROR_ARGUMENT);
    expect_refused(context, wide, 2, 2, NULL, CLTOMO_ERROR_ARGUMENT);
    expect_refused(context, wide, SIZE_MAX, 2, data, CLTOMO_ERROR_MEMORY);
    expect_refused(context, wide, 2, SIZE_MAX / 2, data, CLTOMO_ERROR_MEMORY);
    /* the number of elements wraps around to 4 */
    expect_refused(context, wide, SIZE_MAX / 4 + 1, 4, data, CLTOMO_ERROR_MEMORY);
    expect_refused(
        context, wide, (SIZE_MAX >> 32) + 1, (SIZE_MAX >> 32) + 1, data, CLTOMO_ERROR_MEMORY);
    /* and so does the number of bytes */
    expect_refused(context, wide, SIZE_MAX / 8 + 1, 1, data, CLTOMO_ERROR_MEMORY);
    cr_expect_eq(atomic_load(&state.live), 1);
    cltomo_context_destroy(context);
}

Test(matrix, fails_cleanly_without_memory)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    const double data[4] = {1, 2, 3, 4};
    for (long n = 0; n < 2; ++n) {
        atomic_store(&state.left, n);
        cltomo_matrix *matrix = (cltomo_matrix *)(uintptr_t)1;
        cr_assert_eq(
            cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_DOUBLE, 2, 2, data, NULL),
            CLTOMO_ERROR_MEMORY);
        cr_assert_null(matrix);
        cr_assert_eq(atomic_load(&state.live), 1);
    }
    cltomo_context_destroy(context);
}

Test(matrix, precisions_have_their_size)
{
    cr_assert_eq(cltomo_precision_size(CLTOMO_PRECISION_DOUBLE), 8);
    cr_assert_eq(cltomo_precision_size(CLTOMO_PRECISION_SINGLE), 4);
}

Test(matrix, converts_between_precisions)
{
    static const double f64[3] = {1.5, -0.1, 1e-50};
    static const float f32[3] = {1.5F, -0.1F, FLT_TRUE_MIN};
    fault state;
    cltomo_context *context = fault_context(&state);
    for (size_t from = 0; from < 2; ++from) {
        cltomo_matrix *matrix = NULL;
        cltomo_matrix *converted[2] = {NULL, NULL};
        const void *data = from == 0 ? (const void *)f64 : (const void *)f32;
        cr_assert_eq(
            cltomo_matrix_create(context, &matrix, (cltomo_precision)from, 3, 1, data, NULL),
            CLTOMO_OK);
        for (size_t to = 0; to < 2; ++to) {
            cr_assert_eq(
                cltomo_matrix_convert(context, &converted[to], matrix, (cltomo_precision)to, NULL),
                CLTOMO_OK);
            cr_expect_eq(cltomo_matrix_rows(converted[to]), 3);
            cr_expect_eq(cltomo_matrix_cols(converted[to]), 1);
        }
        for (size_t k = 0; k < 3; ++k) {
            cr_expect_eq(
                cltomo_matrix_double(converted[0])[k], from == 0 ? f64[k] : (double)f32[k]);
            cr_expect_eq(cltomo_matrix_single(converted[1])[k], from == 0 ? (float)f64[k] : f32[k]);
        }
        cltomo_matrix_destroy(converted[0]);
        cltomo_matrix_destroy(converted[1]);
        long live = atomic_load(&state.live);
        for (long n = 0; n < 2; ++n) {
            atomic_store(&state.left, n);
            cr_expect_eq(cltomo_matrix_convert(
                             context, &converted[0], matrix, CLTOMO_PRECISION_SINGLE, NULL),
                CLTOMO_ERROR_MEMORY);
            cr_expect_null(converted[0]);
            cr_expect_eq(atomic_load(&state.live), live);
        }
        atomic_store(&state.left, LONG_MAX);
        cltomo_matrix_destroy(matrix);
    }
    cltomo_context_destroy(context);
    cr_expect_eq(atomic_load(&state.live), 0);
}
