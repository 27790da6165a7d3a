/* Blocks of the slope covariance, one pair of sensors at a time. */
#include <criterion/criterion.h>

#include "backend/cpu/cpu.h"
#include "support/fault.h"
#include "support/fixture.h"
#include "support/model.h"

enum { n_slopes = 96, n_sensor = 32 };

/* Rows of sensor j and columns of sensor i, for any i and j, and nothing else is written. */
Test(direct_block, fills_its_block_and_nothing_else)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    model m = model_create(context, system, 0.0);
    golden_array golden = fixture_golden("small_asymmetric", "c_ss");
    for (size_t pair = 0; pair < 9; ++pair) {
        size_t i = pair / 3;
        size_t j = pair % 3;
        cltomo_matrix *c_ss = NULL;
        cr_assert_eq(cltomo_matrix_allocate(
                         context, &c_ss, CLTOMO_PRECISION_DOUBLE, n_slopes, n_slopes, NULL),
            CLTOMO_OK);
        for (size_t k = 0; k < n_slopes * n_slopes; ++k) {
            c_ss->data.f64[k] = -7.0;
        }
        cr_assert_eq(cltomo_cpu_direct_block(context, c_ss, &m.covariance, i, j, NULL), CLTOMO_OK);
        for (size_t row = 0; row < n_slopes; ++row) {
            for (size_t col = 0; col < n_slopes; ++col) {
                size_t k = row * n_slopes + col;
                if (row / n_sensor == j && col / n_sensor == i) {
                    cr_assert_float_eq(c_ss->data.f64[k], golden.data[k], 1e-13 * golden.data[0]);
                } else {
                    cr_assert_eq(c_ss->data.f64[k], -7.0);
                }
            }
        }
        cltomo_matrix_destroy(c_ss);
    }
    golden_destroy(&golden);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(direct_block, fails_cleanly_without_memory)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    model m = model_create(context, system, 0.0);
    cltomo_matrix *c_ss = NULL;
    cr_assert_eq(
        cltomo_matrix_allocate(context, &c_ss, CLTOMO_PRECISION_SINGLE, n_slopes, n_slopes, NULL),
        CLTOMO_OK);
    long live = atomic_load(&state.live);
    cltomo_status status = CLTOMO_ERROR_MEMORY;
    long n = 0;
    for (; status == CLTOMO_ERROR_MEMORY; ++n) {
        atomic_store(&state.left, n);
        status = cltomo_cpu_direct_block(context, c_ss, &m.covariance, 2, 1, NULL);
        cr_assert_eq(atomic_load(&state.live), live);
    }
    cr_expect_eq(status, CLTOMO_OK);
    cr_expect_eq(n, 8);
    cltomo_matrix_destroy(c_ss);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}
