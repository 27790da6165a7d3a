/* A file of a matrix that comes panel by panel. */
#include <string.h>

#include "io/io.h"

struct cltomo_matrix_writer {
    const cltomo_context *context;
    char *path;
    cltomo_output output;
    cltomo_file_format format;
    size_t row_size; /* bytes */
    size_t cols;
    size_t n_rows;
    size_t n_written;
    cltomo_status status; /* of the first append that failed */
    bool is_finished;
    cltomo_fits_stream fits;
};

/* The number of rows, all planes together; fails if there are none where there must be, or if the
 * bytes are more than an int64_t counts, as files do. */
static cltomo_status count_rows(size_t *n_rows, const cltomo_file_content *content,
    cltomo_file_format format, const char *path, cltomo_error *error)
{
    size_t planes = content->planes > 0 ? content->planes : 1;
    size_t most = (size_t)(INT64_MAX / 2) / cltomo_precision_size(content->precision);
    *n_rows = 0;
    if (content->rows == 0 && format == CLTOMO_FORMAT_FITS) {
        return CLTOMO_OK;
    }
    if (content->rows == 0 || content->cols == 0) {
        return cltomo_fail_file(
            error, CLTOMO_ERROR_ARGUMENT, path, "a matrix needs rows and columns");
    }
    if (content->rows > most / content->cols || planes > most / content->cols / content->rows) {
        return cltomo_fail_file(error, CLTOMO_ERROR_ARGUMENT, path,
            "%zu x %zu x %zu elements are too many for a file", planes, content->rows,
            content->cols);
    }
    *n_rows = planes * content->rows;
    return CLTOMO_OK;
}

static cltomo_status begin(
    cltomo_matrix_writer *writer, const cltomo_file_content *content, cltomo_error *error)
{
    cltomo_status status =
        cltomo_output_open(writer->context, &writer->output, writer->path, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    return writer->format == CLTOMO_FORMAT_FITS
               ? cltomo_fits_stream_open(&writer->fits, &writer->output, content, error)
               : cltomo_npy_write_header(&writer->output, content->precision, content->planes,
                     content->rows, content->cols, error);
}

cltomo_status cltomo_matrix_writer_open(const cltomo_context *context,
    cltomo_matrix_writer **writer, const char *path, cltomo_file_format format,
    const cltomo_file_content *content, cltomo_error *error)
{
    size_t n_rows = 0;
    *writer = NULL;
    if (format != CLTOMO_FORMAT_FITS && format != CLTOMO_FORMAT_NPY) {
        return cltomo_fail_format(error);
    }
    cltomo_status status = count_rows(&n_rows, content, format, path, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    cltomo_matrix_writer *created = cltomo_allocate(context, 1, sizeof *created);
    if (created == NULL) {
        return cltomo_fail_memory(error, "writing a file");
    }
    *created = (cltomo_matrix_writer){.context = cltomo_context_retain(context),
        .path = cltomo_duplicate(context, path, strlen(path) + 1, 1),
        .output = {.context = context, .descriptor = -1},
        .format = format,
        .row_size = content->cols * cltomo_precision_size(content->precision),
        .cols = content->cols,
        .n_rows = n_rows};
    if (created->path == NULL) {
        status = cltomo_fail_memory(error, "a file name");
    } else {
        status = begin(created, content, error);
    }
    if (status != CLTOMO_OK) {
        cltomo_matrix_writer_destroy(created);
        return status;
    }
    *writer = created;
    return CLTOMO_OK;
}

cltomo_status cltomo_matrix_writer_append(
    cltomo_matrix_writer *writer, const void *rows, size_t n_rows, cltomo_error *error)
{
    cltomo_status status = CLTOMO_OK;
    if (n_rows == 0) {
        return CLTOMO_OK;
    }
    if (n_rows > writer->n_rows - writer->n_written) {
        status = cltomo_fail_file(error, CLTOMO_ERROR_SHAPE, writer->path,
            "%zu rows are too many after %zu of %zu", n_rows, writer->n_written, writer->n_rows);
    } else if (writer->format == CLTOMO_FORMAT_FITS) {
        status = cltomo_fits_stream_write(&writer->fits, (uint64_t)writer->n_written * writer->cols,
            rows, n_rows * writer->cols, error);
    } else {
        status = cltomo_output_write(&writer->output, rows, n_rows * writer->row_size, error);
    }
    if (status == CLTOMO_OK) {
        writer->n_written += n_rows;
    } else if (writer->status == CLTOMO_OK) {
        writer->status = status;
    }
    return status;
}

cltomo_status cltomo_matrix_writer_append_sparse(
    cltomo_matrix_writer *writer, const cltomo_sparse *sparse, cltomo_error *error)
{
    cltomo_status status = CLTOMO_OK;
    double *row = cltomo_allocate_zero(writer->context, sparse->cols, sizeof *row);
    if (row == NULL) {
        return cltomo_fail_memory(error, "a row of a sparse matrix");
    }
    for (size_t i = 0; i < sparse->rows && status == CLTOMO_OK; ++i) {
        size_t end = sparse->row_start[i + 1];
        for (size_t k = sparse->row_start[i]; k < end; ++k) {
            row[sparse->column[k]] = sparse->value[k];
        }
        status = cltomo_matrix_writer_append(writer, row, 1, error);
        for (size_t k = sparse->row_start[i]; k < end; ++k) {
            row[sparse->column[k]] = 0.0;
        }
    }
    cltomo_release(writer->context, row);
    return status;
}

cltomo_status cltomo_matrix_writer_finish(cltomo_matrix_writer *writer, cltomo_error *error)
{
    if (writer->is_finished) {
        return CLTOMO_OK;
    }
    if (writer->status != CLTOMO_OK) {
        return cltomo_fail_file(error, writer->status, writer->path,
            "the file is incomplete: writing row %zu of %zu failed", writer->n_written,
            writer->n_rows);
    }
    if (writer->n_written < writer->n_rows) {
        return cltomo_fail_file(error, CLTOMO_ERROR_SHAPE, writer->path,
            "the file is incomplete: it has only %zu of %zu rows", writer->n_written,
            writer->n_rows);
    }
    cltomo_status status = CLTOMO_OK;
    if (writer->format == CLTOMO_FORMAT_FITS) {
        status = cltomo_fits_stream_finish(&writer->fits, error);
    }
    writer->is_finished = status == CLTOMO_OK;
    return status;
}

cltomo_status cltomo_matrix_writer_close(cltomo_matrix_writer **writer, cltomo_error *error)
{
    cltomo_status status = cltomo_matrix_writer_finish(*writer, error);
    if (status == CLTOMO_OK) {
        status = cltomo_output_commit(&(*writer)->output, error);
    }
    cltomo_matrix_writer_destroy(*writer);
    *writer = NULL;
    return status;
}

void cltomo_matrix_writer_destroy(cltomo_matrix_writer *writer)
{
    if (writer != NULL) {
        const cltomo_context *context = writer->context;
        cltomo_fits_stream_release(&writer->fits);
        cltomo_output_close(&writer->output);
        cltomo_release(context, writer->path);
        cltomo_release(context, writer);
        cltomo_context_release(context);
    }
}

cltomo_status cltomo_content_write(const cltomo_context *context, const char *path,
    cltomo_file_format format, const cltomo_file_content *content, const void *elements,
    cltomo_error *error)
{
    cltomo_matrix_writer *writer = NULL;
    cltomo_status status =
        cltomo_matrix_writer_open(context, &writer, path, format, content, error);
    if (status == CLTOMO_OK) {
        status = cltomo_matrix_writer_append(writer, elements, writer->n_rows, error);
    }
    if (status == CLTOMO_OK) {
        return cltomo_matrix_writer_close(&writer, error);
    }
    cltomo_matrix_writer_destroy(writer);
    return status;
}
