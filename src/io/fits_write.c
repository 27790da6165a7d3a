/* A FITS file whose image comes piece by piece. */
#include <cltomo/version.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/io.h"

enum { card_size = 80 };

/* Puts one line of a header at *next; the header is blank so far. */
static void put_card(char **next, const char *name, const char *value, const char *comment)
{
    char card[card_size + 1];
    int length = snprintf(card, sizeof card, "%-8s= %20s / %s", name, value, comment);
    memcpy(*next, card, (size_t)length);
    *next += card_size;
}

static void put_integer(char **next, const char *name, int64_t value, const char *comment)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRId64, value);
    put_card(next, name, text, comment);
}

/* CFITSIO creates files without O_EXCL, so it gets one that exists. Its header says already what
 * the image is: changing that, CFITSIO would fill the file with zeros first. */
static cltomo_status write_seed(
    cltomo_output *output, const cltomo_file_content *content, cltomo_error *error)
{
    static const char *const names[] = {"NAXIS1", "NAXIS2", "NAXIS3"};
    const size_t axes[] = {content->cols, content->rows, content->planes};
    size_t n_axes = content->rows == 0 ? 0 : content->planes == 0 ? 2 : 3;
    int bits = content->precision == CLTOMO_PRECISION_DOUBLE ? DOUBLE_IMG : FLOAT_IMG;
    char header[2880];
    char *next = header;
    memset(header, ' ', sizeof header);
    put_card(&next, "SIMPLE", "T", "file conforms to the FITS standard");
    put_integer(&next, "BITPIX", n_axes == 0 ? BYTE_IMG : bits, "bits per element");
    put_integer(&next, "NAXIS", (int64_t)n_axes, "number of axes");
    for (size_t i = 0; i < n_axes; ++i) {
        put_integer(&next, names[i], (int64_t)axes[i], "length of data axis");
    }
    put_card(&next, "EXTEND", "T", "the file may have extensions");
    memcpy(next, "END", 3);
    return cltomo_output_write(output, header, sizeof header, error);
}

static void write_keyword(fitsfile *file, const cltomo_fits_keyword *keyword, int *fits_status)
{
    enum { digits = 15 };
    const char *name = keyword->name;
    const char *comment = keyword->comment;
    switch (keyword->type) {
    case CLTOMO_FITS_TEXT:
        fits_write_key_longstr(file, name, keyword->value.text, comment, fits_status);
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

/* The checksums' keywords as CFITSIO writes them, without values: were they added after the image
 * and took another block, CFITSIO would move the whole image. */
static void reserve_checksums(fitsfile *file, int *fits_status)
{
    char date[FLEN_VALUE] = "";
    char comment[FLEN_COMMENT];
    int is_local = 0;
    fits_get_system_time(date, &is_local, fits_status);
    (void)snprintf(comment, sizeof comment, "HDU checksum updated %.20s", date);
    fits_write_key_str(file, "CHECKSUM", "0000000000000000", comment, fits_status);
    (void)snprintf(comment, sizeof comment, "data unit checksum updated %.20s", date);
    fits_write_key_str(file, "DATASUM", "         0", comment, fits_status);
}

/* CFITSIO's functions do nothing once *fits_status is set, so it is looked at only at the end. */
static void write_keywords(fitsfile *file, const cltomo_file_content *content, int *fits_status)
{
    fits_write_key_str(file, "CREATOR", "cltomo " CLTOMO_VERSION_STRING,
        "program that wrote the file", fits_status);
    fits_write_date(file, fits_status);
    for (size_t i = 0; i < content->n_keywords; ++i) {
        write_keyword(file, &content->keywords[i], fits_status);
    }
    reserve_checksums(file, fits_status);
}

static size_t size_of_cell(const cltomo_fits_column *column)
{
    return column->is_real ? sizeof(double) : sizeof(uint32_t);
}

/* Copies the tables, the numbers of each column side by side, as CFITSIO wants them. */
static cltomo_status copy_tables(
    cltomo_fits_stream *stream, const cltomo_file_content *content, cltomo_error *error)
{
    const cltomo_context *context = stream->output->context;
    size_t n_numbers = 0;
    for (size_t i = 0; i < content->n_tables; ++i) {
        n_numbers += content->tables[i].n_rows * content->tables[i].n_columns;
    }
    stream->tables =
        cltomo_duplicate(context, content->tables, content->n_tables, sizeof *stream->tables);
    stream->numbers = cltomo_allocate(context, n_numbers, sizeof *stream->numbers);
    if (stream->tables == NULL || stream->numbers == NULL) {
        return cltomo_fail_memory(error, "the tables of a FITS file");
    }
    stream->n_tables = content->n_tables;
    double *next = stream->numbers;
    for (size_t i = 0; i < stream->n_tables; ++i) {
        cltomo_fits_table *table = &stream->tables[i];
        for (size_t k = 0; k < table->n_columns; ++k, next += table->n_rows) {
            cltomo_fits_column *column = &table->column[k];
            const char *from = column->first;
            size_t size = size_of_cell(column);
            for (size_t r = 0; r < table->n_rows; ++r) {
                memcpy((char *)next + r * size, from + r * column->stride, size);
            }
            column->first = next;
            column->stride = size;
        }
    }
    return CLTOMO_OK;
}

/* CFITSIO lacks const in places, but only reads. */
static void *without_const(const void *pointer)
{
    return (void *)(uintptr_t)pointer;
}

static void write_table(fitsfile *file, const cltomo_fits_table *table, int *fits_status)
{
    char *names[CLTOMO_FITS_MAX_COLUMNS];
    char *forms[CLTOMO_FITS_MAX_COLUMNS];
    char *units[CLTOMO_FITS_MAX_COLUMNS];
    static char real_form[] = "1D";
    static char integer_form[] = "1J";
    int n = (int)table->n_columns;
    for (int i = 0; i < n; ++i) {
        names[i] = without_const(table->column[i].name);
        units[i] = without_const(table->column[i].unit);
        forms[i] = table->column[i].is_real ? real_form : integer_form;
    }
    fits_create_tbl(file, BINARY_TBL, 0, n, names, forms, units, table->name, fits_status);
    for (int i = 0; i < n; ++i) {
        const cltomo_fits_column *column = &table->column[i];
        char key[FLEN_KEYWORD];
        fits_make_keyn("TTYPE", i + 1, key, fits_status);
        fits_modify_comment(file, key, column->comment, fits_status);
        fits_write_col(file, column->is_real ? TDOUBLE : TUINT, i + 1, 1, 1,
            (LONGLONG)table->n_rows, without_const(column->first), fits_status);
    }
    fits_write_chksum(file, fits_status);
}

/* The outcome of calls of CFITSIO since errno was set to 0. */
static cltomo_status outcome(const cltomo_fits_stream *stream, int fits_status, cltomo_error *error)
{
    const char *path = stream->output->path;
    int code = errno;
    if (fits_status == 0) {
        return CLTOMO_OK;
    }
    if (code == ENOSPC || code == EFBIG || code == EDQUOT || code == EIO) {
        /* CFITSIO only knows that writing failed. */
        return cltomo_fail_errno(error, code, path, "cannot write");
    }
    return cltomo_fail_fits(
        error, CLTOMO_ERROR_IO, fits_status, path, "cannot write the FITS file");
}

cltomo_status cltomo_fits_stream_open(cltomo_fits_stream *stream, cltomo_output *output,
    const cltomo_file_content *content, cltomo_error *error)
{
    char own_path[FLEN_FILENAME];
    *stream = (cltomo_fits_stream){.output = output, .precision = content->precision};
    cltomo_status status = cltomo_fits_path(own_path, output->temporary, error);
    if (status == CLTOMO_OK) {
        status = copy_tables(stream, content, error);
    }
    if (status == CLTOMO_OK) {
        status = write_seed(output, content, error);
    }
    if (status == CLTOMO_OK) {
        int fits_status = 0;
        errno = 0;
        fits_write_errmark();
        fits_open_diskfile(&stream->file, own_path, READWRITE, &fits_status);
        write_keywords(stream->file, content, &fits_status);
        fits_clear_errmark();
        status = outcome(stream, fits_status, error);
    }
    if (status != CLTOMO_OK) {
        cltomo_fits_stream_release(stream);
    }
    return status;
}

cltomo_status cltomo_fits_stream_write(
    cltomo_fits_stream *stream, uint64_t first, const void *elements, size_t n, cltomo_error *error)
{
    int fits_status = 0;
    errno = 0;
    fits_write_errmark();
    fits_write_img(stream->file, stream->precision == CLTOMO_PRECISION_DOUBLE ? TDOUBLE : TFLOAT,
        (LONGLONG)first + 1, (LONGLONG)n, without_const(elements), &fits_status);
    fits_clear_errmark();
    return outcome(stream, fits_status, error);
}

cltomo_status cltomo_fits_stream_finish(cltomo_fits_stream *stream, cltomo_error *error)
{
    int fits_status = 0;
    int close_status = 0;
    errno = 0;
    fits_write_errmark();
    fits_write_chksum(stream->file, &fits_status);
    for (size_t i = 0; i < stream->n_tables; ++i) {
        write_table(stream->file, &stream->tables[i], &fits_status);
    }
    if (fits_status == 0) {
        fits_close_file(stream->file, &close_status);
        stream->file = NULL;
    }
    fits_clear_errmark();
    return outcome(stream, fits_status != 0 ? fits_status : close_status, error);
}

void cltomo_fits_stream_release(cltomo_fits_stream *stream)
{
    int fits_status = 0;
    if (stream->file != NULL) {
        /* Otherwise CFITSIO would complete a file that is to be removed, with zeros. */
        stream->file->Fptr->writemode = READONLY;
        fits_write_errmark();
        fits_close_file(stream->file, &fits_status);
        fits_clear_errmark();
        stream->file = NULL;
    }
    if (stream->output != NULL) {
        cltomo_release(stream->output->context, stream->tables);
        cltomo_release(stream->output->context, stream->numbers);
    }
    *stream = (cltomo_fits_stream){.output = NULL};
}
