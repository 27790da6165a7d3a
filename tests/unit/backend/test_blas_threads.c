/* The setting of OpenBLAS, where that is the BLAS: held for the time of a section, then restored.
 */
#include "backend/cpu/blas_threads.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>

#include "backend/cpu/cpu.h"
#include "support/fixture.h"

extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int n_threads) __attribute__((weak));

static bool is_openblas(void)
{
    return openblas_get_num_threads != NULL && openblas_set_num_threads != NULL;
}

Test(blas_threads, are_held_and_restored)
{
    cltomo_context *context = fixture_threads(1);
    if (!is_openblas()) {
        cr_assert_eq(cltomo_blas_threads_begin(context), 0);
        cltomo_blas_threads_end(context, 0);
        cltomo_context_destroy(context);
        return;
    }
    openblas_set_num_threads(2);
    int before = openblas_get_num_threads(); /* a BLAS built without threads has 1 */
    int saved = cltomo_blas_threads_begin(context);
    cr_expect_eq(saved, before);
    cr_expect_eq(openblas_get_num_threads(), 1);
    cltomo_blas_threads_end(context, saved);
    cr_expect_eq(openblas_get_num_threads(), before);
    cltomo_context_destroy(context);
}

Test(blas_threads, are_left_alone_unless_asked_for)
{
    cltomo_context *context = fixture_context();
    cr_assert_not(cltomo_context_threads_requested(context));
    int before = is_openblas() ? openblas_get_num_threads() : 0;
    int saved = cltomo_blas_threads_begin(context);
    cr_expect_eq(saved, 0);
    cr_expect_eq(is_openblas() ? openblas_get_num_threads() : 0, before);
    cltomo_blas_threads_end(context, saved);
    cr_expect_eq(is_openblas() ? openblas_get_num_threads() : 0, before);
    cltomo_context_destroy(context);
}

/* Also when an operation fails in between. */
Test(blas_threads, are_restored_by_operations)
{
    static const double values[4] = {1.0, 0.0, 0.0, -1.0};
    cltomo_context *context = fixture_threads(1);
    cltomo_matrix *matrix = NULL;
    double ratio = 0.0;
    if (is_openblas()) {
        openblas_set_num_threads(2);
    }
    int before = is_openblas() ? openblas_get_num_threads() : 0;
    cr_assert_eq(
        cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_DOUBLE, 2, 2, values, NULL),
        CLTOMO_OK);
    cr_expect_eq(cltomo_cpu_cholesky(context, (cltomo_array *)matrix, &ratio, NULL),
        CLTOMO_ERROR_NOT_POSITIVE_DEFINITE);
    cr_expect_eq(is_openblas() ? openblas_get_num_threads() : 0, before);
    cltomo_matrix_destroy(matrix);
    cltomo_context_destroy(context);
}

static atomic_int inside;
static atomic_int overlaps;

static void *work(void *argument)
{
    const cltomo_context *context = argument;
    for (int i = 0; i < 300; ++i) {
        int saved = cltomo_blas_threads_begin(context);
        if (is_openblas() &&
            (atomic_fetch_add(&inside, 1) != 0 ||
                openblas_get_num_threads() != (int)cltomo_context_threads(context))) {
            atomic_fetch_add(&overlaps, 1);
        }
        if (is_openblas()) {
            atomic_fetch_sub(&inside, 1);
        }
        cltomo_blas_threads_end(context, saved);
    }
    return NULL;
}

Test(blas_threads, sections_exclude_each_other)
{
    int before = is_openblas() ? openblas_get_num_threads() : 0;
    if (is_openblas()) {
        openblas_set_num_threads(2);
    }
    /* two different numbers, unless the BLAS was built without threads */
    uint32_t more = is_openblas() ? (uint32_t)openblas_get_num_threads() : 2;
    cltomo_context *contexts[2] = {fixture_threads(1), fixture_threads(more)};
    pthread_t thread[4];
    if (is_openblas()) {
        openblas_set_num_threads(before);
    }
    for (size_t i = 0; i < 4; ++i) {
        cr_assert_eq(pthread_create(&thread[i], NULL, work, contexts[i % 2]), 0);
    }
    for (size_t i = 0; i < 4; ++i) {
        cr_assert_eq(pthread_join(thread[i], NULL), 0);
    }
    cr_expect_eq(atomic_load(&overlaps), 0);
    cr_expect_eq(is_openblas() ? openblas_get_num_threads() : 0, before);
    cltomo_context_destroy(contexts[0]);
    cltomo_context_destroy(contexts[1]);
}
