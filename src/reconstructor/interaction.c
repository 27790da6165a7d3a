/* The reconstructor from an interaction matrix, from the system to R_IM. */
#include "reconstructor/interaction.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- options ------------------------------------------------------------------------------- */

cltomo_interaction_options cltomo_interaction_options_init(void)
{
    return (cltomo_interaction_options){.size = (uint32_t)sizeof(cltomo_interaction_options),
        .precision = CLTOMO_PRECISION_DOUBLE,
        .alpha = 10.0,
        .slope_order = CLTOMO_SLOPES_XY,
        .lenslet_order = CLTOMO_LENSLETS_ROW,
        .grid = CLTOMO_ACTUATORS_PITCH};
}

static cltomo_status check_values(const cltomo_interaction_options *o, cltomo_error *error)
{
    if (o->precision != CLTOMO_PRECISION_DOUBLE && o->precision != CLTOMO_PRECISION_SINGLE) {
        return cltomo_refuse(
            error, "precision", (double)o->precision, "double or single", "unknown precision");
    }
    if (!(o->alpha >= 0.0 && o->alpha <= 1e30)) {
        return cltomo_refuse(
            error, "alpha", o->alpha, "0 to 1e30", "the noise variance is out of range");
    }
    if (o->grid != CLTOMO_ACTUATORS_PITCH && o->grid != CLTOMO_ACTUATORS_PYTOMOAO) {
        return cltomo_refuse(error, "grid", (double)o->grid, "pitch or pytomoao",
            "unknown spacing of the actuators");
    }
    return cltomo_check_orders(o->slope_order, o->lenslet_order, error);
}

/* As cltomo_build_options_read. */
static cltomo_status read_options(
    cltomo_interaction_options *own, const cltomo_interaction_options *options, cltomo_error *error)
{
    *own = cltomo_interaction_options_init();
    if (options != NULL) {
        if (options->size < sizeof options->size || options->size > sizeof *own) {
            return cltomo_refuse(error, "size", options->size, "sizeof(cltomo_interaction_options)",
                "initialise the options with cltomo_interaction_options_init");
        }
        memcpy(own, options, options->size);
        own->size = (uint32_t)sizeof *own;
    }
    return check_values(own, error);
}

/* The spacing of the actuators; CLTOMO_ERROR_CONFIG if there are none, or too few to span. */
static cltomo_status find_spacing(double *spacing, const cltomo_system *system,
    const cltomo_dimensions *dimensions, cltomo_actuator_grid grid, cltomo_error *error)
{
    const cltomo_system_description *d = cltomo_system_get_description(system);
    if (dimensions->n_actuators == 0) {
        return cltomo_fail_key(error, CLTOMO_ERROR_CONFIG, "dm_parameters", "",
            "a mirror with valid actuators",
            "the system has no mirror that an interaction matrix could belong to");
    }
    if (grid == CLTOMO_ACTUATORS_PITCH) {
        *spacing = d->actuator_pitch;
        return CLTOMO_OK;
    }
    if (d->n_actuators < 2) {
        return cltomo_fail_key(error, CLTOMO_ERROR_CONFIG, "dm_parameters.nActuators", "1",
            "2 or more", "one actuator spans no diameter, which the grid of pyTomoAO would need");
    }
    *spacing = dimensions->grid_span / (double)(d->n_actuators - 1);
    return CLTOMO_OK;
}

/* ---- memory -------------------------------------------------------------------------------- */

static uint64_t memory(const cltomo_dimensions *d, cltomo_precision precision)
{
    double element = (double)cltomo_precision_size(precision);
    double slopes = (double)d->n_slopes;
    double actuators = (double)d->n_actuators;
    double sensor = 2.0 * (double)d->n_lenslets; /* the most slopes that a sensor can have */
    double matrices = element * slopes * (slopes + actuators);
    double pair = 2.0 * sizeof(double) * actuators * actuators;
    double block = element * (sensor * sensor + 4.0 * sensor * actuators + actuators * actuators);
    double sum = matrices + pair + block;
    return sum < 0x1p64 ? (uint64_t)sum : UINT64_MAX;
}

uint64_t cltomo_interaction_memory(
    const cltomo_system *system, const cltomo_interaction_options *options)
{
    cltomo_dimensions dimensions;
    cltomo_system_dimensions(system, &dimensions);
    return memory(&dimensions, options != NULL ? options->precision : CLTOMO_PRECISION_DOUBLE);
}

/* ---- the build ----------------------------------------------------------------------------- */

/* Where each sensor's slopes begin, and the noise of each slope: alpha over the lenslet's flux. */
static cltomo_status list_slopes(cltomo_interaction *m, cltomo_error *error)
{
    const cltomo_build_options *o = &m->base.out->options;
    const cltomo_system_description *d = cltomo_system_get_description(m->base.out->system);
    const cltomo_context *context = m->base.context;
    size_t n = m->base.n_wanted_slopes;
    size_t across = d->n_lenslets;
    cltomo_slope *slopes = cltomo_allocate(context, n, sizeof *slopes);
    if (slopes == NULL) {
        return cltomo_fail_memory(error, "the list of slopes");
    }
    cltomo_status status = cltomo_system_slopes(
        m->base.out->system, slopes, n, o->slope_order, o->lenslet_order, error);
    for (size_t k = 0; k < n && status == CLTOMO_OK; ++k) {
        const cltomo_slope *s = &slopes[k];
        size_t cell = (s->wfs * across + s->lenslet_row) * across + s->lenslet_col;
        m->base.noise[k] = o->alpha / (d->lenslet_flux != NULL ? d->lenslet_flux[cell] : 1.0);
        ++m->first_slope[s->wfs + 1];
    }
    for (size_t i = 0; i < m->n_wfs; ++i) {
        m->first_slope[i + 1] += m->first_slope[i];
    }
    cltomo_release(context, slopes);
    return status;
}

static cltomo_status allocate(cltomo_interaction *m, cltomo_error *error)
{
    const cltomo_context *context = m->base.context;
    size_t n = m->n_actuators;
    m->first_slope = cltomo_allocate_zero(context, m->n_wfs + 1, sizeof *m->first_slope);
    m->first_row = cltomo_allocate_zero(context, m->n_wfs, sizeof *m->first_row);
    m->actuators = cltomo_allocate(context, n, sizeof *m->actuators);
    m->base.directions = cltomo_allocate(context, m->base.n_directions, sizeof *m->base.directions);
    m->place = cltomo_allocate(context, 4 * n, sizeof *m->place);
    m->base.noise = cltomo_allocate(context, m->base.n_wanted_slopes, sizeof *m->base.noise);
    m->base.n_noise = m->base.n_wanted_slopes;
    if (m->first_slope == NULL || m->first_row == NULL || m->actuators == NULL ||
        m->base.directions == NULL || m->place == NULL || m->base.noise == NULL) {
        return cltomo_fail_memory(error, "the actuators and directions");
    }
    cltomo_status status =
        cltomo_matrix_allocate(context, &m->layer, CLTOMO_PRECISION_DOUBLE, n, n, error);
    return status == CLTOMO_OK ? cltomo_matrix_allocate(
                                     context, &m->covariance, CLTOMO_PRECISION_DOUBLE, n, n, error)
                               : status;
}

static cltomo_status prepare(cltomo_interaction *m, cltomo_error *error)
{
    cltomo_builder *b = &m->base;
    const cltomo_system_description *d = cltomo_system_get_description(b->out->system);
    cltomo_builder_begin_stage(b);
    b->n_directions = cltomo_count_directions(d);
    cltomo_status status = cltomo_geometry_create(b->context, &b->geometry, b->out->system, error);
    if (status == CLTOMO_OK) {
        /* the mixture is not used: its accuracy does not matter */
        status = cltomo_covariance_init(&b->covariance, b->geometry, 1e-2, error);
    }
    if (status == CLTOMO_OK) {
        b->covariance.direct_reason = "covariance of actuators, not of lenslets";
        status = cltomo_choose_evaluators(b->out, &b->covariance, error);
    }
    if (status == CLTOMO_OK) {
        status = allocate(m, error);
    }
    if (status == CLTOMO_OK) {
        cltomo_list_actuators(m->actuators, d, b->out->actuator_spacing);
        cltomo_list_directions(b->directions, d);
        status = list_slopes(m, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_interaction_check(m, error);
    }
    cltomo_builder_end_stage(b, "geometry");
    return status;
}

/* product = m->covariance D_j^T, n_actuators x the slopes of sensor j. */
static cltomo_status multiply_covariance(const cltomo_interaction *m, cltomo_array **product,
    const cltomo_array *transposed, size_t j, cltomo_error *error)
{
    const cltomo_builder *b = &m->base;
    cltomo_precision precision = b->out->options.precision;
    cltomo_array *covariance = NULL;
    *product = NULL;
    cltomo_status status =
        b->backend->upload(b->context, &covariance, m->covariance, precision, error);
    if (status == CLTOMO_OK) {
        status = b->backend->array_create(
            b->context, product, precision, m->n_actuators, cltomo_interaction_slopes(m, j), error);
    }
    if (status == CLTOMO_OK) {
        status = b->backend->multiply(b->context, *product, 1.0, covariance, transposed, error);
    }
    b->backend->array_destroy(b->context, covariance);
    return status;
}

/* The block of sensors i and j of D C_aa D^T, as D_i (C D_j^T). */
static cltomo_status place_pair(
    cltomo_interaction *m, const cltomo_array *transposed, size_t i, size_t j, cltomo_error *error)
{
    const cltomo_builder *b = &m->base;
    cltomo_array *half = NULL;
    cltomo_array *left = NULL;
    cltomo_array *block = NULL;
    cltomo_status status = cltomo_interaction_pair(m, i, j, error);
    if (status == CLTOMO_OK) {
        status = multiply_covariance(m, &half, transposed, j, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_interaction_block(m, &left, i, error);
    }
    if (status == CLTOMO_OK) {
        status = b->backend->array_create(b->context, &block, b->out->options.precision,
            cltomo_interaction_slopes(m, i), cltomo_interaction_slopes(m, j), error);
    }
    if (status == CLTOMO_OK) {
        status = b->backend->multiply(b->context, block, 1.0, left, half, error);
    }
    if (status == CLTOMO_OK) {
        status = b->backend->place(
            b->context, b->c_ss, m->first_slope[i], m->first_slope[j], block, error);
    }
    b->backend->array_destroy(b->context, half);
    b->backend->array_destroy(b->context, left);
    b->backend->array_destroy(b->context, block);
    return status;
}

/* The blocks on and above the diagonal in the columns of sensor j. */
static cltomo_status place_column(cltomo_interaction *m, size_t j, cltomo_error *error)
{
    const cltomo_builder *b = &m->base;
    double n_pairs = 0.5 * (double)m->n_wfs * (double)(m->n_wfs + 1);
    cltomo_array *transposed = NULL;
    cltomo_status status = cltomo_interaction_block_transposed(m, &transposed, j, error);
    for (size_t i = 0; i <= j && status == CLTOMO_OK; ++i) {
        double done = 0.5 * (double)j * (double)(j + 1) + (double)i;
        status = cltomo_progress(b->context, "slope covariance", done / n_pairs, error);
        if (status == CLTOMO_OK) {
            status = place_pair(m, transposed, i, j, error);
        }
    }
    b->backend->array_destroy(b->context, transposed);
    return status;
}

static cltomo_status build_slope_covariance(cltomo_interaction *m, cltomo_error *error)
{
    cltomo_builder *b = &m->base;
    cltomo_build_report *report = &b->out->report;
    size_t n = b->n_wanted_slopes;
    cltomo_builder_begin_stage(b);
    cltomo_status status =
        b->backend->array_create(b->context, &b->c_ss, b->out->options.precision, n, n, error);
    for (size_t j = 0; j < m->n_wfs && status == CLTOMO_OK; ++j) {
        status = place_column(m, j, error);
    }
    if (status == CLTOMO_OK) {
        status =
            b->backend->mean_diagonal(b->context, &report->mean_slope_variance, b->c_ss, error);
    }
    if (status == CLTOMO_OK) {
        report->noise_variance = b->out->options.alpha;
        cltomo_builder_warn_of_cancellation(b, cltomo_interaction_sensitivity(m));
    }
    cltomo_builder_end_stage(b, "slope covariance");
    return status;
}

/* The columns of C_oa D^T that belong to sensor j. */
static cltomo_status place_science(cltomo_interaction *m, size_t j, cltomo_error *error)
{
    const cltomo_builder *b = &m->base;
    cltomo_array *transposed = NULL;
    cltomo_array *product = NULL;
    cltomo_status status = cltomo_progress(
        b->context, "actuator-slope covariance", (double)j / (double)m->n_wfs, error);
    if (status == CLTOMO_OK) {
        status = cltomo_interaction_block_transposed(m, &transposed, j, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_interaction_science(m, j, error);
    }
    if (status == CLTOMO_OK) {
        status = multiply_covariance(m, &product, transposed, j, error);
    }
    if (status == CLTOMO_OK) {
        status = b->backend->place(b->context, b->c_ps, 0, m->first_slope[j], product, error);
    }
    b->backend->array_destroy(b->context, transposed);
    b->backend->array_destroy(b->context, product);
    return status;
}

static cltomo_status build_science_covariance(cltomo_interaction *m, cltomo_error *error)
{
    cltomo_builder *b = &m->base;
    cltomo_builder_begin_stage(b);
    cltomo_status status = b->backend->array_create(
        b->context, &b->c_ps, b->out->options.precision, m->n_actuators, b->n_wanted_slopes, error);
    for (size_t j = 0; j < m->n_wfs && status == CLTOMO_OK; ++j) {
        status = place_science(m, j, error);
    }
    cltomo_builder_end_stage(b, "actuator-slope covariance");
    return status;
}

static cltomo_status solve(cltomo_builder *b, cltomo_error *error)
{
    cltomo_matrix **product = &b->out->matrix[cltomo_product_bit(CLTOMO_PRODUCT_R_IM)];
    cltomo_status status = cltomo_builder_factorise(b, error);
    cltomo_builder_begin_stage(b);
    if (status == CLTOMO_OK) {
        status = b->backend->solve(b->context, b->c_ps, b->c_ss, error);
    }
    if (status == CLTOMO_OK) {
        status = b->backend->download(b->context, product, &b->c_ps, error);
    }
    cltomo_builder_end_stage(b, "solve");
    return status;
}

static cltomo_status build(cltomo_interaction *m, cltomo_error *error)
{
    cltomo_status status = prepare(m, error);
    if (status == CLTOMO_OK) {
        status = build_slope_covariance(m, error);
    }
    if (status == CLTOMO_OK) {
        status = build_science_covariance(m, error);
    }
    return status == CLTOMO_OK ? solve(&m->base, error) : status;
}

static void release(cltomo_interaction *m)
{
    const cltomo_context *context = m->base.context;
    cltomo_builder_release(&m->base);
    cltomo_release(context, m->first_slope);
    cltomo_release(context, m->first_row);
    cltomo_release(context, m->actuators);
    cltomo_release(context, m->place);
    cltomo_matrix_destroy(m->layer);
    cltomo_matrix_destroy(m->covariance);
}

/* The options of the result as cltomo_reconstructor_options tells them. */
static cltomo_build_options result_options(const cltomo_interaction_options *own)
{
    cltomo_build_options options = cltomo_build_options_init();
    options.products = CLTOMO_PRODUCT_R_IM;
    options.precision = own->precision;
    options.alpha = own->alpha;
    options.slope_order = own->slope_order;
    options.lenslet_order = own->lenslet_order;
    options.evaluation = CLTOMO_EVALUATION_DIRECT;
    return options;
}

cltomo_status cltomo_reconstructor_build_interaction(const cltomo_context *context,
    cltomo_reconstructor **reconstructor, const cltomo_system *system,
    const cltomo_matrix *interaction_matrix, const cltomo_interaction_options *options,
    cltomo_error *error)
{
    cltomo_interaction m = {.base = {.context = context, .backend = cltomo_backend_of(context)},
        .matrix = interaction_matrix};
    cltomo_interaction_options own;
    cltomo_dimensions dimensions;
    double start = cltomo_seconds();
    double spacing = 0.0;
    *reconstructor = NULL;
    if (interaction_matrix == NULL) {
        return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "interaction_matrix", "", "a matrix",
            "there is no interaction matrix");
    }
    cltomo_system_dimensions(system, &dimensions);
    m.n_wfs = dimensions.n_wfs;
    m.n_actuators = dimensions.n_actuators;
    m.base.n_wanted_slopes = dimensions.n_slopes;
    cltomo_status status = read_options(&own, options, error);
    if (status == CLTOMO_OK) {
        status = find_spacing(&spacing, system, &dimensions, own.grid, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_reconstructor_create(context, &m.base.out, system, error);
    }
    if (status != CLTOMO_OK) {
        return status;
    }
    m.base.out->options = result_options(&own);
    m.base.out->actuator_spacing = spacing;
    status = cltomo_backend_select(context, &m.base.backend, own.precision,
        memory(&dimensions, own.precision),
        dimensions.n_slopes * cltomo_precision_size(own.precision), error);
    if (status == CLTOMO_OK) {
        m.base.out->report.backend = m.base.backend->name;
        status = build(&m, error);
    }
    release(&m);
    if (status != CLTOMO_OK) {
        cltomo_reconstructor_destroy(m.base.out);
        return status;
    }
    m.base.out->report.total_seconds = cltomo_seconds() - start;
    *reconstructor = m.base.out;
    return CLTOMO_OK;
}
