#include "backend/opencl/slope_table.h"

#include "backend/cpu/cpu.h"

/* The C path's tables, on devices without double precision. */
static cltomo_status upload_table(const cltomo_context *context, cl_mem *tables,
    const cltomo_covariance *covariance, size_t i, size_t j, cltomo_error *error)
{
    cltomo_slope_table table = {0};
    cltomo_status status = cltomo_cpu_slope_table(context, &table, covariance, i, j, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_wide_buffer(context, tables, 3 * table.n * table.n, table.xx, error);
        cltomo_cpu_slope_table_release(context, &table);
    }
    return status;
}

/* Scale cos, scale sin, shift x, shift y, weight of each layer for the difference of two sensors.
 */
static cltomo_status upload_layers(const cltomo_context *context, cl_mem *layers,
    const cltomo_covariance *c, size_t i, size_t j, cltomo_error *error)
{
    const cltomo_geometry *g = c->geometry;
    double *values = cltomo_allocate(context, 5 * g->n_layers, sizeof *values);
    if (values == NULL) {
        return cltomo_fail_memory(error, "the layers");
    }
    for (size_t l = 0; l < g->n_layers; ++l) {
        size_t a = i * g->n_layers + l;
        size_t b = j * g->n_layers + l;
        values[5 * l] = g->scale[a] * g->cosine[i];
        values[5 * l + 1] = g->scale[a] * g->sine[i];
        values[5 * l + 2] = g->shift_x[a] - g->shift_x[b];
        values[5 * l + 3] = g->shift_y[a] - g->shift_y[b];
        values[5 * l + 4] = c->variance_factor * g->fraction[l];
    }
    cltomo_status status =
        cltomo_opencl_wide_buffer(context, layers, 5 * g->n_layers, values, error);
    cltomo_release(context, values);
    return status;
}

static cltomo_status upload_lags(const cltomo_context *context, cl_mem *lag, cltomo_error *error)
{
    double values[15];
    for (size_t k = 0; k < 5; ++k) {
        values[k] = cltomo_lag_dd[k];
        values[5 + k] = cltomo_lag_ss[k];
        values[10 + k] = cltomo_lag_ds[k];
    }
    return cltomo_opencl_wide_buffer(context, lag, 15, values, error);
}

static cltomo_status launch(const cltomo_context *context, cltomo_precision precision,
    cl_mem tables, cl_mem phase_table, cl_mem layers, cl_mem lag,
    const cltomo_covariance *covariance, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(context);
    const cltomo_geometry *g = covariance->geometry;
    cl_int n_phase = (cl_int)(4 * g->n_across + 1);
    cl_int n_slope = (cl_int)(2 * g->n_across - 1);
    cl_int stride = (cl_int)cltomo_opencl_stride(cl, (size_t)n_phase);
    cl_int n_layers = (cl_int)g->n_layers;
    cltomo_cl_number spacing = cltomo_opencl_wide(cl, g->spacing);
    cltomo_cl_number wavenumber = cltomo_opencl_wide(cl, covariance->wavenumber);
    size_t wide = cltomo_opencl_wide_size(cl);
    const cltomo_cl_argument phase_arguments[] = {CLTOMO_CL(phase_table), CLTOMO_CL(n_phase),
        CLTOMO_CL(stride), CLTOMO_CL(layers), CLTOMO_CL(n_layers), {wide, &spacing},
        {wide, &wavenumber}};
    const cltomo_cl_argument slope_arguments[] = {CLTOMO_CL(tables), CLTOMO_CL(n_slope),
        CLTOMO_CL(phase_table), CLTOMO_CL(stride), CLTOMO_CL(lag)};
    cltomo_status status = cltomo_opencl_run(context, precision, "phase_table",
        (size_t)stride / cl->quirks.width, (size_t)n_phase, phase_arguments, 7, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_run(context, precision, "slope_tables", (size_t)n_slope,
            (size_t)n_slope, slope_arguments, 5, error);
    }
    return status;
}

cltomo_status cltomo_opencl_slope_table(const cltomo_context *context, cltomo_precision precision,
    cl_mem *tables, size_t *n, const cltomo_covariance *covariance, size_t i, size_t j,
    cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(context);
    const cltomo_geometry *g = covariance->geometry;
    size_t n_phase = 4 * g->n_across + 1;
    cl_mem phase_table = NULL;
    cl_mem layers = NULL;
    cl_mem lag = NULL;
    *n = 2 * g->n_across - 1;
    *tables = NULL;
    if (!cl->has_double) {
        return upload_table(context, tables, covariance, i, j, error);
    }
    cltomo_status status = cltomo_opencl_wide_buffer(context, tables, 3 * *n * *n, NULL, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_wide_buffer(
            context, &phase_table, n_phase * cltomo_opencl_stride(cl, n_phase), NULL, error);
    }
    if (status == CLTOMO_OK) {
        status = upload_layers(context, &layers, covariance, i, j, error);
    }
    if (status == CLTOMO_OK) {
        status = upload_lags(context, &lag, error);
    }
    if (status == CLTOMO_OK) {
        status = launch(context, precision, *tables, phase_table, layers, lag, covariance, error);
    }
    cltomo_opencl_release_buffer(phase_table);
    cltomo_opencl_release_buffer(layers);
    cltomo_opencl_release_buffer(lag);
    if (status != CLTOMO_OK) {
        cltomo_opencl_release_buffer(*tables);
        *tables = NULL;
    }
    return status;
}
