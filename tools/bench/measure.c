/* Runs builds and bare linear algebra by turns, and sums up what they took. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* Rows of bench_case.samples after those of the stages. */
enum {
    SERIES_TOTAL = CLTOMO_MAX_STAGES,
    SERIES_BARE_FACTORISATION,
    SERIES_BARE_SOLVE,
    SERIES_BARE_TOTAL
};

static double *series(const bench_case *c, size_t row)
{
    return &c->samples[row * c->max_runs];
}

cltomo_status bench_fail(cltomo_error *error, cltomo_status status, const char *message)
{
    memset(error, 0, sizeof *error);
    error->status = status;
    (void)snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}

/* ---- cases --------------------------------------------------------------------------------- */

static cltomo_build_options options_of(const bench_case *c)
{
    cltomo_build_options options = cltomo_build_options_init();
    options.products = (uint32_t)c->product;
    options.precision = c->precision;
    return options;
}

bool bench_case_create(bench_case *c, const char *name, const cltomo_system *system,
    cltomo_precision precision, cltomo_product product, size_t max_runs)
{
    memset(c, 0, sizeof *c);
    c->name = name;
    c->system = system;
    c->precision = precision;
    c->product = product;
    c->max_runs = max_runs;
    (void)snprintf(c->hash, sizeof c->hash, "%016" PRIx64, cltomo_system_hash(system));
    c->n_lenslets = cltomo_system_get_description(system)->n_lenslets;
    cltomo_system_dimensions(system, &c->dimensions);
    cltomo_build_options options = options_of(c);
    c->predicted_memory = cltomo_build_memory(system, &options);
    c->samples = calloc(BENCH_SERIES * max_runs, sizeof *c->samples);
    return c->samples != NULL;
}

void bench_case_destroy(bench_case *c)
{
    free(c->samples);
    c->samples = NULL;
}

size_t bench_case_rhs(const bench_case *c)
{
    return c->product == CLTOMO_PRODUCT_FR ? c->dimensions.n_actuators : c->dimensions.n_phase;
}

/* ---- running ------------------------------------------------------------------------------- */

static cltomo_status build(bench_case *c, const bench_settings *settings, cltomo_error *error)
{
    cltomo_build_options options = options_of(c);
    cltomo_reconstructor *reconstructor = NULL;
    bench_memory memory = {0};
    memory.is_of_build = bench_process_restart_peak();
    memory.process_before = bench_process_memory();
    bench_allocations_restart(settings->allocations);
    uint64_t before = atomic_load(&settings->allocations->live);
    cltomo_status status =
        cltomo_reconstructor_build(settings->context, &reconstructor, c->system, &options, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    /* Later builds have the bare matrices beside them. */
    if (c->memory.library_peak == 0) {
        memory.process_peak = bench_process_peak();
        memory.library_peak = atomic_load(&settings->allocations->peak) - before;
        c->memory = memory;
    }
    c->report = *cltomo_reconstructor_report(reconstructor);
    cltomo_reconstructor_destroy(reconstructor);
    return CLTOMO_OK;
}

cltomo_status bench_warm_up(bench_case *c, const bench_settings *settings, cltomo_error *error)
{
    return build(c, settings, error);
}

cltomo_status bench_run(bench_case *c, const bench_settings *settings, cltomo_error *error)
{
    cltomo_status status = build(c, settings, error);
    if (status == CLTOMO_OK) {
        for (size_t i = 0; i < c->report.n_stages; ++i) {
            series(c, i)[c->n_runs] = c->report.stage_seconds[i];
        }
        series(c, SERIES_TOTAL)[c->n_runs++] = c->report.total_seconds;
    }
    return status;
}

/* Belongs to the run that follows. */
static cltomo_status run_bare(bench_case *c, bench_bare *bare, cltomo_error *error)
{
    bench_bare_seconds seconds;
    if (!bench_bare_run(bare, &seconds, c->precision, c->dimensions.n_slopes, bench_case_rhs(c))) {
        return bench_fail(error, CLTOMO_ERROR_INTERNAL, "the bare LAPACK calls failed");
    }
    series(c, SERIES_BARE_FACTORISATION)[c->n_runs] = seconds.factorisation;
    series(c, SERIES_BARE_SOLVE)[c->n_runs] = seconds.solve;
    series(c, SERIES_BARE_TOTAL)[c->n_runs] = seconds.factorisation + seconds.solve;
    return CLTOMO_OK;
}

void bench_case_finish(bench_case *c)
{
    for (size_t i = 0; i < c->report.n_stages; ++i) {
        c->stage[i] = bench_summarise(series(c, i), c->n_runs);
    }
    c->total = bench_summarise(series(c, SERIES_TOTAL), c->n_runs);
    c->bare_factorisation = bench_summarise(series(c, SERIES_BARE_FACTORISATION), c->n_runs);
    c->bare_solve = bench_summarise(series(c, SERIES_BARE_SOLVE), c->n_runs);
    c->bare_total = bench_summarise(series(c, SERIES_BARE_TOTAL), c->n_runs);
}

static bool create_bare(bench_bare *bare, const bench_case *cases, size_t n_cases)
{
    size_t n = 0;
    size_t rhs_elements = 0;
    for (size_t i = 0; i < n_cases; ++i) {
        size_t rows = cases[i].dimensions.n_slopes;
        size_t elements = rows * bench_case_rhs(&cases[i]);
        n = rows > n ? rows : n;
        rhs_elements = elements > rhs_elements ? elements : rhs_elements;
    }
    return bench_bare_create(bare, n, rhs_elements);
}

cltomo_status bench_measure(bench_case *cases, size_t n_cases, size_t n_runs,
    const bench_settings *settings, cltomo_error *error)
{
    bench_bare bare = {NULL, NULL};
    cltomo_status status = CLTOMO_OK;
    for (size_t i = 0; i < n_cases && status == CLTOMO_OK; ++i) {
        status = bench_warm_up(&cases[i], settings, error);
    }
    if (status == CLTOMO_OK && !create_bare(&bare, cases, n_cases)) {
        status = bench_fail(error, CLTOMO_ERROR_MEMORY, "no memory for the bare matrices");
    }
    for (size_t run = 0; run < n_runs; ++run) {
        for (size_t i = 0; i < n_cases && status == CLTOMO_OK; ++i) {
            status = run_bare(&cases[i], &bare, error);
            if (status == CLTOMO_OK) {
                status = bench_run(&cases[i], settings, error);
            }
        }
    }
    bench_bare_destroy(&bare);
    for (size_t i = 0; i < n_cases && status == CLTOMO_OK; ++i) {
        bench_case_finish(&cases[i]);
    }
    return status;
}

/* ---- what follows -------------------------------------------------------------------------- */

double bench_case_ratio(const bench_case *c)
{
    return c->total.median / c->bare_total.median;
}

double bench_case_covariance_ratio(const bench_case *c)
{
    double seconds[] = {0.0, 0.0, 0.0}; /* by kind */
    for (size_t i = 0; i < c->report.n_stages; ++i) {
        seconds[bench_stage_kind_of(c->report.stage_name[i])] += c->stage[i].median;
    }
    return seconds[BENCH_STAGE_COVARIANCE] / seconds[BENCH_STAGE_SOLVE];
}

double bench_case_stage_rate(const bench_case *c, size_t stage)
{
    double operations = bench_stage_operations(c->report.stage_name[stage], &c->dimensions);
    return operations > 0.0 ? 1e-9 * operations / c->stage[stage].median : (double)NAN;
}

double bench_case_bare_rate(const bench_case *c)
{
    double n = (double)c->dimensions.n_slopes;
    double operations = n * n * n / 3.0 + 2.0 * n * n * (double)bench_case_rhs(c);
    return 1e-9 * operations / c->bare_total.median;
}

double bench_case_matrix_bytes(const bench_case *c)
{
    double element = c->precision == CLTOMO_PRECISION_DOUBLE ? 8.0 : 4.0;
    double n = (double)c->dimensions.n_slopes;
    return element * n * (n + (double)c->dimensions.n_phase);
}
