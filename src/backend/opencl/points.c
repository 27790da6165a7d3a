/* The geometry of a sensor in buffers of the device. */
#include "backend/cpu/cpu.h"
#include "backend/opencl/opencl.h"

/* One axis: n_layers rows of n points, padded to the stride with the first point. */
static cltomo_status upload_axis(const cltomo_context *context, cl_mem *buffer,
    const double *values, size_t n_layers, size_t n, size_t stride, cltomo_error *error)
{
    double *padded = cltomo_allocate(context, n_layers * stride, sizeof *padded);
    if (padded == NULL) {
        return cltomo_fail_memory(error, "the projected points of a sensor");
    }
    for (size_t l = 0; l < n_layers; ++l) {
        for (size_t k = 0; k < stride; ++k) {
            padded[l * stride + k] = values[l * n + (k < n ? k : 0)];
        }
    }
    cltomo_status status =
        cltomo_opencl_wide_buffer(context, buffer, n_layers * stride, padded, error);
    cltomo_release(context, padded);
    return status;
}

cltomo_status cltomo_opencl_project_points(const cltomo_context *context, cltomo_cl_points *points,
    const cltomo_geometry *g, size_t wfs, cltomo_error *error)
{
    cltomo_cpu_points projected = {0};
    *points =
        (cltomo_cl_points){.stride = cltomo_opencl_stride(cltomo_opencl_of(context), g->n_phase)};
    cltomo_status status = cltomo_cpu_project_points(&projected, g, wfs, error);
    if (status == CLTOMO_OK) {
        status = upload_axis(
            context, &points->x, projected.x, g->n_layers, g->n_phase, points->stride, error);
    }
    if (status == CLTOMO_OK) {
        status = upload_axis(
            context, &points->y, projected.y, g->n_layers, g->n_phase, points->stride, error);
    }
    cltomo_cpu_points_release(context, &projected);
    return status;
}

void cltomo_opencl_points_release(cltomo_cl_points *points)
{
    cltomo_opencl_release_buffer(points->x);
    cltomo_opencl_release_buffer(points->y);
    *points = (cltomo_cl_points){0};
}

cltomo_status cltomo_opencl_stencils(
    const cltomo_context *context, cl_mem *start, const cltomo_geometry *g, cltomo_error *error)
{
    cl_int *values = cltomo_allocate(context, 3 * g->n_lenslets, sizeof *values);
    *start = NULL;
    if (values == NULL) {
        return cltomo_fail_memory(error, "the stencils");
    }
    for (size_t k = 0; k < g->n_lenslets; ++k) {
        size_t corner = cltomo_stencil_start(g->lenslet_row[k]) * g->n_grid +
                        cltomo_stencil_start(g->lenslet_col[k]);
        for (size_t row = 0; row < 3; ++row) {
            values[3 * k + row] = g->phase_index[corner + row * g->n_grid];
        }
    }
    cltomo_status status =
        cltomo_opencl_int_buffer(context, start, 3 * g->n_lenslets, values, error);
    cltomo_release(context, values);
    return status;
}

cltomo_status cltomo_opencl_layers(const cltomo_context *context, cl_mem *layers,
    const cltomo_covariance *covariance, bool with_heights, cltomo_error *error)
{
    const cltomo_geometry *g = covariance->geometry;
    double *values = cltomo_allocate(context, 2 * g->n_layers, sizeof *values);
    *layers = NULL;
    if (values == NULL) {
        return cltomo_fail_memory(error, "the layers");
    }
    for (size_t l = 0; l < g->n_layers; ++l) {
        values[2 * l] = covariance->variance_factor * g->fraction[l];
        values[2 * l + 1] = with_heights ? g->height[l] : 0.0;
    }
    cltomo_status status =
        cltomo_opencl_wide_buffer(context, layers, 2 * g->n_layers, values, error);
    cltomo_release(context, values);
    return status;
}
