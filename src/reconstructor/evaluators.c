/* The covariances of a build: how accurate, and which evaluators are chosen for them and why. */
#include <string.h>

#include "reconstructor/reconstructor_internal.h"

const char *cltomo_evaluator_name(cltomo_evaluator evaluator)
{
    switch (evaluator) {
    case CLTOMO_EVALUATOR_DIRECT:
        return "direct";
    case CLTOMO_EVALUATOR_TOEPLITZ:
        return "toeplitz";
    case CLTOMO_EVALUATOR_SEPARABLE:
        return "separable";
    case CLTOMO_EVALUATOR_ROTATED:
        return "rotated";
    case CLTOMO_EVALUATOR_NONE:
        break;
    }
    return NULL;
}

static size_t pairs_of(size_t n_wfs)
{
    return n_wfs * (n_wfs + 1) / 2;
}

static cltomo_evaluator_choice *pair_of(const cltomo_evaluators *e, size_t i, size_t j)
{
    return i >= j ? &e->pair[pairs_of(i) + j] : &e->pair[pairs_of(j) + i];
}

static cltomo_evaluator tell(const cltomo_evaluator_choice *choice, const char **reason)
{
    if (reason != NULL) {
        *reason = choice->reason;
    }
    return choice->evaluator;
}

static const cltomo_evaluator_choice no_choice = {CLTOMO_EVALUATOR_NONE, NULL};

cltomo_evaluator cltomo_reconstructor_pair_evaluator(
    const cltomo_reconstructor *reconstructor, size_t i, size_t j, const char **reason)
{
    const cltomo_evaluators *e = &reconstructor->evaluators;
    return tell(i < e->n_wfs && j < e->n_wfs ? pair_of(e, i, j) : &no_choice, reason);
}

cltomo_evaluator cltomo_reconstructor_sensor_evaluator(
    const cltomo_reconstructor *reconstructor, size_t i, const char **reason)
{
    const cltomo_evaluators *e = &reconstructor->evaluators;
    return tell(i < e->n_wfs ? &e->sensor[i] : &no_choice, reason);
}

/* ---- log ----------------------------------------------------------------------------------- */

static const char *separator(const cltomo_evaluator_choice *choice)
{
    return choice->reason != NULL ? ": " : "";
}

static const char *reason_text(const cltomo_evaluator_choice *choice)
{
    return choice->reason != NULL ? choice->reason : "";
}

static bool is_same(const cltomo_evaluator_choice *a, const cltomo_evaluator_choice *b)
{
    return a->evaluator == b->evaluator && strcmp(reason_text(a), reason_text(b)) == 0;
}

/* How many choices are like choice k; 0 if an earlier one is. */
static size_t count_alike(const cltomo_evaluator_choice *choices, size_t n, size_t k)
{
    size_t count = 0;
    for (size_t i = 0; i < n; ++i) {
        if (is_same(&choices[i], &choices[k])) {
            if (i < k) {
                return 0;
            }
            ++count;
        }
    }
    return count;
}

/* One line for each group of like choices. */
static void log_groups(const cltomo_context *context, const char *covariance, const char *one,
    const char *many, const cltomo_evaluator_choice *choices, size_t n)
{
    for (size_t k = 0; k < n; ++k) {
        size_t count = count_alike(choices, n, k);
        if (count > 0) {
            cltomo_log(context, CLTOMO_LOG_INFO, "%s of %zu %s: %s%s%s", covariance, count,
                count == 1 ? one : many, cltomo_evaluator_name(choices[k].evaluator),
                separator(&choices[k]), reason_text(&choices[k]));
        }
    }
}

static void log_each(const cltomo_context *context, const cltomo_evaluators *e)
{
    for (size_t i = 0; i < e->n_wfs; ++i) {
        for (size_t j = i; j < e->n_wfs; ++j) {
            const cltomo_evaluator_choice *pair = pair_of(e, i, j);
            cltomo_log(context, CLTOMO_LOG_DEBUG, "slope covariance of sensors %zu and %zu: %s%s%s",
                i, j, cltomo_evaluator_name(pair->evaluator), separator(pair), reason_text(pair));
        }
    }
    for (size_t i = 0; i < e->n_wfs; ++i) {
        const cltomo_evaluator_choice *sensor = &e->sensor[i];
        cltomo_log(context, CLTOMO_LOG_DEBUG, "phase-slope covariance of sensor %zu: %s%s%s", i,
            cltomo_evaluator_name(sensor->evaluator), separator(sensor), reason_text(sensor));
    }
}

/* ---- covariance ---------------------------------------------------------------------------- */

bool cltomo_looks_one_by_one(
    const cltomo_system_description *description, const cltomo_build_options *options)
{
    return description->n_directions > 0 || options->per_direction != 0;
}

/* On small systems the best accuracy costs nothing that anyone would notice. */
static double default_accuracy(const cltomo_geometry *g, cltomo_precision precision)
{
    enum { small = 500 }; /* phase points */
    if (precision == CLTOMO_PRECISION_DOUBLE && g->n_phase <= small) {
        return 1e-14;
    }
    return cltomo_covariance_default_accuracy(g, precision);
}

cltomo_status cltomo_describe_covariance(cltomo_covariance *covariance,
    const cltomo_geometry *geometry, const cltomo_build_options *options, cltomo_error *error)
{
    double accuracy = options->accuracy > 0.0 ? options->accuracy
                                              : default_accuracy(geometry, options->precision);
    cltomo_status status = cltomo_covariance_init(covariance, geometry, accuracy, error);
    if (status == CLTOMO_OK && options->evaluation == CLTOMO_EVALUATION_DIRECT) {
        covariance->direct_reason = "evaluation direct was asked for";
    }
    return status;
}

/* ---- choice -------------------------------------------------------------------------------- */

static cltomo_status allocate(
    cltomo_reconstructor *reconstructor, size_t n_wfs, cltomo_error *error)
{
    const cltomo_context *context = reconstructor->context;
    cltomo_evaluators *e = &reconstructor->evaluators;
    e->pair = cltomo_allocate(context, pairs_of(n_wfs), sizeof *e->pair);
    e->sensor = cltomo_allocate(context, n_wfs, sizeof *e->sensor);
    if (e->pair == NULL || e->sensor == NULL) {
        return cltomo_fail_memory(error, "the choice of evaluators");
    }
    e->n_wfs = n_wfs;
    return CLTOMO_OK;
}

static uint32_t count_direct(const cltomo_evaluator_choice *choices, size_t n)
{
    uint32_t count = 0;
    for (size_t i = 0; i < n; ++i) {
        count += choices[i].evaluator == CLTOMO_EVALUATOR_DIRECT;
    }
    return count;
}

/* In the report and the log. */
static void report_choices(cltomo_reconstructor *reconstructor)
{
    const cltomo_evaluators *e = &reconstructor->evaluators;
    cltomo_build_report *report = &reconstructor->report;
    size_t n_pairs = pairs_of(e->n_wfs);
    report->n_pairs_direct = count_direct(e->pair, n_pairs);
    report->n_pairs_toeplitz = (uint32_t)n_pairs - report->n_pairs_direct;
    report->n_sensors_direct = count_direct(e->sensor, e->n_wfs);
    report->n_sensors_separable = (uint32_t)e->n_wfs - report->n_sensors_direct;
    log_groups(reconstructor->context, "slope covariance", "pair of sensors", "pairs of sensors",
        e->pair, n_pairs);
    log_groups(
        reconstructor->context, "phase-slope covariance", "sensor", "sensors", e->sensor, e->n_wfs);
    log_each(reconstructor->context, e);
}

cltomo_status cltomo_choose_evaluators(
    cltomo_reconstructor *reconstructor, const cltomo_covariance *covariance, cltomo_error *error)
{
    const cltomo_evaluators *e = &reconstructor->evaluators;
    size_t n_wfs = covariance->geometry->n_wfs;
    cltomo_status status = allocate(reconstructor, n_wfs, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    for (size_t i = 0; i < n_wfs; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            *pair_of(e, i, j) = cltomo_covariance_choose_slope(covariance, i, j);
        }
        e->sensor[i] = cltomo_covariance_choose_phase(covariance, i);
    }
    report_choices(reconstructor);
    return CLTOMO_OK;
}
