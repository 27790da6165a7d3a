#include <math.h>

#include "backend/opencl/opencl.h"

cltomo_status cltomo_opencl_run(const cltomo_context *context, cltomo_precision precision,
    const char *kernel_name, size_t columns, size_t rows, const cltomo_cl_argument *arguments,
    size_t n_arguments, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(context);
    const size_t local[2] = {cltomo_opencl_group, 1};
    const size_t global[2] = {
        (columns + cltomo_opencl_group - 1) / cltomo_opencl_group * cltomo_opencl_group, rows};
    cl_program program = NULL;
    cltomo_status status = cltomo_opencl_program(context, &program, precision, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    cl_int code = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program, kernel_name, &code);
    if (code != CL_SUCCESS) {
        return cltomo_opencl_fail(error, code, kernel_name);
    }
    for (size_t i = 0; i < n_arguments && code == CL_SUCCESS; ++i) {
        code = clSetKernelArg(kernel, (cl_uint)i, arguments[i].size, arguments[i].value);
    }
    if (code == CL_SUCCESS) {
        code = clEnqueueNDRangeKernel(cl->queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
    }
    (void)clReleaseKernel(kernel);
    return code == CL_SUCCESS ? CLTOMO_OK : cltomo_opencl_fail(error, code, kernel_name);
}

cltomo_status cltomo_opencl_finish(const cltomo_context *context, cltomo_error *error)
{
    cl_int code = clFinish(cltomo_opencl_of(context)->queue);
    return code == CL_SUCCESS ? CLTOMO_OK : cltomo_opencl_fail(error, code, "waiting");
}

cltomo_cl_number cltomo_opencl_wide(const cltomo_opencl *cl, double value)
{
    return cltomo_opencl_real(
        cl->has_double ? CLTOMO_PRECISION_DOUBLE : CLTOMO_PRECISION_SINGLE, value);
}

cltomo_cl_number cltomo_opencl_real(cltomo_precision precision, double value)
{
    cltomo_cl_number number = {.f64 = value};
    if (precision == CLTOMO_PRECISION_SINGLE) {
        number.f32 = (float)value;
    }
    return number;
}

size_t cltomo_opencl_wide_size(const cltomo_opencl *cl)
{
    return cl->has_double ? sizeof(double) : sizeof(float);
}

size_t cltomo_opencl_stride(const cltomo_opencl *cl, size_t n)
{
    return (n + cl->quirks.width - 1) / cl->quirks.width * cl->quirks.width;
}

size_t cltomo_opencl_rows_per_launch(
    const cltomo_opencl *cl, size_t n_rows, size_t n, double evaluations)
{
    const size_t most_points = 4 << 20; /* 32 MB */
    size_t fit = (size_t)(cl->largest_buffer / cltomo_opencl_wide_size(cl));
    fit = (fit < most_points ? fit : most_points) / cltomo_opencl_stride(cl, n);
    double rows = cl->quirks.launch_covariances / ((double)n * evaluations);
    rows = fmin(fmin(rows, (double)fit), (double)n_rows);
    return rows >= 1.0 ? (size_t)rows : 1;
}
