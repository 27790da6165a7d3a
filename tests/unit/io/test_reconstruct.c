#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/io.h"
#include "support/fault.h"
#include "support/fixture.h"
#include "support/loop.h"
#include "support/meter.h"
#include "support/scratch.h"

/* Vectors so long that a few hundred of them take several batches. */
enum { n_grid = 3, n_cells = 9, n_points = 5, n_long = 20000, n_short = 7, n_many = 300 };

static const cltomo_point points[n_points] = {{.row = 0, .col = 1}, {.row = 1, .col = 0},
    {.row = 1, .col = 2}, {.row = 2, .col = 0}, {.row = 2, .col = 2}};
static const cltomo_file_format formats[2] = {CLTOMO_FORMAT_FITS, CLTOMO_FORMAT_NPY};

static scratch place;
static fault memory;
static cltomo_context *context;
static char matrix_path[256], slopes_path[256], result_path[256];

static void set_up(void)
{
    scratch_create(&place);
    context = fault_context(&memory);
    (void)strcpy(matrix_path, scratch_path(&place, "matrix.fits"));
    (void)strcpy(slopes_path, scratch_path(&place, "slopes"));
    (void)strcpy(result_path, scratch_path(&place, "result"));
}

static void tear_down(void)
{
    cltomo_context_destroy(context);
    cr_assert_eq(memory.live, 0);
    scratch_remove(&place);
}

TestSuite(reconstruct, .init = set_up, .fini = tear_down);

/* ---- what goes in: whole numbers, whose sums are exact in any order ------------------------- */

static double of_matrix(size_t i, size_t j)
{
    return (double)((5 * i + 3 * j + i * j) % 7) - 3.0;
}

/* Vector 0 is zero. */
static double of_slopes(size_t v, size_t j)
{
    return v == 0 ? 0.0 : (double)((7 * v + 11 * j) % 13) - 6.0;
}

static void *elements_of(
    cltomo_precision precision, size_t rows, size_t cols, double (*element)(size_t i, size_t j))
{
    char *elements = malloc(rows * cols * cltomo_precision_size(precision));
    cr_assert_not_null(elements);
    for (size_t k = 0; k < rows * cols; ++k) {
        double value = element(k / cols, k % cols);
        float single = (float)value;
        if (precision == CLTOMO_PRECISION_DOUBLE) {
            memcpy(elements + k * sizeof value, &value, sizeof value);
        } else {
            memcpy(elements + k * sizeof single, &single, sizeof single);
        }
    }
    return elements;
}

typedef struct reconstructor {
    const char *product;
    cltomo_precision precision;
    size_t cols;
    int64_t n_grid;
    const cltomo_point *points;
    size_t n_points; /* in the table */
    size_t planes;   /* 0: two dimensions */
} reconstructor;

static const reconstructor long_r = {
    "R", CLTOMO_PRECISION_DOUBLE, n_long, n_grid, points, n_points, 0};
static const reconstructor short_r = {
    "R", CLTOMO_PRECISION_DOUBLE, n_short, n_grid, points, n_points, 0};
static const reconstructor long_fr = {"FR", CLTOMO_PRECISION_DOUBLE, n_long, 0, NULL, 0, 0};
static const reconstructor short_fr = {"FR", CLTOMO_PRECISION_SINGLE, n_short, 0, NULL, 0, 0};

static void write_matrix(const reconstructor *r)
{
    const cltomo_fits_keyword keywords[] = {
        {.name = "PRODUCT", .comment = "", .value = {.text = r->product}},
        {.name = "NGRID",
            .comment = "",
            .type = CLTOMO_FITS_INTEGER,
            .value = {.integer = r->n_grid}}};
    const cltomo_fits_table table = {.name = "GRID",
        .n_rows = r->n_points,
        .n_columns = 2,
        .column = {{.name = "ROW", .unit = "", .comment = "", .stride = sizeof *r->points},
            {.name = "COL", .unit = "", .comment = "", .stride = sizeof *r->points}}};
    cltomo_fits_table tables[] = {table};
    if (r->points != NULL) {
        tables[0].column[0].first = &r->points->row;
        tables[0].column[1].first = &r->points->col;
    }
    const cltomo_file_content content = {.precision = r->precision,
        .planes = r->planes,
        .rows = n_points,
        .cols = r->cols,
        .keywords = keywords,
        .n_keywords = 2,
        .tables = tables,
        .n_tables = r->points != NULL ? 1 : 0};
    void *elements =
        elements_of(r->precision, (r->planes > 0 ? r->planes : 1) * n_points, r->cols, of_matrix);
    cr_assert_eq(
        cltomo_content_write(context, matrix_path, CLTOMO_FORMAT_FITS, &content, elements, NULL),
        CLTOMO_OK);
    free(elements);
}

static void write_slopes(cltomo_file_format format, cltomo_precision precision, size_t planes,
    size_t rows, size_t cols, double (*element)(size_t v, size_t j))
{
    const cltomo_file_content content = {
        .precision = precision, .planes = planes, .rows = rows, .cols = cols};
    void *elements = elements_of(precision, planes > 0 ? planes * rows : rows, cols, element);
    cr_assert_eq(
        cltomo_content_write(context, slopes_path, format, &content, elements, NULL), CLTOMO_OK);
    free(elements);
}

static void write_many_slopes(double (*element)(size_t v, size_t j))
{
    write_slopes(CLTOMO_FORMAT_NPY, CLTOMO_PRECISION_SINGLE, 0, n_many, n_long, element);
}

/* An NPY header of 128 bytes, and zeros that the file system need not store. */
static void write_zeros(const char *shape, const char *order, size_t n)
{
    static const char prefix[10] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0};
    char header[128];
    memcpy(header, prefix, sizeof prefix);
    int length = snprintf(
        header + 10, 118, "{'descr': '<f8', 'fortran_order': %s, 'shape': %s}", order, shape);
    memset(header + 10 + length, ' ', 118 - (size_t)length);
    (void)scratch_write(&place, "slopes", header, 128);
    cr_assert_eq(truncate(slopes_path, (off_t)(128 + n * sizeof(double))), 0);
}

/* ---- what comes out -------------------------------------------------------------------------- */

static cltomo_status reconstruct(const cltomo_context *its_context, cltomo_file_format format,
    const cltomo_reconstruct_options *options, cltomo_error *error)
{
    return cltomo_reconstruct_files(
        its_context, matrix_path, slopes_path, result_path, format, options, error);
}

static void expect_success(cltomo_file_format format, const cltomo_reconstruct_options *options)
{
    cltomo_error error = {0};
    cr_assert_eq(reconstruct(context, format, options, &error), CLTOMO_OK, "%s", error.message);
}

/* The elements in double, to free(). */
static double *read_result(cltomo_array_shape *shape)
{
    cltomo_matrix_reader reader;
    cr_assert_eq(cltomo_matrix_reader_open(context, &reader, result_path, NULL), CLTOMO_OK);
    *shape = reader.shape;
    size_t n = cltomo_array_elements(shape);
    size_t n_rows = n / shape->cols;
    double *values = malloc(n * sizeof *values);
    /* not through the reader, which refuses a NaN */
    cr_assert_eq(
        reader.fits != NULL
            ? cltomo_fits_image_read(reader.fits, shape, values, 0, n_rows, result_path, NULL)
            : cltomo_npy_read(context, &reader.npy, values, 0, n_rows, result_path, NULL),
        CLTOMO_OK);
    for (size_t i = n; shape->precision == CLTOMO_PRECISION_SINGLE && i-- > 0;) {
        values[i] = (double)((const float *)values)[i];
    }
    cltomo_matrix_reader_close(&reader);
    return values;
}

/* What comes of vector v for a direction. */
static void find_expected(double results[n_points], size_t v, size_t direction, size_t cols)
{
    static double slopes[n_long];
    for (size_t j = 0; j < cols; ++j) {
        slopes[j] = of_slopes(v, j);
    }
    for (size_t i = 0; i < n_points; ++i) {
        results[i] = 0.0;
        for (size_t j = 0; j < cols; ++j) {
            results[i] += of_matrix(direction * n_points + i, j) * slopes[j];
        }
    }
}

static void expect_map(double *map, const double expected[n_points])
{
    for (size_t i = 0; i < n_points; ++i) {
        double *cell = &map[points[i].row * n_grid + points[i].col];
        cr_assert_eq(*cell, expected[i], "point %zu", i);
        *cell = (double)NAN;
    }
    for (size_t k = 0; k < n_cells; ++k) {
        cr_assert(isnan(map[k]), "cell %zu", k);
    }
}

/* Maps in a result of so many dimensions, those for the directions of one vector together. */
static void expect_maps(size_t n_dimensions, size_t n_vectors, size_t n_directions, size_t cols)
{
    cltomo_array_shape shape;
    double *maps = read_result(&shape);
    cr_assert_eq(shape.n_dimensions, n_dimensions);
    cr_assert_eq(shape.planes, n_vectors * n_directions);
    cr_assert_eq(shape.rows, n_grid);
    cr_assert_eq(shape.cols, n_grid);
    cr_assert_eq(shape.precision, CLTOMO_PRECISION_DOUBLE);
    for (size_t k = 0; k < shape.planes; ++k) {
        double expected[n_points];
        find_expected(expected, k / n_directions, k % n_directions, cols);
        expect_map(maps + k * n_cells, expected);
    }
    free(maps);
}

/* Commands in a result of that shape, whose rows are those for the directions of one vector after
 * the other. */
static void expect_commands(const cltomo_array_shape *expected, size_t n_directions, size_t cols)
{
    cltomo_array_shape shape;
    double *commands = read_result(&shape);
    cr_assert_eq(shape.n_dimensions, expected->n_dimensions);
    cr_assert_eq(shape.planes, expected->planes);
    cr_assert_eq(shape.rows, expected->rows);
    cr_assert_eq(shape.cols, expected->cols);
    cr_assert_eq(shape.precision, expected->precision);
    for (size_t k = 0; k < shape.planes * shape.rows; ++k) {
        double row[n_points];
        find_expected(row, k / n_directions, k % n_directions, cols);
        for (size_t i = 0; i < n_points; ++i) {
            cr_assert_eq(commands[k * n_points + i], row[i], "row %zu, column %zu", k, i);
        }
    }
    free(commands);
}

static void expect_command_rows(size_t n_vectors, size_t cols, cltomo_precision precision)
{
    const cltomo_array_shape shape = {precision, 2, 1, n_vectors, n_points};
    expect_commands(&shape, 1, cols);
}

static void write_old(void)
{
    (void)scratch_write(&place, "result", "old", 3);
}

static void expect_old(void)
{
    char *bytes = scratch_read(result_path, NULL);
    cr_assert_str_eq(bytes, "old");
    free(bytes);
    cr_assert_eq(scratch_count(&place), 3);
}

static void expect_failure(cltomo_status status, const char *file, const char *message)
{
    cltomo_error error = {0};
    write_old();
    cr_assert_eq(
        reconstruct(context, CLTOMO_FORMAT_FITS, NULL, &error), status, "%s", error.message);
    cr_assert_str_eq(error.file, file);
    cr_assert(strstr(error.message, message) != NULL, "%s", error.message);
    expect_old();
}

/* ---- results --------------------------------------------------------------------------------- */

Test(reconstruct, maps_of_many_batches, .description = "large")
{
    cltomo_reconstruct_options options = cltomo_reconstruct_options_init();
    write_matrix(&long_r);
    write_many_slopes(of_slopes);
    expect_success(CLTOMO_FORMAT_NPY, NULL);
    expect_maps(3, n_many, 1, n_long);
    options.has_precision = 1;
    options.precision = CLTOMO_PRECISION_SINGLE;
    expect_success(CLTOMO_FORMAT_FITS, &options);
    expect_maps(3, n_many, 1, n_long);
}

Test(reconstruct, commands_of_many_batches, .description = "large")
{
    write_matrix(&long_fr);
    write_many_slopes(of_slopes);
    for (size_t f = 0; f < 2; ++f) {
        expect_success(formats[f], NULL);
        expect_command_rows(n_many, n_long, CLTOMO_PRECISION_DOUBLE);
    }
}

Test(reconstruct, the_precision_is_the_matrixs_or_the_one_asked_for)
{
    cltomo_reconstruct_options options = cltomo_reconstruct_options_init();
    write_matrix(&short_fr);
    for (int p = 0; p < 2; ++p) {
        write_slopes(CLTOMO_FORMAT_FITS, (cltomo_precision)p, 0, 6, n_short, of_slopes);
        expect_success(CLTOMO_FORMAT_FITS, NULL);
        expect_command_rows(6, n_short, CLTOMO_PRECISION_SINGLE);
        options.has_precision = 0;
        expect_success(CLTOMO_FORMAT_NPY, &options);
        expect_command_rows(6, n_short, CLTOMO_PRECISION_SINGLE);
        options.has_precision = 1;
        expect_success(CLTOMO_FORMAT_NPY, &options);
        expect_command_rows(6, n_short, CLTOMO_PRECISION_DOUBLE);
    }
}

Test(reconstruct, slopes_of_one_dimension_are_one_vector)
{
    write_zeros("(7,)", "False", n_short);
    for (size_t f = 0; f < 2; ++f) {
        write_matrix(&short_r);
        expect_success(formats[f], NULL);
        expect_maps(2, 1, 1, n_short); /* vector 0 is zero */
        write_matrix(&short_fr);
        expect_success(formats[f], NULL);
        expect_command_rows(1, n_short, CLTOMO_PRECISION_SINGLE);
    }
}

Test(reconstruct, slopes_of_three_dimensions_are_as_many_vectors)
{
    for (size_t f = 0; f < 2; ++f) {
        write_slopes(formats[f], CLTOMO_PRECISION_DOUBLE, 3, 5, n_short, of_slopes);
        write_matrix(&short_r);
        expect_success(formats[f], NULL);
        expect_maps(3, 15, 1, n_short);
        write_matrix(&short_fr);
        expect_success(formats[f], NULL);
        expect_command_rows(15, n_short, CLTOMO_PRECISION_SINGLE);
    }
}

static void expect_keyword(const char *name, long expected)
{
    cltomo_matrix_reader reader;
    long value = 0;
    int status = 0;
    cr_assert_eq(cltomo_matrix_reader_open(context, &reader, result_path, NULL), CLTOMO_OK);
    if (reader.fits != NULL) {
        fits_read_key_lng(reader.fits, name, &value, NULL, &status);
        cr_assert_eq(status, expected > 0 ? 0 : KEY_NO_EXIST);
        cr_assert_eq(value, expected);
    }
    cltomo_matrix_reader_close(&reader);
}

/* The cubes of a per-direction build. */
Test(reconstruct, each_direction_has_its_map_or_commands)
{
    static const cltomo_array_shape one = {CLTOMO_PRECISION_SINGLE, 2, 1, 4, n_points};
    static const cltomo_array_shape many = {CLTOMO_PRECISION_SINGLE, 3, 6, 4, n_points};
    reconstructor r = short_r;
    reconstructor fr = short_fr;
    r.planes = fr.planes = 4;
    for (size_t f = 0; f < 2; ++f) {
        write_slopes(formats[f], CLTOMO_PRECISION_DOUBLE, 0, 6, n_short, of_slopes);
        write_matrix(&r);
        expect_success(formats[f], NULL);
        expect_maps(3, 6, 4, n_short);
        expect_keyword("NDIRMAP", 4);
        write_matrix(&fr);
        expect_success(formats[f], NULL);
        expect_commands(&many, 4, n_short);
        expect_keyword("NDIRMAP", 4);

        write_slopes(formats[f], CLTOMO_PRECISION_SINGLE, 2, 3, n_short, of_slopes);
        expect_success(formats[f], NULL);
        expect_commands(&many, 4, n_short);

        write_zeros("(7,)", "False", n_short);
        expect_success(formats[f], NULL);
        expect_commands(&one, 4, n_short);
        write_matrix(&r);
        expect_success(formats[f], NULL);
        expect_maps(3, 1, 4, n_short);
    }
    write_matrix(&short_r);
    expect_success(CLTOMO_FORMAT_FITS, NULL);
    expect_keyword("NDIRMAP", 0);
}

/* One direction alone is a cube too. */
Test(reconstruct, a_cube_of_one_plane_gives_cubes)
{
    reconstructor r = short_r;
    r.planes = 1;
    write_matrix(&r);
    write_zeros("(7,)", "False", n_short);
    expect_success(CLTOMO_FORMAT_FITS, NULL);
    expect_maps(3, 1, 1, n_short);
    expect_keyword("NDIRMAP", 1);
}

/* The bytes of the cube after the 128 of the NPY header. */
Test(reconstruct, of_a_built_r_is_r_times_slopes)
{
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_reconstructor *built = NULL;
    cltomo_dimensions n;
    options.products = CLTOMO_PRODUCT_R;
    cr_assert_eq(cltomo_reconstructor_build(context, &built, system, &options, NULL), CLTOMO_OK);
    cr_assert_eq(
        cltomo_reconstructor_write(built, CLTOMO_PRODUCT_R, matrix_path, CLTOMO_FORMAT_FITS, NULL),
        CLTOMO_OK);
    cltomo_system_dimensions(system, &n);
    double *slopes = malloc(2 * n.n_slopes * sizeof *slopes);
    for (size_t j = 0; j < 2 * n.n_slopes; ++j) {
        slopes[j] = loop_number(5, j);
    }
    cltomo_matrix *s = loop_matrix(context, slopes, 2, n.n_slopes, CLTOMO_PRECISION_DOUBLE);
    cr_assert_eq(cltomo_matrix_write(s, slopes_path, CLTOMO_FORMAT_NPY, NULL), CLTOMO_OK);
    expect_success(CLTOMO_FORMAT_NPY, NULL);

    size_t size = 0;
    char *bytes = scratch_read(result_path, &size);
    size_t cells = n.n_grid * n.n_grid;
    cr_assert_eq(size, 128 + 2 * cells * sizeof(double));
    double *maps = malloc(2 * cells * sizeof *maps);
    memcpy(maps, bytes + 128, 2 * cells * sizeof *maps);
    cltomo_point *phase = malloc(n.n_phase * sizeof *phase);
    cr_assert_eq(cltomo_system_phase_points(system, phase, n.n_phase, NULL), CLTOMO_OK);
    const double *r = cltomo_matrix_double(cltomo_reconstructor_matrix(built, CLTOMO_PRODUCT_R));
    size_t n_valid = 0;
    for (size_t k = 0; k < 2 * cells; ++k) {
        n_valid += isnan(maps[k]) ? 0 : 1;
    }
    cr_assert_eq(n_valid, 2 * n.n_phase);
    for (size_t v = 0; v < 2; ++v) {
        for (size_t i = 0; i < n.n_phase; ++i) {
            double sum = 0.0;
            for (size_t j = 0; j < n.n_slopes; ++j) {
                sum += r[i * n.n_slopes + j] * slopes[v * n.n_slopes + j];
            }
            double got = maps[v * cells + phase[i].row * n.n_grid + phase[i].col];
            cr_assert_float_eq(got, sum, 1e-12 * (1e-6 + fabs(sum)), "%zu, %zu", v, i);
        }
    }
    free(phase);
    free(maps);
    free(bytes);
    free(slopes);
    cltomo_matrix_destroy(s);
    cltomo_reconstructor_destroy(built);
    cltomo_system_destroy(system);
}

/* ---- failures -------------------------------------------------------------------------------- */

static double late_nan(size_t v, size_t j)
{
    return v == 271 && j == 12345 ? (double)NAN : of_slopes(v, j);
}

Test(reconstruct, a_slope_that_is_not_finite_is_named, .description = "large")
{
    write_matrix(&long_r);
    write_many_slopes(late_nan);
    expect_failure(CLTOMO_ERROR_NOT_FINITE, slopes_path, "row 271, column 12345 (from 0)");
}

static double late_huge(size_t v, size_t j)
{
    return v == 271 ? 1e38 : of_slopes(v, j);
}

Test(reconstruct, a_result_that_overflows_is_an_error, .description = "large")
{
    cltomo_reconstruct_options options = cltomo_reconstruct_options_init();
    cltomo_error error = {0};
    write_matrix(&long_r);
    write_many_slopes(late_huge);
    expect_success(CLTOMO_FORMAT_NPY, NULL);
    write_old();
    options.has_precision = 1;
    options.precision = CLTOMO_PRECISION_SINGLE;
    cr_assert_eq(
        reconstruct(context, CLTOMO_FORMAT_NPY, &options, &error), CLTOMO_ERROR_NOT_FINITE);
    cr_assert_str_eq(error.file, slopes_path);
    cr_assert(strstr(error.message, "to 299 is too large") != NULL, "%s", error.message);
    expect_old();
}

Test(reconstruct, what_does_not_fit_is_an_error)
{
    static const cltomo_point outside[n_points] = {{.row = 3, .col = 1}};
    reconstructor r = short_r;
    write_matrix(&r);
    write_slopes(CLTOMO_FORMAT_NPY, CLTOMO_PRECISION_DOUBLE, 0, n_short, 6, of_slopes);
    expect_failure(CLTOMO_ERROR_SHAPE, slopes_path, "6 slopes in a row, but");
    write_zeros("(6,)", "False", 6);
    expect_failure(CLTOMO_ERROR_SHAPE, slopes_path, "6 slopes in a row, but");
    write_zeros("(1, 1, 1, 7)", "False", n_short);
    expect_failure(CLTOMO_ERROR_SHAPE, slopes_path, "4 dimensions, not 1 to 3");
    write_zeros("(2, 7)", "False", n_short);
    expect_failure(CLTOMO_ERROR_PARSE, slopes_path, "do not make");
    write_zeros("(1, 7)", "False", n_short);
    r.n_points = n_points - 1;
    write_matrix(&r);
    expect_failure(CLTOMO_ERROR_SHAPE, matrix_path, "5 rows, but its table GRID 4");
    r = short_r;
    r.n_grid = 0;
    write_matrix(&r);
    expect_failure(CLTOMO_ERROR_SHAPE, matrix_path, "NGRID");
    r.n_grid = 65536;
    write_matrix(&r);
    expect_failure(CLTOMO_ERROR_SHAPE, matrix_path, "NGRID");
    r = short_r;
    r.points = outside;
    write_matrix(&r);
    expect_failure(
        CLTOMO_ERROR_SHAPE, matrix_path, "point 0 is at row 3, column 1 of a grid of 3 x 3");
    r = short_r;
    r.product = "C_ss";
    write_matrix(&r);
    expect_failure(CLTOMO_ERROR_PARSE, matrix_path, "C_ss, not R, FR or R_IM");
    (void)scratch_write(&place, "matrix.fits", "nothing", 7);
    expect_failure(CLTOMO_ERROR_PARSE, matrix_path, "neither a FITS nor an NPY file");
}

Test(reconstruct, refuses_options_that_are_not_its_own)
{
    cltomo_reconstruct_options options = cltomo_reconstruct_options_init();
    cltomo_error error = {0};
    write_matrix(&short_fr);
    write_zeros("(1, 7)", "False", n_short);
    cr_assert_eq(options.size, sizeof options);
    options.size = (uint32_t)sizeof options + 8;
    cr_assert_eq(reconstruct(context, CLTOMO_FORMAT_NPY, &options, &error), CLTOMO_ERROR_ARGUMENT);
    cr_assert_str_eq(error.key, "size");
    options.size = 0;
    cr_assert_eq(reconstruct(context, CLTOMO_FORMAT_NPY, &options, NULL), CLTOMO_ERROR_ARGUMENT);
    options = cltomo_reconstruct_options_init();
    options.precision = (cltomo_precision)2;
    cr_assert_eq(reconstruct(context, CLTOMO_FORMAT_NPY, &options, &error), CLTOMO_ERROR_ARGUMENT);
    cr_assert_str_eq(error.key, "precision");
    options.size = (uint32_t)offsetof(cltomo_reconstruct_options, has_precision);
    expect_success(CLTOMO_FORMAT_NPY, &options);
    cr_assert_eq(reconstruct(context, (cltomo_file_format)2, NULL, &error), CLTOMO_ERROR_ARGUMENT);
    cr_assert_str_eq(error.key, "format");
}

Test(reconstruct, a_full_disk_leaves_the_old_file)
{
    const struct rlimit limit = {10000, RLIM_INFINITY};
    write_matrix(&long_r);
    write_many_slopes(of_slopes);
    write_old();
    (void)signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (size_t f = 0; f < 2; ++f) {
        cltomo_error error = {0};
        cr_assert_eq(reconstruct(context, formats[f], NULL, &error), CLTOMO_ERROR_IO);
        cr_assert_str_eq(error.file, result_path);
        expect_old();
    }
}

/* Cancels once so much of a stage is done. */
typedef struct canceller {
    const char *stage;
    double fraction;
    int n_calls;
    double last; /* fraction */
} canceller;

static int receive_progress(void *user, const char *stage, double fraction)
{
    canceller *c = user;
    c->n_calls += strcmp(stage, "reconstruction") == 0;
    c->last = fraction;
    return strcmp(stage, c->stage) == 0 && fraction >= c->fraction;
}

static cltomo_status reconstruct_until(canceller *c)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *its_context = NULL;
    options.backend = CLTOMO_BACKEND_CPU;
    options.progress = receive_progress;
    options.progress_user = c;
    cr_assert_eq(cltomo_context_create(&its_context, &options, NULL), CLTOMO_OK);
    cltomo_status status = reconstruct(its_context, CLTOMO_FORMAT_NPY, NULL, NULL);
    cltomo_context_destroy(its_context);
    return status;
}

Test(reconstruct, can_be_cancelled_between_batches)
{
    static const canceller cancellers[] = {{.stage = "reading the matrix"},
        {.stage = "reconstruction"}, {.stage = "reconstruction", .fraction = 0.2},
        {.stage = "reconstruction", .fraction = 1.0}};
    canceller none = {.stage = "none"};
    write_matrix(&long_r);
    write_many_slopes(of_slopes);
    write_old();
    for (size_t i = 0; i < sizeof cancellers / sizeof *cancellers; ++i) {
        canceller c = cancellers[i];
        cr_assert_eq(reconstruct_until(&c), CLTOMO_ERROR_CANCELLED, "%zu", i);
        expect_old();
    }
    cr_assert_eq(reconstruct_until(&none), CLTOMO_OK);
    cr_assert_geq(none.n_calls, 3);
    cr_assert_eq(none.last, 1.0);
    expect_maps(3, n_many, 1, n_long);
}

static cltomo_status attempt(const cltomo_context *its_context, void *format, cltomo_error *error)
{
    write_old();
    cltomo_status status = reconstruct(its_context, *(cltomo_file_format *)format, NULL, error);
    if (status != CLTOMO_OK) {
        expect_old();
    }
    return status;
}

Test(reconstruct, survives_every_failed_allocation)
{
    for (size_t f = 0; f < 2; ++f) {
        cltomo_file_format format = formats[f];
        write_slopes(format, CLTOMO_PRECISION_DOUBLE, 0, 3, n_short, of_slopes);
        write_matrix(&short_r);
        cr_assert_gt(fault_each(&memory, context, attempt, &format), 10);
        write_matrix(&short_fr);
        cr_assert_gt(fault_each(&memory, context, attempt, &format), 10);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

static long long peak_of(size_t n_vectors, const char *order)
{
    meter m;
    cltomo_context *its_context = meter_context(&m);
    char shape[64];
    (void)snprintf(shape, sizeof shape, "(%zu, %d)", n_vectors, n_long);
    write_zeros(shape, order, n_vectors * n_long);
    cr_assert_eq(reconstruct(its_context, CLTOMO_FORMAT_NPY, NULL, NULL), CLTOMO_OK);
    cltomo_context_destroy(its_context);
    cr_assert_eq(atomic_load(&m.used), 0);
    return atomic_load(&m.peak);
}

Test(reconstruct, memory_does_not_grow_with_the_number_of_vectors, .description = "large")
{
    static const char *const orders[] = {"False", "True"};
    write_matrix(&long_r);
    for (size_t i = 0; i < 2; ++i) {
        long long peak = peak_of(n_many, orders[i]);
        cr_assert_lt(peak, 50000000, "%lld", peak);
        long long later = peak_of((size_t)10 * n_many, orders[i]);
        cr_assert_lt(later, peak + n_long, "%lld, not %lld", later, peak); /* less than a vector */
    }
}
