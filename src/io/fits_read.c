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

/* Moves to the first HDU with an image and gets its shape. */
static cltomo_status find_image(fitsfile *file, int *bits, int *n_dimensions, LONGLONG shape[2],
    const char *path, cltomo_error *error)
{
    int fits_status = 0;
    int type = IMAGE_HDU;
    fits_get_hdu_type(file, &type, &fits_status);
    for (*n_dimensions = 0; fits_status == 0;) {
        if (type == IMAGE_HDU) {
            fits_get_img_paramll(file, 2, bits, n_dimensions, shape, &fits_status);
        }
        if (fits_status != 0 || *n_dimensions > 0) {
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
    return CLTOMO_OK;
}

/* Checks what the header says against the bytes that are there, so that a lying header allocates
 * nothing. Their number is CFITSIO's: the path may name another file by now. */
static cltomo_status check_image(fitsfile *file, int bits, int n_dimensions,
    const LONGLONG shape[2], const char *path, cltomo_error *error)
{
    int fits_status = 0;
    LONGLONG start = 0;
    if (fits_is_compressed_image(file, &fits_status) != 0) {
        return cltomo_fail_file(error, CLTOMO_ERROR_PARSE, path,
            "compressed images are not supported: unpack the file first");
    }
    if (n_dimensions != 2) {
        return cltomo_fail_file(
            error, CLTOMO_ERROR_SHAPE, path, "the image has %d dimensions, not 2", n_dimensions);
    }
    if (shape[0] <= 0 || shape[1] <= 0) {
        return cltomo_fail_file(error, CLTOMO_ERROR_SHAPE, path,
            "the image is empty (%" PRId64 " x %" PRId64 ")", (int64_t)shape[1], (int64_t)shape[0]);
    }
    if (bits != FLOAT_IMG && bits != DOUBLE_IMG) {
        return cltomo_fail_file(error, CLTOMO_ERROR_PARSE, path,
            "images with BITPIX = %d are not supported, only -32 and -64", bits);
    }
    fits_get_hduaddrll(file, NULL, &start, NULL, &fits_status);
    if (fits_status != 0) {
        return cltomo_fail_fits(
            error, CLTOMO_ERROR_PARSE, fits_status, path, "malformed FITS file");
    }
    uint64_t size = file->Fptr->filesize < 0 ? 0 : (uint64_t)file->Fptr->filesize;
    uint64_t there = start < 0 || (uint64_t)start > size ? 0 : size - (uint64_t)start;
    uint64_t element_size = bits == DOUBLE_IMG ? sizeof(double) : sizeof(float);
    if ((uint64_t)shape[0] > there / element_size / (uint64_t)shape[1]) {
        return cltomo_fail_file(error, CLTOMO_ERROR_PARSE, path,
            "the FITS file is truncated: %" PRIu64 " bytes of data for an image of %" PRId64
            " x %" PRId64 " elements of %" PRIu64 " bytes",
            there, (int64_t)shape[1], (int64_t)shape[0], element_size);
    }
    return CLTOMO_OK;
}

/* What is read from the image that the file stands at. */
static cltomo_status read_image(const cltomo_context *context, cltomo_matrix **matrix,
    fitsfile *file, const char *path, cltomo_error *error)
{
    int bits = 0;
    int n_dimensions = 0;
    LONGLONG shape[2] = {0, 0};
    cltomo_status status = find_image(file, &bits, &n_dimensions, shape, path, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    status = check_image(file, bits, n_dimensions, shape, path, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    bool is_double = bits == DOUBLE_IMG;
    status = cltomo_matrix_allocate(context, matrix,
        is_double ? CLTOMO_PRECISION_DOUBLE : CLTOMO_PRECISION_SINGLE, (size_t)shape[1],
        (size_t)shape[0], error);
    if (status != CLTOMO_OK) {
        return status;
    }
    /* Without a value for NaNs CFITSIO leaves them, and tiny numbers, as they are. */
    int fits_status = 0;
    int is_any_null = 0;
    fits_read_img(file, is_double ? TDOUBLE : TFLOAT, 1, shape[0] * shape[1], NULL,
        (*matrix)->data.raw, &is_any_null, &fits_status);
    if (fits_status != 0) {
        cltomo_matrix_destroy(*matrix);
        *matrix = NULL;
        return cltomo_fail_fits(
            error, CLTOMO_ERROR_PARSE, fits_status, path, "cannot read the image");
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_fits_read(
    const cltomo_context *context, cltomo_matrix **matrix, const char *path, cltomo_error *error)
{
    char own_path[FLEN_FILENAME];
    fitsfile *file = NULL;
    int fits_status = 0;
    int close_status = 0;
    *matrix = NULL;
    cltomo_status status = cltomo_fits_path(own_path, path, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    /* The mark keeps our messages apart from those that the host program has not read yet. */
    fits_write_errmark();
    if (fits_open_diskfile(&file, own_path, READONLY, &fits_status) != 0) {
        status = cltomo_fail_fits(
            error, CLTOMO_ERROR_PARSE, fits_status, path, "cannot open as a FITS file");
    } else {
        status = read_image(context, matrix, file, path, error);
        fits_close_file(file, &close_status); /* nothing was written: it has nothing to report */
    }
    fits_clear_errmark();
    return status;
}
