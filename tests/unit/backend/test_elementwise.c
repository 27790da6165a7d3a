#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "backend/cpu/cpu.h"
#include "support/fault.h"
#include "support/fixture.h"
#include "support/operations.h"

static const cltomo_precision precisions[] = {CLTOMO_PRECISION_DOUBLE, CLTOMO_PRECISION_SINGLE};
static const uint32_t thread_counts[] = {1, 2, 5};

static cltomo_matrix *matrix_of(
    const cltomo_context *context, cltomo_precision precision, size_t rows, size_t cols)
{
    cltomo_matrix *matrix = NULL;
    cr_assert_eq(cltomo_matrix_allocate(context, &matrix, precision, rows, cols, NULL), CLTOMO_OK);
    return matrix;
}

static void set(cltomo_matrix *a, size_t i, size_t j, double value)
{
    cltomo_cpu_store(a, i, j, &value, 1);
}

static double get(const cltomo_matrix *a, size_t i, size_t j)
{
    size_t place = i * a->cols + j;
    return a->precision == CLTOMO_PRECISION_DOUBLE ? a->data.f64[place]
                                                   : (double)a->data.f32[place];
}

static cltomo_array *array_of(cltomo_matrix *matrix)
{
    return (cltomo_array *)matrix;
}

/* Small integers with signs, exact in both precisions; what stands below the diagonal is garbage,
 * as the backend leaves it. */
static double upper_element(size_t i, size_t j)
{
    return (double)((7 * i + 3 * j) % 11) - 5.0;
}

static cltomo_matrix *upper_triangle(
    const cltomo_context *context, cltomo_precision precision, size_t n)
{
    cltomo_matrix *a = matrix_of(context, precision, n, n);
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
            set(a, i, j, j >= i ? upper_element(i, j) : NAN);
        }
    }
    return a;
}

Test(elementwise, the_diagonal_has_its_mean_and_takes_a_sum)
{
    cltomo_context *context = fixture_threads(2);
    for (size_t p = 0; p < 2; ++p) {
        for (size_t n = 1; n < 40; n += 19) {
            cltomo_matrix *a = upper_triangle(context, precisions[p], n);
            double expected = 0.0;
            double mean = 0.0;
            for (size_t i = 0; i < n; ++i) {
                expected += upper_element(i, i) / (double)n;
            }
            cr_assert_eq(cltomo_cpu_mean_diagonal(context, &mean, array_of(a), NULL), CLTOMO_OK);
            cr_assert_float_eq(mean, expected, 1e-14);
            double added[40];
            for (size_t i = 0; i < n; ++i) {
                added[i] = 2.5 - (double)i;
            }
            cr_assert_eq(cltomo_cpu_add_to_diagonal(context, array_of(a), added, NULL), CLTOMO_OK);
            for (size_t i = 0; i < n; ++i) {
                for (size_t j = i; j < n; ++j) {
                    cr_assert_eq(get(a, i, j), upper_element(i, j) + (i == j ? added[i] : 0.0));
                }
            }
            cltomo_matrix_destroy(a);
        }
    }
    cltomo_context_destroy(context);
}

Test(elementwise, the_mean_of_a_single_precision_diagonal_is_summed_in_double)
{
    enum { n = 600 };
    cltomo_context *context = fixture_threads(1);
    cltomo_matrix *a = matrix_of(context, CLTOMO_PRECISION_SINGLE, n, n);
    double sum = 0.0;
    double mean = 0.0;
    for (size_t i = 0; i < n; ++i) {
        set(a, i, i, 1.0 / (3.0 + (double)i));
        sum += get(a, i, i);
    }
    cr_assert_eq(cltomo_cpu_mean_diagonal(context, &mean, array_of(a), NULL), CLTOMO_OK);
    cr_assert_float_eq(mean, sum / n, 1e-15);
    cltomo_matrix_destroy(a);
    cltomo_context_destroy(context);
}

Test(elementwise, a_block_takes_its_place)
{
    cltomo_context *context = fixture_threads(1);
    for (size_t p = 0; p < 2; ++p) {
        cltomo_matrix *a = matrix_of(context, precisions[p], 5, 7);
        cltomo_matrix *block = matrix_of(context, precisions[p], 2, 3);
        for (size_t i = 0; i < 5; ++i) {
            for (size_t j = 0; j < 7; ++j) {
                set(a, i, j, -1.0);
            }
        }
        for (size_t i = 0; i < 2; ++i) {
            for (size_t j = 0; j < 3; ++j) {
                set(block, i, j, upper_element(i, j));
            }
        }
        const cltomo_backend *cpu = &cltomo_backend_cpu;
        cr_assert_eq(cpu->place(context, array_of(a), 3, 2, array_of(block), NULL), CLTOMO_OK);
        for (size_t i = 0; i < 5; ++i) {
            for (size_t j = 0; j < 7; ++j) {
                bool inside = i >= 3 && j >= 2 && j < 5;
                cr_assert_eq(get(a, i, j), inside ? upper_element(i - 3, j - 2) : -1.0);
            }
        }
        cltomo_matrix_destroy(block);
        cltomo_matrix_destroy(a);
    }
    cltomo_context_destroy(context);
}

Test(elementwise, the_largest_row_sum_is_that_of_the_whole_symmetric_matrix)
{
    static const size_t sizes[] = {1, 2, 31, 33, 100};
    for (size_t t = 0; t < 3; ++t) {
        cltomo_context *context = fixture_threads(thread_counts[t]);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
            size_t n = sizes[s];
            double expected = 0.0;
            for (size_t i = 0; i < n; ++i) {
                double sum = 0.0;
                for (size_t j = 0; j < n; ++j) {
                    sum += fabs(j >= i ? upper_element(i, j) : upper_element(j, i));
                }
                expected = fmax(expected, sum);
            }
            for (size_t p = 0; p < 2; ++p) {
                cltomo_matrix *a = upper_triangle(context, precisions[p], n);
                double sum = -1.0;
                cr_assert_eq(
                    cltomo_cpu_largest_row_sum(context, &sum, array_of(a), NULL), CLTOMO_OK);
                cr_assert_eq(sum, expected, "%zu: %g, not %g", n, sum, expected);
                cltomo_matrix_destroy(a);
            }
        }
        cltomo_context_destroy(context);
    }
}

Test(elementwise, the_lower_triangle_is_completed_from_the_upper)
{
    cltomo_context *context = fixture_threads(2);
    for (size_t p = 0; p < 2; ++p) {
        for (size_t n = 1; n < 80; n += 26) {
            cltomo_matrix *a = upper_triangle(context, precisions[p], n);
            cr_assert_eq(cltomo_cpu_complete_symmetric(context, array_of(a), NULL), CLTOMO_OK);
            for (size_t i = 0; i < n; ++i) {
                for (size_t j = 0; j < n; ++j) {
                    double expected = j >= i ? upper_element(i, j) : upper_element(j, i);
                    cr_assert_eq(get(a, i, j), expected);
                }
            }
            cltomo_matrix_destroy(a);
        }
    }
    cltomo_context_destroy(context);
}

Test(elementwise, every_element_is_scaled_once)
{
    for (size_t t = 0; t < 3; ++t) {
        cltomo_context *context = fixture_threads(thread_counts[t]);
        for (size_t p = 0; p < 2; ++p) {
            cltomo_matrix *a = matrix_of(context, precisions[p], 201, 3);
            for (size_t k = 0; k < 603; ++k) {
                set(a, k / 3, k % 3, (double)k);
            }
            cr_assert_eq(cltomo_cpu_scale(context, array_of(a), -0.25, NULL), CLTOMO_OK);
            for (size_t k = 0; k < 603; ++k) {
                cr_assert_eq(get(a, k / 3, k % 3), -0.25 * (double)k);
            }
            cltomo_matrix_destroy(a);
        }
        cltomo_context_destroy(context);
    }
}

static cltomo_status row_sum(const cltomo_context *context, void *user, cltomo_error *error)
{
    double sum = 0.0;
    return cltomo_cpu_largest_row_sum(context, &sum, user, error);
}

Test(elementwise, survives_the_failure_of_any_allocation)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_matrix *a = upper_triangle(context, CLTOMO_PRECISION_DOUBLE, 10);
    cr_assert_eq(fault_each(&state, context, row_sum, a), 1);
    cltomo_matrix_destroy(a);
    cltomo_context_destroy(context);
    cr_assert_eq(atomic_load(&state.live), 0);
}

Test(elementwise, updates_in_place)
{
    for (size_t t = 0; t < 3; ++t) {
        cltomo_context *context = fixture_threads(thread_counts[t]);
        operations_expect_updates(context);
        cltomo_context_destroy(context);
    }
}
