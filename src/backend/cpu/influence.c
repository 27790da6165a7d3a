/* Influence functions of the mirror. */
#include "backend/cpu/cpu.h"

typedef struct influence_job {
    double *out;
    const cltomo_influence *mirror;
} influence_job;

static void fill_rows(void *user, size_t begin, size_t end, size_t worker)
{
    const influence_job *job = user;
    const cltomo_influence *m = job->mirror;
    const double *second = &m->factor[m->n_across * m->n_grid];
    (void)worker;
    for (size_t k = begin; k < end; ++k) {
        double *out = &job->out[k * m->n_actuators];
        size_t row = (size_t)m->point[k].row;
        size_t col = (size_t)m->point[k].col;
        for (size_t a = 0; a < m->n_actuators; ++a) {
            size_t in_row = (size_t)m->actuator[a].row * m->n_grid + row;
            size_t in_col = (size_t)m->actuator[a].col * m->n_grid + col;
            out[a] = m->weight[0] * m->factor[in_row] * m->factor[in_col] +
                     m->weight[1] * second[in_row] * second[in_col];
        }
    }
}

cltomo_status cltomo_cpu_influence_functions(const cltomo_context *context,
    cltomo_matrix **influence, const cltomo_influence *mirror, cltomo_precision precision,
    cltomo_error *error)
{
    (void)precision;
    cltomo_status status = cltomo_matrix_allocate(
        context, influence, CLTOMO_PRECISION_DOUBLE, mirror->n_phase, mirror->n_actuators, error);
    if (status == CLTOMO_OK) {
        influence_job job = {.out = (*influence)->data.f64, .mirror = mirror};
        cltomo_parallel_for(context, mirror->n_phase, 64, fill_rows, &job);
    }
    return status;
}
