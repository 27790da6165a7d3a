#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "backend/cpu/cpu.h"
#include "support/fault.h"
#include "support/fixture.h"

static const cltomo_precision both[] = {CLTOMO_PRECISION_DOUBLE, CLTOMO_PRECISION_SINGLE};

static cltomo_matrix *make(const cltomo_context *context, cltomo_precision precision, size_t rows,
    size_t cols, const double *values)
{
    cltomo_matrix *matrix = NULL;
    cr_assert_eq(cltomo_matrix_allocate(context, &matrix, precision, rows, cols, NULL), CLTOMO_OK);
    for (size_t row = 0; row < rows; ++row) {
        cltomo_cpu_store(matrix, row, 0, &values[row * cols], cols);
    }
    return matrix;
}

static double at(const cltomo_matrix *m, size_t k)
{
    return m->precision == CLTOMO_PRECISION_DOUBLE ? m->data.f64[k] : (double)m->data.f32[k];
}

static void expect_values(const cltomo_matrix *m, const double *values)
{
    for (size_t k = 0; k < m->rows * m->cols; ++k) {
        cr_expect_eq(at(m, k), values[k], "%zu: %g", k, at(m, k));
    }
}

/* The lower triangle is not yet set. */
static const double upper[9] = {4.0, -2.0, 8.0, NAN, 10.0, -2.5, NAN, NAN, 1.0};

Test(elementwise, diagonal)
{
    static const double added[9] = {4.5, -2.0, 8.0, -7.0, 10.5, -2.5, 9.0, 0.0, 1.5};
    double values[9] = {4.0, -2.0, 8.0, -7.0, 10.0, -2.5, 9.0, 0.0, 1.0};
    cltomo_context *context = fixture_context();
    for (size_t p = 0; p < 2; ++p) {
        cltomo_matrix *m = make(context, both[p], 3, 3, values);
        double mean = 0.0;
        cr_assert_eq(cltomo_cpu_mean_diagonal(context, &mean, (cltomo_array *)m, NULL), CLTOMO_OK);
        cr_expect_eq(mean, 5.0);
        cr_assert_eq(cltomo_cpu_add_to_diagonal(context, (cltomo_array *)m, 0.5, NULL), CLTOMO_OK);
        expect_values(m, added);
        cltomo_matrix_destroy(m);
    }
    cltomo_context_destroy(context);
}

Test(elementwise, complete_mirrors_the_upper_triangle)
{
    static const double full[9] = {4.0, -2.0, 8.0, -2.0, 10.0, -2.5, 8.0, -2.5, 1.0};
    cltomo_context *context = fixture_context();
    for (size_t p = 0; p < 2; ++p) {
        cltomo_matrix *m = make(context, both[p], 3, 3, upper);
        cr_assert_eq(cltomo_cpu_complete_symmetric(context, (cltomo_array *)m, NULL), CLTOMO_OK);
        expect_values(m, full);
        cltomo_matrix_destroy(m);
    }
    cltomo_context_destroy(context);
}

Test(elementwise, scale)
{
    static const double values[6] = {1.0, -2.0, 3.0, 0.0, 5.0, -6.0};
    static const double scaled[6] = {-0.25, 0.5, -0.75, 0.0, -1.25, 1.5};
    cltomo_context *context = fixture_context();
    for (size_t p = 0; p < 2; ++p) {
        cltomo_matrix *m = make(context, both[p], 2, 3, values);
        cr_assert_eq(cltomo_cpu_scale(context, (cltomo_array *)m, -0.25, NULL), CLTOMO_OK);
        expect_values(m, scaled);
        cltomo_matrix_destroy(m);
    }
    cltomo_context_destroy(context);
}

Test(elementwise, largest_row_sum_of_a_small_matrix)
{
    cltomo_context *context = fixture_context();
    for (size_t p = 0; p < 2; ++p) {
        cltomo_matrix *m = make(context, both[p], 3, 3, upper);
        double sum = 0.0;
        cr_assert_eq(cltomo_cpu_largest_row_sum(context, &sum, (cltomo_array *)m, NULL), CLTOMO_OK);
        cr_expect_eq(sum, 14.5); /* of row 1, with -2 from above and -2.5 */
        cltomo_matrix_destroy(m);
    }
    cltomo_context_destroy(context);
}

/* Whole numbers, so that the order of the sums does not matter. */
Test(elementwise, largest_row_sum_with_any_number_of_threads)
{
    enum { n = 301 };
    static const uint32_t threads[] = {1, 2, 5, 64};
    double *values = calloc(n * n, sizeof *values);
    double expected = 0.0;
    for (size_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (size_t j = 0; j < n; ++j) {
            size_t low = i < j ? i : j;
            size_t high = i < j ? j : i;
            double value = (double)((low * 37 + high * 101) % 211) - 105.0;
            sum += fabs(value);
            values[i * n + j] = j >= i ? value : 1e6;
        }
        expected = fmax(expected, sum);
    }
    for (size_t t = 0; t < 4; ++t) {
        cltomo_context *context = fixture_threads(threads[t]);
        for (size_t p = 0; p < 2; ++p) {
            cltomo_matrix *m = make(context, both[p], n, n, values);
            double sum = 0.0;
            cr_assert_eq(
                cltomo_cpu_largest_row_sum(context, &sum, (cltomo_array *)m, NULL), CLTOMO_OK);
            cr_expect_eq(sum, expected);
            cltomo_matrix_destroy(m);
        }
        cltomo_context_destroy(context);
    }
    free(values);
}

Test(elementwise, largest_row_sum_fails_cleanly)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_matrix *m = make(context, CLTOMO_PRECISION_DOUBLE, 3, 3, upper);
    double sum = 0.0;
    atomic_store(&state.left, 0);
    cr_expect_eq(
        cltomo_cpu_largest_row_sum(context, &sum, (cltomo_array *)m, NULL), CLTOMO_ERROR_MEMORY);
    cltomo_matrix_destroy(m);
    cltomo_context_destroy(context);
    cr_expect_eq(atomic_load(&state.live), 0);
}
