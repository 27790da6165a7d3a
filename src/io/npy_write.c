#include <stdio.h>
#include <string.h>

#include "io/io.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BYTE_ORDER_CODE '>'
#else
#define BYTE_ORDER_CODE '<'
#endif

/* Magic, version, length of the text, and the text: a Python dictionary filled up with blanks so
 * that the data start at a multiple of 64 bytes, and ended by a newline. */
static cltomo_status write_header(
    cltomo_output *output, size_t element_size, const char *shape, cltomo_error *error)
{
    enum { magic = 10, unit = 64 };
    static const char version[8] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0};
    char header[4 * unit];
    int length = snprintf(header + magic, sizeof header - magic,
        "{'descr': '%cf%zu', 'fortran_order': False, 'shape': (%s), }", BYTE_ORDER_CODE,
        element_size, shape);
    size_t used = magic + (size_t)length;
    size_t total = (used + 1 + unit - 1) / unit * unit;
    memset(header + used, ' ', total - used);
    header[total - 1] = '\n';
    memcpy(header, version, sizeof version);
    header[8] = (char)((total - magic) & 0xFF);
    header[9] = (char)((total - magic) >> 8);
    return cltomo_output_write(output, header, total, error);
}

static cltomo_status write_dense(
    const cltomo_matrix *matrix, const char *shape, const char *path, cltomo_error *error)
{
    cltomo_output output;
    size_t element_size = cltomo_precision_size(matrix->precision);
    cltomo_status status = cltomo_output_open(matrix->context, &output, path, error);
    if (status != CLTOMO_OK) {
        goto done;
    }
    status = write_header(&output, element_size, shape, error);
    if (status != CLTOMO_OK) {
        goto done;
    }
    status = cltomo_output_write(
        &output, matrix->data.raw, matrix->rows * matrix->cols * element_size, error);
    if (status != CLTOMO_OK) {
        goto done;
    }
    status = cltomo_output_commit(&output, error);
done:
    cltomo_output_close(&output);
    return status;
}

cltomo_status cltomo_npy_write_matrix(
    const cltomo_matrix *matrix, const char *path, cltomo_error *error)
{
    char shape[64];
    (void)snprintf(shape, sizeof shape, "%zu, %zu", matrix->rows, matrix->cols);
    return write_dense(matrix, shape, path, error);
}

cltomo_status cltomo_npy_write_maps(
    const cltomo_matrix *matrix, size_t n_across, const char *path, cltomo_error *error)
{
    char shape[96];
    (void)snprintf(shape, sizeof shape, "%zu, %zu, %zu", matrix->rows, n_across, n_across);
    return write_dense(matrix, shape, path, error);
}

cltomo_status cltomo_npy_write_sparse(const cltomo_context *context, const cltomo_sparse *sparse,
    const char *path, cltomo_error *error)
{
    cltomo_output output;
    double *row = NULL;
    cltomo_status status = cltomo_output_open(context, &output, path, error);
    if (status != CLTOMO_OK) {
        goto done;
    }
    row = cltomo_allocate_zero(context, sparse->cols, sizeof *row);
    if (row == NULL) {
        status = cltomo_fail_memory(error, "a row of a sparse matrix");
        goto done;
    }
    char shape[64];
    (void)snprintf(shape, sizeof shape, "%zu, %zu", sparse->rows, sparse->cols);
    status = write_header(&output, sizeof *row, shape, error);
    for (size_t i = 0; i < sparse->rows && status == CLTOMO_OK; ++i) {
        size_t begin = sparse->row_start[i];
        size_t end = sparse->row_start[i + 1];
        for (size_t k = begin; k < end; ++k) {
            row[sparse->column[k]] = sparse->value[k];
        }
        status = cltomo_output_write(&output, row, sparse->cols * sizeof *row, error);
        for (size_t k = begin; k < end; ++k) {
            row[sparse->column[k]] = 0.0;
        }
    }
    if (status == CLTOMO_OK) {
        status = cltomo_output_commit(&output, error);
    }
done:
    cltomo_release(context, row);
    cltomo_output_close(&output);
    return status;
}
