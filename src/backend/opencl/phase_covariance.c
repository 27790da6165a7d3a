/* Phase-slope covariance, direct, some rows at a time. */
#include "backend/cpu/rotated.h"
#include "backend/opencl/loan.h"

typedef struct phase_job {
    const cltomo_context *context;
    const cltomo_covariance *covariance;
    cltomo_array *c_ps;
    cl_mem from_x; /* n_layers x n_rows: the points of the rows, seen from the science source */
    cl_mem from_y;
    cl_mem layers;
    cl_mem direction;
    cl_mem start;
    cl_mem phase;
    size_t n_rows;
    size_t batch;
} phase_job;

static cltomo_status upload_phase_points(phase_job *job, cltomo_error *error)
{
    const cltomo_geometry *g = job->covariance->geometry;
    size_t n = g->n_layers * job->n_rows;
    double *values = cltomo_allocate(job->context, 2 * n, sizeof *values);
    if (values == NULL) {
        return cltomo_fail_memory(error, "the phase points");
    }
    for (size_t k = 0; k < n; ++k) {
        const cltomo_point *point = &g->phase[job->covariance->first_phase + k % job->n_rows];
        values[k] = g->phase_scale[k / job->n_rows] * point->x;
        values[n + k] = g->phase_scale[k / job->n_rows] * point->y;
    }
    cltomo_status status = cltomo_opencl_wide_buffer(job->context, &job->from_x, n, values, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_wide_buffer(job->context, &job->from_y, n, values + n, error);
    }
    cltomo_release(job->context, values);
    return status;
}

static cltomo_status create(phase_job *job, cltomo_error *error)
{
    const cltomo_geometry *g = job->covariance->geometry;
    size_t directions = g->n_directions_across * g->n_directions_across;
    const cltomo_opencl *cl = cltomo_opencl_of(job->context);
    size_t stride = cltomo_opencl_stride(cl, g->n_phase);
    job->batch = cltomo_opencl_rows_per_launch(
        cl, job->n_rows, g->n_phase, (double)(g->n_layers * directions));
    cltomo_status status = upload_phase_points(job, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_layers(job->context, &job->layers, job->covariance, true, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_wide_buffer(
            job->context, &job->direction, g->n_directions_across, g->direction, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_stencils(job->context, &job->start, g, error);
    }
    if (status == CLTOMO_OK) {
        status =
            cltomo_opencl_wide_buffer(job->context, &job->phase, job->batch * stride, NULL, error);
    }
    return status;
}

static void release(phase_job *job)
{
    cltomo_opencl_release_buffer(job->from_x);
    cltomo_opencl_release_buffer(job->from_y);
    cltomo_opencl_release_buffer(job->layers);
    cltomo_opencl_release_buffer(job->direction);
    cltomo_opencl_release_buffer(job->start);
    cltomo_opencl_release_buffer(job->phase);
}

/* Gamma applied to the rows of a launch. */
static cltomo_status fill_slopes(const phase_job *job, size_t stride, size_t wfs, size_t first,
    size_t count, cltomo_error *error)
{
    const cltomo_geometry *g = job->covariance->geometry;
    cl_int phase_stride = (cl_int)stride;
    cl_int first_col = (cl_int)(wfs * 2 * g->n_lenslets);
    cl_int n_slopes = (cl_int)g->n_slopes;
    cl_int n_lenslets = (cl_int)g->n_lenslets;
    cltomo_status status = CLTOMO_OK;
    for (size_t row = 0; row < count && status == CLTOMO_OK;) {
        cltomo_cl_span span = cltomo_opencl_span(job->c_ps, first + row, first + count);
        cl_int first_row = (cl_int)span.first;
        cl_int first_phase = (cl_int)row;
        const cltomo_cl_argument arguments[] = {CLTOMO_CL(span.buffer), CLTOMO_CL(n_slopes),
            CLTOMO_CL(first_row), CLTOMO_CL(first_col), CLTOMO_CL(job->phase),
            CLTOMO_CL(phase_stride), CLTOMO_CL(first_phase), CLTOMO_CL(job->start),
            CLTOMO_CL(n_lenslets)};
        status = cltomo_opencl_run(job->context, job->c_ps->precision, "gradient_rows",
            g->n_lenslets, span.count, arguments, 9, error);
        row += span.count;
    }
    return status;
}

static cltomo_status fill_rows(const phase_job *job, const cltomo_cl_points *points, size_t wfs,
    size_t first, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(job->context);
    const cltomo_geometry *g = job->covariance->geometry;
    size_t left = job->n_rows - first;
    size_t count = left < job->batch ? left : job->batch;
    cl_int stride = (cl_int)points->stride;
    cl_int from_stride = (cl_int)job->n_rows;
    cl_int first_row = (cl_int)first;
    cl_int n_layers = (cl_int)g->n_layers;
    cl_int n_directions = (cl_int)g->n_directions_across;
    cltomo_cl_number wavenumber = cltomo_opencl_wide(cl, job->covariance->wavenumber);
    const cltomo_cl_argument arguments[] = {CLTOMO_CL(job->phase), CLTOMO_CL(points->x),
        CLTOMO_CL(points->y), CLTOMO_CL(stride), CLTOMO_CL(job->from_x), CLTOMO_CL(job->from_y),
        CLTOMO_CL(from_stride), CLTOMO_CL(first_row), CLTOMO_CL(job->layers), CLTOMO_CL(n_layers),
        CLTOMO_CL(job->direction), CLTOMO_CL(n_directions),
        {cltomo_opencl_wide_size(cl), &wavenumber}};
    cltomo_status status = cltomo_opencl_run(job->context, job->c_ps->precision, "covariance_rows",
        points->stride / cl->quirks.width, count, arguments, 13, error);
    if (status == CLTOMO_OK) {
        status = fill_slopes(job, points->stride, wfs, first, count, error);
    }
    return status == CLTOMO_OK ? cltomo_opencl_finish(job->context, error) : status;
}

static cltomo_status fill_sensor(const phase_job *job, size_t wfs, cltomo_error *error)
{
    const cltomo_geometry *g = job->covariance->geometry;
    cltomo_cl_points points = {0};
    cltomo_status status = cltomo_opencl_project_points(job->context, &points, g, wfs, error);
    for (size_t first = 0; first < job->n_rows && status == CLTOMO_OK; first += job->batch) {
        status = fill_rows(job, &points, wfs, first, error);
        if (status == CLTOMO_OK) {
            double done = (double)wfs + (double)first / (double)job->n_rows;
            status = cltomo_progress(
                job->context, "phase-slope covariance", done / (double)g->n_wfs, error);
        }
    }
    cltomo_opencl_points_release(&points);
    return status;
}

/* The sensors with the direct evaluator. */
static cltomo_status fill_direct(const cltomo_context *context, cltomo_array *c_ps,
    const cltomo_covariance *covariance, cltomo_error *error)
{
    if (!cltomo_covariance_has_phase_evaluator(covariance, CLTOMO_EVALUATOR_DIRECT)) {
        return CLTOMO_OK;
    }
    phase_job job = {
        .context = context, .covariance = covariance, .c_ps = c_ps, .n_rows = c_ps->rows};
    cltomo_status status = create(&job, error);
    for (size_t wfs = 0; wfs < covariance->geometry->n_wfs && status == CLTOMO_OK; ++wfs) {
        if (cltomo_covariance_phase_evaluator(covariance, wfs) == CLTOMO_EVALUATOR_DIRECT) {
            status = fill_sensor(&job, wfs, error);
        }
    }
    release(&job);
    return status;
}

/* The rotated evaluator is the C path's, on the host. */
static cltomo_status fill_rotated(const cltomo_context *context, cltomo_array *c_ps,
    const cltomo_covariance *covariance, size_t wfs, cltomo_error *error)
{
    cltomo_cl_loan loan;
    cltomo_status status = cltomo_opencl_borrow(context, &loan, c_ps, true, error);
    if (status == CLTOMO_OK) {
        status = cltomo_cpu_rotated(context, loan.matrix, covariance, wfs, error);
    }
    return cltomo_opencl_give_back(context, &loan, status, error);
}

cltomo_status cltomo_opencl_phase_slope_covariance(const cltomo_context *context,
    cltomo_array *c_ps, const cltomo_covariance *covariance, cltomo_error *error)
{
    cltomo_status status = fill_direct(context, c_ps, covariance, error);
    for (size_t wfs = 0; wfs < covariance->geometry->n_wfs && status == CLTOMO_OK; ++wfs) {
        if (cltomo_covariance_phase_evaluator(covariance, wfs) == CLTOMO_EVALUATOR_ROTATED) {
            status = fill_rotated(context, c_ps, covariance, wfs, error);
        }
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_separable(context, c_ps, covariance, error);
    }
    return status == CLTOMO_OK ? cltomo_opencl_finish(context, error) : status;
}
