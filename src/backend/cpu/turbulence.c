/* The von Karman covariance and structure function, point by point. */
#include "turbulence/turbulence.h"

#include "backend/cpu/cpu.h"

typedef struct von_karman_job {
    double *value;
    const double *separation;
    double factor;
    double L0;
    double (*function)(double u);
} von_karman_job;

static void fill(void *user, size_t begin, size_t end, size_t worker)
{
    const von_karman_job *job = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        job->value[i] =
            job->factor * job->function(cltomo_von_karman_scaled(job->separation[i], job->L0));
    }
}

static cltomo_status run(
    const cltomo_context *context, von_karman_job *job, double *value, size_t n)
{
    job->value = value;
    cltomo_parallel_for(context, n, 4096, fill, job);
    return CLTOMO_OK;
}

cltomo_status cltomo_cpu_von_karman_covariance(const cltomo_context *context, double *covariance,
    const double *separation, size_t n, double factor, double L0, cltomo_error *error)
{
    von_karman_job job = {NULL, separation, factor, L0, cltomo_von_karman_f};
    (void)error;
    return run(context, &job, covariance, n);
}

cltomo_status cltomo_cpu_von_karman_structure(const cltomo_context *context, double *structure,
    const double *separation, size_t n, double factor, double L0, cltomo_error *error)
{
    von_karman_job job = {NULL, separation, 2.0 * factor, L0, cltomo_von_karman_drop};
    (void)error;
    return run(context, &job, structure, n);
}
