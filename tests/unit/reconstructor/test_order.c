#include <criterion/criterion.h>
#include <string.h>

#include "reconstructor/reconstructor_internal.h"
#include "support/fault.h"
#include "support/fixture.h"

static const cltomo_precision both[] = {CLTOMO_PRECISION_DOUBLE, CLTOMO_PRECISION_SINGLE};

/* The element (row, col) is 1000 row + col: it tells where it came from. */
static cltomo_matrix *make(
    const cltomo_context *context, cltomo_precision precision, size_t rows, size_t cols)
{
    cltomo_matrix *m = NULL;
    cr_assert_eq(cltomo_matrix_allocate(context, &m, precision, rows, cols, NULL), CLTOMO_OK);
    for (size_t k = 0; k < rows * cols; ++k) {
        double value = (double)(1000 * (k / cols) + k % cols);
        if (precision == CLTOMO_PRECISION_DOUBLE) {
            m->data.f64[k] = value;
        } else {
            m->data.f32[k] = (float)value;
        }
    }
    return m;
}

static void expect_order(const cltomo_context *context, cltomo_precision precision, size_t rows,
    size_t cols, const uint32_t *permutation, bool rows_too)
{
    cltomo_matrix *m = make(context, precision, rows, cols);
    cr_assert_eq(cltomo_order_slopes(m, permutation, rows_too, NULL), CLTOMO_OK);
    for (size_t row = 0; row < rows; ++row) {
        for (size_t col = 0; col < cols; ++col) {
            size_t k = row * cols + col;
            double value =
                precision == CLTOMO_PRECISION_DOUBLE ? m->data.f64[k] : (double)m->data.f32[k];
            size_t from = rows_too ? permutation[row] : row;
            cr_assert_eq(value, (double)(1000 * from + permutation[col]));
        }
    }
    cltomo_matrix_destroy(m);
}

Test(order, columns_and_rows_come_from_where_the_permutation_says)
{
    /* a fixed point, a pair, and a cycle of four */
    static const uint32_t cycles[7] = {3, 1, 5, 6, 0, 2, 4};
    static const uint32_t identity[7] = {0, 1, 2, 3, 4, 5, 6};
    static const uint32_t one_cycle[7] = {1, 2, 3, 4, 5, 6, 0};
    static const uint32_t threads[] = {1, 4};
    for (size_t t = 0; t < 2; ++t) {
        cltomo_context *context = fixture_threads(threads[t]);
        for (size_t p = 0; p < 2; ++p) {
            expect_order(context, both[p], 50, 7, cycles, false);
            expect_order(context, both[p], 7, 7, cycles, true);
            expect_order(context, both[p], 7, 7, identity, true);
            expect_order(context, both[p], 7, 7, one_cycle, true);
            expect_order(context, both[p], 1, 1, identity, true);
        }
        cltomo_context_destroy(context);
    }
}

Test(order, of_a_large_random_permutation)
{
    enum { n = 200 };
    uint32_t permutation[n];
    uint64_t state = 12345;
    cltomo_context *context = fixture_threads(3);
    for (uint32_t k = 0; k < n; ++k) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t other = (uint32_t)((state >> 33) % (k + 1));
        permutation[k] = permutation[other];
        permutation[other] = k;
    }
    for (size_t p = 0; p < 2; ++p) {
        expect_order(context, both[p], n, n, permutation, true);
        expect_order(context, both[p], 33, n, permutation, false);
    }
    cltomo_context_destroy(context);
}

/* A covariance in another order is the same as evaluated element by
 * element for the slopes listed in that order. */
Test(order, is_that_of_the_listed_slopes)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    golden_array golden = fixture_golden("small_asymmetric", "c_ss");
    cltomo_geometry *geometry = NULL;
    cltomo_slope own[96];
    cltomo_slope wanted[96];
    cr_assert_eq(cltomo_geometry_create(context, &geometry, system, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_system_slopes(system, own, 96, CLTOMO_SLOPES_XY, CLTOMO_LENSLETS_ROW, NULL),
        CLTOMO_OK);
    for (int order = 0; order < 6; ++order) {
        cltomo_slope_order slope_order = (cltomo_slope_order)(order / 2);
        cltomo_lenslet_order lenslet_order = (cltomo_lenslet_order)(order % 2);
        uint32_t *permutation = NULL;
        cltomo_matrix *m = NULL;
        cr_assert_eq(
            cltomo_system_slopes(system, wanted, 96, slope_order, lenslet_order, NULL), CLTOMO_OK);
        cr_assert_eq(cltomo_slope_permutation(
                         system, &permutation, geometry, slope_order, lenslet_order, NULL),
            CLTOMO_OK);
        cr_assert_eq(
            cltomo_matrix_create(context, &m, CLTOMO_PRECISION_DOUBLE, 96, 96, golden.data, NULL),
            CLTOMO_OK);
        cr_assert_eq(cltomo_order_slopes(m, permutation, true, NULL), CLTOMO_OK);
        for (size_t a = 0; a < 96; ++a) {
            for (size_t b = 0; b < 96; ++b) {
                size_t i = 0;
                size_t j = 0;
                while (memcmp(&own[i], &wanted[a], sizeof *own) != 0) {
                    ++i;
                }
                while (memcmp(&own[j], &wanted[b], sizeof *own) != 0) {
                    ++j;
                }
                cr_assert_eq(m->data.f64[a * 96 + b], golden.data[i * 96 + j]);
            }
        }
        cltomo_matrix_destroy(m);
        cltomo_release(context, permutation);
    }
    cltomo_geometry_destroy(geometry);
    golden_destroy(&golden);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(order, fails_cleanly_without_memory)
{
    static const uint32_t permutation[2] = {1, 0};
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_matrix *m = make(context, CLTOMO_PRECISION_DOUBLE, 2, 2);
    long live = atomic_load(&state.live);
    for (long n = 0; n < 2; ++n) {
        cltomo_error error = {0};
        atomic_store(&state.left, n);
        cr_expect_eq(cltomo_order_slopes(m, permutation, true, &error), CLTOMO_ERROR_MEMORY);
        cr_expect_eq(error.status, CLTOMO_ERROR_MEMORY);
        cr_expect_eq(atomic_load(&state.live), live);
    }
    cr_expect_eq(m->data.f64[1], 1.0); /* untouched */
    cltomo_matrix_destroy(m);
    cltomo_context_destroy(context);
}
