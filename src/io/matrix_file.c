#include "io/io.h"

cltomo_status cltomo_matrix_write(
    const cltomo_matrix *matrix, const char *path, cltomo_file_format format, cltomo_error *error)
{
    const cltomo_file_content content = {
        .precision = matrix->precision, .rows = matrix->rows, .cols = matrix->cols};
    return cltomo_content_write(matrix->context, path, format, &content, matrix->data.raw, error);
}

/* All rows of an open file. */
static cltomo_status read_whole(
    cltomo_matrix_reader *reader, cltomo_matrix **matrix, cltomo_error *error)
{
    const cltomo_array_shape *shape = &reader->shape;
    if (shape->n_dimensions != 2) {
        return cltomo_fail_file(error, CLTOMO_ERROR_SHAPE, reader->path,
            "the array has %zu dimensions, not 2", shape->n_dimensions);
    }
    cltomo_status status = cltomo_matrix_allocate(
        reader->context, matrix, shape->precision, shape->rows, shape->cols, error);
    if (status == CLTOMO_OK) {
        status = cltomo_matrix_reader_next(reader, (*matrix)->data.raw, shape->rows, error);
    }
    if (status != CLTOMO_OK) {
        cltomo_matrix_destroy(*matrix);
        *matrix = NULL;
    }
    return status;
}

cltomo_status cltomo_matrix_read(
    const cltomo_context *context, cltomo_matrix **matrix, const char *path, cltomo_error *error)
{
    cltomo_matrix_reader reader;
    *matrix = NULL;
    cltomo_status status = cltomo_matrix_reader_open(context, &reader, path, error);
    if (status == CLTOMO_OK) {
        status = read_whole(&reader, matrix, error);
    }
    cltomo_matrix_reader_close(&reader);
    return status;
}
