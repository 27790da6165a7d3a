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
    cl_int first_row = (cl_int)(j * block);
    cl_int first_col = (cl_int)(i * block);
    cl_int lags = (cl_int)n;
    cl_int middle = (cl_int)((g->n_across - 1) * n + g->n_across - 1);
    cl_int n_lenslets = (cl_int)g->n_lenslets;
    const cltomo_cl_argument arguments[] = {CLTOMO_CL(job->c_ss->buffer), CLTOMO_CL(n_slopes),
        CLTOMO_CL(first_row), CLTOMO_CL(first_col), CLTOMO_CL(tables), CLTOMO_CL(lags),
        CLTOMO_CL(middle), CLTOMO_CL(job->place), CLTOMO_CL(n_lenslets)};
    return cltomo_opencl_run(
        job->context, job->c_ss->precision, "gather_block", block, block, arguments, 9, error);
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

/* Gamma_j C_xx Gamma_i^T, some rows of C_xx at a time. */
typedef struct direct_buffers {
    cltomo_cl_points i;
    cltomo_cl_points j;
    cl_mem layers;
    cl_mem direction; /* one, on axis */
    cl_mem phase;     /* the rows of a launch */
    cl_mem product;   /* C_xx Gamma_i^T: n_phase x 2 n_lenslets */
    size_t batch;
} direct_buffers;

static cltomo_status create_direct(
    const slope_job *job, direct_buffers *b, size_t i, size_t j, cltomo_error *error)
{
    const cltomo_context *context = job->context;
    const cltomo_geometry *g = job->covariance->geometry;
    const double on_axis = 0.0;
    b->batch = cltomo_opencl_rows_per_launch(g->n_phase, g->n_layers);
    b->batch = b->batch < g->n_phase ? b->batch : g->n_phase;
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
            context, &b->product, g->n_phase * 2 * g->n_lenslets, NULL, error);
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

static cltomo_status product_rows(
    const slope_job *job, const direct_buffers *b, size_t first, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(job->context);
    const cltomo_geometry *g = job->covariance->geometry;
    size_t left = g->n_phase - first;
    size_t count = left < b->batch ? left : b->batch;
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
    const cltomo_cl_argument gradient[] = {CLTOMO_CL(b->product), CLTOMO_CL(first_row),
        CLTOMO_CL(b->phase), CLTOMO_CL(stride), CLTOMO_CL(job->start), CLTOMO_CL(n_lenslets)};
    cltomo_status status = cltomo_opencl_run(job->context, job->c_ss->precision, "covariance_rows",
        b->i.stride / cl->width, count, rows, 13, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_run(job->context, job->c_ss->precision, "gradient_product",
            g->n_lenslets, count, gradient, 6, error);
    }
    return status == CLTOMO_OK ? cltomo_opencl_finish(job->context, error) : status;
}

static cltomo_status direct_block(const slope_job *job, size_t i, size_t j, cltomo_error *error)
{
    const cltomo_geometry *g = job->covariance->geometry;
    size_t block = 2 * g->n_lenslets;
    direct_buffers b = {.batch = 1};
    cltomo_status status = create_direct(job, &b, i, j, error);
    for (size_t first = 0; first < g->n_phase && status == CLTOMO_OK; first += b.batch) {
        status = product_rows(job, &b, first, error);
    }
    if (status == CLTOMO_OK) {
        cl_int n_slopes = (cl_int)g->n_slopes;
        cl_int first_row = (cl_int)(j * block);
        cl_int first_col = (cl_int)(i * block);
        cl_int n_lenslets = (cl_int)g->n_lenslets;
        const cltomo_cl_argument arguments[] = {CLTOMO_CL(job->c_ss->buffer), CLTOMO_CL(n_slopes),
            CLTOMO_CL(first_row), CLTOMO_CL(first_col), CLTOMO_CL(b.product), CLTOMO_CL(job->start),
            CLTOMO_CL(n_lenslets)};
        status = cltomo_opencl_run(job->context, job->c_ss->precision, "gradient_columns", block,
            g->n_lenslets, arguments, 7, error);
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
        if (job->covariance->force_direct) {
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
