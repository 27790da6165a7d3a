/* The stages of a build: covariances, factorisation, solves, commands. */
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
    if (report->n_stages < CLTOMO_MAX_STAGES) {
        report->stage_name[report->n_stages] = name;
        report->stage_seconds[report->n_stages++] = seconds;
    }
    cltomo_log(b->context, CLTOMO_LOG_INFO, "%s: %.1f ms", name, 1e3 * seconds);
}

/* Makes the array a product, in the wanted order of slopes; the array is gone afterwards. */
static cltomo_status keep(
    cltomo_builder *b, cltomo_array **array, cltomo_product product, cltomo_error *error)
{
    bool square = product == CLTOMO_PRODUCT_C_SS;
    cltomo_matrix **matrix = &b->out->matrix[cltomo_product_bit(product)];
    cltomo_status status = b->backend->download(b->context, matrix, array, error);
    if (status == CLTOMO_OK && b->permutation != NULL) {
        status = cltomo_order_slopes(*matrix, b->permutation, square, error);
    }
    return status;
}

/* The same with a copy of the array. */
static cltomo_status keep_copy(
    cltomo_builder *b, const cltomo_array *array, cltomo_product product, cltomo_error *error)
{
    cltomo_array *copy = NULL;
    cltomo_status status = b->backend->array_copy(b->context, &copy, array, error);
    return status == CLTOMO_OK ? keep(b, &copy, product, error) : status;
}

static cltomo_status build_noise(cltomo_builder *b, cltomo_error *error)
{
    cltomo_matrix **noise = &b->out->matrix[cltomo_product_bit(CLTOMO_PRODUCT_C_N)];
    size_t n = b->geometry->n_slopes;
    cltomo_status status =
        cltomo_matrix_allocate(b->context, noise, b->out->options.precision, 1, n, error);
    for (size_t k = 0; k < n && status == CLTOMO_OK; ++k) {
        if ((*noise)->precision == CLTOMO_PRECISION_DOUBLE) {
            (*noise)->data.f64[k] = b->out->report.noise_variance;
        } else {
            (*noise)->data.f32[k] = (float)b->out->report.noise_variance;
        }
    }
    return status;
}

/* Slopes are differences of the phase. Where they vary by so little that the phase's own variance
 * swamps them, the covariances lose digits in any evaluation that starts from B. Measured against
 * the structure function for outer scales of 1e4 to 1e9 lenslets, R loses about this much. */
static void warn_of_cancellation(const cltomo_builder *b)
{
    double variance = b->covariance.variance_factor * cltomo_von_karman_f(0.0);
    double loss = 20.0 * DBL_EPSILON * variance / b->out->report.mean_slope_variance;
    if (!(loss < 1e-6)) {
        cltomo_log(b->context, CLTOMO_LOG_WARNING,
            "the outer scale L0 is so large beside a lenslet that digits cancel: estimated "
            "relative error of R %.1e; an outer scale of fewer than 1e5 lenslets avoids that",
            loss);
    }
}

/* C_ss, and the noise that follows from it. */
cltomo_status cltomo_builder_slope_covariance(cltomo_builder *b, cltomo_error *error)
{
    size_t n = b->geometry->n_slopes;
    cltomo_builder_begin_stage(b);
    cltomo_status status =
        b->backend->array_create(b->context, &b->c_ss, b->out->options.precision, n, n, error);
    if (status == CLTOMO_OK) {
        status = b->backend->slope_covariance(b->context, b->c_ss, &b->covariance, error);
    }
    cltomo_build_report *report = &b->out->report;
    if (status == CLTOMO_OK) {
        status =
            b->backend->mean_diagonal(b->context, &report->mean_slope_variance, b->c_ss, error);
        report->noise_variance = b->out->options.alpha * report->mean_slope_variance;
    }
    if (status == CLTOMO_OK) {
        warn_of_cancellation(b);
    }
    cltomo_builder_end_stage(b, "slope covariance");
    if (status == CLTOMO_OK && cltomo_builder_wants(b, CLTOMO_PRODUCT_C_SS)) {
        status = b->backend->complete_symmetric(b->context, b->c_ss, error);
        if (status == CLTOMO_OK) {
            status = keep_copy(b, b->c_ss, CLTOMO_PRODUCT_C_SS, error);
        }
    }
    if (status == CLTOMO_OK && cltomo_builder_wants(b, CLTOMO_PRODUCT_C_N)) {
        status = build_noise(b, error);
    }
    return status;
}

cltomo_status cltomo_builder_phase_covariance(cltomo_builder *b, cltomo_error *error)
{
    cltomo_builder_begin_stage(b);
    cltomo_status status = b->backend->array_create(b->context, &b->c_ps, b->out->options.precision,
        b->geometry->n_phase, b->geometry->n_slopes, error);
    if (status == CLTOMO_OK) {
        status = b->backend->phase_slope_covariance(b->context, b->c_ps, &b->covariance, error);
    }
    cltomo_builder_end_stage(b, "phase-slope covariance");
    if (status == CLTOMO_OK && cltomo_builder_wants(b, CLTOMO_PRODUCT_C_PS)) {
        status = keep_copy(b, b->c_ps, CLTOMO_PRODUCT_C_PS, error);
    }
    return status;
}

/* With noise, the eigenvalues of C_ss + C_n lie between the noise variance and the largest row sum.
 * Measured on systems of all sizes and noise levels, rounding in single precision costs R up to 1.5
 * epsilon times the condition number. */
static cltomo_status estimate_error(cltomo_builder *b, cltomo_error *error)
{
    cltomo_build_report *report = &b->out->report;
    double largest = 0.0;
    if (b->out->options.precision != CLTOMO_PRECISION_SINGLE || report->noise_variance == 0.0) {
        return CLTOMO_OK;
    }
    cltomo_status status = b->backend->largest_row_sum(b->context, &largest, b->c_ss, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    report->condition = largest / report->noise_variance;
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

static cltomo_status factorise(cltomo_builder *b, cltomo_error *error)
{
    cltomo_builder_begin_stage(b);
    cltomo_status status = cltomo_progress(b->context, "factorisation", 0.0, error);
    if (status == CLTOMO_OK) {
        status =
            b->backend->add_to_diagonal(b->context, b->c_ss, b->out->report.noise_variance, error);
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
    cltomo_builder_end_stage(b, "fitting");
    return status;
}

/* command = factor F x */
static cltomo_status apply_fitting(
    cltomo_builder *b, double factor, const cltomo_array *x, cltomo_error *error)
{
    cltomo_array *fitting = NULL;
    cltomo_precision precision = b->out->options.precision;
    cltomo_status status = b->backend->upload(b->context, &fitting, b->fitting, precision, error);
    if (status == CLTOMO_OK) {
        status = b->backend->array_create(
            b->context, &b->command, precision, b->fitting->rows, b->geometry->n_slopes, error);
    }
    if (status == CLTOMO_OK) {
        status = b->backend->multiply(b->context, b->command, factor, fitting, x, error);
    }
    b->backend->array_destroy(b->context, fitting);
    return status;
}

static double wavefront_factor(const cltomo_builder *b)
{
    return 0.5 * cltomo_system_get_description(b->out->system)->guide_star_wavelength;
}

/* R, in place of C_ps. */
static cltomo_status solve_wavefront(cltomo_builder *b, cltomo_error *error)
{
    cltomo_builder_begin_stage(b);
    cltomo_status status = b->backend->solve(b->context, b->c_ps, b->c_ss, error);
    cltomo_builder_end_stage(b, "solve");
    if (status == CLTOMO_OK && cltomo_builder_wants(b, CLTOMO_PRODUCT_R_UNSCALED)) {
        status = keep_copy(b, b->c_ps, CLTOMO_PRODUCT_R_UNSCALED, error);
    }
    if (status == CLTOMO_OK) {
        status = b->backend->scale(b->context, b->c_ps, wavefront_factor(b), error);
    }
    return status;
}

/* FR from R if there is one, else from C_ps: then only n_actuators right-hand sides are solved. */
static cltomo_status build_command(cltomo_builder *b, cltomo_error *error)
{
    double scaling = -b->out->options.scaling;
    cltomo_builder_begin_stage(b);
    if (cltomo_builder_wants_wavefront(b)) {
        cltomo_status status = apply_fitting(b, scaling, b->c_ps, error);
        cltomo_builder_end_stage(b, "commands");
        return status;
    }
    cltomo_status status = apply_fitting(b, scaling * wavefront_factor(b), b->c_ps, error);
    b->backend->array_destroy(b->context, b->c_ps);
    b->c_ps = NULL;
    if (status == CLTOMO_OK) {
        status = b->backend->solve(b->context, b->command, b->c_ss, error);
    }
    cltomo_builder_end_stage(b, "solve for commands");
    return status;
}

static void mask_actuators(cltomo_builder *b)
{
    cltomo_matrix *command = b->out->matrix[cltomo_product_bit(CLTOMO_PRODUCT_FR)];
    size_t row_size = command->cols * cltomo_precision_size(command->precision);
    unsigned char *data = command->data.raw;
    for (size_t i = 0; i < b->out->options.n_masked_actuators; ++i) {
        memset(&data[b->out->options.masked_actuators[i] * row_size], 0, row_size);
    }
}

static cltomo_status keep_command(cltomo_builder *b, cltomo_error *error)
{
    cltomo_status status = keep(b, &b->command, CLTOMO_PRODUCT_FR, error);
    if (status == CLTOMO_OK) {
        mask_actuators(b);
    }
    return status;
}

cltomo_status cltomo_builder_solve(cltomo_builder *b, cltomo_error *error)
{
    cltomo_status status = factorise(b, error);
    if (status == CLTOMO_OK && cltomo_builder_wants_wavefront(b)) {
        status = solve_wavefront(b, error);
    }
    if (status == CLTOMO_OK && cltomo_builder_wants(b, CLTOMO_PRODUCT_FR)) {
        status = build_command(b, error);
    }
    b->backend->array_destroy(b->context, b->c_ss);
    b->c_ss = NULL;
    cltomo_builder_begin_stage(b);
    if (status == CLTOMO_OK && cltomo_builder_wants(b, CLTOMO_PRODUCT_FR)) {
        status = keep_command(b, error);
    }
    if (status == CLTOMO_OK && cltomo_builder_wants(b, CLTOMO_PRODUCT_R)) {
        status = keep(b, &b->c_ps, CLTOMO_PRODUCT_R, error);
    }
    cltomo_builder_end_stage(b, "ordering and checks");
    return status;
}
