#include "backend/cpu/blas_threads.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "backend/cpu/cpu.h"
#include "support/fixture.h"

extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int n_threads) __attribute__((weak));

static bool is_openblas(void)
{
    return openblas_get_num_threads != NULL && openblas_set_num_threads != NULL;
}

Test(blas_threads, are_the_contexts_in_between_and_as_before_afterwards)
{
    if (!is_openblas()) {
        cr_skip_test("the BLAS is not OpenBLAS");
    }
    int before = openblas_get_num_threads();
    for (uint32_t n = 1; n <= 3; ++n) {
        cltomo_context *context = fixture_threads(n);
        int saved = cltomo_blas_threads_begin(context);
        cr_expect_eq(openblas_get_num_threads(), (int)n);
        cltomo_blas_threads_end(context, saved);
        cr_expect_eq(openblas_get_num_threads(), before);
        cltomo_context_destroy(context);
    }
    openblas_set_num_threads(2); /* the host program's own choice */
    cltomo_context *context = fixture_threads(1);
    int saved = cltomo_blas_threads_begin(context);
    cr_expect_eq(openblas_get_num_threads(), 1);
    cltomo_blas_threads_end(context, saved);
    cr_expect_eq(openblas_get_num_threads(), 2);
    cltomo_context_destroy(context);
    openblas_set_num_threads(before);
}

/* Without a wish for a number of threads nothing is set, and nobody waits for anybody. */
Test(blas_threads, are_left_alone_if_nobody_asked)
{
    cltomo_context *context = fixture_context();
    int before = is_openblas() ? openblas_get_num_threads() : 0;
    int first = cltomo_blas_threads_begin(context);
    int second = cltomo_blas_threads_begin(context);
    cr_expect(!is_openblas() || openblas_get_num_threads() == before);
    cltomo_blas_threads_end(context, second);
    cltomo_blas_threads_end(context, first);
    cr_expect(!is_openblas() || openblas_get_num_threads() == before);
    cltomo_context_destroy(context);
}

typedef struct section {
    uint32_t n_threads;
    atomic_int *inside;
    pthread_barrier_t *start;
} section;

static void *enter_often(void *argument)
{
    const section *s = argument;
    cltomo_context *context = fixture_threads(s->n_threads);
    (void)pthread_barrier_wait(s->start);
    for (int i = 0; i < 200; ++i) {
        int saved = cltomo_blas_threads_begin(context);
        cr_assert_eq(atomic_fetch_add(s->inside, 1), 0);
        (void)sched_yield(); /* gives the others a chance to intrude */
        cr_assert_eq(openblas_get_num_threads(), (int)s->n_threads);
        atomic_fetch_sub(s->inside, 1);
        cltomo_blas_threads_end(context, saved);
    }
    cltomo_context_destroy(context);
    return NULL;
}

Test(blas_threads, sections_of_several_contexts_exclude_each_other)
{
    if (!is_openblas()) {
        cr_skip_test("the BLAS is not OpenBLAS");
    }
    enum { n = 3 };
    int before = openblas_get_num_threads();
    atomic_int inside = 0;
    pthread_barrier_t start;
    cr_assert_eq(pthread_barrier_init(&start, NULL, n), 0);
    pthread_t threads[n];
    section sections[n];
    for (uint32_t i = 0; i < n; ++i) {
        sections[i] = (section){.n_threads = i + 1, .inside = &inside, .start = &start};
        cr_assert_eq(pthread_create(&threads[i], NULL, enter_often, &sections[i]), 0);
    }
    for (uint32_t i = 0; i < n; ++i) {
        (void)pthread_join(threads[i], NULL);
    }
    (void)pthread_barrier_destroy(&start);
    cr_assert_eq(openblas_get_num_threads(), before);
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
