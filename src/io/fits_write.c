#include <cltomo/version.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "io/io.h"

/* CFITSIO creates files without O_EXCL, so it gets one that exists: an empty primary HDU, which it
 * then changes into what is wanted. */
static cltomo_status write_empty_hdu(cltomo_output *output, cltomo_error *error)
{
    enum { card = 80, block = 2880 };
    static const char *const cards[] = {
        "SIMPLE  =                    T / file conforms to the FITS standard",
        "BITPIX  =                    8 / bits per element",
        "NAXIS   =                    0 / number of axes",
        "EXTEND  =                    T / the file may have extensions",
        "END",
    };
    char header[block];
    memset(header, ' ', sizeof header);
    for (size_t i = 0; i < sizeof cards / sizeof *cards; ++i) {
        memcpy(header + i * card, cards[i], strlen(cards[i]));
    }
    return cltomo_output_write(output, header, sizeof header, error);
}

static void write_keyword(fitsfile *file, const cltomo_fits_keyword *keyword, int *fits_status)
{
    enum { digits = 15 };
    const char *name = keyword->name;
    const char *comment = keyword->comment;
    switch (keyword->type) {
    case CLTOMO_FITS_TEXT:
        fits_write_key_str(file, name, keyword->value.text, comment, fits_status);
        break;
    case CLTOMO_FITS_INTEGER:
        fits_write_key_lng(file, name, (LONGLONG)keyword->value.integer, comment, fits_status);
        break;
    case CLTOMO_FITS_REAL:
        if (isfinite(keyword->value.real)) {
            fits_write_key_dbl(file, name, keyword->value.real, -digits, comment, fits_status);
        } else {
            fits_write_key_null(file, name, comment, fits_status);
        }
        break;
    case CLTOMO_FITS_LOGICAL:
        fits_write_key_log(file, name, keyword->value.integer != 0, comment, fits_status);
        break;
    }
}

static void write_primary(fitsfile *file, const cltomo_fits_content *content, int *fits_status)
{
    const cltomo_matrix *image = content->image;
    if (image != NULL) {
        bool is_double = image->precision == CLTOMO_PRECISION_DOUBLE;
        LONGLONG across = (LONGLONG)content->map_across;
        LONGLONG plain[2] = {(LONGLONG)image->cols, (LONGLONG)image->rows};
        LONGLONG cube[3] = {across, across, (LONGLONG)image->rows};
        fits_resize_imgll(file, is_double ? DOUBLE_IMG : FLOAT_IMG, across > 0 ? 3 : 2,
            across > 0 ? cube : plain, fits_status);
        fits_write_img(file, is_double ? TDOUBLE : TFLOAT, 1, plain[0] * plain[1], image->data.raw,
            fits_status);
    }
    fits_write_key_str(file, "CREATOR", "cltomo " CLTOMO_VERSION_STRING,
        "program that wrote the file", fits_status);
    fits_write_date(file, fits_status);
    for (size_t i = 0; i < content->n_keywords; ++i) {
        write_keyword(file, &content->keywords[i], fits_status);
    }
    fits_write_chksum(file, fits_status);
}

/* Puts the numbers of a column side by side, as CFITSIO wants them. */
static void gather(void *packed, const cltomo_fits_column *column, size_t n)
{
    size_t size = column->is_real ? sizeof(double) : sizeof(uint32_t);
    const char *from = column->first;
    char *to = packed;
    for (size_t i = 0; i < n; ++i) {
        memcpy(to + i * size, from + i * column->stride, size);
    }
}

static void write_table(
    fitsfile *file, const cltomo_fits_table *table, double *buffer, int *fits_status)
{
    char *names[CLTOMO_FITS_MAX_COLUMNS];
    char *forms[CLTOMO_FITS_MAX_COLUMNS];
    char *units[CLTOMO_FITS_MAX_COLUMNS];
    static char real_form[] = "1D";
    static char integer_form[] = "1J";
    int n = (int)table->n_columns;
    for (int i = 0; i < n; ++i) {
        /* CFITSIO lacks const here, but only reads the strings. */
        names[i] = (char *)(uintptr_t)table->column[i].name;
        units[i] = (char *)(uintptr_t)table->column[i].unit;
        forms[i] = table->column[i].is_real ? real_form : integer_form;
    }
    fits_create_tbl(file, BINARY_TBL, 0, n, names, forms, units, table->name, fits_status);
    for (int i = 0; i < n; ++i) {
        const cltomo_fits_column *column = &table->column[i];
        char key[FLEN_KEYWORD];
        fits_make_keyn("TTYPE", i + 1, key, fits_status);
        fits_modify_comment(file, key, column->comment, fits_status);
        gather(buffer, column, table->n_rows);
        fits_write_col(file, column->is_real ? TDOUBLE : TUINT, i + 1, 1, 1,
            (LONGLONG)table->n_rows, buffer, fits_status);
    }
    fits_write_chksum(file, fits_status);
}

/* CFITSIO's functions do nothing once *fits_status is set, so it is looked at only at the end. */
static int write_content(const char *path, const cltomo_fits_content *content, double *buffer)
{
    fitsfile *file = NULL;
    int fits_status = 0;
    if (fits_open_diskfile(&file, path, READWRITE, &fits_status) != 0) {
        return fits_status;
    }
    write_primary(file, content, &fits_status);
    for (size_t i = 0; i < content->n_tables; ++i) {
        write_table(file, &content->tables[i], buffer, &fits_status);
    }
    int close_status = 0;
    fits_close_file(file, &close_status);
    return fits_status != 0 ? fits_status : close_status;
}

cltomo_status cltomo_fits_write(const cltomo_context *context, const cltomo_fits_content *content,
    const char *path, cltomo_error *error)
{
    cltomo_output output;
    char own_path[FLEN_FILENAME];
    double *buffer = NULL; /* one column of the longest table */
    size_t longest = 0;
    for (size_t i = 0; i < content->n_tables; ++i) {
        longest = content->tables[i].n_rows > longest ? content->tables[i].n_rows : longest;
    }
    cltomo_status status = cltomo_output_open(context, &output, path, error);
    if (status != CLTOMO_OK) {
        goto done;
    }
    status = cltomo_fits_path(own_path, output.temporary, error);
    if (status != CLTOMO_OK) {
        goto done;
    }
    buffer = cltomo_allocate(context, longest, sizeof *buffer);
    if (buffer == NULL) {
        status = cltomo_fail_memory(error, "a column of a FITS table");
        goto done;
    }
    status = write_empty_hdu(&output, error);
    if (status != CLTOMO_OK) {
        goto done;
    }
    errno = 0;
    fits_write_errmark();
    int fits_status = write_content(own_path, content, buffer);
    fits_clear_errmark();
    int code = errno;
    if (fits_status != 0 && (code == ENOSPC || code == EFBIG || code == EDQUOT || code == EIO)) {
        /* CFITSIO only knows that writing failed. */
        status = cltomo_fail_errno(error, code, path, "cannot write");
        goto done;
    }
    if (fits_status != 0) {
        status = cltomo_fail_fits(
            error, CLTOMO_ERROR_IO, fits_status, path, "cannot write the FITS file");
        goto done;
    }
    status = cltomo_output_commit(&output, error);
done:
    cltomo_release(context, buffer);
    cltomo_output_close(&output);
    return status;
}
