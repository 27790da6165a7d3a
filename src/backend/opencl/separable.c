/* Phase-slope covariance, separable; see the C path's separable.c for the mathematics. */
#include "backend/cpu/axis_factors.h"
#include "backend/opencl/opencl.h"
#include "backend/opencl/transfer.h"
#include "covariance/symmetry.h"

/* Bytes of product kept at a time. */
static const size_t band_bytes = 32U << 20U;

typedef struct axis_arrays {
    cltomo_array *difference;
    cltomo_array *average;
} axis_arrays;

typedef struct separable {
    const cltomo_context *context;
    const cltomo_covariance *covariance;
    cltomo_array *c_ps;
    cltomo_symmetry *symmetry;
    size_t n_grid; /* 2 n_across + 1 */
    size_t width;  /* n_grid * n_across */
    cl_mem terms;
    cl_mem direction;
    axis_arrays x;
    axis_arrays y;
    size_t band;
    cltomo_array *product[2]; /* by axis of the slope */
} separable;

static void release_axis(const cltomo_context *context, axis_arrays *axis)
{
    cltomo_opencl_array_destroy(context, axis->difference);
    cltomo_opencl_array_destroy(context, axis->average);
    *axis = (axis_arrays){NULL, NULL};
}

/* The C path's factors, on devices without double precision. */
static cltomo_status upload_factors(const separable *s, axis_arrays *axis, const double *scale,
    const double *shift, bool weighted, cltomo_error *error)
{
    cltomo_axis_factors factors;
    cltomo_precision precision = s->c_ps->precision;
    cltomo_status status = cltomo_cpu_axis_factors(
        s->context, &factors, s->covariance, scale, shift, s->n_grid, weighted, precision, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    status =
        cltomo_opencl_upload(s->context, &axis->difference, factors.difference, precision, error);
    if (status == CLTOMO_OK) {
        status =
            cltomo_opencl_upload(s->context, &axis->average, factors.average, precision, error);
    }
    cltomo_cpu_axis_factors_release(&factors);
    return status;
}

/* (scale, shift, height, weight) of each layer on one axis. */
static cltomo_status upload_layers(const separable *s, cl_mem *layers, const double *scale,
    const double *shift, cltomo_error *error)
{
    const cltomo_geometry *g = s->covariance->geometry;
    double *values = cltomo_allocate(s->context, 4 * g->n_layers, sizeof *values);
    if (values == NULL) {
        return cltomo_fail_memory(error, "the layers");
    }
    for (size_t l = 0; l < g->n_layers; ++l) {
        values[4 * l] = scale[l];
        values[4 * l + 1] = shift[l];
        values[4 * l + 2] = g->height[l];
        values[4 * l + 3] = s->covariance->variance_factor * g->fraction[l];
    }
    cltomo_status status =
        cltomo_opencl_wide_buffer(s->context, layers, 4 * g->n_layers, values, error);
    cltomo_release(s->context, values);
    return status;
}

static cltomo_status launch_factors(
    const separable *s, const axis_arrays *axis, cl_mem layers, bool weighted, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(s->context);
    const cltomo_geometry *g = s->covariance->geometry;
    cl_int n_across = (cl_int)g->n_across;
    cl_int n_terms = (cl_int)s->covariance->mixture.n_terms;
    cl_int n_directions = (cl_int)g->n_directions_across;
    cl_int is_weighted = weighted;
    cltomo_cl_number spacing = cltomo_opencl_wide(cl, g->spacing);
    size_t n_rows = axis->difference->rows;
    cltomo_status status = CLTOMO_OK;
    for (size_t row = 0; row < n_rows && status == CLTOMO_OK; row += axis->difference->panel_rows) {
        /* both arrays are divided alike */
        cltomo_cl_span difference = cltomo_opencl_span(axis->difference, row, n_rows);
        cltomo_cl_span average = cltomo_opencl_span(axis->average, row, n_rows);
        cl_int first_row = (cl_int)row;
        const cltomo_cl_argument arguments[] = {CLTOMO_CL(difference.buffer),
            CLTOMO_CL(average.buffer), CLTOMO_CL(first_row), CLTOMO_CL(n_across),
            {cltomo_opencl_wide_size(cl), &spacing}, CLTOMO_CL(s->terms), CLTOMO_CL(n_terms),
            CLTOMO_CL(layers), CLTOMO_CL(s->direction), CLTOMO_CL(n_directions),
            CLTOMO_CL(is_weighted)};
        status = cltomo_opencl_run(s->context, s->c_ps->precision, "axis_factors", s->width,
            difference.count, arguments, 11, error);
    }
    return status;
}

static cltomo_status create_factors(const separable *s, axis_arrays *axis, const double *scale,
    const double *shift, bool weighted, cltomo_error *error)
{
    cltomo_precision precision = s->c_ps->precision;
    size_t rows = s->covariance->geometry->n_layers * s->covariance->mixture.n_terms;
    cl_mem layers = NULL;
    if (!cltomo_opencl_of(s->context)->has_double) {
        return upload_factors(s, axis, scale, shift, weighted, error);
    }
    cltomo_status status =
        cltomo_opencl_array_create(s->context, &axis->difference, precision, rows, s->width, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_array_create(
            s->context, &axis->average, precision, rows, s->width, error);
    }
    if (status == CLTOMO_OK) {
        status = upload_layers(s, &layers, scale, shift, error);
    }
    if (status == CLTOMO_OK) {
        status = launch_factors(s, axis, layers, weighted, error);
    }
    cltomo_opencl_release_buffer(layers);
    return status;
}

/* Where each phase point and each lenslet of a sensor is in the representative's products. */
static cltomo_status upload_map(
    const separable *s, cl_mem *point, cl_mem *place, const cltomo_symmetry *t, cltomo_error *error)
{
    const cltomo_geometry *g = s->covariance->geometry;
    size_t n = 2 * g->n_phase > g->n_lenslets ? 2 * g->n_phase : g->n_lenslets;
    cl_int *values = cltomo_allocate(s->context, n, sizeof *values);
    if (values == NULL) {
        return cltomo_fail_memory(error, "the map of a sensor");
    }
    for (size_t k = 0; k < g->n_phase; ++k) {
        size_t jy = g->phase[k].row - 2 * CLTOMO_PADDING;
        size_t jx = g->phase[k].col - 2 * CLTOMO_PADDING;
        cltomo_symmetry_map(t, s->n_grid - 1, &jy, &jx);
        values[2 * k] = (cl_int)jy;
        values[2 * k + 1] = (cl_int)jx;
    }
    cltomo_status status =
        cltomo_opencl_int_buffer(s->context, point, 2 * g->n_phase, values, error);
    for (size_t k = 0; k < g->n_lenslets; ++k) {
        size_t ky = g->lenslet_row[k];
        size_t kx = g->lenslet_col[k];
        cltomo_symmetry_map(t, g->n_across - 1, &ky, &kx);
        values[k] = (cl_int)(ky * s->width + kx);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_int_buffer(s->context, place, g->n_lenslets, values, error);
    }
    cltomo_release(s->context, values);
    return status;
}

/* Copies from the band what belongs to the pupil of one sensor. */
static cltomo_status copy_band(
    const separable *s, size_t wfs, size_t first_jy, size_t end_jy, cltomo_error *error)
{
    const cltomo_geometry *g = s->covariance->geometry;
    const cltomo_symmetry *t = &s->symmetry[wfs];
    cl_mem point = NULL;
    cl_mem place = NULL;
    /* each in one buffer: create_products sees to that */
    cl_mem product_x = s->product[0]->panel[0];
    cl_mem product_y = s->product[1]->panel[0];
    cl_int n_slopes = (cl_int)g->n_slopes;
    cl_int first_col = (cl_int)(wfs * 2 * g->n_lenslets);
    cl_int n_across = (cl_int)g->n_across;
    cl_int first = (cl_int)first_jy;
    cl_int end = (cl_int)end_jy;
    cl_int n_lenslets = (cl_int)g->n_lenslets;
    cl_int swapped = t->swap;
    cl_int sign_x = cltomo_symmetry_sign(t, 0);
    cl_int sign_y = cltomo_symmetry_sign(t, 1);
    cltomo_status status = upload_map(s, &point, &place, t, error);
    for (size_t row = 0; row < g->n_phase && status == CLTOMO_OK; row += s->c_ps->panel_rows) {
        cltomo_cl_span span = cltomo_opencl_span(s->c_ps, row, g->n_phase);
        cl_int first_point = (cl_int)row;
        const cltomo_cl_argument arguments[] = {CLTOMO_CL(span.buffer), CLTOMO_CL(n_slopes),
            CLTOMO_CL(first_point), CLTOMO_CL(first_col), CLTOMO_CL(product_x),
            CLTOMO_CL(product_y), CLTOMO_CL(n_across), CLTOMO_CL(first), CLTOMO_CL(end),
            CLTOMO_CL(point), CLTOMO_CL(place), CLTOMO_CL(n_lenslets), CLTOMO_CL(swapped),
            CLTOMO_CL(sign_x), CLTOMO_CL(sign_y)};
        status = cltomo_opencl_run(s->context, s->c_ps->precision, "copy_band", g->n_lenslets,
            span.count, arguments, 15, error);
    }
    cltomo_opencl_release_buffer(point);
    cltomo_opencl_release_buffer(place);
    return status;
}

static cltomo_status fill_band(
    const separable *s, size_t representative, size_t first_jy, cltomo_error *error)
{
    const cltomo_geometry *g = s->covariance->geometry;
    size_t left = s->n_grid - first_jy;
    size_t count = left < s->band ? left : s->band;
    size_t first_col = first_jy * g->n_across;
    size_t n_cols = count * g->n_across;
    cltomo_status status = cltomo_opencl_multiply_transposed(
        s->context, s->product[0], s->y.average, first_col, n_cols, s->x.difference, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_multiply_transposed(
            s->context, s->product[1], s->y.difference, first_col, n_cols, s->x.average, error);
    }
    for (size_t wfs = 0; wfs < g->n_wfs && status == CLTOMO_OK; ++wfs) {
        if (s->symmetry[wfs].representative == representative) {
            status = copy_band(s, wfs, first_jy, first_jy + count, error);
        }
    }
    return status;
}

/* All sensors that the representative stands for. */
static cltomo_status fill_class(separable *s, size_t representative, cltomo_error *error)
{
    const cltomo_geometry *g = s->covariance->geometry;
    size_t first = representative * g->n_layers;
    cltomo_status status =
        create_factors(s, &s->x, &g->scale[first], &g->shift_x[first], false, error);
    if (status == CLTOMO_OK) {
        status = create_factors(s, &s->y, &g->scale[first], &g->shift_y[first], true, error);
    }
    for (size_t jy = 0; jy < s->n_grid && status == CLTOMO_OK; jy += s->band) {
        status = fill_band(s, representative, jy, error);
        if (status == CLTOMO_OK) {
            double done = (double)representative + (double)jy / (double)s->n_grid;
            status = cltomo_progress(
                s->context, "phase-slope covariance", done / (double)g->n_wfs, error);
        }
    }
    release_axis(s->context, &s->x);
    release_axis(s->context, &s->y);
    return status;
}

static cltomo_status upload_terms(separable *s, cltomo_error *error)
{
    const cltomo_covariance *c = s->covariance;
    size_t n = c->mixture.n_terms;
    double *values = cltomo_allocate(s->context, 2 * n, sizeof *values);
    if (values == NULL) {
        return cltomo_fail_memory(error, "the Gaussian mixture");
    }
    for (size_t k = 0; k < n; ++k) {
        values[2 * k] = c->mixture.exponent[k] * c->wavenumber * c->wavenumber;
        values[2 * k + 1] = c->mixture.weight[k];
    }
    cltomo_status status = cltomo_opencl_wide_buffer(s->context, &s->terms, 2 * n, values, error);
    cltomo_release(s->context, values);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_wide_buffer(s->context, &s->direction,
            c->geometry->n_directions_across, c->geometry->direction, error);
    }
    return status;
}

static cltomo_status create_products(separable *s, cltomo_error *error)
{
    const cltomo_geometry *g = s->covariance->geometry;
    cltomo_precision precision = s->c_ps->precision;
    size_t row_bytes = g->n_across * s->width * cltomo_precision_size(precision);
    const cltomo_opencl *cl = cltomo_opencl_of(s->context);
    size_t most = band_bytes < cl->largest_buffer ? band_bytes : (size_t)cl->largest_buffer;
    size_t band = most / row_bytes;
    s->band = band == 0 ? 1 : band < s->n_grid ? band : s->n_grid;
    cltomo_status status = upload_terms(s, error);
    for (size_t axis = 0; axis < 2 && status == CLTOMO_OK; ++axis) {
        status = cltomo_opencl_array_create(
            s->context, &s->product[axis], precision, s->band * g->n_across, s->width, error);
        if (status == CLTOMO_OK && s->product[axis]->n_panels > 1) {
            status = cltomo_fail(error, CLTOMO_ERROR_MEMORY,
                "the separable covariance needs a buffer of %.0f MB, but the OpenCL device allows "
                "%.0f MB; use single precision or the CPU backend",
                1e-6 * (double)row_bytes, 1e-6 * (double)cl->largest_buffer);
        }
    }
    return status;
}

cltomo_status cltomo_opencl_separable(const cltomo_context *context, cltomo_array *c_ps,
    const cltomo_covariance *covariance, cltomo_error *error)
{
    const cltomo_geometry *g = covariance->geometry;
    if (!cltomo_covariance_has_phase_evaluator(covariance, CLTOMO_EVALUATOR_SEPARABLE)) {
        return CLTOMO_OK;
    }
    separable s = {.context = context,
        .covariance = covariance,
        .c_ps = c_ps,
        .symmetry = cltomo_allocate(context, g->n_wfs, sizeof(cltomo_symmetry)),
        .n_grid = 2 * g->n_across + 1,
        .width = (2 * g->n_across + 1) * g->n_across};
    if (s.symmetry == NULL) {
        return cltomo_fail_memory(error, "the separable covariance");
    }
    cltomo_find_symmetries(s.symmetry, g);
    cltomo_status status = create_products(&s, error);
    for (size_t wfs = 0; wfs < g->n_wfs && status == CLTOMO_OK; ++wfs) {
        if (s.symmetry[wfs].representative == wfs &&
            cltomo_covariance_phase_evaluator(covariance, wfs) == CLTOMO_EVALUATOR_SEPARABLE) {
            status = fill_class(&s, wfs, error);
        }
    }
    cltomo_opencl_array_destroy(context, s.product[0]);
    cltomo_opencl_array_destroy(context, s.product[1]);
    cltomo_opencl_release_buffer(s.terms);
    cltomo_opencl_release_buffer(s.direction);
    cltomo_release(context, s.symmetry);
    return status;
}
