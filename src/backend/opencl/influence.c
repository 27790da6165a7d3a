/* Influence functions of the mirror. */
#include "backend/cpu/cpu.h"
#include "backend/opencl/opencl.h"
#include "backend/opencl/transfer.h"

typedef struct device_mirror {
    cl_mem point;
    cl_mem actuator;
    cl_mem factor;
    cl_mem weight;
} device_mirror;

static void release(device_mirror *d)
{
    cltomo_opencl_release_buffer(d->point);
    cltomo_opencl_release_buffer(d->actuator);
    cltomo_opencl_release_buffer(d->factor);
    cltomo_opencl_release_buffer(d->weight);
}

static cltomo_status upload(
    const cltomo_context *context, device_mirror *d, const cltomo_influence *m, cltomo_error *error)
{
    cltomo_status status =
        cltomo_opencl_int_buffer(context, &d->point, 2 * m->n_phase, &m->point[0].row, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_int_buffer(
            context, &d->actuator, 2 * m->n_actuators, &m->actuator[0].row, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_wide_buffer(
            context, &d->factor, 2 * m->n_across * m->n_grid, m->factor, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_wide_buffer(context, &d->weight, 2, m->weight, error);
    }
    return status;
}

static cltomo_status launch(const cltomo_context *context, const cltomo_array *influence,
    const device_mirror *d, const cltomo_influence *m, cltomo_precision precision,
    cltomo_error *error)
{
    cl_int n_actuators = (cl_int)m->n_actuators;
    cl_int n_across = (cl_int)m->n_across;
    cl_int n_grid = (cl_int)m->n_grid;
    cltomo_status status = CLTOMO_OK;
    for (size_t row = 0; row < m->n_phase && status == CLTOMO_OK; row += influence->panel_rows) {
        cltomo_cl_span span = cltomo_opencl_span(influence, row, m->n_phase);
        cl_int first_point = (cl_int)row;
        const cltomo_cl_argument arguments[] = {CLTOMO_CL(span.buffer), CLTOMO_CL(n_actuators),
            CLTOMO_CL(first_point), CLTOMO_CL(d->point), CLTOMO_CL(d->actuator),
            CLTOMO_CL(d->factor), CLTOMO_CL(n_across), CLTOMO_CL(n_grid), CLTOMO_CL(d->weight)};
        status = cltomo_opencl_run(
            context, precision, "influence_rows", m->n_actuators, span.count, arguments, 9, error);
    }
    return status;
}

cltomo_status cltomo_opencl_influence_functions(const cltomo_context *context,
    cltomo_matrix **influence, const cltomo_influence *mirror, cltomo_precision precision,
    cltomo_error *error)
{
    device_mirror d = {NULL, NULL, NULL, NULL};
    cltomo_array *array = NULL;
    *influence = NULL;
    if (!cltomo_opencl_of(context)->has_double) {
        /* their pseudo-inverse needs all digits */
        return cltomo_cpu_influence_functions(context, influence, mirror, precision, error);
    }
    cltomo_status status = cltomo_opencl_array_create(
        context, &array, CLTOMO_PRECISION_DOUBLE, mirror->n_phase, mirror->n_actuators, error);
    if (status == CLTOMO_OK) {
        status = upload(context, &d, mirror, error);
    }
    if (status == CLTOMO_OK) {
        status = launch(context, array, &d, mirror, precision, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_download(context, influence, &array, error);
    }
    cltomo_opencl_array_destroy(context, array);
    release(&d);
    return status;
}
