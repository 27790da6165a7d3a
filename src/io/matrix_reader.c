/* A file of a matrix, or of a cube as the rows of one, that is read some rows at a time. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io.h"

/* Opens a regular file; O_NONBLOCK so that a pipe is refused instead of waited for. */
static cltomo_status open_regular(
    int *descriptor, uint64_t *size, const char *path, cltomo_error *error)
{
    struct stat info;
    *descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (*descriptor < 0 || fstat(*descriptor, &info) != 0) {
        return cltomo_fail_errno(error, errno, path, "cannot read");
    }
    if (S_ISDIR(info.st_mode)) {
        return cltomo_fail_errno(error, EISDIR, path, "cannot read");
    }
    if (!S_ISREG(info.st_mode)) {
        return cltomo_fail_file(error, CLTOMO_ERROR_IO, path, "cannot read: not a regular file");
    }
    *size = (uint64_t)info.st_size;
    return CLTOMO_OK;
}

/* The file's first bytes tell its format. */
static cltomo_status open_array(cltomo_matrix_reader *reader, uint64_t size, cltomo_error *error)
{
    char magic[6] = "";
    if (pread(reader->npy.descriptor, magic, sizeof magic, 0) < 0) {
        return cltomo_fail_errno(error, errno, reader->path, "cannot read");
    }
    if (memcmp(magic, "\x93NUMPY", sizeof magic) == 0) {
        cltomo_status status =
            cltomo_npy_open(reader->context, &reader->npy, reader->path, size, error);
        reader->shape = reader->npy.shape;
        return status;
    }
    if (memcmp(magic, "SIMPLE", sizeof magic) == 0) {
        return cltomo_fits_image_open(&reader->fits, &reader->shape, reader->path, error);
    }
    return cltomo_fail_file(
        error, CLTOMO_ERROR_PARSE, reader->path, "neither a FITS nor an NPY file");
}

cltomo_status cltomo_matrix_reader_open(const cltomo_context *context, cltomo_matrix_reader *reader,
    const char *path, cltomo_error *error)
{
    uint64_t size = 0;
    *reader = (cltomo_matrix_reader){.context = context, .path = path, .npy = {.descriptor = -1}};
    cltomo_status status = open_regular(&reader->npy.descriptor, &size, path, error);
    return status == CLTOMO_OK ? open_array(reader, size, error) : status;
}

size_t cltomo_matrix_reader_left(const cltomo_matrix_reader *reader)
{
    return reader->shape.planes * reader->shape.rows - reader->n_read;
}

/* rows follow those that were read. */
static cltomo_status check_finite(
    const cltomo_matrix_reader *reader, void *rows, size_t n_rows, cltomo_error *error)
{
    const cltomo_array_shape *shape = &reader->shape;
    const cltomo_matrix matrix = {
        .rows = n_rows, .cols = shape->cols, .precision = shape->precision, .data = {.raw = rows}};
    size_t row = 0;
    size_t col = 0;
    if (cltomo_matrix_is_finite(&matrix)) {
        return CLTOMO_OK;
    }
    cltomo_matrix_find_not_finite(&matrix, &row, &col);
    row += reader->n_read;
    if (shape->n_dimensions == 3) {
        return cltomo_fail_file(error, CLTOMO_ERROR_NOT_FINITE, reader->path,
            "the cube has a NaN or an infinity in plane %zu at row %zu, column %zu (from 0)",
            row / shape->rows, row % shape->rows, col);
    }
    return cltomo_fail_file(error, CLTOMO_ERROR_NOT_FINITE, reader->path,
        "the matrix has a NaN or an infinity at row %zu, column %zu (from 0)", row, col);
}

cltomo_status cltomo_matrix_reader_next(
    cltomo_matrix_reader *reader, void *rows, size_t n_rows, cltomo_error *error)
{
    cltomo_status status = reader->fits != NULL
                               ? cltomo_fits_image_read(reader->fits, &reader->shape, rows,
                                     reader->n_read, n_rows, reader->path, error)
                               : cltomo_npy_read(reader->context, &reader->npy, rows,
                                     reader->n_read, n_rows, reader->path, error);
    if (status == CLTOMO_OK) {
        status = check_finite(reader, rows, n_rows, error);
    }
    if (status == CLTOMO_OK) {
        reader->n_read += n_rows;
    }
    return status;
}

void cltomo_matrix_reader_close(cltomo_matrix_reader *reader)
{
    cltomo_fits_image_close(reader->fits);
    if (reader->npy.descriptor >= 0) {
        (void)close(reader->npy.descriptor);
    }
}
