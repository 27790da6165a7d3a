#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io.h"

cltomo_status cltomo_matrix_write(
    const cltomo_matrix *matrix, const char *path, cltomo_file_format format, cltomo_error *error)
{
    const cltomo_file_content content = {
        .precision = matrix->precision, .rows = matrix->rows, .cols = matrix->cols};
    return cltomo_content_write(matrix->context, path, format, &content, matrix->data.raw, error);
}

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

cltomo_status cltomo_matrix_read(
    const cltomo_context *context, cltomo_matrix **matrix, const char *path, cltomo_error *error)
{
    int descriptor = -1;
    uint64_t size = 0;
    char magic[6] = "";
    *matrix = NULL;
    cltomo_status status = open_regular(&descriptor, &size, path, error);
    if (status != CLTOMO_OK) {
        goto done;
    }
    if (pread(descriptor, magic, sizeof magic, 0) < 0) {
        status = cltomo_fail_errno(error, errno, path, "cannot read");
    } else if (memcmp(magic, "\x93NUMPY", sizeof magic) == 0) {
        status = cltomo_npy_read(context, matrix, path, descriptor, size, error);
    } else if (memcmp(magic, "SIMPLE", sizeof magic) == 0) {
        status = cltomo_fits_read(context, matrix, path, error);
    } else {
        status =
            cltomo_fail_file(error, CLTOMO_ERROR_PARSE, path, "neither a FITS nor an NPY file");
    }
    if (status == CLTOMO_OK && !cltomo_matrix_is_finite(*matrix)) {
        size_t row = 0;
        size_t col = 0;
        cltomo_matrix_find_not_finite(*matrix, &row, &col);
        cltomo_matrix_destroy(*matrix);
        *matrix = NULL;
        status = cltomo_fail_file(error, CLTOMO_ERROR_NOT_FINITE, path,
            "the matrix has a NaN or an infinity at row %zu, column %zu (from 0)", row, col);
    }
done:
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    return status;
}
