#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "core/core.h"
#include "support/fixture.h"

enum { max_items = 5000, max_workers = 1024 };

typedef struct tally {
    size_t n;
    size_t chunk;
    size_t n_workers;
    bool slow; /* each call takes a while, so that every thread gets some */
    atomic_int visits[max_items];
    atomic_int busy[max_workers]; /* running calls with that worker number */
    atomic_int wrong;             /* calls with a bad range or worker */
    atomic_int calls;
} tally;

static void visit(void *user, size_t begin, size_t end, size_t worker)
{
    tally *t = user;
    atomic_fetch_add(&t->calls, 1);
    if (worker >= t->n_workers || begin >= end || end > t->n || begin % t->chunk != 0 ||
        (end - begin != t->chunk && end != t->n)) {
        atomic_fetch_add(&t->wrong, 1);
        return;
    }
    if (atomic_fetch_add(&t->busy[worker], 1) != 0) {
        atomic_fetch_add(&t->wrong, 1);
    }
    if (t->slow) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    for (size_t i = begin; i < end; ++i) {
        atomic_fetch_add(&t->visits[i], 1);
    }
    atomic_fetch_sub(&t->busy[worker], 1);
}

static void expect_each_once(uint32_t n_threads, size_t n, size_t chunk, bool slow)
{
    cltomo_context *context = fixture_threads(n_threads);
    tally *t = calloc(1, sizeof *t);
    t->n = n;
    t->chunk = chunk > 0 ? chunk : 1;
    t->n_workers = n_threads;
    t->slow = slow;
    cltomo_parallel_for(context, n, chunk, visit, t);
    cr_assert_eq(atomic_load(&t->wrong), 0, "%u threads, n %zu, chunk %zu", n_threads, n, chunk);
    for (size_t i = 0; i < max_items; ++i) {
        cr_assert_eq(atomic_load(&t->visits[i]), i < n, "%u threads, n %zu, chunk %zu, item %zu",
            n_threads, n, chunk, i);
    }
    cr_assert_eq((size_t)atomic_load(&t->calls), n / t->chunk + (n % t->chunk != 0));
    free(t);
    cltomo_context_destroy(context);
}

Test(parallel, visits_each_item_once, .description = "large")
{
    static const uint32_t threads[] = {1, 2, 7, 40};
    static const size_t counts[] = {0, 1, 2, 31, 32, 33, max_items};
    static const size_t chunks[] = {0, 1, 7, 32, max_items, SIZE_MAX};
    for (size_t a = 0; a < sizeof threads / sizeof *threads; ++a) {
        for (size_t b = 0; b < sizeof counts / sizeof *counts; ++b) {
            for (size_t c = 0; c < sizeof chunks / sizeof *chunks; ++c) {
                expect_each_once(threads[a], counts[b], chunks[c], false);
            }
        }
    }
}

Test(parallel, many_more_threads_than_processors, .description = "large")
{
    expect_each_once(1024, max_items, 1, false);
}

Test(parallel, no_more_threads_than_the_context_has)
{
    for (uint32_t n_threads = 1; n_threads < 5; ++n_threads) {
        expect_each_once(n_threads, 40, 1, true);
    }
}

typedef struct meeting {
    atomic_int arrived;
    atomic_int together;
} meeting;

/* Each of the two chunks waits for the other, for a while: only two threads can meet. */
static void meet(void *user, size_t begin, size_t end, size_t worker)
{
    meeting *m = user;
    (void)begin;
    (void)end;
    (void)worker;
    atomic_fetch_add(&m->arrived, 1);
    double start = cltomo_seconds();
    while (atomic_load(&m->arrived) < 2) {
        if (cltomo_seconds() - start > 30.0) {
            return;
        }
    }
    atomic_fetch_add(&m->together, 1);
}

Test(parallel, threads_run_at_the_same_time)
{
    cltomo_context *context = fixture_threads(2);
    meeting m = {0, 0};
    cltomo_parallel_for(context, 2, 1, meet, &m);
    cr_assert_eq(atomic_load(&m.together), 2);
    cltomo_context_destroy(context);
}
