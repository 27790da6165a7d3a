#include <criterion/criterion.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "support/fault.h"
#include "support/system_text.h"

/* ---- files --------------------------------------------------------------------------------- */

/* A file of that content; remove it with unlink(). */
static void write_file(char *path, const char *text, size_t length)
{
    strcpy(path, "/tmp/cltomo-test-XXXXXX");
    int descriptor = mkstemp(path);
    cr_assert_geq(descriptor, 0);
    FILE *stream = fdopen(descriptor, "wb");
    cr_assert_eq(fwrite(text, 1, length, stream), length);
    cr_assert_eq(fclose(stream), 0);
}

static parsed load(const char *path)
{
    parsed p = {.context = NULL};
    cr_assert_eq(cltomo_context_create(&p.context, NULL, NULL), CLTOMO_OK);
    p.status = cltomo_system_load(p.context, &p.system, &p.diagnostics, path, &p.error);
    return p;
}

Test(system, from_a_file)
{
    char path[64];
    write_file(path, system_text, strlen(system_text));
    parsed p = load(path);
    parsed q = parse_text(system_text);
    (void)parsed_description(&p);
    cr_assert_eq(cltomo_system_hash(p.system), cltomo_system_hash(q.system));
    cr_assert_str_eq(cltomo_diagnostics_get(p.diagnostics, 0)->file, path);
    cr_assert_eq(unlink(path), 0);
    parsed_clear(&p);
    parsed_clear(&q);
}

Test(system, from_a_file_with_a_mistake)
{
    char path[64];
    write_file(path, "a: [", 4);
    parsed p = load(path);
    cr_assert_eq(p.status, CLTOMO_ERROR_PARSE);
    cr_assert_null(p.system);
    cr_assert_str_eq(p.error.file, path);
    cr_assert_eq(cltomo_diagnostics_count(p.diagnostics), 1);
    cr_assert_str_eq(cltomo_diagnostics_get(p.diagnostics, 0)->message, p.error.message);
    cr_assert_eq(unlink(path), 0);
    parsed_clear(&p);
}

static void assert_unreadable(const char *path, const char *message)
{
    parsed p = load(path);
    cr_assert_eq(p.status, CLTOMO_ERROR_IO, "%s", path);
    cr_assert_null(p.system);
    cr_assert_str_eq(p.error.file, path);
    assert_holds(p.error.message, message);
    cr_assert_eq(cltomo_diagnostics_count(p.diagnostics), 1);
    parsed_clear(&p);
}

Test(system, from_what_cannot_be_read)
{
    assert_unreadable("/nowhere/at/all.yaml", "No such file");
    assert_unreadable("", "No such file");
    assert_unreadable("/tmp", "Is a directory");
}

Test(system, from_a_file_without_end)
{
    parsed p = load("/dev/zero");
    cr_assert_eq(p.status, CLTOMO_ERROR_PARSE);
    assert_holds(p.error.message, "larger than 16 MiB");
    parsed_clear(&p);
    p = load("/dev/null");
    cr_assert_eq(p.status, CLTOMO_ERROR_PARSE);
    assert_holds(p.error.message, "the file is empty");
    parsed_clear(&p);
}

/* ---- arguments ----------------------------------------------------------------------------- */

Test(system, arguments_that_are_missing)
{
    cltomo_context *context = NULL;
    cltomo_system *system = (cltomo_system *)&context;
    cltomo_diagnostics *diagnostics = (cltomo_diagnostics *)&context;
    cr_assert_eq(cltomo_context_create(&context, NULL, NULL), CLTOMO_OK);
    cr_assert_eq(
        cltomo_system_load(context, &system, &diagnostics, NULL, NULL), CLTOMO_ERROR_ARGUMENT);
    cr_assert_null(system);
    cr_assert_null(diagnostics);
    cr_assert_eq(
        cltomo_system_parse(context, &system, NULL, NULL, 0, NULL, NULL), CLTOMO_ERROR_ARGUMENT);
    cr_assert_eq(cltomo_system_create(context, &system, NULL, NULL, NULL), CLTOMO_ERROR_ARGUMENT);
    cr_assert_eq(
        cltomo_system_parse(NULL, &system, NULL, "", 0, NULL, NULL), CLTOMO_ERROR_ARGUMENT);
    cr_assert_eq(
        cltomo_system_parse(context, NULL, NULL, "", 0, NULL, NULL), CLTOMO_ERROR_ARGUMENT);
    cltomo_system_destroy(NULL);
    cltomo_context_destroy(context);
}

Test(system, outputs_that_nobody_wants)
{
    cltomo_context *context = NULL;
    cltomo_system *system = NULL;
    cr_assert_eq(cltomo_context_create(&context, NULL, NULL), CLTOMO_OK);
    cr_assert_eq(
        cltomo_system_parse(context, &system, NULL, "a: 1", 4, NULL, NULL), CLTOMO_ERROR_CONFIG);
    cr_assert_null(system);
    cr_assert_eq(
        cltomo_system_parse(context, &system, NULL, system_text, strlen(system_text), NULL, NULL),
        CLTOMO_OK);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(system, text_without_a_name)
{
    cltomo_context *context = NULL;
    cltomo_system *system = NULL;
    cltomo_error error;
    char text[512];
    cr_assert_eq(cltomo_context_create(&context, NULL, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_system_parse(context, &system, NULL, "a: 1\nb: *c", 10, NULL, &error),
        CLTOMO_ERROR_PARSE);
    cltomo_error_format(text, sizeof text, &error);
    cr_assert_eq(strncmp(text, "(text):2:4: ", 12), 0, "%s", text);
    cltomo_context_destroy(context);
}

Test(system, text_need_not_end_in_nul)
{
    size_t length = strlen(system_text);
    char *text = malloc(length);
    memcpy(text, system_text, length);
    parsed p = parse_bytes(text, length);
    (void)parsed_description(&p);
    parsed_clear(&p);
    free(text);
}

/* Whatever the length, there is an answer. */
Test(system, text_cut_anywhere)
{
    size_t length = strlen(system_text);
    for (size_t i = 0; i < length - strlen("  nFitSrc: 3\n"); ++i) {
        char *text = malloc(i + 1);
        memcpy(text, system_text, i);
        parsed p = parse_bytes(text, i);
        cr_assert(p.status == CLTOMO_ERROR_CONFIG || p.status == CLTOMO_ERROR_PARSE);
        parsed_clear(&p);
        free(text);
    }
}

/* ---- life ---------------------------------------------------------------------------------- */

Test(system, outlives_its_context_and_counts_references)
{
    parsed p = parse_text(system_text);
    const cltomo_context *context = p.context;
    cr_assert_eq(cltomo_system_context(p.system), context);
    cltomo_context_destroy(p.context);
    cltomo_diagnostics_destroy(p.diagnostics);
    const cltomo_system *other = cltomo_system_retain(p.system);
    cltomo_system_destroy(p.system);
    cr_assert_eq(cltomo_system_get_description(other)->n_wfs, 2);
    cltomo_system_release(other);
}

static void count_warning(void *user, cltomo_log_level level, const char *text)
{
    cr_assert_eq(level, CLTOMO_LOG_WARNING);
    assert_holds(text, "small.yaml:4:3: lgs_wfs_parameters.nPx: ");
    ++*(int *)user;
}

Test(system, warnings_go_to_the_log)
{
    int count = 0;
    cltomo_context *context = NULL;
    cltomo_system *system = NULL;
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    options.log = count_warning;
    options.log_user = &count;
    cr_assert_eq(cltomo_context_create(&context, &options, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_system_parse(
                     context, &system, NULL, system_text, strlen(system_text), "small.yaml", NULL),
        CLTOMO_OK);
    cr_assert_eq(count, 1);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(system, does_not_depend_on_the_locale)
{
    parsed p = parse_text(system_text);
    /* Where the C library knows a locale with a decimal comma; else the test shows little. */
    (void)(setlocale(LC_ALL, "de_DE.UTF-8") != NULL || setlocale(LC_ALL, "fr_FR.UTF-8") != NULL);
    parsed q = parse_text(system_text);
    (void)parsed_description(&q);
    cr_assert_eq(cltomo_system_hash(p.system), cltomo_system_hash(q.system));
    parsed_clear(&p);
    parsed_clear(&q);
    assert_refused("fractionnalR0: [0.75, 0.25]", "fractionnalR0: [0.75, 0.125]",
        "atmosphere_parameters.fractionnalR0", NULL, NULL, "sum to 0.875", "0.001");
}

/* ---- threads ------------------------------------------------------------------------------- */

typedef struct work {
    const cltomo_context *context;
    uint64_t hash;
    int failures;
} work;

static void *load_many_times(void *user)
{
    work *w = user;
    for (int i = 0; i < 20; ++i) {
        cltomo_system *system = NULL;
        cltomo_diagnostics *diagnostics = NULL;
        cltomo_status status = cltomo_system_parse(w->context, &system, &diagnostics, system_text,
            strlen(system_text), "small.yaml", NULL);
        w->failures += status != CLTOMO_OK || cltomo_system_hash(system) != w->hash;
        cltomo_system_destroy(system);
        cltomo_diagnostics_destroy(diagnostics);
    }
    return NULL;
}

Test(system, several_threads_share_a_context)
{
    enum { n = 8 };
    pthread_t thread[n];
    work share[n];
    parsed p = parse_text(system_text);
    for (size_t i = 0; i < n; ++i) {
        share[i] = (work){.context = p.context, .hash = cltomo_system_hash(p.system)};
        cr_assert_eq(pthread_create(&thread[i], NULL, load_many_times, &share[i]), 0);
    }
    for (size_t i = 0; i < n; ++i) {
        cr_assert_eq(pthread_join(thread[i], NULL), 0);
        cr_assert_eq(share[i].failures, 0);
    }
    parsed_clear(&p);
}

/* ---- memory -------------------------------------------------------------------------------- */

/* Parses text, or creates from a description, with the n-th allocation failing, for all n until
 * there is one that is not reached. Returns how many failed. */
static size_t fail_everywhere(
    const char *text, const cltomo_system_description *description, cltomo_status final_status)
{
    for (long n = 1;; ++n) {
        fault state;
        cltomo_context *context = fault_context(&state);
        cltomo_system *system = NULL;
        cltomo_diagnostics *diagnostics = NULL;
        cltomo_error error = {.status = CLTOMO_OK};
        atomic_store(&state.left, n - 1);
        cltomo_status status = text != NULL ? cltomo_system_parse(context, &system, &diagnostics,
                                                  text, strlen(text), "small.yaml", &error)
                                            : cltomo_system_create(context, &system, &diagnostics,
                                                  description, &error);
        bool reached = atomic_load(&state.left) < 0;
        if (reached) {
            cr_assert_eq(status, CLTOMO_ERROR_MEMORY, "allocation %ld: %d", n, (int)status);
            cr_assert_eq(error.status, CLTOMO_ERROR_MEMORY);
            cr_assert_null(system);
        } else {
            cr_assert_eq(status, final_status);
        }
        cltomo_system_destroy(system);
        cltomo_diagnostics_destroy(diagnostics);
        cltomo_context_destroy(context);
        cr_assert_eq(atomic_load(&state.live), 0, "allocation %ld: %ld pieces leak", n,
            atomic_load(&state.live));
        if (!reached) {
            return (size_t)(n - 1);
        }
    }
}

Test(system, memory_may_run_out_anywhere)
{
    char *aliases =
        system_text_edit(system_text, "  windDirection: [190, 255]\n  windSpeed: [5.6, 5.77]\n",
            "  windDirection: &wind [10, 20]\n  windSpeed: *wind\n");
    char *annulus = system_text_edit(system_text,
        "    - [0, 1, 1]\n    - [1, 1, 1]\n    - [1, 1, 0]\n", "    {shape: annulus, outer: 1}\n");
    char *directions =
        system_text_edit(system_text, "  radiusAst: 20\n", "  directions: [[1, 2], [3, 4]]\n");
    char *sensors =
        system_text_edit(system_text, "    - [0, 1, 1]\n    - [1, 1, 1]\n    - [1, 1, 0]\n",
            "    - [[0, 1, 1], [1, 1, 1], [1, 1, 0]]\n    - {shape: annulus, outer: 1}\n"
            "  lensletFlux: [[1, 2, 1], [1, 1, 1], [1, 1, 1]]\n");
    char *details = system_text_edit(sensors, "  fovOptimization: 10\n  nFitSrc: 3\n",
        "  directions: [[1, 2], [3, 4]]\n  directionWeights: [1, 2]\n"
        "  directionHeights: [6000, .inf]\n");
    char *mistake = system_text_edit(system_text, "D: 8.5", "D: none");
    cr_assert_gt(fail_everywhere(system_text, NULL, CLTOMO_OK), 20);
    cr_assert_gt(fail_everywhere(aliases, NULL, CLTOMO_OK), 20);
    cr_assert_gt(fail_everywhere(annulus, NULL, CLTOMO_OK), 20);
    cr_assert_gt(fail_everywhere(directions, NULL, CLTOMO_OK), 20);
    cr_assert_gt(fail_everywhere(details, NULL, CLTOMO_OK), 20);
    cr_assert_gt(fail_everywhere(mistake, NULL, CLTOMO_ERROR_CONFIG), 20);
    parsed p = parse_text(system_text);
    cr_assert_gt(fail_everywhere(NULL, parsed_description(&p), CLTOMO_OK), 10);
    parsed_clear(&p);
    p = parse_text(details);
    cr_assert_gt(fail_everywhere(NULL, parsed_description(&p), CLTOMO_OK), 15);
    parsed_clear(&p);
    free(details);
    free(sensors);
    free(aliases);
    free(annulus);
    free(directions);
    free(mistake);
}

Test(system, memory_may_run_out_while_a_file_is_read)
{
    char path[64];
    write_file(path, system_text, strlen(system_text));
    fault state;
    cltomo_context *context = fault_context(&state);
    for (long n = 1; n < 4; ++n) {
        cltomo_system *system = NULL;
        atomic_store(&state.left, n - 1);
        cr_assert_eq(cltomo_system_load(context, &system, NULL, path, NULL), CLTOMO_ERROR_MEMORY);
        cr_assert_eq(atomic_load(&state.live), 1); /* the context */
    }
    cltomo_context_destroy(context);
    cr_assert_eq(unlink(path), 0);
}
