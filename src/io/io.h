/* Files: atomic output, NPY and FITS. Every error names the file as the caller wrote it. */
#ifndef CLTOMO_IO_IO_H
#define CLTOMO_IO_IO_H

#include <cltomo/file.h>
#include <fitsio.h>

#include "core/core.h"

/* Fails with "what: reason", the reason being that of the errno value `code`. */
cltomo_status cltomo_fail_errno(cltomo_error *error, int code, const char *path, const char *what);

/* The format is none of cltomo_file_format. */
cltomo_status cltomo_fail_format(cltomo_error *error);

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

/* ---- NPY (NumPy enhancement proposal 1) ---------------------------------------------------- */

/* Format version 1.0, C order, the machine's byte order. */
cltomo_status cltomo_npy_write_matrix(
    const cltomo_matrix *matrix, const char *path, cltomo_error *error);

/* Each row as a square map of n_across x n_across elements: an array of three dimensions. */
cltomo_status cltomo_npy_write_maps(
    const cltomo_matrix *matrix, size_t n_across, const char *path, cltomo_error *error);

/* The sparse matrix with its zeros, in double precision. */
cltomo_status cltomo_npy_write_sparse(const cltomo_context *context, const cltomo_sparse *sparse,
    const char *path, cltomo_error *error);

/* Format versions 1 to 3, '<f4', '>f4', '<f8' and '>f8', both orders, two dimensions. The file,
 * open as descriptor at its beginning, has `size` bytes, of which none may be left over. */
cltomo_status cltomo_npy_read(const cltomo_context *context, cltomo_matrix **matrix,
    const char *path, int descriptor, uint64_t size, cltomo_error *error);

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

/* What a file holds: the image and the keywords in the primary HDU, then the tables. */
typedef struct cltomo_fits_content {
    const cltomo_matrix *image; /* NULL: none */
    const cltomo_fits_keyword *keywords;
    size_t n_keywords;
    const cltomo_fits_table *tables;
    size_t n_tables;
    size_t map_across; /* 0, or each row of the image is a square map of so many points across */
} cltomo_fits_content;

/* Also writes CREATOR, DATE, and the checksums of each HDU. */
cltomo_status cltomo_fits_write(const cltomo_context *context, const cltomo_fits_content *content,
    const char *path, cltomo_error *error);

/* The first HDU with an image, which must have two dimensions and 4- or 8-byte floating-point
 * numbers. */
cltomo_status cltomo_fits_read(
    const cltomo_context *context, cltomo_matrix **matrix, const char *path, cltomo_error *error);

/* path as CFITSIO opens it without looking for a home directory or blanks in front; fails if it is
 * too long for CFITSIO. */
cltomo_status cltomo_fits_path(char own[FLEN_FILENAME], const char *path, cltomo_error *error);

/* Fails with CFITSIO's text for its status, or memory's. */
cltomo_status cltomo_fail_fits(
    cltomo_error *error, cltomo_status status, int fits_status, const char *path, const char *what);

/* ---- the keywords of a product ------------------------------------------------------------- */

typedef enum cltomo_axis {
    CLTOMO_AXIS_NONE,
    CLTOMO_AXIS_SLOPES,
    CLTOMO_AXIS_GRID,
    CLTOMO_AXIS_ACTUATORS
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
    char hash[20]; /* a value that nobody else owns */
} cltomo_keywords;

/* Fills *keywords for one product; strings belong to it, to the reconstructor, or are static. */
void cltomo_keywords_fill(
    cltomo_keywords *keywords, const cltomo_reconstructor *reconstructor, cltomo_product product);

#endif
