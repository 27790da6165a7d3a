/* The stages of a build that it has once: the fitting, the slope covariance, its factorisation. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "mirror/mirror.h"
#include "reconstructor/builder.h"
#include "turbulence/turbulence.h"

void cltomo_builder_begin_stage(cltomo_builder *b)
{
    b->stage_start = cltomo_seconds();
}

void cltomo_builder_end_stage(cltomo_builder *b, const char *name)
{
    cltomo_build_report *report = &b->out->report;
    double seconds = cltomo_seconds() - b->stage_start;
    uint32_t i = 0;
    while (i < report->n_stages && strcmp(report->stage_name[i], name) != 0) {
        ++i;
    }
    if (i < CLTOMO_MAX_STAGES) {
        report->n_stages = i < report->n_stages ? report->n_stages : i + 1;
        report->stage_name[i] = name;
        report->stage_seconds[i] += seconds;
    }
    cltomo_log(b->context, CLTOMO_LOG_INFO, "%s: %.1f ms", name, 1e3 * seconds);
}

/* The diagonal of C_n: alpha times the mean slope variance, over the flux of the lenslet. Slopes
 * that their sensor does not have get a variance of the same size, so that they stand alone in
 * C_ss, where their rows and columns are zero, without changing its condition. */
static cltomo_status set_noise(cltomo_builder *b, cltomo_error *error)
{
    const cltomo_geometry *g = b->geometry;
    const cltomo_system_description *d = cltomo_system_get_description(b->out->system);
    const cltomo_build_report *report = &b->out->report;
    size_t n_cells = g->n_across * g->n_across;
    b->n_noise = g->n_slopes;
    b->noise = cltomo_allocate(b->context, b->n_noise, sizeof *b->noise);
    if (b->noise == NULL) {
        return cltomo_fail_memory(error, "the noise covariance");
    }
    for (size_t i = 0; i < g->n_slopes; ++i) {
        size_t k = i % g->n_lenslets;
        size_t cell = g->lenslet_row[k] * g->n_across + g->lenslet_col[k];
        size_t wfs = i / (2 * g->n_lenslets);
        bool is_used = g->used_slopes == NULL || g->used_slopes[i] != 0;
        double flux = d->lenslet_flux != NULL ? d->lenslet_flux[wfs * n_cells + cell] : 1.0;
        b->noise[i] = is_used ? report->noise_variance / flux
                              : report->noise_variance + report->mean_slope_variance;
    }
    return CLTOMO_OK;
}

/* C_n, its diagonal as a row, in the wanted order. */
static cltomo_status keep_noise(cltomo_builder *b, cltomo_error *error)
{
    cltomo_matrix **noise = &b->out->matrix[cltomo_product_bit(CLTOMO_PRODUCT_C_N)];
    cltomo_status status = cltomo_matrix_allocate(
        b->context, noise, b->out->options.precision, 1, b->n_wanted_slopes, error);
    for (size_t k = 0; k < b->n_wanted_slopes && status == CLTOMO_OK; ++k) {
        double value = b->noise[b->permutation != NULL ? b->permutation[k] : k];
        if ((*noise)->precision == CLTOMO_PRECISION_DOUBLE) {
            (*noise)->data.f64[k] = value;
        } else {
            (*noise)->data.f32[k] = (float)value;
        }
    }
    return status;
}

/* Slopes are differences of the phase. Where they vary by so little that the phase's own variance
 * swamps them, the covariances lose digits in any evaluation that starts from B. Measured against
 * the structure function for outer scales of 1e4 to 1e9 lenslets, R loses about this much. */
void cltomo_builder_warn_of_cancellation(const cltomo_builder *b, double sensitivity)
{
    double variance = sensitivity * b->covariance.variance_factor * cltomo_von_karman_f(0.0);
    double loss = 5.0 * DBL_EPSILON * variance / b->out->report.mean_slope_variance;
    if (!(loss < 1e-6)) {
        cltomo_log(b->context, CLTOMO_LOG_WARNING,
            "the outer scale L0 is so large beside a lenslet that digits cancel: estimated "
            "relative error of R %.1e; an outer scale of fewer than 1e5 lenslets avoids that",
            loss);
    }
}

/* C_ss of the slopes that the sensors have, and its mean diagonal. */
static cltomo_status fill_slope_covariance(cltomo_builder *b, cltomo_error *error)
{
    const cltomo_geometry *g = b->geometry;
    cltomo_build_report *report = &b->out->report;
    cltomo_status status = b->backend->array_create(
        b->context, &b->c_ss, b->out->options.precision, g->n_slopes, g->n_slopes, error);
    if (status == CLTOMO_OK) {
        status = b->backend->slope_covariance(b->context, b->c_ss, &b->covariance, error);
    }
    if (status == CLTOMO_OK && g->used_slopes != NULL) {
        status =
            b->backend->clear_unused(b->context, b->c_ss, g->used_slopes, g->used_slopes, error);
    }
    if (status == CLTOMO_OK) {
        status =
            b->backend->mean_diagonal(b->context, &report->mean_slope_variance, b->c_ss, error);
        report->mean_slope_variance *= (double)g->n_slopes / (double)b->n_wanted_slopes;
        report->noise_variance = b->out->options.alpha * report->mean_slope_variance;
    }
    return status;
}

/* C_ss itself where nothing is to be solved, else a copy. */
static cltomo_status keep_slope_covariance(cltomo_builder *b, cltomo_error *error)
{
    cltomo_status status = b->backend->complete_symmetric(b->context, b->c_ss, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    return cltomo_builder_wants_solution(b)
               ? cltomo_builder_emit_copy(b, b->c_ss, CLTOMO_PRODUCT_C_SS, 0, error)
               : cltomo_builder_emit(b, &b->c_ss, CLTOMO_PRODUCT_C_SS, 0, error);
}

/* C_ss, and the noise that follows from it. */
cltomo_status cltomo_builder_slope_covariance(cltomo_builder *b, cltomo_error *error)
{
    cltomo_builder_begin_stage(b);
    cltomo_status status = fill_slope_covariance(b, error);
    if (status == CLTOMO_OK) {
        cltomo_builder_warn_of_cancellation(b, 4.0); /* the weights of Gamma add up to 2 */
        status = set_noise(b, error);
    }
    cltomo_builder_end_stage(b, "slope covariance");
    if (status == CLTOMO_OK && cltomo_builder_wants(b, CLTOMO_PRODUCT_C_SS)) {
        status = keep_slope_covariance(b, error);
    }
    if (!cltomo_builder_wants_solution(b)) {
        b->backend->array_destroy(b->context, b->c_ss);
        b->c_ss = NULL;
    }
    if (status == CLTOMO_OK && cltomo_builder_wants(b, CLTOMO_PRODUCT_C_N)) {
        status = keep_noise(b, error);
    }
    return status;
}

static double least_noise(const cltomo_builder *b)
{
    double least = b->noise[0];
    for (size_t i = 1; i < b->n_noise; ++i) {
        least = fmin(least, b->noise[i]);
    }
    return least;
}

/* With noise, the eigenvalues of C_ss + C_n lie between the least noise and the largest row sum.
 * Measured on systems of all sizes and noise levels, rounding in single precision costs R up to 1.5
 * epsilon times the condition number. */
static cltomo_status estimate_error(cltomo_builder *b, cltomo_error *error)
{
    cltomo_build_report *report = &b->out->report;
    double largest = 0.0;
    double least = least_noise(b);
    if (b->out->options.precision != CLTOMO_PRECISION_SINGLE || least == 0.0) {
        return CLTOMO_OK;
    }
    cltomo_status status = b->backend->largest_row_sum(b->context, &largest, b->c_ss, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    report->condition = largest / least;
    report->estimated_error = fmin(1.5 * (double)FLT_EPSILON * report->condition, 1.0);
    bool is_large = report->estimated_error > 1e-4;
    cltomo_log(b->context, is_large ? CLTOMO_LOG_WARNING : CLTOMO_LOG_INFO,
        "single precision: condition number at most %.2g, estimated relative error of R %.1e%s",
        report->condition, report->estimated_error,
        is_large ? "; use double precision or more noise (a larger alpha)" : "");
    return CLTOMO_OK;
}

/* A factor whose pivots span more than the precision holds no digits of the solution. */
static cltomo_status check_pivots(const cltomo_builder *b, cltomo_error *error)
{
    bool is_double = b->out->options.precision == CLTOMO_PRECISION_DOUBLE;
    double epsilon = is_double ? DBL_EPSILON : (double)FLT_EPSILON;
    if (b->out->report.pivot_ratio < epsilon) {
        return cltomo_fail(error, CLTOMO_ERROR_NOT_POSITIVE_DEFINITE,
            "the slope covariance with noise is numerically singular (smallest pivot ratio %.1e); "
            "more noise (a larger alpha) or double precision is needed",
            b->out->report.pivot_ratio);
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_builder_factorise(cltomo_builder *b, cltomo_error *error)
{
    cltomo_builder_begin_stage(b);
    cltomo_status status = cltomo_progress(b->context, "factorisation", 0.0, error);
    if (status == CLTOMO_OK) {
        status = b->backend->add_to_diagonal(b->context, b->c_ss, b->noise, error);
    }
    if (status == CLTOMO_OK) {
        status = estimate_error(b, error);
    }
    if (status == CLTOMO_OK) {
        status = b->backend->cholesky(b->context, b->c_ss, &b->out->report.pivot_ratio, error);
    }
    cltomo_builder_end_stage(b, "factorisation");
    return status == CLTOMO_OK ? check_pivots(b, error) : status;
}

cltomo_status cltomo_builder_fit(cltomo_builder *b, cltomo_error *error)
{
    cltomo_builder_begin_stage(b);
    cltomo_status status = cltomo_influence_functions(
        b->context, b->backend, &b->influence, b->out->system, &b->out->options, error);
    if (status == CLTOMO_OK) {
        status = cltomo_fitting_matrix(b->context, &b->fitting, b->influence, error);
    }
    if (!cltomo_builder_wants(b, CLTOMO_PRODUCT_IF)) {
        cltomo_matrix_destroy(b->influence);
        b->influence = NULL;
    }
    cltomo_builder_end_stage(b, "fitting");
    return status;
}
