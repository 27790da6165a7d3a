/* Arrays of the C path. */
#include <criterion/criterion.h>

#include "backend/cpu/cpu.h"
#include "support/fault.h"
#include "support/fixture.h"

static const cltomo_precision both[] = {CLTOMO_PRECISION_DOUBLE, CLTOMO_PRECISION_SINGLE};

Test(cpu, offers_every_operation)
{
    const cltomo_backend *b = &cltomo_backend_cpu;
    cr_expect_str_eq(b->name, "cpu");
    cr_expect(b->array_create != NULL && b->array_copy != NULL && b->upload != NULL &&
              b->download != NULL && b->array_destroy != NULL && b->slope_covariance != NULL &&
              b->phase_slope_covariance != NULL && b->mean_diagonal != NULL &&
              b->add_to_diagonal != NULL && b->clear_unused != NULL && b->add != NULL &&
              b->largest_row_sum != NULL && b->complete_symmetric != NULL && b->cholesky != NULL &&
              b->solve != NULL && b->multiply != NULL && b->scale != NULL);
}

Test(cpu, up_and_down_in_every_pair_of_precisions)
{
    static const double f64[6] = {1.5, -2.0, 0.0, 1e10, -0.125, 3.0};
    static const float f32[6] = {1.5F, -2.0F, 0.0F, 1e10F, -0.125F, 3.0F};
    const cltomo_backend *b = &cltomo_backend_cpu;
    fault state;
    cltomo_context *context = fault_context(&state);
    for (size_t from = 0; from < 2; ++from) {
        for (size_t to = 0; to < 2; ++to) {
            cltomo_matrix *matrix = NULL;
            cltomo_array *array = NULL;
            cltomo_array *copy = NULL;
            cltomo_matrix *result = NULL;
            const void *data = from == 0 ? (const void *)f64 : (const void *)f32;
            cr_assert_eq(
                cltomo_matrix_create(context, &matrix, both[from], 3, 2, data, NULL), CLTOMO_OK);
            cr_assert_eq(b->upload(context, &array, matrix, both[to], NULL), CLTOMO_OK);
            cltomo_matrix_destroy(matrix);
            cr_assert_eq(b->array_copy(context, &copy, array, NULL), CLTOMO_OK);
            b->array_destroy(context, array);
            cr_assert_eq(b->download(context, &result, &copy, NULL), CLTOMO_OK);
            cr_expect_null(copy);
            cr_expect_eq(cltomo_matrix_rows(result), 3);
            cr_expect_eq(cltomo_matrix_cols(result), 2);
            cr_expect_eq(cltomo_matrix_precision(result), both[to]);
            for (size_t k = 0; k < 6; ++k) {
                double value = to == 0 ? cltomo_matrix_double(result)[k]
                                       : (double)cltomo_matrix_single(result)[k];
                cr_expect_eq(value, f64[k]);
            }
            cltomo_matrix_destroy(result);
        }
    }
    b->array_destroy(context, NULL);
    cltomo_context_destroy(context);
    cr_expect_eq(atomic_load(&state.live), 0);
}

Test(cpu, nothing_infinite_comes_down)
{
    const cltomo_backend *b = &cltomo_backend_cpu;
    fault state;
    cltomo_context *context = fault_context(&state);
    const double large[2] = {1.0, 1e300}; /* too large for single precision */
    cltomo_matrix *matrix = NULL;
    cltomo_matrix *result = (cltomo_matrix *)(uintptr_t)1;
    cltomo_array *array = NULL;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_DOUBLE, 1, 2, large, NULL),
        CLTOMO_OK);
    cr_assert_eq(b->upload(context, &array, matrix, CLTOMO_PRECISION_SINGLE, NULL), CLTOMO_OK);
    cr_expect_eq(b->download(context, &result, &array, &error), CLTOMO_ERROR_NOT_FINITE);
    cr_expect_eq(error.status, CLTOMO_ERROR_NOT_FINITE);
    cr_expect_null(result);
    cr_expect_null(array);
    cltomo_matrix_destroy(matrix);
    cltomo_context_destroy(context);
    cr_expect_eq(atomic_load(&state.live), 0);
}

Test(cpu, store_writes_part_of_a_row)
{
    const double values[2] = {7.0, 8.0};
    cltomo_context *context = fixture_context();
    for (size_t p = 0; p < 2; ++p) {
        cltomo_matrix *m = NULL;
        cr_assert_eq(cltomo_matrix_allocate(context, &m, both[p], 2, 3, NULL), CLTOMO_OK);
        const double zeros[6] = {0};
        cltomo_cpu_store(m, 0, 0, zeros, 6);
        cltomo_cpu_store(m, 1, 1, values, 2);
        for (size_t k = 0; k < 6; ++k) {
            double value = p == 0 ? m->data.f64[k] : (double)m->data.f32[k];
            cr_expect_eq(value, k < 4 ? 0.0 : values[k - 4]);
        }
        cltomo_matrix_destroy(m);
    }
    cltomo_context_destroy(context);
}

Test(cpu, fails_cleanly_without_memory)
{
    const cltomo_backend *b = &cltomo_backend_cpu;
    fault state;
    cltomo_context *context = fault_context(&state);
    const double one[1] = {1.0};
    cltomo_matrix *matrix = NULL;
    cr_assert_eq(cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_DOUBLE, 1, 1, one, NULL),
        CLTOMO_OK);
    long live = atomic_load(&state.live);
    for (long n = 0; n < 2; ++n) {
        cltomo_array *array[4] = {NULL};
        for (size_t i = 0; i < 4; ++i) {
            array[i] = (cltomo_array *)(uintptr_t)1;
        }
        atomic_store(&state.left, n);
        cr_expect_eq(b->array_create(context, &array[0], CLTOMO_PRECISION_DOUBLE, 1, 1, NULL),
            CLTOMO_ERROR_MEMORY);
        atomic_store(&state.left, n);
        cr_expect_eq(
            b->array_copy(context, &array[1], (cltomo_array *)matrix, NULL), CLTOMO_ERROR_MEMORY);
        for (size_t p = 0; p < 2; ++p) {
            atomic_store(&state.left, n);
            cr_expect_eq(
                b->upload(context, &array[2 + p], matrix, both[p], NULL), CLTOMO_ERROR_MEMORY);
        }
        for (size_t i = 0; i < 4; ++i) {
            cr_expect_null(array[i]);
        }
        cr_expect_eq(atomic_load(&state.live), live);
    }
    cltomo_matrix_destroy(matrix);
    cltomo_context_destroy(context);
    cr_expect_eq(atomic_load(&state.live), 0);
}
