#include "backend/cpu/team.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/fault.h"
#include "support/fixture.h"

enum { max_parts = 64 };

typedef struct tally {
    size_t n_parts;
    atomic_int visits[max_parts];
} tally;

static void visit(void *user, size_t part, size_t n_parts)
{
    tally *t = user;
    t->n_parts = n_parts == 0 || part >= n_parts || n_parts > max_parts ? 0 : n_parts;
    atomic_fetch_add(&t->visits[part % max_parts], 1);
}

static void expect_frames(uint32_t n_threads, double spin, int n_frames, bool with_pauses)
{
    cltomo_context *context = fixture_threads(1);
    cltomo_team *team = NULL;
    tally t = {.n_parts = 0};
    const cltomo_plan_options options = {.n_threads = n_threads, .spin = spin};
    cr_assert_eq(cltomo_team_create(context, &team, &options, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_team_threads(team), n_threads);
    for (int frame = 1; frame <= n_frames; ++frame) {
        cltomo_team_run(team, visit, &t);
        cr_assert_gt(t.n_parts, 0);
        for (size_t part = 0; part < t.n_parts; ++part) {
            cr_assert_eq(atomic_load(&t.visits[part]), frame, "frame %d, part %zu", frame, part);
        }
        if (with_pauses) {
            (void)nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
        }
    }
    cltomo_team_destroy(team);
    cltomo_context_destroy(context);
}

Test(team, does_each_part_of_each_frame_once)
{
    expect_frames(1, 0.0, 100, false);
    expect_frames(2, 1.0, 500, false);
    expect_frames(5, 1e-4, 200, false);
}

Test(team, helpers_that_sleep_take_no_part_and_delay_nothing)
{
    expect_frames(2, 0.0, 100, true);
    expect_frames(3, 1e-4, 50, true);
}

typedef struct meeting {
    pthread_t loop;
    atomic_bool helped;
} meeting;

static void see_who_works(void *user, size_t part, size_t n_parts)
{
    meeting *m = user;
    (void)part;
    (void)n_parts;
    if (!pthread_equal(pthread_self(), m->loop)) {
        atomic_store(&m->helped, true);
    }
}

/* Frames are far shorter than the pauses between them, so that no nap ends within one by chance. */
Test(team, helpers_that_slept_help_again, .timeout = 120.0)
{
    cltomo_context *context = fixture_threads(1);
    cltomo_team *team = NULL;
    meeting m = {.loop = pthread_self()};
    const cltomo_plan_options options = {.n_threads = 2, .spin = 0.05};
    cr_assert_eq(cltomo_team_create(context, &team, &options, NULL), CLTOMO_OK);
    for (int rest = 0; rest < 2; ++rest) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        atomic_store(&m.helped, false);
        while (!atomic_load(&m.helped) && sysconf(_SC_NPROCESSORS_ONLN) > 1) {
            cltomo_team_run(team, see_who_works, &m);
            (void)nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
        }
    }
    cltomo_team_destroy(team);
    cltomo_context_destroy(context);
}

Test(team, can_be_pinned)
{
    static const uint32_t processors[] = {0};
    cltomo_context *context = fixture_threads(1);
    cltomo_team *team = NULL;
    const cltomo_plan_options options = {
        .n_threads = 2, .processors = processors, .n_processors = 1, .spin = 0.0};
    cltomo_error error = {0};
    cltomo_status status = cltomo_team_create(context, &team, &options, &error);
    /* processor 0 may not be ours */
    cr_assert(status == CLTOMO_OK || strcmp(error.key, "options.processors") == 0);
    cltomo_team_destroy(team);
    cltomo_context_destroy(context);
}

static cltomo_status create(const cltomo_context *context, void *user, cltomo_error *error)
{
    cltomo_team *team = NULL;
    cltomo_status status = cltomo_team_create(context, &team, user, error);
    cr_assert_eq(team == NULL, status != CLTOMO_OK);
    cltomo_team_destroy(team);
    return status;
}

Test(team, every_allocation_may_fail)
{
    fault memory;
    cltomo_context *context = fault_context(&memory);
    cltomo_plan_options options = {.n_threads = 2};
    cr_assert_eq(fault_each(&memory, context, create, &options), 2);
    cltomo_context_destroy(context);
}
