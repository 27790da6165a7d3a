/* Builds at the same time: on one context, on two, on both backends. */
#include <criterion/criterion.h>
#include <pthread.h>

#include "opencl/attempt.h"
#include "opencl/shim.h"
#include "support/fixture.h"

enum { n_builds = 2 };

typedef struct build {
    const cltomo_context *context;
    const cltomo_system *system;
    cltomo_precision precision;
    cltomo_status status;
    cltomo_reconstructor *result;
} build;

static void *run(void *user)
{
    build *b = user;
    cltomo_build_options options = cltomo_build_options_init();
    options.precision = b->precision;
    b->status = cltomo_reconstructor_build(b->context, &b->result, b->system, &options, NULL);
    return NULL;
}

static cltomo_context *context_of(attempt *a, cltomo_backend_kind backend)
{
    cltomo_context *context = NULL;
    cr_assert_eq(
        attempt_context(a, &context, backend, NULL, NULL), CLTOMO_OK, "%s", a->error.message);
    return context;
}

/* R equals what the same build gives alone on the C path. */
static void expect_the_same(const build *b)
{
    cltomo_context *cpu = fixture_context();
    build alone = {.context = cpu, .system = b->system, .precision = b->precision};
    (void)run(&alone);
    cr_assert_eq(alone.status, CLTOMO_OK);
    cr_assert_eq(b->status, CLTOMO_OK);
    cr_expect_lt(attempt_distance(cltomo_reconstructor_matrix(b->result, CLTOMO_PRODUCT_R),
                     cltomo_reconstructor_matrix(alone.result, CLTOMO_PRODUCT_R)),
        b->precision == CLTOMO_PRECISION_DOUBLE ? 1e-12 : 1e-5);
    cltomo_reconstructor_destroy(alone.result);
    cltomo_context_destroy(cpu);
}

/* Builds on the two contexts, which may be one, in all combinations of precisions. */
static void build_at_once(const cltomo_context *first, const cltomo_context *second)
{
    cltomo_context *own = fixture_context();
    cltomo_system *system = fixture_system(own, "small_asymmetric");
    for (int mix = 0; mix < 4; ++mix) {
        build builds[n_builds] = {
            {.context = first, .system = system, .precision = (cltomo_precision)(mix % 2)},
            {.context = second, .system = system, .precision = (cltomo_precision)(mix / 2)}};
        pthread_t thread[n_builds];
        for (size_t i = 0; i < n_builds; ++i) {
            cr_assert_eq(pthread_create(&thread[i], NULL, run, &builds[i]), 0);
        }
        for (size_t i = 0; i < n_builds; ++i) {
            cr_assert_eq(pthread_join(thread[i], NULL), 0);
        }
        for (size_t i = 0; i < n_builds; ++i) {
            expect_the_same(&builds[i]);
            cltomo_reconstructor_destroy(builds[i].result);
        }
    }
    cltomo_system_destroy(system);
    cltomo_context_destroy(own);
}

static void on_two(cltomo_backend_kind first, cltomo_backend_kind second)
{
    attempt of_first = {0};
    attempt of_second = {0};
    cltomo_context *a = context_of(&of_first, first);
    cltomo_context *b = context_of(&of_second, second);
    build_at_once(a, b);
    cltomo_context_destroy(a);
    cltomo_context_destroy(b);
    cr_expect_eq(atomic_load(&of_first.live), 0);
    cr_expect_eq(atomic_load(&of_second.live), 0);
    cr_expect_eq(shim_live(), 0);
}

Test(threads, build_on_one_context)
{
    attempt a = {0};
    cltomo_context *context = context_of(&a, CLTOMO_BACKEND_OPENCL);
    build_at_once(context, context);
    cltomo_context_destroy(context);
    cr_expect_eq(atomic_load(&a.live), 0);
    cr_expect_eq(shim_live(), 0);
}

Test(threads, build_on_two_contexts)
{
    on_two(CLTOMO_BACKEND_OPENCL, CLTOMO_BACKEND_OPENCL);
}

Test(threads, build_on_both_backends)
{
    on_two(CLTOMO_BACKEND_CPU, CLTOMO_BACKEND_OPENCL);
    on_two(CLTOMO_BACKEND_OPENCL, CLTOMO_BACKEND_CPU);
}
