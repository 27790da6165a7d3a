#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/io.h"

cltomo_status cltomo_fits_path(char own[FLEN_FILENAME], const char *path, cltomo_error *error)
{
    int length = snprintf(own, FLEN_FILENAME, "%s%s", path[0] == '/' ? "" : "./", path);
    if (length < 0 || length >= FLEN_FILENAME) {
        return cltomo_fail_file(error, CLTOMO_ERROR_IO, path,
            "a path of %zu characters is too long for a FITS file, of which at most %d are allowed",
            strlen(path), FLEN_FILENAME - 3);
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_fail_fits(
    cltomo_error *error, cltomo_status status, int fits_status, const char *path, const char *what)
{
    char reason[FLEN_STATUS] = "";
    fits_get_errstatus(fits_status, reason);
    if (fits_status == MEMORY_ALLOCATION) {
        status = CLTOMO_ERROR_MEMORY;
    }
    return cltomo_fail_file(
        error, status, path, "%s: %s (CFITSIO error %d)", what, reason, fits_status);
}

/* Of the image that a file stands at. */
typedef struct image_header {
    int bits;
    int n_dimensions;
    LONGLONG axes[CLTOMO_MAX_DIMENSIONS]; /* the fastest first */
} image_header;

/* Moves to the first HDU with an image and gets its header. */
static cltomo_status find_image(
    fitsfile *file, image_header *header, const char *path, cltomo_error *error)
{
    int fits_status = 0;
    int type = IMAGE_HDU;
    fits_get_hdu_type(file, &type, &fits_status);
    for (header->n_dimensions = 0; fits_status == 0;) {
        if (type == IMAGE_HDU) {
            fits_get_img_paramll(file, CLTOMO_MAX_DIMENSIONS, &header->bits, &header->n_dimensions,
                header->axes, &fits_status);
        }
        if (fits_status != 0 || header->n_dimensions > 0) {
            break;
        }
        fits_movrel_hdu(file, 1, &type, &fits_status);
    }
    if (fits_status == END_OF_FILE) {
        return cltomo_fail_file(error, CLTOMO_ERROR_SHAPE, path, "the FITS file has no image");
    }
    if (fits_status != 0) {
        return cltomo_fail_fits(
            error, CLTOMO_ERROR_PARSE, fits_status, path, "malformed FITS file");
    }
    if (fits_is_compressed_image(file, &fits_status) != 0) {
        return cltomo_fail_file(error, CLTOMO_ERROR_PARSE, path,
            "compressed images are not supported: unpack the file first");
    }
    return CLTOMO_OK;
}

static cltomo_status get_shape(
    const image_header *header, cltomo_array_shape *shape, const char *path, cltomo_error *error)
{
    uint64_t axes[CLTOMO_MAX_DIMENSIONS] = {0, 0, 0};
    int n_axes =
        header->n_dimensions < CLTOMO_MAX_DIMENSIONS ? header->n_dimensions : CLTOMO_MAX_DIMENSIONS;
    for (int i = 0; i < n_axes; ++i) {
        LONGLONG length = header->axes[n_axes - 1 - i];
        axes[i] = length > 0 ? (uint64_t)length : 0;
    }
    cltomo_status status = cltomo_array_shape_set(shape,
        header->bits == DOUBLE_IMG ? CLTOMO_PRECISION_DOUBLE : CLTOMO_PRECISION_SINGLE,
        (size_t)header->n_dimensions, axes, path, error);
    if (status == CLTOMO_OK && header->bits != FLOAT_IMG && header->bits != DOUBLE_IMG) {
        return cltomo_fail_file(error, CLTOMO_ERROR_PARSE, path,
            "images with BITPIX = %d are not supported, only -32 and -64", header->bits);
    }
    return status;
}

/* Checks what the header says against the bytes that are there, so that a lying header allocates
 * nothing. Their number is CFITSIO's: the path may name another file by now. */
static cltomo_status check_size(
    fitsfile *file, const cltomo_array_shape *shape, const char *path, cltomo_error *error)
{
    int fits_status = 0;
    LONGLONG start = 0;
    char text[CLTOMO_SHAPE_TEXT];
    fits_get_hduaddrll(file, NULL, &start, NULL, &fits_status);
    if (fits_status != 0) {
        return cltomo_fail_fits(
            error, CLTOMO_ERROR_PARSE, fits_status, path, "malformed FITS file");
    }
    uint64_t size = file->Fptr->filesize < 0 ? 0 : (uint64_t)file->Fptr->filesize;
    uint64_t there = start < 0 || (uint64_t)start > size ? 0 : size - (uint64_t)start;
    uint64_t element_size = cltomo_precision_size(shape->precision);
    if (cltomo_array_elements(shape) > there / element_size) {
        return cltomo_fail_file(error, CLTOMO_ERROR_PARSE, path,
            "the FITS file is truncated: %" PRIu64
            " bytes of data for an image of %s elements of %" PRIu64 " bytes",
            there, cltomo_array_text(text, shape), element_size);
    }
    return CLTOMO_OK;
}

/* What goes before reading elements. */
static cltomo_status read_header(
    fitsfile *file, cltomo_array_shape *shape, const char *path, cltomo_error *error)
{
    image_header header = {0};
    cltomo_status status = find_image(file, &header, path, error);
    if (status == CLTOMO_OK) {
        status = get_shape(&header, shape, path, error);
    }
    return status == CLTOMO_OK ? check_size(file, shape, path, error) : status;
}

cltomo_status cltomo_fits_image_open(
    fitsfile **file, cltomo_array_shape *shape, const char *path, cltomo_error *error)
{
    char own_path[FLEN_FILENAME];
    int fits_status = 0;
    *file = NULL;
    cltomo_status status = cltomo_fits_path(own_path, path, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    /* The mark keeps our messages apart from those that the host program has not read yet. */
    fits_write_errmark();
    if (fits_open_diskfile(file, own_path, READONLY, &fits_status) != 0) {
        *file = NULL;
        status = cltomo_fail_fits(
            error, CLTOMO_ERROR_PARSE, fits_status, path, "cannot open as a FITS file");
    } else {
        status = read_header(*file, shape, path, error);
    }
    fits_clear_errmark();
    return status;
}

cltomo_status cltomo_fits_image_read(fitsfile *file, const cltomo_array_shape *shape,
    void *elements, size_t first_row, size_t n_rows, const char *path, cltomo_error *error)
{
    /* Without a value for NaNs CFITSIO leaves them, and tiny numbers, as they are. */
    int fits_status = 0;
    int is_any_null = 0;
    int type = shape->precision == CLTOMO_PRECISION_DOUBLE ? TDOUBLE : TFLOAT;
    LONGLONG cols = (LONGLONG)shape->cols;
    fits_write_errmark();
    fits_read_img(file, type, (LONGLONG)first_row * cols + 1, (LONGLONG)n_rows * cols, NULL,
        elements, &is_any_null, &fits_status);
    fits_clear_errmark();
    return fits_status == 0 ? CLTOMO_OK
                            : cltomo_fail_fits(error, CLTOMO_ERROR_PARSE, fits_status, path,
                                  "cannot read the image");
}

void cltomo_fits_image_close(fitsfile *file)
{
    int fits_status = 0; /* nothing was written: it has nothing to report */
    if (file != NULL) {
        fits_write_errmark();
        fits_close_file(file, &fits_status);
        fits_clear_errmark();
    }
}
