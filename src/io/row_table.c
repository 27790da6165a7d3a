/* What a file of a reconstructor says that the rows of its matrix are. */
#include <string.h>

#include "io/io.h"

/* The table GRID, unless it has another number of rows than the matrix. */
static int read_points(
    fitsfile *file, cltomo_row_table *table, size_t n_rows, const cltomo_context *context)
{
    int fits_status = 0;
    char name[] = "GRID";
    long n_points = 0;
    fits_movnam_hdu(file, BINARY_TBL, name, 0, &fits_status);
    fits_get_num_rows(file, &n_points, &fits_status);
    table->n_points = n_points > 0 ? (size_t)n_points : 0;
    if (fits_status != 0 || table->n_points != n_rows) {
        return fits_status;
    }
    table->points = cltomo_allocate_zero(context, n_rows, sizeof *table->points);
    if (table->points == NULL) {
        return MEMORY_ALLOCATION;
    }
    for (long i = 0; i < n_points && fits_status == 0; ++i) {
        cltomo_point *point = &table->points[i];
        fits_read_col(file, TUINT, 1, i + 1, 1, 1, NULL, &point->row, NULL, &fits_status);
        fits_read_col(file, TUINT, 2, i + 1, 1, 1, NULL, &point->col, NULL, &fits_status);
    }
    return fits_status;
}

/* What the open file says of its matrix of n_rows rows; product[FLEN_VALUE] is its name. */
static int read_table(fitsfile *file, cltomo_row_table *table, char *product, size_t n_rows,
    const cltomo_context *context)
{
    int fits_status = 0;
    long n_grid = 0;
    fits_read_key_str(file, "PRODUCT", product, NULL, &fits_status);
    table->is_grid = strcmp(product, "R") == 0;
    if (fits_status == 0 && table->is_grid) {
        fits_read_key_lng(file, "NGRID", &n_grid, NULL, &fits_status);
        table->n_grid = n_grid > 0 ? (size_t)n_grid : 0;
        return fits_status == 0 ? read_points(file, table, n_rows, context) : fits_status;
    }
    return fits_status;
}

static cltomo_status check_table(const cltomo_row_table *table, const char *product, size_t n_rows,
    const char *path, cltomo_error *error)
{
    enum { largest_grid = 65535 };
    if (!table->is_grid && strcmp(product, "FR") != 0 && strcmp(product, "R_IM") != 0) {
        return cltomo_fail_file(error, CLTOMO_ERROR_PARSE, path,
            "the file holds the matrix %s, not R, FR or R_IM", product);
    }
    if (table->is_grid && table->n_points != n_rows) {
        return cltomo_fail_file(error, CLTOMO_ERROR_SHAPE, path,
            "the matrix has %zu rows, but its table GRID %zu", n_rows, table->n_points);
    }
    if (table->is_grid && (table->n_grid == 0 || table->n_grid > largest_grid)) {
        return cltomo_fail_file(error, CLTOMO_ERROR_SHAPE, path,
            "the keyword NGRID is not a number from 1 to %d", largest_grid);
    }
    return cltomo_points_check(table->points, table->n_points, table->n_grid, path, error);
}

cltomo_status cltomo_row_table_read(const cltomo_context *context, cltomo_row_table *table,
    size_t n_rows, const char *path, cltomo_error *error)
{
    char own_path[FLEN_FILENAME];
    char product[FLEN_VALUE] = "";
    fitsfile *file = NULL;
    int fits_status = 0;
    int close_status = 0;
    *table = (cltomo_row_table){.is_grid = false};
    cltomo_status status = cltomo_fits_path(own_path, path, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    fits_write_errmark();
    if (fits_open_diskfile(&file, own_path, READONLY, &fits_status) == 0) {
        fits_status = read_table(file, table, product, n_rows, context);
        fits_close_file(file, &close_status);
    }
    fits_clear_errmark();
    if (fits_status != 0) {
        return cltomo_fail_fits(error, CLTOMO_ERROR_PARSE, fits_status, path,
            "not a FITS file of R, FR or R_IM as cltomo build writes it");
    }
    return check_table(table, product, n_rows, path, error);
}

void cltomo_row_table_release(const cltomo_context *context, cltomo_row_table *table)
{
    cltomo_release(context, table->points);
}
