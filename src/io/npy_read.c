#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "io/io.h"

cltomo_status cltomo_read_at(
    int descriptor, void *data, size_t size, uint64_t offset, const char *path, cltomo_error *error)
{
    enum { largest = 1 << 30 }; /* the most that one pread() is sure to deliver */
    char *next = data;
    while (size > 0) {
        ssize_t got = pread(descriptor, next, size < largest ? size : largest, (off_t)offset);
        if (got < 0 && errno != EINTR) {
            return cltomo_fail_errno(error, errno, path, "cannot read");
        }
        if (got == 0) {
            return cltomo_fail_file(error, CLTOMO_ERROR_PARSE, path, "the file is truncated");
        }
        if (got > 0) {
            next += got;
            offset += (uint64_t)got;
            size -= (size_t)got;
        }
    }
    return CLTOMO_OK;
}

/* Some rows of a file in Fortran order. */
typedef struct row_range {
    size_t first;
    size_t n;
} row_range;

/* n_cols columns of these rows, one after the other; whole columns lie so in the file. */
static cltomo_status read_columns(const cltomo_npy *npy, void *columns, row_range rows,
    size_t first_col, size_t n_cols, const char *path, cltomo_error *error)
{
    size_t element_size = cltomo_precision_size(npy->shape.precision);
    size_t n_reads = rows.n == npy->shape.rows ? 1 : n_cols;
    size_t size = n_cols / n_reads * rows.n * element_size;
    cltomo_status status = CLTOMO_OK;
    for (size_t j = 0; j < n_reads && status == CLTOMO_OK; ++j) {
        uint64_t place = (uint64_t)(first_col + j) * npy->shape.rows + rows.first;
        status = cltomo_read_at(npy->descriptor, (char *)columns + j * size, size,
            npy->start + place * element_size, path, error);
    }
    return status;
}

/* Column by column, a few columns at a time so that whole cache lines of the result are written. */
static cltomo_status read_fortran_order(const cltomo_context *context, const cltomo_npy *npy,
    void *elements, row_range rows, const char *path, cltomo_error *error)
{
    enum { block = 8 };
    size_t element_size = cltomo_precision_size(npy->shape.precision);
    size_t cols = npy->shape.cols;
    char *buffer = cltomo_allocate(context, rows.n, block * element_size);
    if (buffer == NULL) {
        return cltomo_fail_memory(error, "reading an NPY file");
    }
    cltomo_status status = CLTOMO_OK;
    for (size_t first = 0; first < cols && status == CLTOMO_OK; first += block) {
        size_t n = cols - first < block ? cols - first : block;
        status = read_columns(npy, buffer, rows, first, n, path, error);
        for (size_t i = 0; i < rows.n && status == CLTOMO_OK; ++i) {
            char *row = (char *)elements + (i * cols + first) * element_size;
            for (size_t j = 0; j < n; ++j) {
                memcpy(
                    row + j * element_size, buffer + (j * rows.n + i) * element_size, element_size);
            }
        }
    }
    cltomo_release(context, buffer);
    return status;
}

static void swap_bytes(void *elements, size_t n, size_t element_size)
{
    unsigned char *element = elements;
    unsigned char *end = element + n * element_size;
    for (; element < end; element += element_size) {
        for (size_t i = 0; i < element_size / 2; ++i) {
            unsigned char byte = element[i];
            element[i] = element[element_size - 1 - i];
            element[element_size - 1 - i] = byte;
        }
    }
}

cltomo_status cltomo_npy_read(const cltomo_context *context, const cltomo_npy *npy, void *elements,
    size_t first_row, size_t n_rows, const char *path, cltomo_error *error)
{
    size_t element_size = cltomo_precision_size(npy->shape.precision);
    size_t row_size = npy->shape.cols * element_size;
    cltomo_status status;
    if (npy->is_fortran) {
        row_range rows = {first_row, n_rows};
        status = read_fortran_order(context, npy, elements, rows, path, error);
    } else {
        status = cltomo_read_at(npy->descriptor, elements, n_rows * row_size,
            npy->start + (uint64_t)first_row * row_size, path, error);
    }
    if (status == CLTOMO_OK && npy->is_foreign) {
        swap_bytes(elements, n_rows * npy->shape.cols, element_size);
    }
    return status;
}
