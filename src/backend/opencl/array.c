#include <string.h>

#include "backend/opencl/opencl.h"

static size_t bytes_of(const cltomo_array *array)
{
    return array->rows * array->cols * cltomo_precision_size(array->precision);
}

/* Lays the buffer over a host matrix where that saves copies. */
static cltomo_status create_buffer(
    const cltomo_context *context, cltomo_array *array, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(context);
    cl_int code = CL_SUCCESS;
    if (bytes_of(array) > cl->largest_buffer) {
        return cltomo_fail(error, CLTOMO_ERROR_MEMORY,
            "a %zu x %zu matrix needs a buffer of %.0f MB, but the device allows %.0f MB; use "
            "single precision, the command product alone, or the CPU backend",
            array->rows, array->cols, 1e-6 * (double)bytes_of(array),
            1e-6 * (double)cl->largest_buffer);
    }
    if (cl->is_unified) {
        cltomo_status status = cltomo_matrix_allocate(
            context, &array->host, array->precision, array->rows, array->cols, error);
        if (status != CLTOMO_OK) {
            return status;
        }
    }
    array->buffer =
        clCreateBuffer(cl->context, CL_MEM_READ_WRITE | (cl->is_unified ? CL_MEM_USE_HOST_PTR : 0),
            bytes_of(array), cl->is_unified ? array->host->data.raw : NULL, &code);
    return code == CL_SUCCESS ? CLTOMO_OK : cltomo_opencl_fail(error, code, "a matrix");
}

cltomo_status cltomo_opencl_array_create(const cltomo_context *context, cltomo_array **array,
    cltomo_precision precision, size_t rows, size_t cols, cltomo_error *error)
{
    *array = NULL;
    cltomo_array *created = cltomo_allocate_zero(context, 1, sizeof *created);
    if (created == NULL) {
        return cltomo_fail_memory(error, "a matrix");
    }
    created->rows = rows;
    created->cols = cols;
    created->precision = precision;
    cltomo_status status = create_buffer(context, created, error);
    if (status != CLTOMO_OK) {
        cltomo_opencl_array_destroy(context, created);
        return status;
    }
    *array = created;
    return CLTOMO_OK;
}

void cltomo_opencl_array_destroy(const cltomo_context *context, cltomo_array *array)
{
    if (array == NULL) {
        return;
    }
    if (array->buffer != NULL) {
        /* a launch may still be writing to the host matrix */
        (void)clFinish(cltomo_opencl_of(context)->queue);
    }
    cltomo_opencl_release_buffer(array->buffer);
    cltomo_matrix_destroy(array->host);
    cltomo_release(context, array);
}

cltomo_status cltomo_opencl_map(const cltomo_context *context, cltomo_matrix *view,
    const cltomo_array *array, cltomo_error *error)
{
    cl_int code = CL_SUCCESS;
    *view = (cltomo_matrix){.context = context,
        .rows = array->rows,
        .cols = array->cols,
        .precision = array->precision};
    view->data.raw = clEnqueueMapBuffer(cltomo_opencl_of(context)->queue, array->buffer, CL_TRUE,
        CL_MAP_READ | CL_MAP_WRITE, 0, bytes_of(array), 0, NULL, NULL, &code);
    return code == CL_SUCCESS ? CLTOMO_OK : cltomo_opencl_fail(error, code, "mapping a matrix");
}

cltomo_status cltomo_opencl_unmap(const cltomo_context *context, const cltomo_matrix *view,
    const cltomo_array *array, cltomo_error *error)
{
    cl_int code = clEnqueueUnmapMemObject(
        cltomo_opencl_of(context)->queue, array->buffer, view->data.raw, 0, NULL, NULL);
    return code == CL_SUCCESS ? CLTOMO_OK : cltomo_opencl_fail(error, code, "unmapping a matrix");
}

static cltomo_status scratch(const cltomo_context *context, cl_mem *buffer, size_t size,
    const void *values, cltomo_error *error)
{
    cl_int code = CL_SUCCESS;
    cl_mem_flags copy = values != NULL ? CL_MEM_COPY_HOST_PTR : 0;
    *buffer = clCreateBuffer(cltomo_opencl_of(context)->context, CL_MEM_READ_WRITE | copy,
        size > 0 ? size : 1, (void *)(uintptr_t)values, &code);
    if (code != CL_SUCCESS) {
        *buffer = NULL;
        return cltomo_opencl_fail(error, code, "a buffer");
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_opencl_wide_buffer(const cltomo_context *context, cl_mem *buffer, size_t n,
    const double *values, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(context);
    *buffer = NULL;
    if (cl->has_double || values == NULL) {
        return scratch(context, buffer, n * cltomo_opencl_wide_size(cl), values, error);
    }
    float *narrow = cltomo_allocate(context, n, sizeof *narrow);
    if (narrow == NULL) {
        return cltomo_fail_memory(error, "a buffer");
    }
    for (size_t i = 0; i < n; ++i) {
        narrow[i] = (float)values[i];
    }
    cltomo_status status = scratch(context, buffer, n * sizeof *narrow, narrow, error);
    cltomo_release(context, narrow);
    return status;
}

cltomo_status cltomo_opencl_int_buffer(const cltomo_context *context, cl_mem *buffer, size_t n,
    const cl_int *values, cltomo_error *error)
{
    return scratch(context, buffer, n * sizeof *values, values, error);
}

cltomo_status cltomo_opencl_read_wide(
    const cltomo_context *context, double *values, cl_mem buffer, size_t n, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(context);
    cl_int code = clEnqueueReadBuffer(
        cl->queue, buffer, CL_TRUE, 0, n * cltomo_opencl_wide_size(cl), values, 0, NULL, NULL);
    if (code != CL_SUCCESS) {
        return cltomo_opencl_fail(error, code, "reading a buffer");
    }
    for (size_t i = n; !cl->has_double && i-- > 0;) { /* widens in place, from the end */
        float narrow;
        memcpy(&narrow, (const unsigned char *)values + i * sizeof narrow, sizeof narrow);
        values[i] = (double)narrow;
    }
    return CLTOMO_OK;
}

void cltomo_opencl_release_buffer(cl_mem buffer)
{
    if (buffer != NULL) {
        (void)clReleaseMemObject(buffer);
    }
}
