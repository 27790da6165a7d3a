/* Applies a reconstructor from a file to slopes from a file, and lays wavefronts out as maps. */
#include <math.h>
#include <string.h>

#include "io/io.h"

cltomo_status cltomo_wavefront_map(double *map, size_t n_grid, const cltomo_point *points,
    const double *wavefront, size_t n_points, cltomo_error *error)
{
    for (size_t i = 0; i < n_points; ++i) {
        if (points[i].row >= n_grid || points[i].col >= n_grid) {
            return cltomo_fail(error, CLTOMO_ERROR_SHAPE,
                "point %zu is at row %u, column %u of a grid of %zu x %zu", i,
                (unsigned)points[i].row, (unsigned)points[i].col, n_grid, n_grid);
        }
    }
    for (size_t i = 0; i < n_grid * n_grid; ++i) {
        map[i] = (double)NAN;
    }
    for (size_t i = 0; i < n_points; ++i) {
        map[points[i].row * n_grid + points[i].col] = wavefront[i];
    }
    return CLTOMO_OK;
}

/* What the rows of a matrix in a file are. */
typedef struct row_table {
    bool is_grid;
    size_t n_grid;
    size_t n_points;
    cltomo_point *points; /* ROW and COL alone */
} row_table;

static int read_points(fitsfile *file, row_table *table, const cltomo_context *context)
{
    int fits_status = 0;
    char name[] = "GRID";
    long n_rows = 0;
    fits_movnam_hdu(file, BINARY_TBL, name, 0, &fits_status);
    fits_get_num_rows(file, &n_rows, &fits_status);
    if (fits_status != 0) {
        return fits_status;
    }
    table->n_points = (size_t)n_rows;
    table->points = cltomo_allocate_zero(context, table->n_points, sizeof *table->points);
    if (table->points == NULL) {
        return MEMORY_ALLOCATION;
    }
    for (long i = 0; i < n_rows && fits_status == 0; ++i) {
        cltomo_point *point = &table->points[i];
        fits_read_col(file, TUINT, 1, i + 1, 1, 1, NULL, &point->row, NULL, &fits_status);
        fits_read_col(file, TUINT, 2, i + 1, 1, 1, NULL, &point->col, NULL, &fits_status);
    }
    return fits_status;
}

static cltomo_status read_row_table(
    const cltomo_context *context, row_table *table, const char *path, cltomo_error *error)
{
    char own_path[FLEN_FILENAME];
    char product[FLEN_VALUE] = "";
    long n_grid = 0;
    fitsfile *file = NULL;
    int fits_status = 0;
    int close_status = 0;
    cltomo_status status = cltomo_fits_path(own_path, path, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    fits_write_errmark();
    if (fits_open_diskfile(&file, own_path, READONLY, &fits_status) == 0) {
        fits_read_key_str(file, "PRODUCT", product, NULL, &fits_status);
        table->is_grid = strcmp(product, "R") == 0;
        if (fits_status == 0 && table->is_grid) {
            fits_read_key_lng(file, "NGRID", &n_grid, NULL, &fits_status);
            fits_status = fits_status == 0 ? read_points(file, table, context) : fits_status;
        }
        fits_close_file(file, &close_status);
    }
    fits_clear_errmark();
    table->n_grid = n_grid > 0 ? (size_t)n_grid : 0;
    if (fits_status != 0) {
        return cltomo_fail_fits(error, CLTOMO_ERROR_PARSE, fits_status, path,
            "not a FITS file of R, FR or R_IM as cltomo build writes it");
    }
    if (!table->is_grid && strcmp(product, "FR") != 0 && strcmp(product, "R_IM") != 0) {
        return cltomo_fail_file(error, CLTOMO_ERROR_PARSE, path,
            "the file holds the matrix %s, not R, FR or R_IM", product);
    }
    return CLTOMO_OK;
}

/* maps: one row for each wavefront, a map row by row. */
static cltomo_status make_maps(const cltomo_context *context, cltomo_matrix **maps,
    const row_table *table, const cltomo_matrix *wavefronts, cltomo_error *error)
{
    size_t n = table->n_grid;
    cltomo_matrix *values = NULL;
    cltomo_status status =
        cltomo_matrix_convert(context, &values, wavefronts, CLTOMO_PRECISION_DOUBLE, error);
    if (status == CLTOMO_OK) {
        status = cltomo_matrix_allocate(
            context, maps, CLTOMO_PRECISION_DOUBLE, wavefronts->rows, n * n, error);
    }
    for (size_t i = 0; i < wavefronts->rows && status == CLTOMO_OK; ++i) {
        status = cltomo_wavefront_map((*maps)->data.f64 + i * n * n, n, table->points,
            values->data.f64 + i * values->cols, values->cols, error);
    }
    cltomo_matrix_destroy(values);
    return status;
}

static cltomo_status write_result(const cltomo_context *context, const row_table *table,
    const cltomo_matrix *result, const char *path, cltomo_file_format format, cltomo_error *error)
{
    cltomo_matrix *maps = NULL;
    if (!table->is_grid) {
        return cltomo_matrix_write(result, path, format, error);
    }
    if (table->points == NULL || table->n_points != result->cols || table->n_grid == 0 ||
        table->n_grid > 65535) {
        return cltomo_fail(error, CLTOMO_ERROR_SHAPE,
            "the matrix has %zu rows, but its table GRID %zu", result->cols, table->n_points);
    }
    cltomo_status status = make_maps(context, &maps, table, result, error);
    if (status == CLTOMO_OK) {
        const cltomo_file_content content = {.precision = maps->precision,
            .planes = maps->rows,
            .rows = table->n_grid,
            .cols = table->n_grid};
        status = cltomo_content_write(context, path, format, &content, maps->data.raw, error);
    }
    cltomo_matrix_destroy(maps);
    return status;
}

cltomo_status cltomo_reconstruct_files(const cltomo_context *context,
    const char *reconstructor_path, const char *slopes_path, const char *path,
    cltomo_file_format format, cltomo_error *error)
{
    row_table table = {.n_points = 0};
    cltomo_matrix *matrix = NULL;
    cltomo_matrix *slopes = NULL;
    cltomo_matrix *result = NULL;
    if (format != CLTOMO_FORMAT_FITS && format != CLTOMO_FORMAT_NPY) {
        return cltomo_fail_format(error);
    }
    cltomo_status status = cltomo_matrix_read(context, &matrix, reconstructor_path, error);
    if (status == CLTOMO_OK) {
        status = read_row_table(context, &table, reconstructor_path, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_matrix_read(context, &slopes, slopes_path, error);
    }
    if (status == CLTOMO_OK && slopes->cols != matrix->cols) {
        status = cltomo_fail_file(error, CLTOMO_ERROR_SHAPE, slopes_path,
            "%zu slopes in a row, but the reconstructor takes %zu", slopes->cols, matrix->cols);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_matrix_apply(context, &result, matrix, slopes, error);
    }
    if (status == CLTOMO_OK) {
        status = write_result(context, &table, result, path, format, error);
    }
    cltomo_matrix_destroy(result);
    cltomo_matrix_destroy(slopes);
    cltomo_matrix_destroy(matrix);
    cltomo_release(context, table.points);
    return status;
}
