/* The rows of C_ps, and the wavefront and the commands that follow from them: output by output, and
 * within an output in panels of phase points, so that R need not be in memory as a whole. */
#include <string.h>

#include "reconstructor/builder.h"

static double wavefront_factor(const cltomo_builder *b)
{
    return 0.5 * cltomo_system_get_description(b->out->system)->guide_star_wavelength;
}

/* ---- covariance ---------------------------------------------------------------------------- */

/* c_ps, for the phase points from first_phase on, seen in one direction. */
static cltomo_status look(cltomo_builder *b, cltomo_array *c_ps, const cltomo_direction *direction,
    size_t first_phase, cltomo_error *error)
{
    cltomo_geometry *looking = NULL;
    cltomo_covariance covariance = b->covariance;
    cltomo_status status = cltomo_geometry_look(b->geometry, &looking, direction, error);
    if (status == CLTOMO_OK) {
        covariance.geometry = looking;
        covariance.first_phase = first_phase;
        status = b->backend->phase_slope_covariance(b->context, c_ps, &covariance, error);
    }
    cltomo_geometry_look_away(looking);
    return status;
}

/* The mean over the listed directions. */
static cltomo_status average(
    cltomo_builder *b, size_t first_phase, size_t n_rows, cltomo_error *error)
{
    const cltomo_backend *backend = b->backend;
    cltomo_array *part = NULL;
    bool is_first = true;
    cltomo_status status = CLTOMO_OK;
    for (size_t k = 0; k < b->n_directions && status == CLTOMO_OK; ++k) {
        const cltomo_direction *direction = &b->directions[k];
        if (direction->weight == 0.0) {
            continue;
        }
        if (!is_first && part == NULL) {
            status = backend->array_create(
                b->context, &part, b->out->options.precision, n_rows, b->geometry->n_slopes, error);
        }
        if (status == CLTOMO_OK) {
            status = look(b, is_first ? b->c_ps : part, direction, first_phase, error);
        }
        if (status == CLTOMO_OK) {
            status = is_first ? backend->scale(b->context, b->c_ps, direction->weight, error)
                              : backend->add(b->context, b->c_ps, direction->weight, part, error);
        }
        is_first = false;
    }
    backend->array_destroy(b->context, part);
    return status;
}

static cltomo_status fill_panel(
    cltomo_builder *b, size_t output, size_t first_phase, size_t n_rows, cltomo_error *error)
{
    if (b->out->options.per_direction) {
        return look(b, b->c_ps, &b->directions[output], first_phase, error);
    }
    if (b->directions != NULL) {
        return average(b, first_phase, n_rows, error);
    }
    b->covariance.first_phase = first_phase;
    return b->backend->phase_slope_covariance(b->context, b->c_ps, &b->covariance, error);
}

static cltomo_status phase_covariance(
    cltomo_builder *b, size_t output, size_t first_phase, size_t n_rows, cltomo_error *error)
{
    const cltomo_geometry *g = b->geometry;
    cltomo_builder_begin_stage(b);
    cltomo_status status = b->backend->array_create(
        b->context, &b->c_ps, b->out->options.precision, n_rows, g->n_slopes, error);
    if (status == CLTOMO_OK) {
        status = fill_panel(b, output, first_phase, n_rows, error);
    }
    if (status == CLTOMO_OK && g->used_slopes != NULL) {
        status = b->backend->clear_unused(b->context, b->c_ps, NULL, g->used_slopes, error);
    }
    cltomo_builder_end_stage(b, "phase-slope covariance");
    if (status == CLTOMO_OK && cltomo_builder_wants(b, CLTOMO_PRODUCT_C_PS)) {
        status = cltomo_builder_emit_copy(
            b, b->c_ps, CLTOMO_PRODUCT_C_PS, output * g->n_phase + first_phase, error);
    }
    return status;
}

/* ---- wavefront ----------------------------------------------------------------------------- */

/* R, in place of C_ps. */
static cltomo_status solve_wavefront(cltomo_builder *b, size_t first_row, cltomo_error *error)
{
    cltomo_builder_begin_stage(b);
    cltomo_status status = b->backend->solve(b->context, b->c_ps, b->c_ss, error);
    cltomo_builder_end_stage(b, "solve");
    if (status == CLTOMO_OK && cltomo_builder_wants(b, CLTOMO_PRODUCT_R_UNSCALED)) {
        status = cltomo_builder_emit_copy(b, b->c_ps, CLTOMO_PRODUCT_R_UNSCALED, first_row, error);
    }
    if (status == CLTOMO_OK) {
        status = b->backend->scale(b->context, b->c_ps, wavefront_factor(b), error);
    }
    return status;
}

/* ---- commands ------------------------------------------------------------------------------ */

/* The columns of F for some phase points, where the backend works. */
static cltomo_status upload_fitting(const cltomo_builder *b, cltomo_array **fitting,
    size_t first_phase, size_t n_rows, cltomo_error *error)
{
    const cltomo_backend *backend = b->backend;
    cltomo_precision precision = b->out->options.precision;
    const cltomo_matrix *f = b->fitting;
    if (n_rows == f->cols) {
        return backend->upload(b->context, fitting, f, precision, error);
    }
    cltomo_matrix *part = NULL;
    cltomo_status status =
        cltomo_matrix_allocate(b->context, &part, f->precision, f->rows, n_rows, error);
    if (status == CLTOMO_OK) {
        for (size_t i = 0; i < f->rows; ++i) {
            memcpy(&part->data.f64[i * n_rows], &f->data.f64[i * f->cols + first_phase],
                n_rows * sizeof(double));
        }
        status = backend->upload(b->context, fitting, part, precision, error);
    }
    cltomo_matrix_destroy(part);
    return status;
}

/* command += factor F c_ps, for the phase points of the panel. */
static cltomo_status apply_fitting(
    cltomo_builder *b, double factor, size_t first_phase, size_t n_rows, cltomo_error *error)
{
    const cltomo_backend *backend = b->backend;
    bool is_first = b->command == NULL;
    cltomo_array *fitting = NULL;
    cltomo_array *product = NULL;
    cltomo_status status = upload_fitting(b, &fitting, first_phase, n_rows, error);
    if (status == CLTOMO_OK) {
        status = backend->array_create(b->context, &product, b->out->options.precision,
            b->fitting->rows, b->geometry->n_slopes, error);
    }
    if (status == CLTOMO_OK) {
        status = backend->multiply(b->context, product, factor, fitting, b->c_ps, error);
    }
    if (status == CLTOMO_OK && !is_first) {
        status = backend->add(b->context, b->command, 1.0, product, error);
    } else if (status == CLTOMO_OK) {
        b->command = product;
        product = NULL;
    }
    backend->array_destroy(b->context, fitting);
    backend->array_destroy(b->context, product);
    return status;
}

/* FR from R if there is one, else from C_ps: then only n_actuators right-hand sides are solved. */
static cltomo_status add_commands(
    cltomo_builder *b, size_t first_phase, size_t n_rows, cltomo_error *error)
{
    bool from_wavefront = cltomo_builder_wants_wavefront(b);
    double factor = -b->out->options.scaling * (from_wavefront ? 1.0 : wavefront_factor(b));
    cltomo_builder_begin_stage(b);
    cltomo_status status = apply_fitting(b, factor, first_phase, n_rows, error);
    cltomo_builder_end_stage(b, from_wavefront ? "commands" : "solve for commands");
    return status;
}

static cltomo_status finish_commands(cltomo_builder *b, size_t output, cltomo_error *error)
{
    cltomo_status status = CLTOMO_OK;
    if (!cltomo_builder_wants_wavefront(b)) {
        cltomo_builder_begin_stage(b);
        status = b->backend->solve(b->context, b->command, b->c_ss, error);
        cltomo_builder_end_stage(b, "solve for commands");
    }
    return status == CLTOMO_OK ? cltomo_builder_emit(b, &b->command, CLTOMO_PRODUCT_FR,
                                     output * b->fitting->rows, error)
                               : status;
}

/* ---- panels -------------------------------------------------------------------------------- */

static void release_panel(cltomo_builder *b)
{
    b->backend->array_destroy(b->context, b->c_ps);
    b->c_ps = NULL;
}

static cltomo_status build_panel(
    cltomo_builder *b, size_t output, size_t first_phase, size_t n_rows, cltomo_error *error)
{
    size_t first_row = output * b->geometry->n_phase + first_phase;
    cltomo_status status = phase_covariance(b, output, first_phase, n_rows, error);
    if (status == CLTOMO_OK && cltomo_builder_wants_wavefront(b)) {
        status = solve_wavefront(b, first_row, error);
    }
    if (status == CLTOMO_OK && cltomo_builder_wants(b, CLTOMO_PRODUCT_FR)) {
        status = add_commands(b, first_phase, n_rows, error);
    }
    if (status == CLTOMO_OK && cltomo_builder_wants(b, CLTOMO_PRODUCT_R)) {
        status = cltomo_builder_emit(b, &b->c_ps, CLTOMO_PRODUCT_R, first_row, error);
    }
    release_panel(b);
    return status;
}

static cltomo_status build_output(cltomo_builder *b, size_t output, cltomo_error *error)
{
    size_t n_phase = b->geometry->n_phase;
    cltomo_status status = CLTOMO_OK;
    for (size_t first = 0; first < n_phase && status == CLTOMO_OK; first += b->panel_rows) {
        size_t left = n_phase - first;
        status = build_panel(b, output, first, left < b->panel_rows ? left : b->panel_rows, error);
    }
    if (status == CLTOMO_OK && cltomo_builder_wants(b, CLTOMO_PRODUCT_FR)) {
        status = finish_commands(b, output, error);
    }
    return status;
}

cltomo_status cltomo_builder_rows(cltomo_builder *b, cltomo_error *error)
{
    cltomo_status status = CLTOMO_OK;
    for (size_t output = 0; output < b->n_outputs && status == CLTOMO_OK; ++output) {
        status = build_output(b, output, error);
    }
    return status;
}
