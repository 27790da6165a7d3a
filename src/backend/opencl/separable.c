/* Phase-slope covariance, separable; see the C path's separable.c for the mathematics. */
#include "backend/cpu/axis_factors.h"
#include "backend/opencl/opencl.h"
#include "backend/opencl/transfer.h"
#include "covariance/square.h"

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
    size_t representative; /* of the class of sensors at work */
    cltomo_square square;  /* its */
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
    const double *shift, size_t n_points, bool weighted, cltomo_error *error)
{
    cltomo_axis_factors factors;
    cltomo_precision precision = s->c_ps->precision;
    cltomo_status status = cltomo_cpu_axis_factors(
        s->context, &factors, s->covariance, scale, shift, n_points, weighted, precision, error);
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

enum { n_layer_values = 5 };

/* (scale, shift, height, weight, scale of the phase points) of each layer on one axis. */
static cltomo_status upload_layers(const separable *s, cl_mem *layers, const double *scale,
    const double *shift, cltomo_error *error)
{
    const cltomo_geometry *g = s->covariance->geometry;
    double *values = cltomo_allocate(s->context, n_layer_values * g->n_layers, sizeof *values);
    if (values == NULL) {
        return cltomo_fail_memory(error, "the layers");
    }
    for (size_t l = 0; l < g->n_layers; ++l) {
        double *layer = &values[n_layer_values * l];
        layer[0] = scale[l];
        layer[1] = shift[l];
        layer[2] = g->height[l];
        layer[3] = s->covariance->variance_factor * g->fraction[l];
        layer[4] = g->phase_scale[l];
    }
    cltomo_status status =
        cltomo_opencl_wide_buffer(s->context, layers, n_layer_values * g->n_layers, values, error);
    cltomo_release(s->context, values);
    return status;
}

static cltomo_status launch_factors(
    const separable *s, const axis_arrays *axis, cl_mem layers, bool weighted, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(s->context);
    const cltomo_geometry *g = s->covariance->geometry;
    cl_int n_across = (cl_int)g->n_across;
    cl_int n_columns = (cl_int)axis->difference->cols;
    cl_int n_terms = (cl_int)s->covariance->mixture.n_terms;
    cl_int n_directions = (cl_int)g->n_directions_across;
    cl_int is_weighted = weighted;
    cltomo_cl_number spacing = cltomo_opencl_wide(cl, g->spacing);
    size_t n_rows = axis->difference->rows;
    size_t most = cltomo_opencl_rows_per_launch(
        cl, n_rows, axis->difference->cols, 3.0 * (double)g->n_directions_across);
    cltomo_status status = CLTOMO_OK;
    for (size_t row = 0; row < n_rows && status == CLTOMO_OK;) {
        size_t end = n_rows - row < most ? n_rows : row + most;
        /* both arrays are divided alike */
        cltomo_cl_span difference = cltomo_opencl_span(axis->difference, row, end);
        cltomo_cl_span average = cltomo_opencl_span(axis->average, row, end);
        cl_int first_term = (cl_int)row;
        cl_int first_row = (cl_int)difference.first;
        const cltomo_cl_argument arguments[] = {CLTOMO_CL(difference.buffer),
            CLTOMO_CL(average.buffer), CLTOMO_CL(first_row), CLTOMO_CL(first_term),
            CLTOMO_CL(n_columns), CLTOMO_CL(n_across), {cltomo_opencl_wide_size(cl), &spacing},
            CLTOMO_CL(s->terms), CLTOMO_CL(n_terms), CLTOMO_CL(layers), CLTOMO_CL(s->direction),
            CLTOMO_CL(n_directions), CLTOMO_CL(is_weighted)};
        status = cltomo_opencl_run(s->context, s->c_ps->precision, "axis_factors",
            axis->difference->cols, difference.count, arguments, 13, error);
        row += difference.count;
    }
    return status;
}

static cltomo_status create_factors(const separable *s, axis_arrays *axis, const double *scale,
    const double *shift, size_t n_points, bool weighted, cltomo_error *error)
{
    size_t width = n_points * s->covariance->geometry->n_across;
    cltomo_precision precision = s->c_ps->precision;
    size_t rows = s->covariance->geometry->n_layers * s->covariance->mixture.n_terms;
    cl_mem layers = NULL;
    if (!cltomo_opencl_of(s->context)->has_double) {
        return upload_factors(s, axis, scale, shift, n_points, weighted, error);
    }
    cltomo_status status =
        cltomo_opencl_array_create(s->context, &axis->difference, precision, rows, width, error);
    if (status == CLTOMO_OK) {
        status =
            cltomo_opencl_array_create(s->context, &axis->average, precision, rows, width, error);
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

/* Where the phase points and the lenslets of a sensor are in the product for one axis. */
typedef struct axis_map {
    cl_mem point;
    cl_mem place;
    cl_mem sign;
} axis_map;

static void release_map(axis_map *map)
{
    cltomo_opencl_release_buffer(map->point);
    cltomo_opencl_release_buffer(map->place);
    cltomo_opencl_release_buffer(map->sign);
}

/* (row, column, mirror) of the phase point of each row of C_ps. */
static void fill_points(const separable *s, cl_int *values, const cltomo_symmetry *t, bool swap)
{
    const cltomo_geometry *g = s->covariance->geometry;
    for (size_t k = 0; k < s->c_ps->rows; ++k) {
        size_t jy;
        size_t jx;
        size_t point = s->covariance->first_phase + k;
        size_t mirror = cltomo_square_point(&s->square, g, t, point, &jy, &jx);
        values[3 * k] = (cl_int)(swap ? jx : jy);
        values[3 * k + 1] = (cl_int)(swap ? jy : jx);
        values[3 * k + 2] = (cl_int)mirror;
    }
}

static cltomo_status upload_map(
    const separable *s, axis_map *map, const cltomo_symmetry *t, uint32_t axis, cltomo_error *error)
{
    const cltomo_geometry *g = s->covariance->geometry;
    uint32_t its_axis = cltomo_square_axis(t, axis);
    size_t n_places = cltomo_n_mirrors * g->n_lenslets;
    size_t n_points = 3 * s->c_ps->rows;
    size_t n = n_points > n_places ? n_points : n_places;
    cl_int sign[cltomo_n_mirrors];
    cl_int *values = cltomo_allocate(s->context, n, sizeof *values);
    if (values == NULL) {
        return cltomo_fail_memory(error, "the map of a sensor");
    }
    fill_points(s, values, t, cltomo_square_is_transposed(&s->square, its_axis));
    cltomo_status status =
        cltomo_opencl_int_buffer(s->context, &map->point, n_points, values, error);
    for (size_t mirror = 0; mirror < cltomo_n_mirrors; ++mirror) {
        cltomo_symmetry mirrored = cltomo_square_map(t, mirror);
        sign[mirror] = cltomo_symmetry_sign(&mirrored, axis);
        for (size_t k = 0; k < g->n_lenslets; ++k) {
            values[mirror * g->n_lenslets + k] =
                (cl_int)cltomo_square_place(&s->square, g, &mirrored, k, its_axis);
        }
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_int_buffer(s->context, &map->place, n_places, values, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_int_buffer(s->context, &map->sign, cltomo_n_mirrors, sign, error);
    }
    cltomo_release(s->context, values);
    return status;
}

/* Copies from the band the slopes of one sensor along one axis. */
static cltomo_status copy_axis(const separable *s, size_t wfs, uint32_t axis, size_t first_jy,
    size_t end_jy, cltomo_error *error)
{
    const cltomo_geometry *g = s->covariance->geometry;
    const cltomo_symmetry *t = &s->symmetry[wfs];
    uint32_t its_axis = cltomo_square_axis(t, axis);
    bool is_transposed = cltomo_square_is_transposed(&s->square, its_axis);
    axis_map map = {NULL, NULL, NULL};
    /* in one buffer: create_products sees to that */
    cl_mem product = s->product[is_transposed ? 0 : its_axis]->panel[0];
    cl_int n_slopes = (cl_int)g->n_slopes;
    cl_int first_col = (cl_int)((2 * wfs + axis) * g->n_lenslets);
    cl_int width = (cl_int)s->square.width;
    cl_int n_across = (cl_int)g->n_across;
    cl_int first = (cl_int)first_jy;
    cl_int end = (cl_int)end_jy;
    cl_int n_lenslets = (cl_int)g->n_lenslets;
    cltomo_status status = upload_map(s, &map, t, axis, error);
    for (size_t row = 0; row < s->c_ps->rows && status == CLTOMO_OK; row += s->c_ps->panel_rows) {
        cltomo_cl_span span = cltomo_opencl_span(s->c_ps, row, s->c_ps->rows);
        cl_int first_point = (cl_int)row;
        const cltomo_cl_argument arguments[] = {CLTOMO_CL(span.buffer), CLTOMO_CL(n_slopes),
            CLTOMO_CL(first_point), CLTOMO_CL(first_col), CLTOMO_CL(product), CLTOMO_CL(width),
            CLTOMO_CL(n_across), CLTOMO_CL(first), CLTOMO_CL(end), CLTOMO_CL(map.point),
            CLTOMO_CL(map.place), CLTOMO_CL(map.sign), CLTOMO_CL(n_lenslets)};
        status = cltomo_opencl_run(s->context, s->c_ps->precision, "copy_band", g->n_lenslets,
            span.count, arguments, 13, error);
    }
    release_map(&map);
    return status;
}

static cltomo_status fill_band(const separable *s, size_t first_jy, cltomo_error *error)
{
    const cltomo_geometry *g = s->covariance->geometry;
    size_t left = s->square.n_y - first_jy;
    size_t count = left < s->band ? left : s->band;
    size_t first_col = first_jy * g->n_across;
    size_t n_cols = count * g->n_across;
    cltomo_status status = cltomo_opencl_multiply_transposed(
        s->context, s->product[0], s->y.average, first_col, n_cols, s->x.difference, error);
    if (status == CLTOMO_OK && !s->square.self.diagonal) {
        status = cltomo_opencl_multiply_transposed(
            s->context, s->product[1], s->y.difference, first_col, n_cols, s->x.average, error);
    }
    for (size_t wfs = 0; wfs < g->n_wfs && status == CLTOMO_OK; ++wfs) {
        if (s->symmetry[wfs].representative != s->representative) {
            continue;
        }
        status = copy_axis(s, wfs, 0, first_jy, first_jy + count, error);
        if (status == CLTOMO_OK) {
            status = copy_axis(s, wfs, 1, first_jy, first_jy + count, error);
        }
    }
    return status;
}

/* The products of a class, each in one buffer. */
static cltomo_status create_products(separable *s, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(s->context);
    const cltomo_square *square = &s->square;
    cltomo_precision precision = s->c_ps->precision;
    size_t row_bytes = square->n_across * square->width * cltomo_precision_size(precision);
    size_t most = band_bytes < cl->largest_buffer ? band_bytes : (size_t)cl->largest_buffer;
    size_t band = most / row_bytes;
    cltomo_status status = CLTOMO_OK;
    s->band = band == 0 ? 1 : band < square->n_y ? band : square->n_y;
    for (size_t axis = 0; axis < (square->self.diagonal ? 1U : 2U) && status == CLTOMO_OK; ++axis) {
        status = cltomo_opencl_array_create(s->context, &s->product[axis], precision,
            s->band * square->n_across, square->width, error);
        if (status == CLTOMO_OK && s->product[axis]->n_panels > 1) {
            status = cltomo_fail(error, CLTOMO_ERROR_MEMORY,
                "the separable covariance needs a buffer of %.0f MB, but the OpenCL device allows "
                "%.0f MB; use single precision or the CPU backend",
                1e-6 * (double)row_bytes, 1e-6 * (double)cl->largest_buffer);
        }
    }
    return status;
}

/* All sensors that the representative stands for. */
static cltomo_status fill_class(separable *s, size_t representative, cltomo_error *error)
{
    const cltomo_geometry *g = s->covariance->geometry;
    size_t first = representative * g->n_layers;
    s->representative = representative;
    s->square = cltomo_square_of(g, representative);
    cltomo_status status = create_products(s, error);
    if (status == CLTOMO_OK) {
        status = create_factors(
            s, &s->x, &g->scale[first], &g->shift_x[first], s->square.n_x, false, error);
    }
    if (status == CLTOMO_OK) {
        status = create_factors(
            s, &s->y, &g->scale[first], &g->shift_y[first], s->square.n_y, true, error);
    }
    for (size_t jy = 0; jy < s->square.n_y && status == CLTOMO_OK; jy += s->band) {
        if (cltomo_square_needs_rows(&s->square, g, s->symmetry, representative,
                s->covariance->first_phase, s->c_ps->rows, jy, jy + s->band)) {
            status = fill_band(s, jy, error);
        }
        if (status == CLTOMO_OK) {
            double done = (double)representative + (double)jy / (double)s->square.n_y;
            status = cltomo_progress(
                s->context, "phase-slope covariance", done / (double)g->n_wfs, error);
        }
    }
    for (size_t axis = 0; axis < 2; ++axis) {
        cltomo_opencl_array_destroy(s->context, s->product[axis]);
        s->product[axis] = NULL;
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
        .symmetry = cltomo_allocate(context, g->n_wfs, sizeof(cltomo_symmetry))};
    if (s.symmetry == NULL) {
        return cltomo_fail_memory(error, "the separable covariance");
    }
    cltomo_find_symmetries(s.symmetry, g);
    cltomo_status status = upload_terms(&s, error);
    for (size_t wfs = 0; wfs < g->n_wfs && status == CLTOMO_OK; ++wfs) {
        if (s.symmetry[wfs].representative == wfs &&
            cltomo_covariance_phase_evaluator(covariance, wfs) == CLTOMO_EVALUATOR_SEPARABLE) {
            status = fill_class(&s, wfs, error);
        }
    }
    cltomo_opencl_release_buffer(s.terms);
    cltomo_opencl_release_buffer(s.direction);
    cltomo_release(context, s.symmetry);
    return status;
}
