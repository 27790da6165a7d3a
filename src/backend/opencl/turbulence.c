/* The von Karman covariance and structure function, point by point. */
#include <string.h>

#include "backend/opencl/opencl.h"
#include "turbulence/turbulence.h"

typedef struct von_karman_job {
    const cltomo_context *context;
    const char *kernel;
    double factor;
    double L0;
    double *host; /* what goes to the device and comes back: whole vectors */
} von_karman_job;

/* The separations in the kernel's unit, with zeros behind the last. */
static cl_int fill(const von_karman_job *job, const double *separation, size_t count)
{
    size_t stride = cltomo_opencl_stride(cltomo_opencl_of(job->context), count);
    for (size_t i = 0; i < stride; ++i) {
        job->host[i] = i < count ? cltomo_von_karman_scaled(separation[i], job->L0) : 0.0;
    }
    return (cl_int)stride;
}

static cltomo_status launch(const von_karman_job *job, double *value, const double *separation,
    size_t count, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(job->context);
    cltomo_cl_number factor = cltomo_opencl_wide(cl, job->factor);
    cl_mem in = NULL;
    cl_mem out = NULL;
    cl_int n = fill(job, separation, count);
    cltomo_status status =
        cltomo_opencl_wide_buffer(job->context, &in, (size_t)n, job->host, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_wide_buffer(job->context, &out, (size_t)n, NULL, error);
    }
    if (status == CLTOMO_OK) {
        const cltomo_cl_argument arguments[] = {
            CLTOMO_CL(out), CLTOMO_CL(in), CLTOMO_CL(n), {cltomo_opencl_wide_size(cl), &factor}};
        status = cltomo_opencl_run(job->context, CLTOMO_PRECISION_DOUBLE, job->kernel,
            (size_t)n / cl->quirks.width, 1, arguments, 4, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_read_wide(job->context, job->host, out, (size_t)n, error);
    }
    if (status == CLTOMO_OK) {
        memcpy(value, job->host, count * sizeof *value);
    }
    cltomo_opencl_release_buffer(in);
    cltomo_opencl_release_buffer(out);
    return status;
}

static cltomo_status run(
    von_karman_job *job, double *value, const double *separation, size_t n, cltomo_error *error)
{
    const size_t most = 1 << 20; /* points of a launch, well below a second */
    size_t batch = n < most ? n : most;
    cltomo_status status = CLTOMO_OK;
    job->host = cltomo_allocate(
        job->context, cltomo_opencl_stride(cltomo_opencl_of(job->context), batch), sizeof(double));
    if (job->host == NULL) {
        return cltomo_fail_memory(error, "the von Karman functions");
    }
    for (size_t first = 0; first < n && status == CLTOMO_OK; first += batch) {
        size_t count = n - first < batch ? n - first : batch;
        status = launch(job, &value[first], &separation[first], count, error);
    }
    cltomo_release(job->context, job->host);
    return status;
}

cltomo_status cltomo_opencl_von_karman_covariance(const cltomo_context *context, double *covariance,
    const double *separation, size_t n, double factor, double L0, cltomo_error *error)
{
    von_karman_job job = {context, "von_karman_covariance", factor, L0, NULL};
    return run(&job, covariance, separation, n, error);
}

cltomo_status cltomo_opencl_von_karman_structure(const cltomo_context *context, double *structure,
    const double *separation, size_t n, double factor, double L0, cltomo_error *error)
{
    von_karman_job job = {context, "von_karman_structure", factor, L0, NULL};
    return run(&job, structure, separation, n, error);
}
