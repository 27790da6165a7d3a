#include "backend/opencl/opencl.h"
#include "backend/opencl/slope_table.h"

/* What all pairs share. */
typedef struct slope_job {
    const cltomo_context *context;
    const cltomo_covariance *covariance;
    cltomo_array *c_ss;
    cl_mem place; /* of each lenslet in a lag table */
    cl_mem start; /* stencils, for the direct evaluator */
} slope_job;

static cltomo_status upload_places(slope_job *job, cltomo_error *error)
{
    const cltomo_geometry *g = job->covariance->geometry;
    cl_int *values = cltomo_allocate(job->context, g->n_lenslets, sizeof *values);
    if (values == NULL) {
        return cltomo_fail_memory(error, "the lenslets");
    }
    for (size_t k = 0; k < g->n_lenslets; ++k) {
        values[k] = (cl_int)(g->lenslet_row[k] * (2 * g->n_across - 1) + g->lenslet_col[k]);
    }
    cltomo_status status =
        cltomo_opencl_int_buffer(job->context, &job->place, g->n_lenslets, values, error);
    cltomo_release(job->context, values);
    return status;
}

static cltomo_status gather(
    const slope_job *job, cl_mem tables, size_t n, size_t i, size_t j, cltomo_error *error)
{
    const cltomo_geometry *g = job->covariance->geometry;
    size_t block = 2 * g->n_lenslets;
    cl_int n_slopes = (cl_int)g->n_slopes;
    cl_int first_col = (cl_int)(i * block);
    cl_int lags = (cl_int)n;
    cl_int middle = (cl_int)((g->n_across - 1) * n + g->n_across - 1);
    cl_int n_lenslets = (cl_int)g->n_lenslets;
    cltomo_status status = CLTOMO_OK;
    for (size_t slope = 0; slope < block && status == CLTOMO_OK;) {
        cltomo_cl_span span = cltomo_opencl_span(job->c_ss, j * block + slope, (j + 1) * block);
        cl_int first_row = (cl_int)span.first;
        cl_int first_slope = (cl_int)slope;
        const cltomo_cl_argument arguments[] = {CLTOMO_CL(span.buffer), CLTOMO_CL(n_slopes),
            CLTOMO_CL(first_row), CLTOMO_CL(first_col), CLTOMO_CL(first_slope), CLTOMO_CL(tables),
            CLTOMO_CL(lags), CLTOMO_CL(middle), CLTOMO_CL(job->place), CLTOMO_CL(n_lenslets)};
        status = cltomo_opencl_run(job->context, job->c_ss->precision, "gather_block", block,
            span.count, arguments, 10, error);
        slope += span.count;
    }
    return status;
}

static cltomo_status toeplitz_block(const slope_job *job, size_t i, size_t j, cltomo_error *error)
{
    cl_mem tables = NULL;
    size_t n = 0;
    cltomo_status status = cltomo_opencl_slope_table(
        job->context, job->c_ss->precision, &tables, &n, job->covariance, i, j, error);
    if (status == CLTOMO_OK) {
        status = gather(job, tables, n, i, j, error);
    }
    cltomo_opencl_release_buffer(tables);
    return status;
}

/* Bytes of product kept at a time. */
static const size_t product_bytes = 256U << 20U;

/* Gamma_j C_xx Gamma_i^T, for some lenslets of sensor j and some rows of C_xx at a time. */
typedef struct direct_buffers {
    cltomo_cl_points i;
    cltomo_cl_points j;
    cl_mem layers;
    cl_mem direction; /* one, on axis */
    cl_mem phase;     /* the rows of a launch */
    cl_mem product;   /* some rows of C_xx Gamma_i^T, 2 n_lenslets long */
    size_t batch;
    size_t most_points; /* rows of the product */
} direct_buffers;

/* Lenslets whose stencils are within a range of phase points: both are listed row by row. */
typedef struct lenslet_band {
    size_t first;
    size_t end;
    size_t first_point;
    size_t end_point;
} lenslet_band;

/* Number of the phase point in row and column `place` (0 or 2) of a lenslet's stencil. */
static size_t stencil_point(const cltomo_geometry *g, size_t lenslet, size_t place)
{
    size_t row = cltomo_stencil_start(g->lenslet_row[lenslet]) + place;
    size_t col = cltomo_stencil_start(g->lenslet_col[lenslet]) + place;
    return (size_t)g->phase_index[row * g->n_grid + col];
}

/* As many lenslets from `first` on as their points allow, but at least one. */
static lenslet_band find_band(const cltomo_geometry *g, size_t first, size_t most_points)
{
    lenslet_band band = {first, first + 1, stencil_point(g, first, 0), 0};
    while (band.end < g->n_lenslets &&
           stencil_point(g, band.end, 2) < band.first_point + most_points) {
        ++band.end;
    }
    band.end_point = stencil_point(g, band.end - 1, 2) + 1;
    return band;
}

/* Rows of the product: all, or what a buffer holds, but no less than a row of lenslets needs. */
static size_t choose_points(const cltomo_opencl *cl, const cltomo_geometry *g)
{
    size_t row_bytes = 2 * g->n_lenslets * cltomo_opencl_wide_size(cl);
    size_t most = product_bytes < cl->largest_buffer ? product_bytes : (size_t)cl->largest_buffer;
    size_t points = row_bytes > 0 ? most / row_bytes : 0;
    size_t fewest = 3 * g->n_grid;
    points = points > fewest ? points : fewest;
    return points < g->n_phase ? points : g->n_phase;
}

static cltomo_status create_direct(
    const slope_job *job, direct_buffers *b, size_t i, size_t j, cltomo_error *error)
{
    const cltomo_context *context = job->context;
    const cltomo_geometry *g = job->covariance->geometry;
    const double on_axis = 0.0;
    const cltomo_opencl *cl = cltomo_opencl_of(context);
    b->most_points = choose_points(cl, g);
    b->batch = cltomo_opencl_rows_per_launch(cl, b->most_points, g->n_phase, (double)g->n_layers);
    cltomo_status status = cltomo_opencl_project_points(context, &b->i, g, i, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_project_points(context, &b->j, g, j, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_layers(context, &b->layers, job->covariance, false, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_wide_buffer(context, &b->direction, 1, &on_axis, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_wide_buffer(context, &b->phase, b->batch * b->i.stride, NULL, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_wide_buffer(
            context, &b->product, b->most_points * 2 * g->n_lenslets, NULL, error);
    }
    return status;
}

static void release_direct(direct_buffers *b)
{
    cltomo_opencl_points_release(&b->i);
    cltomo_opencl_points_release(&b->j);
    cltomo_opencl_release_buffer(b->layers);
    cltomo_opencl_release_buffer(b->direction);
    cltomo_opencl_release_buffer(b->phase);
    cltomo_opencl_release_buffer(b->product);
}

/* Rows of the product from phase point `first` on. */
static cltomo_status product_rows(const slope_job *job, const direct_buffers *b,
    const lenslet_band *band, size_t first, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(job->context);
    const cltomo_geometry *g = job->covariance->geometry;
    size_t left = band->end_point - first;
    size_t count = left < b->batch ? left : b->batch;
    cl_int product_row = (cl_int)(first - band->first_point);
    cl_int stride = (cl_int)b->i.stride;
    cl_int from_stride = (cl_int)b->j.stride;
    cl_int first_row = (cl_int)first;
    cl_int n_layers = (cl_int)g->n_layers;
    cl_int n_directions = 1;
    cl_int n_lenslets = (cl_int)g->n_lenslets;
    cltomo_cl_number wavenumber = cltomo_opencl_wide(cl, job->covariance->wavenumber);
    const cltomo_cl_argument rows[] = {CLTOMO_CL(b->phase), CLTOMO_CL(b->i.x), CLTOMO_CL(b->i.y),
        CLTOMO_CL(stride), CLTOMO_CL(b->j.x), CLTOMO_CL(b->j.y), CLTOMO_CL(from_stride),
        CLTOMO_CL(first_row), CLTOMO_CL(b->layers), CLTOMO_CL(n_layers), CLTOMO_CL(b->direction),
        CLTOMO_CL(n_directions), {cltomo_opencl_wide_size(cl), &wavenumber}};
    const cltomo_cl_argument gradient[] = {CLTOMO_CL(b->product), CLTOMO_CL(product_row),
        CLTOMO_CL(b->phase), CLTOMO_CL(stride), CLTOMO_CL(job->start), CLTOMO_CL(n_lenslets)};
    cltomo_status status = cltomo_opencl_run(job->context, job->c_ss->precision, "covariance_rows",
        b->i.stride / cl->quirks.width, count, rows, 13, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_run(job->context, job->c_ss->precision, "gradient_product",
            g->n_lenslets, count, gradient, 6, error);
    }
    return status == CLTOMO_OK ? cltomo_opencl_finish(job->context, error) : status;
}

/* Gamma_j applied to the product, for the slopes first ... end of sensor j. */
static cltomo_status product_columns(const slope_job *job, const direct_buffers *b, size_t i,
    size_t j, size_t first, size_t end, size_t first_point, cltomo_error *error)
{
    const cltomo_geometry *g = job->covariance->geometry;
    size_t block = 2 * g->n_lenslets;
    cl_int n_slopes = (cl_int)g->n_slopes;
    cl_int first_col = (cl_int)(i * block);
    cl_int n_lenslets = (cl_int)g->n_lenslets;
    cl_int point = (cl_int)first_point;
    cltomo_status status = CLTOMO_OK;
    for (size_t slope = first; slope < end && status == CLTOMO_OK;) {
        cltomo_cl_span span = cltomo_opencl_span(job->c_ss, j * block + slope, j * block + end);
        cl_int first_row = (cl_int)span.first;
        cl_int first_slope = (cl_int)slope;
        const cltomo_cl_argument arguments[] = {CLTOMO_CL(span.buffer), CLTOMO_CL(n_slopes),
            CLTOMO_CL(first_row), CLTOMO_CL(first_col), CLTOMO_CL(first_slope),
            CLTOMO_CL(b->product), CLTOMO_CL(point), CLTOMO_CL(job->start), CLTOMO_CL(n_lenslets)};
        status = cltomo_opencl_run(job->context, job->c_ss->precision, "gradient_columns", block,
            span.count, arguments, 9, error);
        slope += span.count;
    }
    return status;
}

static cltomo_status direct_band(const slope_job *job, const direct_buffers *b, size_t i, size_t j,
    const lenslet_band *band, cltomo_error *error)
{
    size_t n = job->covariance->geometry->n_lenslets;
    cltomo_status status = CLTOMO_OK;
    for (size_t k = band->first_point; k < band->end_point && status == CLTOMO_OK; k += b->batch) {
        status = product_rows(job, b, band, k, error);
    }
    if (status == CLTOMO_OK) {
        status = product_columns(job, b, i, j, band->first, band->end, band->first_point, error);
    }
    return status == CLTOMO_OK ? product_columns(job, b, i, j, n + band->first, n + band->end,
                                     band->first_point, error)
                               : status;
}

static cltomo_status direct_block(const slope_job *job, size_t i, size_t j, cltomo_error *error)
{
    const cltomo_geometry *g = job->covariance->geometry;
    direct_buffers b = {.batch = 1};
    cltomo_status status = create_direct(job, &b, i, j, error);
    for (size_t first = 0; first < g->n_lenslets && status == CLTOMO_OK;) {
        lenslet_band band = find_band(g, first, b.most_points);
        status = direct_band(job, &b, i, j, &band, error);
        first = band.end;
    }
    release_direct(&b);
    return status;
}

/* Sensors of equal scale share the table of their blocks with themselves, whatever their rotation.
 */
static cltomo_status fill_diagonal(const slope_job *job, cltomo_error *error)
{
    const cltomo_geometry *g = job->covariance->geometry;
    cl_mem tables = NULL;
    size_t n = 0;
    cltomo_status status = CLTOMO_OK;
    for (size_t i = 0; i < g->n_wfs && status == CLTOMO_OK; ++i) {
        if (cltomo_covariance_slope_evaluator(job->covariance, i, i) == CLTOMO_EVALUATOR_DIRECT) {
            status = direct_block(job, i, i, error);
            continue;
        }
        if (tables == NULL || !cltomo_covariance_same_scale(g, i - 1, i)) {
            cltomo_opencl_release_buffer(tables);
            status = cltomo_opencl_slope_table(
                job->context, job->c_ss->precision, &tables, &n, job->covariance, i, i, error);
        }
        if (status == CLTOMO_OK) {
            status = gather(job, tables, n, i, i, error);
        }
    }
    cltomo_opencl_release_buffer(tables);
    return status;
}

static cltomo_status fill_pairs(const slope_job *job, cltomo_error *error)
{
    size_t n_wfs = job->covariance->geometry->n_wfs;
    cltomo_status status = CLTOMO_OK;
    for (size_t i = 1; i < n_wfs && status == CLTOMO_OK; ++i) {
        for (size_t j = 0; j < i && status == CLTOMO_OK; ++j) {
            bool direct =
                cltomo_covariance_slope_evaluator(job->covariance, i, j) == CLTOMO_EVALUATOR_DIRECT;
            status = direct ? direct_block(job, i, j, error) : toeplitz_block(job, i, j, error);
        }
        if (status == CLTOMO_OK) {
            status = cltomo_progress(
                job->context, "slope covariance", (double)(i + 1) / (double)n_wfs, error);
        }
    }
    return status;
}

cltomo_status cltomo_opencl_slope_covariance(const cltomo_context *context, cltomo_array *c_ss,
    const cltomo_covariance *covariance, cltomo_error *error)
{
    slope_job job = {.context = context, .covariance = covariance, .c_ss = c_ss};
    cltomo_status status = upload_places(&job, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_stencils(context, &job.start, covariance->geometry, error);
    }
    if (status == CLTOMO_OK) {
        status = fill_diagonal(&job, error);
    }
    if (status == CLTOMO_OK) {
        status = fill_pairs(&job, error);
    }
    cltomo_opencl_release_buffer(job.place);
    cltomo_opencl_release_buffer(job.start);
    return status == CLTOMO_OK ? cltomo_opencl_finish(context, error) : status;
}
