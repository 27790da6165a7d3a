#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/io.h"
#include "support/fault.h"
#include "support/scratch.h"

static scratch place;
static fault memory;
static cltomo_context *context;

static void set_up(void)
{
    scratch_create(&place);
    context = fault_context(&memory);
}

static void tear_down(void)
{
    cltomo_context_destroy(context);
    cr_assert_eq(memory.live, 0);
    scratch_remove(&place);
}

TestSuite(matrix_reader, .init = set_up, .fini = tear_down);

/* How a file holds a matrix. */
typedef struct storage {
    cltomo_file_format format;
    cltomo_precision precision;
    bool is_fortran; /* NPY alone, as the next */
    bool is_swapped;
} storage;

static const storage storages[] = {
    {CLTOMO_FORMAT_FITS, CLTOMO_PRECISION_DOUBLE, false, false},
    {CLTOMO_FORMAT_FITS, CLTOMO_PRECISION_SINGLE, false, false},
    {CLTOMO_FORMAT_NPY, CLTOMO_PRECISION_DOUBLE, false, false},
    {CLTOMO_FORMAT_NPY, CLTOMO_PRECISION_SINGLE, false, false},
    {CLTOMO_FORMAT_NPY, CLTOMO_PRECISION_DOUBLE, true, false},
    {CLTOMO_FORMAT_NPY, CLTOMO_PRECISION_SINGLE, true, false},
    {CLTOMO_FORMAT_NPY, CLTOMO_PRECISION_DOUBLE, false, true},
    {CLTOMO_FORMAT_NPY, CLTOMO_PRECISION_SINGLE, false, true},
    {CLTOMO_FORMAT_NPY, CLTOMO_PRECISION_DOUBLE, true, true},
    {CLTOMO_FORMAT_NPY, CLTOMO_PRECISION_SINGLE, true, true},
};
enum { n_storages = sizeof storages / sizeof *storages };

static void put(unsigned char *at, const storage *s, double value)
{
    float single = (float)value;
    size_t size = cltomo_precision_size(s->precision);
    const void *from =
        s->precision == CLTOMO_PRECISION_DOUBLE ? (const void *)&value : (const void *)&single;
    memcpy(at, from, size);
    for (size_t i = 0; s->is_swapped && i < size / 2; ++i) {
        unsigned char byte = at[i];
        at[i] = at[size - 1 - i];
        at[size - 1 - i] = byte;
    }
}

/* The bytes of the elements where a file of that storage has them. */
static unsigned char *arrange(const storage *s, const double *elements, size_t rows, size_t cols)
{
    size_t size = cltomo_precision_size(s->precision);
    unsigned char *bytes = malloc(rows * cols * size);
    cr_assert_not_null(bytes);
    for (size_t i = 0; i < rows; ++i) {
        for (size_t j = 0; j < cols; ++j) {
            size_t at = s->is_fortran ? j * rows + i : i * cols + j;
            put(bytes + at * size, s, elements[i * cols + j]);
        }
    }
    return bytes;
}

static const char *write_npy(
    const storage *s, const char *shape, const unsigned char *bytes, size_t size)
{
    static const char prefix[10] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0};
    char *file = calloc(1, 128 + size);
    cr_assert_not_null(file);
    memcpy(file, prefix, sizeof prefix);
    int length = snprintf(file + 10, 118, "{'descr': '%cf%zu', 'fortran_order': %s, 'shape': %s}",
        s->is_swapped ? '>' : '<', cltomo_precision_size(s->precision),
        s->is_fortran ? "True" : "False", shape);
    memset(file + 10 + length, ' ', 118 - (size_t)length);
    memcpy(file + 128, bytes, size);
    const char *path = scratch_write(&place, "a", file, 128 + size);
    free(file);
    return path;
}

/* planes 0: a matrix of rows x cols; else the rows of the cube's planes are one matrix's. */
static const char *write_array(
    const storage *s, const double *elements, size_t planes, size_t rows, size_t cols)
{
    size_t n_rows = planes > 0 ? planes * rows : rows;
    unsigned char *bytes = arrange(s, elements, n_rows, cols);
    const char *path = scratch_path(&place, "a");
    if (s->format == CLTOMO_FORMAT_FITS) {
        const cltomo_file_content content = {
            .precision = s->precision, .planes = planes, .rows = rows, .cols = cols};
        cr_assert_eq(
            cltomo_content_write(context, path, s->format, &content, bytes, NULL), CLTOMO_OK);
    } else {
        char shape[64];
        (void)snprintf(shape, sizeof shape, planes > 0 ? "(%zu, %zu, %zu)" : "(%zu, %zu)",
            planes > 0 ? planes : rows, planes > 0 ? rows : cols, cols);
        path = write_npy(s, shape, bytes, n_rows * cols * cltomo_precision_size(s->precision));
    }
    free(bytes);
    return path;
}

/* Numbers that all differ and that single precision holds. */
static double *numbers(size_t rows, size_t cols)
{
    double *elements = malloc(rows * cols * sizeof *elements);
    cr_assert_not_null(elements);
    for (size_t i = 0; i < rows * cols; ++i) {
        elements[i] = (i % 2 == 0 ? 0.25 : -0.25) * (double)(i + 1);
    }
    return elements;
}

static double element(const void *elements, cltomo_precision precision, size_t i)
{
    return precision == CLTOMO_PRECISION_DOUBLE ? ((const double *)elements)[i]
                                                : (double)((const float *)elements)[i];
}

/* Reads what is left in batches of n_batch rows, into a buffer no larger than that. */
static void expect_rows(cltomo_matrix_reader *reader, const double *expected, size_t n_batch)
{
    size_t cols = reader->shape.cols;
    size_t n_rows = cltomo_matrix_reader_left(reader);
    void *rows = malloc(n_batch * cols * cltomo_precision_size(reader->shape.precision));
    for (size_t first = 0; first < n_rows; first += n_batch) {
        size_t n = n_rows - first < n_batch ? n_rows - first : n_batch;
        cltomo_error error = {0};
        cr_assert_eq(cltomo_matrix_reader_left(reader), n_rows - first);
        cr_assert_eq(
            cltomo_matrix_reader_next(reader, rows, n, &error), CLTOMO_OK, "%s", error.message);
        for (size_t i = 0; i < n * cols; ++i) {
            cr_assert_eq(element(rows, reader->shape.precision, i), expected[first * cols + i],
                "element %zu from row %zu", i, first);
        }
    }
    cr_assert_eq(cltomo_matrix_reader_left(reader), 0);
    free(rows);
}

static void expect_array(const char *path, const storage *s, const cltomo_array_shape *shape,
    const double *expected, size_t n_batch)
{
    cltomo_matrix_reader reader;
    cltomo_error error = {0};
    cr_assert_eq(
        cltomo_matrix_reader_open(context, &reader, path, &error), CLTOMO_OK, "%s", error.message);
    cr_assert_eq(reader.shape.precision, s->precision);
    cr_assert_eq(reader.shape.n_dimensions, shape->n_dimensions);
    cr_assert_eq(reader.shape.planes, shape->planes);
    cr_assert_eq(reader.shape.rows, shape->rows);
    cr_assert_eq(reader.shape.cols, shape->cols);
    expect_rows(&reader, expected, n_batch);
    cltomo_matrix_reader_close(&reader);
}

Test(matrix_reader, batches_of_any_size_of_every_kind_of_file)
{
    static const size_t shapes[][2] = {{1, 1}, {1, 9}, {9, 1}, {13, 17}, {61, 7}, {7, 403}};
    for (size_t k = 0; k < n_storages; ++k) {
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
            size_t rows = shapes[i][0];
            size_t cols = shapes[i][1];
            double *elements = numbers(rows, cols);
            const char *path = write_array(&storages[k], elements, 0, rows, cols);
            const cltomo_array_shape shape = {
                .n_dimensions = 2, .planes = 1, .rows = rows, .cols = cols};
            for (size_t n = 1; n <= rows; n += n < 8 || n == rows ? 1 : rows - n) {
                expect_array(path, &storages[k], &shape, elements, n);
            }
            free(elements);
        }
    }
}

Test(matrix_reader, the_whole_matrix_is_its_rows)
{
    double *elements = numbers(13, 17);
    for (size_t k = 0; k < n_storages; ++k) {
        cltomo_matrix *matrix = NULL;
        const char *path = write_array(&storages[k], elements, 0, 13, 17);
        cr_assert_eq(cltomo_matrix_read(context, &matrix, path, NULL), CLTOMO_OK);
        for (size_t i = 0; i < matrix->rows * matrix->cols; ++i) {
            cr_assert_eq(element(matrix->data.raw, matrix->precision, i), elements[i]);
        }
        cltomo_matrix_destroy(matrix);
    }
    free(elements);
}

Test(matrix_reader, planes_of_a_cube_follow_each_other)
{
    const cltomo_array_shape shape = {.n_dimensions = 3, .planes = 3, .rows = 5, .cols = 7};
    double *elements = numbers(15, 7);
    for (size_t k = 0; k < n_storages; ++k) {
        cltomo_matrix *matrix = NULL;
        cltomo_error error = {0};
        if (storages[k].is_fortran) {
            continue;
        }
        const char *path = write_array(&storages[k], elements, 3, 5, 7);
        for (size_t n = 1; n <= 15; ++n) {
            expect_array(path, &storages[k], &shape, elements, n);
        }
        cr_assert_eq(cltomo_matrix_read(context, &matrix, path, &error), CLTOMO_ERROR_SHAPE);
        cr_assert_str_eq(error.message, "the array has 3 dimensions, not 2");
    }
    free(elements);
}

static void expect_refusal(const char *path, cltomo_status status, const char *message)
{
    cltomo_matrix_reader reader;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_matrix_reader_open(context, &reader, path, &error), status);
    cr_assert(strstr(error.message, message) != NULL, "%s", error.message);
    cr_assert_str_eq(error.file, path);
    cltomo_matrix_reader_close(&reader);
}

Test(matrix_reader, a_cube_in_fortran_order_is_refused_unless_it_is_one_row)
{
    const cltomo_array_shape shape = {.n_dimensions = 3, .planes = 1, .rows = 1, .cols = 6};
    const storage s = {CLTOMO_FORMAT_NPY, CLTOMO_PRECISION_DOUBLE, true, false};
    double *elements = numbers(1, 6);
    const unsigned char *bytes = (const unsigned char *)elements;
    expect_array(write_npy(&s, "(1, 1, 6)", bytes, 48), &s, &shape, elements, 1);
    expect_refusal(write_npy(&s, "(1, 2, 3)", bytes, 48), CLTOMO_ERROR_PARSE, "ascontiguousarray");
    free(elements);
}

Test(matrix_reader, one_dimension_is_one_row)
{
    const cltomo_array_shape shape = {.n_dimensions = 1, .planes = 1, .rows = 1, .cols = 6};
    double *elements = numbers(1, 6);
    for (size_t k = 0; k < n_storages; ++k) {
        const storage *s = &storages[k];
        unsigned char *bytes = arrange(s, elements, 1, 6);
        size_t size = 6 * cltomo_precision_size(s->precision);
        if (s->format == CLTOMO_FORMAT_NPY) {
            expect_array(write_npy(s, "(6,)", bytes, size), s, &shape, elements, 1);
        }
        free(bytes);
    }
    fitsfile *file = NULL;
    int status = 0;
    long axis = 6;
    const char *path = scratch_path(&place, "b");
    fits_create_diskfile(&file, path, &status);
    fits_create_img(file, DOUBLE_IMG, 1, &axis, &status);
    fits_write_img(file, TDOUBLE, 1, 6, elements, &status);
    fits_close_file(file, &status);
    cr_assert_eq(status, 0);
    expect_array(path, &storages[0], &shape, elements, 1);
    free(elements);
}

Test(matrix_reader, more_than_three_dimensions_or_none_are_refused)
{
    const storage s = storages[2];
    double *elements = numbers(1, 6);
    const unsigned char *bytes = (const unsigned char *)elements;
    expect_refusal(write_npy(&s, "(1, 1, 2, 3)", bytes, 48), CLTOMO_ERROR_SHAPE,
        "the array has 4 dimensions, not 1 to 3");
    expect_refusal(write_npy(&s, "()", bytes, 48), CLTOMO_ERROR_SHAPE, "0 dimensions");
    expect_refusal(write_npy(&s, "(2, 0, 3)", bytes, 48), CLTOMO_ERROR_SHAPE,
        "the array is empty (2 x 0 x 3)");
    expect_refusal(write_npy(&s, "(4294967296, 4294967296, 4294967296)", bytes, 48),
        CLTOMO_ERROR_PARSE, "4294967296 x 4294967296 x 4294967296");
    free(elements);

    static const long axes[] = {3, 2, 1, 1};
    fitsfile *file = NULL;
    int status = 0;
    const char *path = scratch_path(&place, "b");
    fits_create_diskfile(&file, path, &status);
    fits_create_img(file, DOUBLE_IMG, 4, (long *)axes, &status);
    fits_close_file(file, &status);
    cr_assert_eq(status, 0);
    expect_refusal(path, CLTOMO_ERROR_SHAPE, "the array has 4 dimensions, not 1 to 3");
}

/* Reads a matrix of 13 x 17 or a cube of 3 x 5 x 7 in batches of 4 rows up to the failure. */
static void expect_not_finite(const char *path, size_t n_before, const char *message)
{
    static double rows[4 * 17];
    cltomo_matrix_reader reader;
    cltomo_error error = {0};
    cltomo_status status = CLTOMO_OK;
    cr_assert_eq(cltomo_matrix_reader_open(context, &reader, path, NULL), CLTOMO_OK);
    while (status == CLTOMO_OK) {
        size_t left = cltomo_matrix_reader_left(&reader);
        status = cltomo_matrix_reader_next(&reader, rows, left < 4 ? left : 4, &error);
    }
    cr_assert_eq(status, CLTOMO_ERROR_NOT_FINITE);
    cr_assert_str_eq(error.message, message);
    cr_assert_str_eq(error.file, path);
    cr_assert_eq(reader.n_read, n_before);
    cltomo_matrix_reader_close(&reader);
}

Test(matrix_reader, what_is_not_finite_is_named)
{
    double *elements = numbers(13, 17);
    double *cube = numbers(15, 7);
    elements[11 * 17 + 3] = (double)NAN;
    elements[12 * 17 + 2] = (double)NAN;
    cube[(2 * 5 + 3) * 7 + 6] = -(double)INFINITY;
    for (size_t k = 0; k < n_storages; ++k) {
        expect_not_finite(write_array(&storages[k], elements, 0, 13, 17), 8,
            "the matrix has a NaN or an infinity at row 11, column 3 (from 0)");
        if (!storages[k].is_fortran) {
            expect_not_finite(write_array(&storages[k], cube, 3, 5, 7), 12,
                "the cube has a NaN or an infinity in plane 2 at row 3, column 6 (from 0)");
        }
    }
    free(elements);
    free(cube);
}

Test(matrix_reader, a_file_that_shrinks_is_an_error)
{
    enum { rows = 4000, cols = 17 };
    static double buffer[rows * cols];
    double *elements = numbers(rows, cols);
    for (size_t k = 0; k < n_storages; ++k) {
        cltomo_matrix_reader reader;
        cltomo_error error = {0};
        const char *path = write_array(&storages[k], elements, 0, rows, cols);
        cr_assert_eq(cltomo_matrix_reader_open(context, &reader, path, NULL), CLTOMO_OK);
        cr_assert_eq(cltomo_matrix_reader_next(&reader, buffer, 1, NULL), CLTOMO_OK);
        cr_assert_eq(truncate(path, 150000), 0);
        cr_assert_eq(
            cltomo_matrix_reader_next(&reader, buffer, rows - 1, &error), CLTOMO_ERROR_PARSE);
        cr_assert_str_eq(error.file, path);
        cr_assert_eq(reader.n_read, 1);
        cltomo_matrix_reader_close(&reader);
    }
    free(elements);
}

static cltomo_status attempt(const cltomo_context *its_context, void *path, cltomo_error *error)
{
    static double rows[7 * 17];
    cltomo_matrix_reader reader;
    cltomo_status status = cltomo_matrix_reader_open(its_context, &reader, path, error);
    if (status == CLTOMO_OK) {
        status = cltomo_matrix_reader_next(&reader, rows, 7, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_matrix_reader_next(&reader, rows, 6, error);
    }
    cltomo_matrix_reader_close(&reader);
    return status;
}

Test(matrix_reader, survives_every_failed_allocation)
{
    double *elements = numbers(13, 17);
    for (size_t k = 0; k < n_storages; ++k) {
        (void)write_array(&storages[k], elements, 0, 13, 17);
        long n = fault_each(&memory, context, attempt, place.path);
        long expected = storages[k].format == CLTOMO_FORMAT_FITS ? 0 : 1;
        cr_assert_eq(n, expected + (storages[k].is_fortran ? 2 : 0));
    }
    free(elements);
}
