/* Applies a reconstructor from a file to the slopes of another, some vectors at a time. */
#include <string.h>

#include "backend/backend.h"
#include "io/io.h"

/* ---- options ------------------------------------------------------------------------------- */

cltomo_reconstruct_options cltomo_reconstruct_options_init(void)
{
    return (cltomo_reconstruct_options){
        .size = (uint32_t)sizeof(cltomo_reconstruct_options), .precision = CLTOMO_PRECISION_DOUBLE};
}

/* Copies what the caller's version of the struct has, and checks it. */
static cltomo_status read_options(
    cltomo_reconstruct_options *own, const cltomo_reconstruct_options *options, cltomo_error *error)
{
    *own = cltomo_reconstruct_options_init();
    if (options != NULL) {
        if (options->size < sizeof options->size || options->size > sizeof *own) {
            return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "size", "",
                "sizeof(cltomo_reconstruct_options)",
                "initialise the options with cltomo_reconstruct_options_init");
        }
        memcpy(own, options, options->size);
    }
    if (own->precision != CLTOMO_PRECISION_DOUBLE && own->precision != CLTOMO_PRECISION_SINGLE) {
        return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "precision", "",
            "CLTOMO_PRECISION_DOUBLE or CLTOMO_PRECISION_SINGLE", "unknown precision");
    }
    return CLTOMO_OK;
}

/* ---- batches ------------------------------------------------------------------------------- */

/* As many of the file's rows as may be in memory together, each with so many bytes beside it. */
static cltomo_status allocate_batch(const cltomo_matrix_reader *reader, cltomo_matrix **batch,
    size_t bytes_beside, cltomo_error *error)
{
    enum { budget = 1 << 25 }; /* bytes */
    const cltomo_array_shape *shape = &reader->shape;
    size_t n = budget / (shape->cols * cltomo_precision_size(shape->precision) + bytes_beside);
    size_t n_rows = cltomo_matrix_reader_left(reader);
    n = n > 0 ? n : 1;
    return cltomo_matrix_allocate(
        reader->context, batch, shape->precision, n < n_rows ? n : n_rows, shape->cols, error);
}

/* Fills the batch with the next rows; it shrinks to those that are left. */
static cltomo_status read_batch(
    cltomo_matrix_reader *reader, cltomo_matrix *batch, const char *stage, cltomo_error *error)
{
    size_t left = cltomo_matrix_reader_left(reader);
    double done = (double)reader->n_read / (double)(reader->n_read + left);
    cltomo_status status = cltomo_progress(reader->context, stage, done, error);
    if (status == CLTOMO_OK) {
        batch->rows = left < batch->rows ? left : batch->rows;
        status = cltomo_matrix_reader_next(reader, batch->data.raw, batch->rows, error);
    }
    return status;
}

/* ---- the reconstructor --------------------------------------------------------------------- */

typedef struct reconstruction {
    const cltomo_context *context;
    cltomo_reconstruct_options options;
    cltomo_matrix_reader matrix;
    cltomo_row_table rows; /* of the matrix */
    cltomo_matrix_reader slopes;
    cltomo_matrix *batch; /* of slopes */
    cltomo_applier applier;
    cltomo_matrix_writer *writer;
    double *map; /* then a wavefront; NULL: the results are commands */
} reconstruction;

static size_t n_results(const reconstruction *r)
{
    return r->matrix.shape.planes * r->matrix.shape.rows;
}

static cltomo_status open_matrix(reconstruction *r, const char *path, cltomo_error *error)
{
    cltomo_status status = cltomo_matrix_reader_open(r->context, &r->matrix, path, error);
    if (status == CLTOMO_OK && r->matrix.shape.n_dimensions < 2) {
        status = cltomo_fail_file(error, CLTOMO_ERROR_SHAPE, path,
            "the array has %zu dimensions, not 2 or 3", r->matrix.shape.n_dimensions);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_row_table_read(r->context, &r->rows, r->matrix.shape.rows, path, error);
    }
    if (!r->options.has_precision) {
        r->options.precision = r->matrix.shape.precision;
    }
    return status;
}

/* Moves the matrix from its file to the backend. */
static cltomo_status load_matrix(reconstruction *r, cltomo_error *error)
{
    size_t element_size = cltomo_precision_size(r->options.precision);
    const cltomo_applier_size size = {
        .rows = n_results(r), .cols = r->matrix.shape.cols, .n_vectors = r->batch->rows};
    cltomo_matrix *panel = NULL;
    cltomo_status status =
        cltomo_applier_create(r->context, &r->applier, &size, r->options.precision, error);
    if (status == CLTOMO_OK) {
        status = allocate_batch(&r->matrix, &panel, size.cols * element_size, error);
    }
    while (status == CLTOMO_OK && cltomo_matrix_reader_left(&r->matrix) > 0) {
        size_t first_row = r->matrix.n_read;
        status = read_batch(&r->matrix, panel, "reading the matrix", error);
        if (status == CLTOMO_OK) {
            status = cltomo_applier_set_rows(&r->applier, first_row, panel, error);
        }
    }
    cltomo_matrix_destroy(panel);
    return status;
}

/* ---- the slopes ---------------------------------------------------------------------------- */

static cltomo_status open_slopes(reconstruction *r, const char *path, cltomo_error *error)
{
    size_t n_slopes = r->matrix.shape.cols;
    size_t element_size = cltomo_precision_size(r->options.precision);
    cltomo_status status = cltomo_matrix_reader_open(r->context, &r->slopes, path, error);
    if (status == CLTOMO_OK && r->slopes.shape.cols != n_slopes) {
        status = cltomo_fail_file(error, CLTOMO_ERROR_SHAPE, path,
            "%zu slopes in a row, but the reconstructor takes %zu", r->slopes.shape.cols, n_slopes);
    }
    return status == CLTOMO_OK ? allocate_batch(&r->slopes, &r->batch,
                                     (n_slopes + n_results(r)) * element_size, error)
                               : status;
}

/* ---- the results --------------------------------------------------------------------------- */

/* A map for each vector and, of a cube, for each direction, which varies faster. */
static cltomo_file_content describe_maps(const reconstruction *r, size_t n_vectors)
{
    bool is_single = r->slopes.shape.n_dimensions == 1 && r->matrix.shape.n_dimensions == 2;
    return (cltomo_file_content){.precision = CLTOMO_PRECISION_DOUBLE,
        .planes = is_single ? 0 : n_vectors * r->matrix.shape.planes,
        .rows = r->rows.n_grid,
        .cols = r->rows.n_grid};
}

/* A row for each vector, or of a cube for each direction, with a plane for each vector. */
static cltomo_file_content describe_commands(const reconstruction *r, size_t n_vectors)
{
    bool is_cube = r->matrix.shape.n_dimensions == 3;
    return (cltomo_file_content){.precision = r->options.precision,
        .planes = is_cube && r->slopes.shape.n_dimensions > 1 ? n_vectors : 0,
        .rows = is_cube ? r->matrix.shape.planes : n_vectors,
        .cols = r->matrix.shape.rows};
}

static cltomo_status open_results(
    reconstruction *r, const char *path, cltomo_file_format format, cltomo_error *error)
{
    const cltomo_fits_keyword n_directions = {.name = "NDIRMAP",
        .comment = "directions for each vector of slopes",
        .type = CLTOMO_FITS_INTEGER,
        .value = {.integer = (int64_t)r->matrix.shape.planes}};
    size_t n_vectors = cltomo_matrix_reader_left(&r->slopes);
    cltomo_file_content content =
        r->rows.is_grid ? describe_maps(r, n_vectors) : describe_commands(r, n_vectors);
    if (r->rows.is_grid) {
        r->map = cltomo_allocate(
            r->context, content.rows * content.cols + r->rows.n_points, sizeof *r->map);
        if (r->map == NULL) {
            return cltomo_fail_memory(error, "a wavefront map");
        }
    }
    content.keywords = &n_directions;
    content.n_keywords = r->matrix.shape.n_dimensions == 3 ? 1 : 0;
    return cltomo_matrix_writer_open(r->context, &r->writer, path, format, &content, error);
}

/* results: some wavefronts, one after the other. */
static cltomo_status write_maps(
    const reconstruction *r, const cltomo_matrix *results, cltomo_error *error)
{
    size_t n_grid = r->rows.n_grid;
    size_t n_points = r->rows.n_points;
    size_t n_wavefronts = results->rows * results->cols / n_points;
    double *wavefront = r->map + n_grid * n_grid;
    cltomo_status status = CLTOMO_OK;
    for (size_t k = 0; k < n_wavefronts && status == CLTOMO_OK; ++k) {
        for (size_t i = 0; i < n_points; ++i) {
            wavefront[i] = results->precision == CLTOMO_PRECISION_DOUBLE
                               ? results->data.f64[k * n_points + i]
                               : (double)results->data.f32[k * n_points + i];
        }
        status = cltomo_wavefront_map(r->map, n_grid, r->rows.points, wavefront, n_points, error);
        if (status == CLTOMO_OK) {
            status = cltomo_matrix_writer_append(r->writer, r->map, n_grid, error);
        }
    }
    return status;
}

static cltomo_status apply_batch(reconstruction *r, cltomo_matrix **results, cltomo_error *error)
{
    size_t first = r->slopes.n_read;
    cltomo_status status = read_batch(&r->slopes, r->batch, "reconstruction", error);
    if (status == CLTOMO_OK) {
        status = cltomo_applier_apply(&r->applier, results, r->batch, error);
    }
    if (status == CLTOMO_ERROR_NOT_FINITE && r->slopes.n_read > first) {
        status = cltomo_fail_file(error, status, r->slopes.path,
            "a result of the slopes in rows %zu to %zu is too large", first, r->slopes.n_read - 1);
    }
    return status;
}

static cltomo_status write_results(reconstruction *r, cltomo_error *error)
{
    cltomo_status status = CLTOMO_OK;
    while (status == CLTOMO_OK && cltomo_matrix_reader_left(&r->slopes) > 0) {
        cltomo_matrix *results = NULL;
        status = apply_batch(r, &results, error);
        if (status == CLTOMO_OK) {
            status = r->map != NULL ? write_maps(r, results, error)
                                    : cltomo_matrix_writer_append(r->writer, results->data.raw,
                                          results->rows * r->matrix.shape.planes, error);
        }
        cltomo_matrix_destroy(results);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_progress(r->context, "reconstruction", 1.0, error);
    }
    return status == CLTOMO_OK ? cltomo_matrix_writer_close(&r->writer, error) : status;
}

static void release(reconstruction *r)
{
    cltomo_release(r->context, r->map);
    cltomo_matrix_writer_destroy(r->writer);
    cltomo_applier_release(&r->applier);
    cltomo_matrix_destroy(r->batch);
    cltomo_matrix_reader_close(&r->slopes);
    cltomo_row_table_release(r->context, &r->rows);
    cltomo_matrix_reader_close(&r->matrix);
}

cltomo_status cltomo_reconstruct_files(const cltomo_context *context,
    const char *reconstructor_path, const char *slopes_path, const char *path,
    cltomo_file_format format, const cltomo_reconstruct_options *options, cltomo_error *error)
{
    reconstruction r = {.context = context, .slopes.npy.descriptor = -1};
    cltomo_status status = read_options(&r.options, options, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    status = open_matrix(&r, reconstructor_path, error);
    if (status == CLTOMO_OK) {
        status = open_slopes(&r, slopes_path, error);
    }
    if (status == CLTOMO_OK) {
        status = open_results(&r, path, format, error);
    }
    if (status == CLTOMO_OK) {
        status = load_matrix(&r, error);
    }
    if (status == CLTOMO_OK) {
        status = write_results(&r, error);
    }
    release(&r);
    return status;
}
