/* Copies between the device and the host. */
#include "backend/opencl/transfer.h"

/* Where the rows of a span that starts at `row` are in a host matrix, and how many bytes they have.
 */
static void *host_rows(
    const cltomo_matrix *matrix, size_t row, const cltomo_cl_span *span, size_t *size)
{
    size_t row_bytes = matrix->cols * cltomo_precision_size(matrix->precision);
    *size = span->count * row_bytes;
    return (unsigned char *)matrix->data.raw + row * row_bytes;
}

cltomo_status cltomo_opencl_copy(const cltomo_context *context, cltomo_array **copy,
    const cltomo_array *array, cltomo_error *error)
{
    size_t row_bytes = array->cols * cltomo_precision_size(array->precision);
    cltomo_status status = cltomo_opencl_array_create(
        context, copy, array->precision, array->rows, array->cols, error);
    cl_int code = CL_SUCCESS;
    for (size_t row = 0; row < array->rows && status == CLTOMO_OK;) {
        cltomo_cl_span from = cltomo_opencl_span(array, row, array->rows);
        cltomo_cl_span to = cltomo_opencl_span(*copy, row, row + from.count);
        code = clEnqueueCopyBuffer(cltomo_opencl_of(context)->queue, from.buffer, to.buffer,
            from.first * row_bytes, to.first * row_bytes, to.count * row_bytes, 0, NULL, NULL);
        if (code != CL_SUCCESS) {
            status = cltomo_opencl_fail(error, code, "copying a matrix");
        }
        row += to.count;
    }
    if (status != CLTOMO_OK) {
        cltomo_opencl_array_destroy(context, *copy);
        *copy = NULL;
    }
    return status;
}

cltomo_status cltomo_opencl_place(const cltomo_context *context, cltomo_array *a, size_t row,
    size_t col, const cltomo_array *block, cltomo_error *error)
{
    size_t element = cltomo_precision_size(a->precision);
    size_t width = block->cols * element;
    for (size_t done = 0; done < block->rows;) {
        cltomo_cl_span from = cltomo_opencl_span(block, done, block->rows);
        cltomo_cl_span to = cltomo_opencl_span(a, row + done, row + done + from.count);
        const size_t origin[3] = {0, from.first, 0};
        const size_t place[3] = {col * element, to.first, 0};
        const size_t region[3] = {width, to.count, 1};
        cl_int code = clEnqueueCopyBufferRect(cltomo_opencl_of(context)->queue, from.buffer,
            to.buffer, origin, place, region, width, 0, a->cols * element, 0, 0, NULL, NULL);
        if (code != CL_SUCCESS) {
            return cltomo_opencl_fail(error, code, "placing a block of a matrix");
        }
        done += to.count;
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_opencl_write(const cltomo_context *context, cltomo_array *array,
    const cltomo_matrix *matrix, cltomo_error *error)
{
    for (size_t row = 0; row < array->rows; row += array->panel_rows) {
        cltomo_cl_span span = cltomo_opencl_span(array, row, array->rows);
        size_t size = 0;
        const void *from = host_rows(matrix, row, &span, &size);
        cl_int code = clEnqueueWriteBuffer(
            cltomo_opencl_of(context)->queue, span.buffer, CL_TRUE, 0, size, from, 0, NULL, NULL);
        if (code != CL_SUCCESS) {
            return cltomo_opencl_fail(error, code, "writing a matrix");
        }
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_opencl_read(const cltomo_context *context, cltomo_matrix *matrix,
    const cltomo_array *array, cltomo_error *error)
{
    for (size_t row = 0; row < array->rows; row += array->panel_rows) {
        cltomo_cl_span span = cltomo_opencl_span(array, row, array->rows);
        size_t size = 0;
        void *to = host_rows(matrix, row, &span, &size);
        cl_int code = clEnqueueReadBuffer(
            cltomo_opencl_of(context)->queue, span.buffer, CL_TRUE, 0, size, to, 0, NULL, NULL);
        if (code != CL_SUCCESS) {
            return cltomo_opencl_fail(error, code, "reading a matrix");
        }
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_opencl_upload(const cltomo_context *context, cltomo_array **array,
    const cltomo_matrix *matrix, cltomo_precision precision, cltomo_error *error)
{
    cltomo_matrix *converted = NULL;
    cltomo_status status = cltomo_matrix_convert(context, &converted, matrix, precision, error);
    *array = NULL;
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_array_create(
            context, array, precision, matrix->rows, matrix->cols, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_write(context, *array, converted, error);
    }
    if (status != CLTOMO_OK) {
        cltomo_opencl_array_destroy(context, *array);
        *array = NULL;
    }
    cltomo_matrix_destroy(converted);
    return status;
}

/* The host matrix where there is one, else a new one. */
static cltomo_status take_matrix(
    const cltomo_context *context, cltomo_matrix **matrix, cltomo_array *array, cltomo_error *error)
{
    cltomo_status status = CLTOMO_OK;
    if (array->host == NULL) {
        status = cltomo_matrix_allocate(
            context, matrix, array->precision, array->rows, array->cols, error);
        return status == CLTOMO_OK ? cltomo_opencl_read(context, *matrix, array, error) : status;
    }
    status = cltomo_opencl_map(context, array, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_unmap(context, array, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_finish(context, error);
    }
    if (status == CLTOMO_OK) {
        *matrix = array->host;
        array->host = NULL; /* the matrix outlives the array */
    }
    return status;
}

cltomo_status cltomo_opencl_download(const cltomo_context *context, cltomo_matrix **matrix,
    cltomo_array **array, cltomo_error *error)
{
    *matrix = NULL;
    cltomo_status status = take_matrix(context, matrix, *array, error);
    cltomo_opencl_array_destroy(context, *array);
    *array = NULL;
    if (status == CLTOMO_OK && !cltomo_matrix_is_finite(*matrix)) {
        status = cltomo_fail(error, CLTOMO_ERROR_NOT_FINITE, "a result has a NaN or an infinity");
    }
    if (status != CLTOMO_OK) {
        cltomo_matrix_destroy(*matrix);
        *matrix = NULL;
    }
    return status;
}
