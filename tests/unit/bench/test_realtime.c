#include "bench.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "support/fixture.h"
#include "support/loop.h"

Test(realtime, every_beat_is_a_frame_or_missed)
{
    cltomo_context *context = fixture_context();
    loop_truth *truth = loop_truth_create(20, 30, 1);
    cltomo_matrix *matrix = loop_matrix(context, truth->matrix, 20, 30, CLTOMO_PRECISION_SINGLE);
    bench_realtime r = {.rate = 2000.0, .seconds = 0.1};
    cltomo_error error = {0};
    cr_assert_eq(bench_realtime_run(&r, context, matrix, &error), CLTOMO_OK, "%s", error.message);
    cr_assert_eq(r.rows, 20);
    cr_assert_eq(r.cols, 30);
    cr_assert_eq(r.n_threads, 1);
    cr_assert(r.n_frames >= 1 && r.n_frames <= 67);
    cr_assert_leq(r.missed, r.n_frames);
    cr_assert_geq(r.swaps, 1);
    cr_assert_gt(r.apply.median, 0.0);
    cr_assert_eq(r.bare_threads, 1);
    cr_assert_gt(r.bare.median, 0.0);
    cr_assert_gt(r.bare_single.median, 0.0);
    cr_assert(r.apply.median <= r.apply.percent_99 && r.apply.percent_99 <= r.apply.percent_99_9 &&
              r.apply.percent_99_99 <= r.apply.maximum);
    cltomo_matrix_destroy(matrix);
    cltomo_context_destroy(context);
    free(truth);
}

Test(realtime, ratio_of_the_medians)
{
    bench_realtime r = {.apply = {.median = 3.0}, .bare = {.median = 2.0}};
    cr_assert_eq(bench_realtime_ratio(&r), 1.5);
}
