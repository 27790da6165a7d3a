/* Time and memory of a family of systems against their size. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "tool.h"

/* ---- what the next size will take ---------------------------------------------------------- */

static double operations(const bench_case *c)
{
    double n = (double)c->dimensions.n_slopes;
    return n * n * (n / 3.0 + 2.0 * (double)bench_case_rhs(c));
}

/* Seconds of one run of each case of a size, from those of the size before. */
static double predict_seconds(const bench_scaling *scaling, size_t size)
{
    double seconds = 0.0;
    for (size_t i = 0; i < scaling->n_cases && size > 0; ++i) {
        const bench_case *before = &scaling->cases[size - 1][i];
        seconds += before->total.median * operations(&scaling->cases[size][i]) / operations(before);
    }
    return seconds;
}

static uint64_t predict_memory(const bench_scaling *scaling, size_t size)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < scaling->n_cases; ++i) {
        uint64_t memory = scaling->cases[size][i].predicted_memory;
        largest = memory > largest ? memory : largest;
    }
    return largest;
}

/* Whether the next size is to be left out, and why. */
static bool stops_before(bench_scaling *scaling, size_t size, double seconds_left)
{
    uint64_t available = available_memory();
    scaling->next_seconds = predict_seconds(scaling, size);
    scaling->next_memory = predict_memory(scaling, size);
    if (available > 0 && scaling->next_memory > available) {
        scaling->stop = BENCH_STOP_MEMORY;
    } else if (size > 0 && scaling->next_seconds > seconds_left) {
        scaling->stop = BENCH_STOP_TIME;
    } else {
        return false;
    }
    return true;
}

/* ---- measuring ----------------------------------------------------------------------------- */

static cltomo_status create_size(bench_scaling *scaling, size_t size, const bench_plan *plan,
    const bench_settings *settings, cltomo_error *error)
{
    const bench_family_member *member = &bench_family[size];
    cltomo_status status =
        bench_family_create(settings->context, &scaling->system[size], member->n_lenslets, error);
    for (size_t i = 0; i < scaling->n_cases && status == CLTOMO_OK; ++i) {
        if (!bench_case_create(&scaling->cases[size][i], member->name, scaling->system[size],
                plan->precision[i / plan->n_products], plan->product[i % plan->n_products],
                plan->n_runs)) {
            *error = (cltomo_error){
                .status = CLTOMO_ERROR_MEMORY, .message = "no memory for the samples"};
            status = CLTOMO_ERROR_MEMORY;
        }
    }
    return status;
}

/* All runs of a size take a quarter of the budget, unless a single one takes more. */
static size_t runs_of(const bench_scaling *scaling, const bench_plan *plan, double budget)
{
    double runs = floor(0.25 * budget / fmax(scaling->next_seconds, 1e-9));
    return runs < 1.0 ? 1 : runs < (double)plan->n_runs ? (size_t)runs : plan->n_runs;
}

static cltomo_status measure_size(bench_scaling *scaling, size_t size, size_t n_runs,
    const bench_settings *settings, cltomo_error *error)
{
    cltomo_status status = CLTOMO_OK;
    for (size_t i = 0; i < scaling->n_cases && size == 0 && status == CLTOMO_OK; ++i) {
        status = bench_warm_up(&scaling->cases[size][i], settings, error);
    }
    for (size_t run = 0; run < n_runs; ++run) {
        for (size_t i = 0; i < scaling->n_cases && status == CLTOMO_OK; ++i) {
            status = bench_run(&scaling->cases[size][i], settings, error);
        }
    }
    for (size_t i = 0; i < scaling->n_cases && status == CLTOMO_OK; ++i) {
        bench_case_finish(&scaling->cases[size][i]);
    }
    return status;
}

cltomo_status bench_scaling_run(bench_scaling *scaling, const bench_plan *plan, double budget,
    const bench_settings *settings, cltomo_error *error)
{
    double end = seconds_now() + budget;
    memset(scaling, 0, sizeof *scaling);
    scaling->n_cases = plan->n_precisions * plan->n_products;
    for (size_t size = 0; size < BENCH_FAMILY_SIZE; ++size) {
        cltomo_status status = create_size(scaling, size, plan, settings, error);
        if (status == CLTOMO_OK) {
            if (stops_before(scaling, size, end - seconds_now())) {
                return CLTOMO_OK;
            }
            status = measure_size(scaling, size, runs_of(scaling, plan, budget), settings, error);
        }
        if (status != CLTOMO_OK) {
            scaling->stop = BENCH_STOP_ERROR;
            return status;
        }
        ++scaling->n_sizes;
    }
    return CLTOMO_OK;
}

void bench_scaling_destroy(bench_scaling *scaling)
{
    for (size_t size = 0; size < BENCH_FAMILY_SIZE; ++size) {
        for (size_t i = 0; i < scaling->n_cases; ++i) {
            bench_case_destroy(&scaling->cases[size][i]);
        }
        cltomo_system_destroy(scaling->system[size]);
    }
    memset(scaling, 0, sizeof *scaling);
}

/* ---- exponents ----------------------------------------------------------------------------- */

typedef double (*measure)(const bench_case *c, size_t stage);

static double fit(const bench_scaling *scaling, size_t case_index, size_t stage, measure measure_of,
    double smallest)
{
    double x[BENCH_FAMILY_SIZE];
    double y[BENCH_FAMILY_SIZE];
    size_t n = 0;
    for (size_t size = 0; size < scaling->n_sizes; ++size) {
        const bench_case *c = &scaling->cases[size][case_index];
        double value = measure_of(c, stage);
        if (value >= smallest) {
            x[n] = (double)c->dimensions.n_slopes;
            y[n++] = value;
        }
    }
    return n >= 2 ? bench_fit_exponent(x, y, n) : (double)NAN;
}

static const double millisecond = 1e-3;

static double stage_seconds(const bench_case *c, size_t stage)
{
    return c->stage[stage].median;
}

static double total_seconds(const bench_case *c, size_t stage)
{
    (void)stage;
    return c->total.median;
}

static double library_bytes(const bench_case *c, size_t stage)
{
    (void)stage;
    return (double)c->memory.library_peak;
}

double bench_scaling_stage_exponent(const bench_scaling *scaling, size_t case_index, size_t stage)
{
    return fit(scaling, case_index, stage, stage_seconds, millisecond);
}

double bench_scaling_total_exponent(const bench_scaling *scaling, size_t case_index)
{
    return fit(scaling, case_index, 0, total_seconds, millisecond);
}

double bench_scaling_memory_exponent(const bench_scaling *scaling, size_t case_index)
{
    return fit(scaling, case_index, 0, library_bytes, 1.0);
}
