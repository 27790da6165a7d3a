/* The model-based reconstructor, from the system to the matrices that were asked for. */
#include "reconstructor/builder.h"

/* Products that follow from the geometry alone. */
static cltomo_status build_geometry_products(cltomo_builder *b, cltomo_error *error)
{
    const cltomo_system_description *d = cltomo_system_get_description(b->out->system);
    const cltomo_build_options *o = &b->out->options;
    cltomo_status status = CLTOMO_OK;
    if (cltomo_builder_wants(b, CLTOMO_PRODUCT_GAMMA)) {
        status = cltomo_gradient_create(b->context, &b->out->gradient, d->valid_lenslets,
            d->n_lenslets, NULL, 3, o->slope_order, o->lenslet_order, error);
    }
    if (status == CLTOMO_OK && cltomo_builder_wants(b, CLTOMO_PRODUCT_GRID_MASK)) {
        size_t n = b->geometry->n_grid;
        cltomo_matrix **mask = &b->out->matrix[cltomo_product_bit(CLTOMO_PRODUCT_GRID_MASK)];
        status = cltomo_matrix_allocate(b->context, mask, CLTOMO_PRECISION_DOUBLE, n, n, error);
        for (size_t i = 0; i < n * n && status == CLTOMO_OK; ++i) {
            (*mask)->data.f64[i] = b->geometry->phase_index[i] >= 0 ? 1.0 : 0.0;
        }
    }
    return status;
}

/* F and the influence functions, in double whatever the precision of the rest. */
static void keep_fitting(cltomo_builder *b)
{
    if (cltomo_builder_wants(b, CLTOMO_PRODUCT_IF)) {
        b->out->matrix[cltomo_product_bit(CLTOMO_PRODUCT_IF)] = b->influence;
        b->influence = NULL;
    }
    if (cltomo_builder_wants(b, CLTOMO_PRODUCT_F)) {
        b->out->matrix[cltomo_product_bit(CLTOMO_PRODUCT_F)] = b->fitting;
        b->fitting = NULL;
    }
}

static cltomo_status create_covariance(cltomo_builder *b, cltomo_error *error)
{
    cltomo_status status =
        cltomo_describe_covariance(&b->covariance, b->geometry, &b->out->options, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    b->out->report.n_gaussians = (uint32_t)b->covariance.mixture.n_terms;
    return cltomo_choose_evaluators(b->out, &b->covariance, error);
}

/* The directions that are looked in one by one. */
static cltomo_status list_directions(cltomo_builder *b, cltomo_error *error)
{
    const cltomo_system_description *d = cltomo_system_get_description(b->out->system);
    const cltomo_build_options *o = &b->out->options;
    b->n_directions = cltomo_count_directions(d);
    b->n_outputs = o->per_direction != 0 ? b->n_directions : 1;
    if (!cltomo_looks_one_by_one(d, o)) {
        return CLTOMO_OK;
    }
    b->directions = cltomo_allocate(b->context, b->n_directions, sizeof *b->directions);
    if (b->directions == NULL) {
        return cltomo_fail_memory(error, "the directions");
    }
    cltomo_list_directions(b->directions, d);
    b->geometry->n_directions_across = 1; /* what the evaluators see of them */
    b->geometry->direction[0] = 0.0;
    return CLTOMO_OK;
}

static cltomo_status prepare(cltomo_builder *b, cltomo_error *error)
{
    const cltomo_build_options *o = &b->out->options;
    cltomo_dimensions dimensions;
    cltomo_system_dimensions(b->out->system, &dimensions);
    b->n_wanted_slopes = dimensions.n_slopes;
    cltomo_builder_begin_stage(b);
    cltomo_status status = cltomo_panel_rows(b->context, &b->panel_rows, b->out->system, o, error);
    if (status == CLTOMO_OK) {
        status = cltomo_geometry_create(b->context, &b->geometry, b->out->system, error);
    }
    if (status == CLTOMO_OK) {
        status = list_directions(b, error);
    }
    if (status == CLTOMO_OK) {
        status = create_covariance(b, error);
    }
    if (status == CLTOMO_OK && (b->geometry->used_slopes != NULL ||
                                   !cltomo_is_own_order(o->slope_order, o->lenslet_order))) {
        status = cltomo_slope_permutation(
            b->out->system, &b->permutation, b->geometry, o->slope_order, o->lenslet_order, error);
    }
    if (status == CLTOMO_OK) {
        status = build_geometry_products(b, error);
    }
    cltomo_builder_end_stage(b, "geometry");
    return status;
}

static cltomo_status build(cltomo_builder *b, cltomo_error *error)
{
    const uint32_t fitting_products = CLTOMO_PRODUCT_FR | CLTOMO_PRODUCT_F | CLTOMO_PRODUCT_IF;
    cltomo_status status = prepare(b, error);
    if (status == CLTOMO_OK && cltomo_builder_wants(b, fitting_products)) {
        status = cltomo_builder_fit(b, error);
    }
    if (status == CLTOMO_OK &&
        (cltomo_builder_wants_solution(b) ||
            cltomo_builder_wants(b, CLTOMO_PRODUCT_C_SS | CLTOMO_PRODUCT_C_N))) {
        status = cltomo_builder_slope_covariance(b, error);
    }
    if (status == CLTOMO_OK && cltomo_builder_wants_solution(b)) {
        status = cltomo_builder_factorise(b, error);
    }
    if (status == CLTOMO_OK &&
        (cltomo_builder_wants_solution(b) || cltomo_builder_wants(b, CLTOMO_PRODUCT_C_PS))) {
        status = cltomo_builder_rows(b, error);
    }
    if (status == CLTOMO_OK) {
        keep_fitting(b);
    }
    return status;
}

void cltomo_builder_release(cltomo_builder *b)
{
    b->backend->array_destroy(b->context, b->c_ss);
    b->backend->array_destroy(b->context, b->c_ps);
    b->backend->array_destroy(b->context, b->command);
    cltomo_matrix_destroy(b->influence);
    cltomo_matrix_destroy(b->fitting);
    cltomo_release(b->context, b->permutation);
    cltomo_release(b->context, b->directions);
    cltomo_release(b->context, b->noise);
    cltomo_geometry_destroy(b->geometry);
}

static cltomo_status create(const cltomo_context *context, cltomo_reconstructor **out,
    const cltomo_system *system, const cltomo_build_options *options, cltomo_error *error)
{
    cltomo_dimensions dimensions;
    cltomo_system_dimensions(system, &dimensions);
    cltomo_reconstructor *created = NULL;
    cltomo_status status = cltomo_reconstructor_create(context, &created, system, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    status = cltomo_build_options_read(&created->options, options, &dimensions, error);
    if (status != CLTOMO_OK) {
        cltomo_reconstructor_destroy(created);
        return status;
    }
    *out = created;
    return CLTOMO_OK;
}

cltomo_status cltomo_reconstructor_build(const cltomo_context *context,
    cltomo_reconstructor **reconstructor, const cltomo_system *system,
    const cltomo_build_options *options, cltomo_error *error)
{
    cltomo_builder b = {.context = context, .backend = cltomo_backend_of(context)};
    cltomo_dimensions dimensions;
    double start = cltomo_seconds();
    cltomo_system_dimensions(system, &dimensions);
    *reconstructor = NULL;
    cltomo_status status = create(context, &b.out, system, options, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    status = cltomo_backend_select(context, &b.backend, b.out->options.precision,
        cltomo_peak_memory(context, system, &b.out->options),
        2 * dimensions.n_lenslets * dimensions.n_wfs *
            cltomo_precision_size(b.out->options.precision),
        error);
    if (status == CLTOMO_OK) {
        b.out->report.backend = b.backend->name;
        status = build(&b, error);
    }
    cltomo_builder_release(&b);
    if (status != CLTOMO_OK) {
        cltomo_reconstructor_destroy(b.out);
        return status;
    }
    b.out->report.total_seconds = cltomo_seconds() - start;
    /* what is the caller's is not ours to keep */
    b.out->options.masked_actuators = NULL;
    b.out->options.n_masked_actuators = 0;
    b.out->options.row_sink = NULL;
    b.out->options.row_sink_user = NULL;
    *reconstructor = b.out;
    return CLTOMO_OK;
}
