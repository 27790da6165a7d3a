#include <stdint.h>
#include <string.h>

#include "backend/opencl/opencl.h"

static size_t row_bytes(const cltomo_array *array)
{
    return array->cols * cltomo_precision_size(array->precision);
}

static size_t panel_bytes(const cltomo_array *array, size_t p)
{
    size_t first = p * array->panel_rows;
    return cltomo_opencl_span(array, first, array->rows).count * row_bytes(array);
}

/* Where panel p lies over the host matrix. */
static void *host_part(const cltomo_array *array, size_t p)
{
    return (unsigned char *)array->host->data.raw + p * array->panel_rows * row_bytes(array);
}

/* Rows of a panel: all, or as many as the largest buffer holds. CLBlast counts elements in ints. */
static size_t rows_of_panel(const cltomo_opencl *cl, size_t rows, size_t cols, size_t element)
{
    uint64_t elements = cl->largest_buffer / element;
    elements = elements < INT32_MAX ? elements : INT32_MAX;
    uint64_t fit = elements / cols;
    if (fit >= rows) {
        return rows;
    }
    return (size_t)(fit / cltomo_panel_step * cltomo_panel_step);
}

static cltomo_status too_wide(
    const cltomo_opencl *cl, size_t cols, size_t element, cltomo_error *error)
{
    double need = (double)cols * (double)element * cltomo_panel_step;
    return cltomo_fail(error, CLTOMO_ERROR_MEMORY,
        "%d rows of a matrix with %zu columns need a buffer of %.0f MB, but the OpenCL device "
        "allows %.0f MB; use single precision, the command product alone, or the CPU backend",
        (int)cltomo_panel_step, cols, 1e-6 * need, 1e-6 * (double)cl->largest_buffer);
}

/* Lays the panels over a host matrix where that saves copies. */
static cltomo_status create_panels(
    const cltomo_context *context, cltomo_array *array, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(context);
    cl_int code = CL_SUCCESS;
    if (cl->quirks.host_memory) {
        cltomo_status status = cltomo_matrix_allocate(
            context, &array->host, array->precision, array->rows, array->cols, error);
        if (status != CLTOMO_OK) {
            return status;
        }
    }
    for (size_t p = 0; p < array->n_panels; ++p) {
        bool on_host = array->host != NULL;
        array->panel[p] =
            clCreateBuffer(cl->context, CL_MEM_READ_WRITE | (on_host ? CL_MEM_USE_HOST_PTR : 0),
                panel_bytes(array, p), on_host ? host_part(array, p) : NULL, &code);
        if (code != CL_SUCCESS) {
            array->panel[p] = NULL;
            return cltomo_opencl_fail(error, code, "a matrix");
        }
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_opencl_array_create(const cltomo_context *context, cltomo_array **array,
    cltomo_precision precision, size_t rows, size_t cols, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(context);
    size_t element = cltomo_precision_size(precision);
    *array = NULL;
    if (rows == 0 || cols == 0) {
        return cltomo_fail(error, CLTOMO_ERROR_ARGUMENT, "a matrix needs rows and columns");
    }
    size_t panel_rows = rows_of_panel(cl, rows, cols, element);
    if (panel_rows == 0) {
        return too_wide(cl, cols, element, error);
    }
    size_t n_panels = (rows + panel_rows - 1) / panel_rows;
    cltomo_array *created =
        cltomo_allocate_zero(context, sizeof *created + n_panels * sizeof created->panel[0], 1);
    if (created == NULL) {
        return cltomo_fail_memory(error, "a matrix");
    }
    created->rows = rows;
    created->cols = cols;
    created->precision = precision;
    created->panel_rows = panel_rows;
    created->n_panels = n_panels;
    cltomo_status status = create_panels(context, created, error);
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
    if (array->host != NULL) {
        /* a launch may still be writing to it */
        (void)clFinish(cltomo_opencl_of(context)->queue);
    }
    for (size_t p = 0; p < array->n_panels; ++p) {
        cltomo_opencl_release_buffer(array->panel[p]);
    }
    cltomo_matrix_destroy(array->host);
    cltomo_release(context, array);
}

cltomo_cl_span cltomo_opencl_span(const cltomo_array *array, size_t row, size_t end)
{
    size_t p = row / array->panel_rows;
    size_t panel_end = (p + 1) * array->panel_rows;
    size_t stop = panel_end < end ? panel_end : end;
    return (cltomo_cl_span){array->panel[p], row - p * array->panel_rows, stop - row};
}

cltomo_status cltomo_opencl_map(
    const cltomo_context *context, const cltomo_array *array, cltomo_error *error)
{
    cl_command_queue queue = cltomo_opencl_of(context)->queue;
    for (size_t p = 0; p < array->n_panels; ++p) {
        cl_int code = CL_SUCCESS;
        (void)clEnqueueMapBuffer(queue, array->panel[p], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
            panel_bytes(array, p), 0, NULL, NULL, &code);
        if (code != CL_SUCCESS) {
            while (p > 0) {
                --p;
                (void)clEnqueueUnmapMemObject(
                    queue, array->panel[p], host_part(array, p), 0, NULL, NULL);
            }
            return cltomo_opencl_fail(error, code, "mapping a matrix");
        }
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_opencl_unmap(
    const cltomo_context *context, const cltomo_array *array, cltomo_error *error)
{
    cl_int first_code = CL_SUCCESS;
    for (size_t p = 0; p < array->n_panels; ++p) {
        cl_int code = clEnqueueUnmapMemObject(
            cltomo_opencl_of(context)->queue, array->panel[p], host_part(array, p), 0, NULL, NULL);
        first_code = first_code == CL_SUCCESS ? code : first_code;
    }
    return first_code == CL_SUCCESS ? CLTOMO_OK
                                    : cltomo_opencl_fail(error, first_code, "unmapping a matrix");
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
