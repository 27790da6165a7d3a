/* Which evaluators a build chooses, and the reasons that it gives. */
#include <cltomo/reconstructor.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/fixture.h"

/* What a choice is to be: its evaluator, and the reason, NULL for none. */
typedef struct choice {
    cltomo_evaluator evaluator;
    const char *reason;
} choice;

static const choice toeplitz = {CLTOMO_EVALUATOR_TOEPLITZ, NULL};
static const choice separable = {CLTOMO_EVALUATOR_SEPARABLE, NULL};
static const choice asked_for = {CLTOMO_EVALUATOR_DIRECT, "evaluation direct was asked for"};
static const choice turned_apart = {CLTOMO_EVALUATOR_DIRECT, "sensors rotated by different angles"};

static void expect_choice(
    cltomo_evaluator evaluator, const char *reason, const choice *expected, const char *what)
{
    cr_expect_eq(evaluator, expected->evaluator, "%s: %s", what, cltomo_evaluator_name(evaluator));
    if (expected->reason == NULL) {
        cr_expect_null(reason, "%s", what);
    } else {
        cr_expect(reason != NULL && strcmp(reason, expected->reason) == 0, "%s: %s", what, reason);
    }
}

static void expect_pair(const cltomo_reconstructor *r, size_t i, size_t j, const choice *expected)
{
    char what[64];
    const char *reason = "untouched";
    (void)snprintf(what, sizeof what, "pair %zu, %zu", i, j);
    cltomo_evaluator evaluator = cltomo_reconstructor_pair_evaluator(r, i, j, &reason);
    expect_choice(evaluator, reason, expected, what);
    cr_expect_eq(cltomo_reconstructor_pair_evaluator(r, i, j, NULL), evaluator);
}

static void expect_sensor(const cltomo_reconstructor *r, size_t i, const choice *expected)
{
    char what[64];
    const char *reason = "untouched";
    (void)snprintf(what, sizeof what, "sensor %zu", i);
    cltomo_evaluator evaluator = cltomo_reconstructor_sensor_evaluator(r, i, &reason);
    expect_choice(evaluator, reason, expected, what);
    cr_expect_eq(cltomo_reconstructor_sensor_evaluator(r, i, NULL), evaluator);
}

/* Log lines that hold the text. */
typedef struct heard {
    cltomo_log_level level;
    const char *text;
    size_t count;
} heard;

static void hear(void *user, cltomo_log_level level, const char *text)
{
    heard *h = user;
    h->count += level == h->level && strcmp(text, h->text) == 0;
}

/* small_asymmetric with sensors 0 and 2 rotated by 0.2, seen in n x n directions. */
static cltomo_reconstructor *build(
    heard *h, uint32_t n_directions_across, const cltomo_build_options *options)
{
    static const double rotation[] = {0.2, 0.0, 0.2};
    cltomo_context_options context_options = CLTOMO_CONTEXT_OPTIONS_INIT;
    context_options.backend = CLTOMO_BACKEND_CPU;
    context_options.log = h != NULL ? hear : NULL;
    context_options.log_user = h;
    cltomo_context *context = NULL;
    cr_assert_eq(cltomo_context_create(&context, &context_options, NULL), CLTOMO_OK);
    cltomo_system *original = fixture_system(context, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(original);
    d.wfs_rotation = rotation;
    d.n_directions_across = n_directions_across;
    d.field_of_view = 1e-4;
    cltomo_system *system = fixture_describe(context, &d);
    cltomo_reconstructor *r = NULL;
    cr_assert_eq(cltomo_reconstructor_build(context, &r, system, options, NULL), CLTOMO_OK);
    cltomo_system_destroy(system);
    cltomo_system_destroy(original);
    cltomo_context_destroy(context);
    return r;
}

Test(evaluators, are_told_with_their_reasons)
{
    static const choice rotated = {
        CLTOMO_EVALUATOR_ROTATED, "sensor rotated, mean over several directions"};
    static const choice alone = {
        CLTOMO_EVALUATOR_DIRECT, "sensor rotated, one direction at a time"};
    for (uint32_t n_directions = 1; n_directions <= 2; ++n_directions) {
        cltomo_reconstructor *r = build(NULL, n_directions, NULL);
        for (size_t i = 0; i < 3; ++i) {
            for (size_t j = 0; j < 3; ++j) {
                expect_pair(r, i, j, i % 2 == j % 2 ? &toeplitz : &turned_apart);
            }
            const choice *turned = n_directions > 1 ? &rotated : &alone;
            expect_sensor(r, i, i == 1 ? &separable : turned);
        }
        const cltomo_build_report *report = cltomo_reconstructor_report(r);
        cr_expect_eq(report->n_pairs_toeplitz, 4);
        cr_expect_eq(report->n_pairs_direct, 2);
        cr_expect_eq(report->n_sensors_separable, n_directions > 1 ? 3 : 1);
        cr_expect_eq(report->n_sensors_direct, n_directions > 1 ? 0 : 2);
        cltomo_reconstructor_destroy(r);
    }
}

Test(evaluators, are_direct_if_asked_for)
{
    cltomo_build_options options = cltomo_build_options_init();
    options.evaluation = CLTOMO_EVALUATION_DIRECT;
    cltomo_reconstructor *r = build(NULL, 2, &options);
    for (size_t i = 0; i < 3; ++i) {
        for (size_t j = 0; j < 3; ++j) {
            expect_pair(r, i, j, &asked_for);
        }
        expect_sensor(r, i, &asked_for);
    }
    cltomo_reconstructor_destroy(r);
}

Test(evaluators, of_sensors_that_do_not_exist_are_none)
{
    static const choice none = {CLTOMO_EVALUATOR_NONE, NULL};
    cltomo_reconstructor *r = build(NULL, 1, NULL);
    expect_pair(r, 3, 0, &none);
    expect_pair(r, 0, 3, &none);
    expect_pair(r, SIZE_MAX, SIZE_MAX, &none);
    expect_sensor(r, 3, &none);
    cltomo_reconstructor_destroy(r);
}

Test(evaluators, are_logged_in_groups_and_each)
{
    static const struct {
        cltomo_log_level level;
        const char *text;
    } lines[] = {
        {CLTOMO_LOG_INFO, "slope covariance of 4 pairs of sensors: toeplitz"},
        {CLTOMO_LOG_INFO,
            "slope covariance of 2 pairs of sensors: direct: sensors rotated by different angles"},
        {CLTOMO_LOG_INFO, "phase-slope covariance of 1 sensor: separable"},
        {CLTOMO_LOG_INFO,
            "phase-slope covariance of 2 sensors: rotated: sensor rotated, mean over several "
            "directions"},
        {CLTOMO_LOG_DEBUG, "slope covariance of sensors 0 and 2: toeplitz"},
        {CLTOMO_LOG_DEBUG,
            "slope covariance of sensors 1 and 2: direct: sensors rotated by different angles"},
        {CLTOMO_LOG_DEBUG, "phase-slope covariance of sensor 1: separable"},
    };
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; ++k) {
        heard h = {lines[k].level, lines[k].text, 0};
        cltomo_reconstructor_destroy(build(&h, 2, NULL));
        cr_expect_eq(h.count, 1, "%s", h.text);
    }
}

Test(evaluators, have_names)
{
    cr_expect_str_eq(cltomo_evaluator_name(CLTOMO_EVALUATOR_DIRECT), "direct");
    cr_expect_str_eq(cltomo_evaluator_name(CLTOMO_EVALUATOR_TOEPLITZ), "toeplitz");
    cr_expect_str_eq(cltomo_evaluator_name(CLTOMO_EVALUATOR_SEPARABLE), "separable");
    cr_expect_str_eq(cltomo_evaluator_name(CLTOMO_EVALUATOR_ROTATED), "rotated");
    cr_expect_null(cltomo_evaluator_name(CLTOMO_EVALUATOR_NONE));
}
