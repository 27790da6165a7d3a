/* Files: atomic output, NPY and FITS. Every error names the file as the caller wrote it. */
#ifndef CLTOMO_IO_IO_H
#define CLTOMO_IO_IO_H

#include <cltomo/file.h>
#include <fitsio.h>

#include "core/core.h"

/* Fails with "what: reason", the reason being that of the errno value `code`. */
cltomo_status cltomo_fail_errno(cltomo_error *error, int code, const char *path, const char *what);

/* The format is none of cltomo_file_format. */
#define cltomo_fail_format(error)                                                                  \
    cltomo_fail_key((error), CLTOMO_ERROR_ARGUMENT, "format", "",                                  \
        "CLTOMO_FORMAT_FITS or CLTOMO_FORMAT_NPY", "unknown file format")

/* ---- output -------------------------------------------------------------------------------- */

/* A file being written: a temporary file beside the target, renamed to it when complete. A symbolic
 * link is followed, so that it stays and the file that it names is replaced. */
typedef struct cltomo_output {
    const cltomo_context *context;
    const char *path; /* as the caller wrote it; must live as long as the output */
    char *target;
    char *temporary; /* its name, for libraries that want to open it themselves */
    int descriptor;  /* open for writing; -1: none */
} cltomo_output;

/* The file gets the permissions of the one that it replaces, or else those that the umask leaves.
 * A target that is not a regular file, or that is write-protected, is an error. */
cltomo_status cltomo_output_open(
    const cltomo_context *context, cltomo_output *output, const char *path, cltomo_error *error);

cltomo_status cltomo_output_write(
    cltomo_output *output, const void *data, size_t size, cltomo_error *error);

/* Flushes the file to the disk and gives it its name. */
cltomo_status cltomo_output_commit(cltomo_output *output, cltomo_error *error);

/* Releases the output, and removes the temporary file unless it was committed. Harmless after
 * cltomo_output_open failed. */
void cltomo_output_close(cltomo_output *output);

/* ---- the shape of an array in a file (array_shape.c) ---------------------------------------- */

#define CLTOMO_MAX_DIMENSIONS 3

/* Lengths that a file does not have are 1. */
typedef struct cltomo_array_shape {
    cltomo_precision precision;
    size_t n_dimensions; /* 1 to CLTOMO_MAX_DIMENSIONS */
    size_t planes;
    size_t rows; /* of one plane */
    size_t cols;
} cltomo_array_shape;

/* axes: n_dimensions lengths, the slowest first; of more than CLTOMO_MAX_DIMENSIONS none is looked
 * at. Fails with CLTOMO_ERROR_SHAPE if there are too many or none, or if one is 0. */
cltomo_status cltomo_array_shape_set(cltomo_array_shape *shape, cltomo_precision precision,
    size_t n_dimensions, const uint64_t *axes, const char *path, cltomo_error *error);

/* UINT64_MAX if they are more than that. */
uint64_t cltomo_array_elements(const cltomo_array_shape *shape);

#define CLTOMO_SHAPE_TEXT 72

/* "4 x 2 x 3"; returns text. */
const char *cltomo_array_text(char text[CLTOMO_SHAPE_TEXT], const cltomo_array_shape *shape);

/* ---- NPY (NumPy enhancement proposal 1) ---------------------------------------------------- */

/* All that goes before the elements: format version 1.0, C order, the machine's byte order. planes
 * is 0 for two dimensions. */
cltomo_status cltomo_npy_write_header(cltomo_output *output, cltomo_precision precision,
    size_t planes, size_t rows, size_t cols, cltomo_error *error);

/* An NPY file that is read. */
typedef struct cltomo_npy {
    int descriptor;
    uint64_t start; /* of the elements, in bytes from the file's beginning */
    cltomo_array_shape shape;
    bool is_foreign; /* in the other byte order */
    bool is_fortran; /* column by column; two dimensions */
} cltomo_npy;

/* Reads the header of the file that npy->descriptor is open for: format versions 1 to 3, '<f4',
 * '>f4', '<f8' and '>f8', in C order, or in Fortran order up to two dimensions. The file has `size`
 * bytes, of which none may be left over. */
cltomo_status cltomo_npy_open(const cltomo_context *context, cltomo_npy *npy, const char *path,
    uint64_t size, cltomo_error *error);

/* n_rows rows from first_row on, planes one after the other; so many must be there. */
cltomo_status cltomo_npy_read(const cltomo_context *context, const cltomo_npy *npy, void *elements,
    size_t first_row, size_t n_rows, const char *path, cltomo_error *error);

/* Exactly size bytes of the file from offset on. */
cltomo_status cltomo_read_at(int descriptor, void *data, size_t size, uint64_t offset,
    const char *path, cltomo_error *error);

/* ---- FITS (standard 4.0), by CFITSIO ------------------------------------------------------- */

typedef enum cltomo_fits_type {
    CLTOMO_FITS_TEXT,
    CLTOMO_FITS_INTEGER,
    CLTOMO_FITS_REAL,   /* an infinite value is written as a keyword without a value */
    CLTOMO_FITS_LOGICAL /* in .integer */
} cltomo_fits_type;

typedef struct cltomo_fits_keyword {
    const char *name; /* up to 8 characters */
    const char *comment;
    cltomo_fits_type type;
    union {
        const char *text;
        int64_t integer;
        double real;
    } value;
} cltomo_fits_keyword;

/* One number per row of a table, taken from an array of structures or of numbers. */
typedef struct cltomo_fits_column {
    const char *name;
    const char *unit; /* "" for none */
    const char *comment;
    bool is_real;      /* double, written as such; otherwise uint32_t, written as 32-bit integer */
    const void *first; /* the number of row 0 */
    size_t stride;     /* bytes from one row to the next */
} cltomo_fits_column;

#define CLTOMO_FITS_MAX_COLUMNS 4

typedef struct cltomo_fits_table {
    const char *name;
    size_t n_rows;
    size_t n_columns;
    cltomo_fits_column column[CLTOMO_FITS_MAX_COLUMNS];
} cltomo_fits_table;

/* What a file holds: an array of rows x cols, or planes x rows x cols, and in FITS also keywords,
 * in the primary HDU with the array, and tables, in the HDUs after it. */
typedef struct cltomo_file_content {
    cltomo_precision precision;
    size_t planes; /* 0: two dimensions */
    size_t rows;   /* 0: no array, of which only FITS is capable */
    size_t cols;
    const cltomo_fits_keyword *keywords;
    size_t n_keywords;
    const cltomo_fits_table *tables;
    size_t n_tables;
} cltomo_file_content;

/* A FITS file whose image is written piece by piece. */
typedef struct cltomo_fits_stream {
    cltomo_output *output;
    fitsfile *file; /* NULL: closed */
    cltomo_precision precision;
    size_t n_tables;
    cltomo_fits_table *tables; /* copies, each column's numbers side by side in numbers */
    double *numbers;
} cltomo_fits_stream;

/* Writes the header: also CREATOR, DATE, and room for the checksums. The content is not needed
 * afterwards, but for what its tables and columns are called; the output is, until the stream is
 * released. */
cltomo_status cltomo_fits_stream_open(cltomo_fits_stream *stream, cltomo_output *output,
    const cltomo_file_content *content, cltomo_error *error);

/* Elements `first` (from 0) to first + n of the image. */
cltomo_status cltomo_fits_stream_write(cltomo_fits_stream *stream, uint64_t first,
    const void *elements, size_t n, cltomo_error *error);

/* Writes the tables and the checksums of each HDU, once the image is there. */
cltomo_status cltomo_fits_stream_finish(cltomo_fits_stream *stream, cltomo_error *error);

/* Harmless after cltomo_fits_stream_open failed. */
void cltomo_fits_stream_release(cltomo_fits_stream *stream);

/* Opens the first HDU with an image, which must have 4- or 8-byte floating-point numbers. *file is
 * to be closed also after a failure. */
cltomo_status cltomo_fits_image_open(
    fitsfile **file, cltomo_array_shape *shape, const char *path, cltomo_error *error);

/* n_rows rows from first_row on, planes one after the other; so many must be there. */
cltomo_status cltomo_fits_image_read(fitsfile *file, const cltomo_array_shape *shape,
    void *elements, size_t first_row, size_t n_rows, const char *path, cltomo_error *error);

/* Accepts NULL. */
void cltomo_fits_image_close(fitsfile *file);

/* path as CFITSIO opens it without looking for a home directory or blanks in front; fails if it is
 * too long for CFITSIO. */
cltomo_status cltomo_fits_path(char own[FLEN_FILENAME], const char *path, cltomo_error *error);

/* Fails with CFITSIO's text for its status, or memory's. */
cltomo_status cltomo_fail_fits(
    cltomo_error *error, cltomo_status status, int fits_status, const char *path, const char *what);

/* ---- a file read some rows at a time, in either format (matrix_reader.c) -------------------- */

/* Holds nothing but what one call needs. For one thread at a time. */
typedef struct cltomo_matrix_reader {
    const cltomo_context *context;
    const char *path; /* as the caller wrote it; must live as long as the reader */
    cltomo_array_shape shape;
    size_t n_read;  /* rows */
    fitsfile *fits; /* NULL: NPY */
    cltomo_npy npy; /* its descriptor is open for either format */
} cltomo_matrix_reader;

/* The header is checked against the size of the file. The reader is to be closed also after a
 * failure. */
cltomo_status cltomo_matrix_reader_open(const cltomo_context *context, cltomo_matrix_reader *reader,
    const char *path, cltomo_error *error);

/* Rows not yet read, of all planes together. */
size_t cltomo_matrix_reader_left(const cltomo_matrix_reader *reader);

/* The next n_rows rows (so many must be left), in the file's precision; those of a cube's planes
 * follow each other. Fails with CLTOMO_ERROR_NOT_FINITE and names the first element that is a NaN
 * or an infinity. */
cltomo_status cltomo_matrix_reader_next(
    cltomo_matrix_reader *reader, void *rows, size_t n_rows, cltomo_error *error);

void cltomo_matrix_reader_close(cltomo_matrix_reader *reader);

/* ---- a file written panel by panel, in either format (matrix_writer.c) ---------------------- */

/* Holds no more than the tables of FITS, whatever the size of the array. For one thread at a time.
 */
typedef struct cltomo_matrix_writer cltomo_matrix_writer;

/* Begins the file of that content, under a temporary name; the content is not needed afterwards,
 * but for what its tables and columns are called. */
cltomo_status cltomo_matrix_writer_open(const cltomo_context *context,
    cltomo_matrix_writer **writer, const char *path, cltomo_file_format format,
    const cltomo_file_content *content, cltomo_error *error);

/* The next n_rows x cols elements in the content's precision, row by row; a cube's planes follow
 * each other, and may be cut anywhere between rows. The elements may be NaN. Fails with
 * CLTOMO_ERROR_SHAPE if there are more rows than the file has left. After a failure the file cannot
 * be completed. */
cltomo_status cltomo_matrix_writer_append(
    cltomo_matrix_writer *writer, const void *rows, size_t n_rows, cltomo_error *error);

/* Appends all rows of the sparse matrix, with its zeros; the content is in double precision. */
cltomo_status cltomo_matrix_writer_append_sparse(
    cltomo_matrix_writer *writer, const cltomo_sparse *sparse, cltomo_error *error);

/* Completes the file under its temporary name, after which nothing can be appended. Fails with
 * CLTOMO_ERROR_SHAPE if rows are missing, and if an append failed. */
cltomo_status cltomo_matrix_writer_finish(cltomo_matrix_writer *writer, cltomo_error *error);

/* Completes the file, unless that is done already, and gives it its name. The writer is destroyed
 * in any case, and *writer NULL. */
cltomo_status cltomo_matrix_writer_close(cltomo_matrix_writer **writer, cltomo_error *error);

/* Abandons the file: what is there of it is removed, and an older file stays. Accepts NULL. */
void cltomo_matrix_writer_destroy(cltomo_matrix_writer *writer);

/* The whole file at once; elements is NULL if the content has no array. */
cltomo_status cltomo_content_write(const cltomo_context *context, const char *path,
    cltomo_file_format format, const cltomo_file_content *content, const void *elements,
    cltomo_error *error);

/* Begins the file that cltomo_reconstructor_write makes of a product, whose elements are in that
 * precision. The product itself need not be in the reconstructor, but for Gamma. */
cltomo_status cltomo_product_writer_open(const cltomo_reconstructor *reconstructor,
    cltomo_matrix_writer **writer, cltomo_product product, cltomo_precision precision,
    const char *path, cltomo_file_format format, cltomo_error *error);

/* Begins that file of a product that the reconstructor holds, and writes all of it but its name. */
cltomo_status cltomo_product_writer_fill(const cltomo_reconstructor *reconstructor,
    cltomo_matrix_writer **writer, cltomo_product product, const char *path,
    cltomo_file_format format, cltomo_error *error);

/* ---- what the rows of a reconstructor in a file are (row_table.c) ---------------------------- */

typedef struct cltomo_row_table {
    bool is_grid; /* points of the grid, not actuators; only then there is more */
    size_t n_grid;
    size_t n_points;
    cltomo_point *points; /* row and col alone */
} cltomo_row_table;

/* n_rows: of the matrix in the file, or of one plane of the cube. Fails with CLTOMO_ERROR_PARSE if
 * the file is not one of R, FR or R_IM, and with CLTOMO_ERROR_SHAPE if the table does not belong to
 * the matrix. It is to be released also after a failure. */
cltomo_status cltomo_row_table_read(const cltomo_context *context, cltomo_row_table *table,
    size_t n_rows, const char *path, cltomo_error *error);

/* Fails with CLTOMO_ERROR_SHAPE if one of the points is outside the grid; path may be "". */
cltomo_status cltomo_points_check(const cltomo_point *points, size_t n_points, size_t n_grid,
    const char *path, cltomo_error *error);

void cltomo_row_table_release(const cltomo_context *context, cltomo_row_table *table);

/* ---- the keywords of a product ------------------------------------------------------------- */

typedef enum cltomo_axis {
    CLTOMO_AXIS_NONE,
    CLTOMO_AXIS_SLOPES,
    CLTOMO_AXIS_GRID,
    CLTOMO_AXIS_ACTUATORS,
    CLTOMO_AXIS_DIRECTIONS /* planes only */
} cltomo_axis;

/* What the rows and columns of a product are, and the unit of its elements. */
typedef struct cltomo_layout {
    cltomo_axis rows;
    cltomo_axis cols;
    const char *unit; /* "" for none */
} cltomo_layout;

cltomo_layout cltomo_product_layout(cltomo_product product);

/* The name of the table that describes an axis; "" for none. */
const char *cltomo_axis_table(cltomo_axis axis);

#define CLTOMO_MAX_KEYWORDS 48

typedef struct cltomo_keywords {
    size_t n;
    cltomo_fits_keyword keyword[CLTOMO_MAX_KEYWORDS];
    char hash[20]; /* values that nobody else owns */
    char wfs_list[200];
} cltomo_keywords;

/* Fills *keywords for one product; strings belong to it, to the reconstructor, or are static. */
void cltomo_keywords_fill(
    cltomo_keywords *keywords, const cltomo_reconstructor *reconstructor, cltomo_product product);

#endif
