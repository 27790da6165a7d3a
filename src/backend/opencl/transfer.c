/* Copies between the device and the host. */
#include "backend/opencl/transfer.h"

#include <string.h>

static size_t bytes_of(const cltomo_array *array)
{
    return array->rows * array->cols * cltomo_precision_size(array->precision);
}

cltomo_status cltomo_opencl_copy(const cltomo_context *context, cltomo_array **copy,
    const cltomo_array *array, cltomo_error *error)
{
    cltomo_status status = cltomo_opencl_array_create(
        context, copy, array->precision, array->rows, array->cols, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    cl_int code = clEnqueueCopyBuffer(cltomo_opencl_of(context)->queue, array->buffer,
        (*copy)->buffer, 0, 0, bytes_of(array), 0, NULL, NULL);
    if (code != CL_SUCCESS) {
        cltomo_opencl_array_destroy(context, *copy);
        *copy = NULL;
        return cltomo_opencl_fail(error, code, "copying a matrix");
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_opencl_write(const cltomo_context *context, cltomo_array *array,
    const cltomo_matrix *matrix, cltomo_error *error)
{
    cl_int code = clEnqueueWriteBuffer(cltomo_opencl_of(context)->queue, array->buffer, CL_TRUE, 0,
        bytes_of(array), matrix->data.raw, 0, NULL, NULL);
    return code == CL_SUCCESS ? CLTOMO_OK : cltomo_opencl_fail(error, code, "writing a matrix");
}

cltomo_status cltomo_opencl_read(const cltomo_context *context, cltomo_matrix *matrix,
    const cltomo_array *array, cltomo_error *error)
{
    cl_int code = clEnqueueReadBuffer(cltomo_opencl_of(context)->queue, array->buffer, CL_TRUE, 0,
        bytes_of(array), matrix->data.raw, 0, NULL, NULL);
    return code == CL_SUCCESS ? CLTOMO_OK : cltomo_opencl_fail(error, code, "reading a matrix");
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
    cltomo_matrix view;
    status = cltomo_opencl_map(context, &view, array, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_unmap(context, &view, array, error);
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
