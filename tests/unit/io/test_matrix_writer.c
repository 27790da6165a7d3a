/* Files written panel by panel against those written at once. */
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/io.h"
#include "support/fault.h"
#include "support/fixture.h"
#include "support/same_file.h"
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

TestSuite(matrix_writer, .init = set_up, .fini = tear_down);

static const cltomo_file_format formats[2] = {CLTOMO_FORMAT_FITS, CLTOMO_FORMAT_NPY};

/* Numbers, NaNs and zeros of both signs. */
static void *make_elements(cltomo_precision precision, size_t n)
{
    double *elements = malloc(n * sizeof *elements);
    float *single = (float *)elements;
    for (size_t i = 0; i < n; ++i) {
        double x = i % 11 == 3 ? (double)NAN : i % 7 == 5 ? -0.0 : sin(1.0 + (double)i);
        if (precision == CLTOMO_PRECISION_DOUBLE) {
            elements[i] = x;
        } else {
            single[i] = (float)x;
        }
    }
    return elements;
}

/* The rows in panels of `height`, the last one lower. */
static cltomo_status append_panels(cltomo_matrix_writer *writer, const void *elements, size_t rows,
    size_t row_size, size_t height, cltomo_error *error)
{
    cltomo_status status = CLTOMO_OK;
    for (size_t i = 0; i < rows && status == CLTOMO_OK; i += height) {
        status = cltomo_matrix_writer_append(writer, (const char *)elements + i * row_size,
            rows - i < height ? rows - i : height, error);
    }
    return status;
}

static cltomo_status write_panels(const char *path, cltomo_file_format format,
    const cltomo_file_content *content, const void *elements, size_t height, cltomo_error *error)
{
    cltomo_matrix_writer *writer = NULL;
    size_t rows = content->rows * (content->planes > 0 ? content->planes : 1);
    cltomo_status status =
        cltomo_matrix_writer_open(context, &writer, path, format, content, error);
    cr_assert((writer != NULL) == (status == CLTOMO_OK));
    if (status == CLTOMO_OK) {
        status = append_panels(writer, elements, rows,
            content->cols * cltomo_precision_size(content->precision), height, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_matrix_writer_close(&writer, error);
        cr_assert_null(writer);
    }
    cltomo_matrix_writer_destroy(writer);
    return status;
}

static void assert_checksums(const char *path)
{
    fitsfile *file = NULL;
    int fits_status = 0;
    int n = 0;
    fits_open_diskfile(&file, path, READONLY, &fits_status);
    fits_get_num_hdus(file, &n, &fits_status);
    for (int i = 1; i <= n; ++i) {
        int data_is_good = 0;
        int hdu_is_good = 0;
        fits_movabs_hdu(file, i, NULL, &fits_status);
        fits_verify_chksum(file, &data_is_good, &hdu_is_good, &fits_status);
        cr_assert_eq(data_is_good, 1);
        cr_assert_eq(hdu_is_good, 1);
    }
    fits_close_file(file, &fits_status);
    cr_assert_eq(fits_status, 0);
}

static void assert_old(const char *path)
{
    char *bytes = scratch_read(path, NULL);
    cr_assert_str_eq(bytes, "old");
    free(bytes);
    cr_assert_eq(scratch_count(&place), 1, "the temporary file is removed");
}

/* Keywords that, with the checksums, just fill, and just overflow, the blocks of a header. */
static cltomo_file_content content_with(size_t planes, cltomo_precision precision, size_t n)
{
    static char names[80][9];
    static cltomo_fits_keyword keywords[80];
    static const double numbers[5] = {1.5, -0.0, 3.0, 5e-324, 7.0};
    static const cltomo_fits_table table = {
        "LIST", 5, 1, {{"VALUE", "m", "numbers", true, numbers, sizeof *numbers}}};
    for (size_t i = 0; i < n; ++i) {
        (void)snprintf(names[i], sizeof names[i], "KEY%u", (unsigned)(i % 100));
        keywords[i] =
            (cltomo_fits_keyword){names[i], "number", CLTOMO_FITS_INTEGER, {.integer = (int64_t)i}};
    }
    return (cltomo_file_content){.precision = precision,
        .planes = planes,
        .rows = 13,
        .cols = 57,
        .keywords = keywords,
        .n_keywords = n,
        .tables = &table,
        .n_tables = 1};
}

Test(matrix_writer, panels_of_any_height_make_the_same_file)
{
    static const size_t heights[] = {1, 2, 5, 13, 100};
    char whole[256];
    for (size_t k = 0; k < 8; ++k) {
        cltomo_precision precision = k % 2 == 0 ? CLTOMO_PRECISION_DOUBLE : CLTOMO_PRECISION_SINGLE;
        size_t planes = k % 4 < 2 ? 0 : 3;
        cltomo_file_content content = content_with(planes, precision, 3);
        void *elements = make_elements(precision, 3 * content.rows * content.cols);
        strcpy(whole, scratch_path(&place, "whole"));
        cr_assert_eq(cltomo_content_write(context, whole, formats[k / 4], &content, elements, NULL),
            CLTOMO_OK);
        for (size_t h = 0; h < sizeof heights / sizeof *heights; ++h) {
            const char *path = scratch_path(&place, "panels");
            cr_assert_eq(write_panels(path, formats[k / 4], &content, elements, heights[h], NULL),
                CLTOMO_OK);
            assert_same_file(whole, path);
            if (formats[k / 4] == CLTOMO_FORMAT_FITS) {
                assert_checksums(path);
            }
        }
        free(elements);
    }
}

/* The image as CFITSIO, and the array as its own bytes, give it back. */
Test(matrix_writer, a_cube_has_its_planes_in_order)
{
    enum { planes = 3, rows = 13, cols = 57, n = planes * rows * cols };
    cltomo_file_content content = content_with(planes, CLTOMO_PRECISION_DOUBLE, 0);
    double *elements = make_elements(CLTOMO_PRECISION_DOUBLE, n);
    double *got = malloc(n * sizeof *got);
    fitsfile *file = NULL;
    int fits_status = 0;
    int bits = 0;
    int n_axes = 0;
    long shape[4] = {0};
    const char *path = scratch_path(&place, "cube");
    cr_assert_eq(write_panels(path, CLTOMO_FORMAT_FITS, &content, elements, 4, NULL), CLTOMO_OK);
    fits_open_diskfile(&file, path, READONLY, &fits_status);
    fits_get_img_param(file, 4, &bits, &n_axes, shape, &fits_status);
    fits_read_img(file, TDOUBLE, 1, n, NULL, got, NULL, &fits_status);
    fits_close_file(file, &fits_status);
    cr_assert_eq(fits_status, 0);
    cr_assert(bits == DOUBLE_IMG && n_axes == 3);
    cr_assert(shape[0] == cols && shape[1] == rows && shape[2] == planes);
    cr_assert_arr_eq(got, elements, n * sizeof *got);
    cr_assert_eq(write_panels(path, CLTOMO_FORMAT_NPY, &content, elements, 4, NULL), CLTOMO_OK);
    size_t size = 0;
    char *bytes = scratch_read(path, &size);
    cr_assert_eq(size, 128 + n * sizeof *got);
    cr_assert_not_null(strstr(bytes + 10, "'shape': (3, 13, 57), }"));
    cr_assert_arr_eq(bytes + 128, elements, n * sizeof *got);
    free(bytes);
    free(got);
    free(elements);
}

/* With 7 cards of ours, the checksums and END, 36 fill a block. */
Test(matrix_writer, headers_of_any_length_have_good_checksums)
{
    double *zeros = calloc((size_t)13 * 57, sizeof *zeros);
    void *elements = make_elements(CLTOMO_PRECISION_DOUBLE, (size_t)13 * 57);
    const char *path = scratch_path(&place, "a.fits");
    for (size_t n = 20; n < 66; ++n) {
        cltomo_file_content content = content_with(0, CLTOMO_PRECISION_DOUBLE, n);
        size_t size = 0;
        cr_assert_eq(write_panels(path, CLTOMO_FORMAT_FITS, &content, n % 2 == 0 ? elements : zeros,
                         6, NULL),
            CLTOMO_OK);
        assert_checksums(path);
        char *bytes = scratch_read(path, &size);
        size_t n_cards = 6 + 2 + n + 2 + 1;
        cr_assert_eq(memcmp(bytes + 80 * (n_cards - 1), "END     ", 8), 0, "%zu", n);
        size_t start = (n_cards + 35) / 36 * 2880;
        cr_assert_eq(size, start + 3 * 2880 + 2 * 2880, "%zu", n);
        free(bytes);
    }
    free(elements);
    free(zeros);
}

static cltomo_matrix_writer *open_writer(const char *path, cltomo_file_format format)
{
    cltomo_file_content content = content_with(0, CLTOMO_PRECISION_DOUBLE, 3);
    cltomo_matrix_writer *writer = NULL;
    cr_assert_eq(
        cltomo_matrix_writer_open(context, &writer, path, format, &content, NULL), CLTOMO_OK);
    return writer;
}

Test(matrix_writer, refuses_missing_rows)
{
    static const double rows[13 * 57];
    cltomo_error error = {0};
    const char *path = scratch_write(&place, "a", "old", 3);
    for (size_t f = 0; f < 2; ++f) {
        cltomo_matrix_writer *writer = open_writer(path, formats[f]);
        cr_assert_eq(cltomo_matrix_writer_append(writer, rows, 12, NULL), CLTOMO_OK);
        cr_assert_eq(cltomo_matrix_writer_close(&writer, &error), CLTOMO_ERROR_SHAPE);
        cr_assert_null(writer);
        cr_assert_not_null(strstr(error.message, "only 12 of 13 rows"), "%s", error.message);
        cr_assert_str_eq(error.file, path);
        assert_old(path);
    }
}

Test(matrix_writer, refuses_too_many_rows)
{
    static const double rows[14 * 57];
    cltomo_error error = {0};
    const char *path = scratch_write(&place, "a", "old", 3);
    for (size_t f = 0; f < 2; ++f) {
        cltomo_matrix_writer *writer = open_writer(path, formats[f]);
        cr_assert_eq(cltomo_matrix_writer_append(writer, rows, 10, NULL), CLTOMO_OK);
        cr_assert_eq(cltomo_matrix_writer_append(writer, rows, 4, &error), CLTOMO_ERROR_SHAPE);
        cr_assert_not_null(strstr(error.message, "4 rows are too many after 10 of 13"));
        /* What would fit now does not mend it. */
        cr_assert_eq(cltomo_matrix_writer_append(writer, rows, 3, NULL), CLTOMO_OK);
        cr_assert_eq(cltomo_matrix_writer_close(&writer, &error), CLTOMO_ERROR_SHAPE);
        cr_assert_not_null(strstr(error.message, "incomplete"), "%s", error.message);
        assert_old(path);
    }
}

Test(matrix_writer, abandoning_leaves_the_old_file)
{
    static const double rows[13 * 57];
    const char *path = scratch_write(&place, "a", "old", 3);
    for (size_t f = 0; f < 2; ++f) {
        for (size_t n = 0; n < 14; n += 13) {
            cltomo_matrix_writer *writer = open_writer(path, formats[f]);
            cr_assert_eq(cltomo_matrix_writer_append(writer, rows, n, NULL), CLTOMO_OK);
            cltomo_matrix_writer_destroy(writer);
            assert_old(path);
        }
    }
    cltomo_matrix_writer_destroy(NULL);
}

static volatile sig_atomic_t n_refused;

static void count_refusal(int number)
{
    (void)number;
    ++n_refused;
}

/* CFITSIO would fill it up. */
Test(matrix_writer, abandoning_a_huge_file_writes_nothing)
{
    static const double rows[2000];
    const struct rlimit limit = {1000000, RLIM_INFINITY};
    const cltomo_file_content content = {.rows = 1000000, .cols = 2000};
    const char *path = scratch_path(&place, "a.fits");
    cltomo_matrix_writer *writer = NULL;
    (void)signal(SIGXFSZ, count_refusal);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cr_assert_eq(
        cltomo_matrix_writer_open(context, &writer, path, CLTOMO_FORMAT_FITS, &content, NULL),
        CLTOMO_OK);
    for (int i = 0; i < 50; ++i) {
        cr_assert_eq(cltomo_matrix_writer_append(writer, rows, 1, NULL), CLTOMO_OK);
    }
    cltomo_matrix_writer_destroy(writer);
    cr_assert_eq(n_refused, 0);
    cr_assert_eq(scratch_count(&place), 0);
}

Test(matrix_writer, a_full_disk_leaves_the_old_file)
{
    static const rlim_t limits[] = {100, 3000, 50000, 200000};
    static const double rows[100 * 300];
    const cltomo_file_content content = {.rows = 100, .cols = 300};
    const char *path = scratch_write(&place, "a", "old", 3);
    (void)signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < 8; ++i) {
        cltomo_error error = {0};
        const struct rlimit limit = {limits[i / 2], RLIM_INFINITY};
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        cr_assert_eq(
            write_panels(path, formats[i % 2], &content, rows, 7, &error), CLTOMO_ERROR_IO);
        cr_assert_not_null(strstr(error.message, "too large"), "%zu: %s", i, error.message);
        cr_assert_str_eq(error.file, path);
        assert_old(path);
    }
}

/* A failure is not forgotten, though later rows might fit. */
Test(matrix_writer, a_failed_append_fails_the_close)
{
    static const double rows[13 * 57];
    struct rlimit limit = {4000, RLIM_INFINITY};
    cltomo_error error = {0};
    const char *path = scratch_write(&place, "a", "old", 3);
    cltomo_matrix_writer *writer = open_writer(path, CLTOMO_FORMAT_NPY);
    (void)signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cr_assert_eq(cltomo_matrix_writer_append(writer, rows, 13, NULL), CLTOMO_ERROR_IO);
    limit.rlim_cur = RLIM_INFINITY;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cr_assert_eq(cltomo_matrix_writer_append(writer, rows, 13, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_matrix_writer_close(&writer, &error), CLTOMO_ERROR_IO);
    cr_assert_str_eq(error.file, path);
    assert_old(path);
}

Test(matrix_writer, a_directory_that_is_gone_is_an_error)
{
    static const double rows[13 * 57];
    char path[256], moved[256];
    for (size_t f = 0; f < 2; ++f) {
        cltomo_error error = {0};
        (void)snprintf(path, sizeof path, "%s/a", place.directory);
        (void)snprintf(moved, sizeof moved, "%s-moved", place.directory);
        cltomo_matrix_writer *writer = open_writer(path, formats[f]);
        cr_assert_eq(rename(place.directory, moved), 0);
        cr_assert_eq(cltomo_matrix_writer_append(writer, rows, 13, NULL), CLTOMO_OK);
        cr_assert_eq(cltomo_matrix_writer_close(&writer, &error), CLTOMO_ERROR_IO);
        cr_assert_not_null(strstr(error.message, "No such file"), "%s", error.message);
        cr_assert_eq(rename(moved, place.directory), 0);
    }
    /* Nowhere to begin with. */
    const cltomo_file_content content = {.rows = 1, .cols = 1};
    cr_assert_eq(
        write_panels(scratch_path(&place, "no/such"), CLTOMO_FORMAT_FITS, &content, rows, 1, NULL),
        CLTOMO_ERROR_IO);
}

Test(matrix_writer, refuses_shapes_that_cannot_be)
{
    static const cltomo_file_content contents[] = {{.rows = 3}, {.cols = 3, .planes = 2},
        {.rows = SIZE_MAX / 2, .cols = 3}, {.planes = SIZE_MAX / 64, .rows = 8, .cols = 9},
        {.rows = SIZE_MAX / 2, .cols = 1}};
    const char *path = scratch_path(&place, "a");
    for (size_t i = 0; i < sizeof contents / sizeof *contents; ++i) {
        cltomo_error error = {0};
        cr_assert_eq(write_panels(path, CLTOMO_FORMAT_NPY, &contents[i], NULL, 1, &error),
            CLTOMO_ERROR_ARGUMENT, "%zu", i);
        cr_assert_str_eq(error.file, path);
        if (contents[i].rows > 0) {
            cr_assert_eq(write_panels(path, CLTOMO_FORMAT_FITS, &contents[i], NULL, 1, NULL),
                CLTOMO_ERROR_ARGUMENT, "%zu", i);
        }
    }
    cr_assert_eq(write_panels(path, (cltomo_file_format)2, &contents[0], NULL, 1, NULL),
        CLTOMO_ERROR_ARGUMENT);
    cr_assert_eq(scratch_count(&place), 0);
}

typedef struct attempt {
    cltomo_file_format format;
    cltomo_file_content content;
    const void *elements;
    const char *path;
} attempt;

static cltomo_status try_to_write(const cltomo_context *unused, void *user, cltomo_error *error)
{
    attempt *a = user;
    (void)unused;
    (void)scratch_write(&place, "a", "old", 3);
    cltomo_status status = write_panels(a->path, a->format, &a->content, a->elements, 5, error);
    if (status != CLTOMO_OK) {
        assert_old(a->path);
    }
    return status;
}

Test(matrix_writer, survives_every_failed_allocation)
{
    void *elements = make_elements(CLTOMO_PRECISION_SINGLE, (size_t)3 * 13 * 57);
    for (size_t f = 0; f < 2; ++f) {
        attempt a = {formats[f], content_with(3, CLTOMO_PRECISION_SINGLE, 3), elements,
            scratch_path(&place, "a")};
        cr_assert_gt(fault_each(&memory, context, try_to_write, &a), 3);
    }
    free(elements);
}

/* A product whose matrix the reconstructor does not have. */
Test(matrix_writer, panels_make_the_file_of_a_product)
{
    static const cltomo_product products[] = {
        CLTOMO_PRODUCT_R, CLTOMO_PRODUCT_FR, CLTOMO_PRODUCT_C_SS};
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_reconstructor *built = NULL;
    char whole[256];
    options.products = CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_FR | CLTOMO_PRODUCT_C_SS;
    cr_assert_eq(cltomo_reconstructor_build(context, &built, system, &options, NULL), CLTOMO_OK);
    strcpy(whole, scratch_path(&place, "whole"));
    for (size_t i = 0; i < 6; ++i) {
        cltomo_product product = products[i / 2];
        cltomo_matrix_writer *writer = NULL;
        const cltomo_matrix *m = cltomo_reconstructor_matrix(built, product);
        cr_assert_eq(
            cltomo_reconstructor_write(built, product, whole, formats[i % 2], NULL), CLTOMO_OK);
        const char *path = scratch_path(&place, "panels");
        cr_assert_eq(cltomo_product_writer_open(
                         built, &writer, product, m->precision, path, formats[i % 2], NULL),
            CLTOMO_OK);
        cr_assert_eq(append_panels(writer, m->data.raw, m->rows, m->cols * sizeof(double), 7, NULL),
            CLTOMO_OK);
        cr_assert_eq(cltomo_matrix_writer_close(&writer, NULL), CLTOMO_OK);
        assert_same_file(whole, path);
    }
    cltomo_reconstructor_destroy(built);
    cltomo_system_destroy(system);
}
