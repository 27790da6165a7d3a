#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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

TestSuite(matrix_file, .init = set_up, .fini = tear_down);

static const cltomo_file_format formats[2] = {CLTOMO_FORMAT_FITS, CLTOMO_FORMAT_NPY};

/* rows x cols numbers, all different, some of them tiny or negative. */
static cltomo_matrix *make(cltomo_precision precision, size_t rows, size_t cols)
{
    cltomo_matrix *matrix = NULL;
    cr_assert_eq(cltomo_matrix_allocate(context, &matrix, precision, rows, cols, NULL), CLTOMO_OK);
    for (size_t i = 0; i < rows * cols; ++i) {
        double x = i == 1 ? 1e-40 : sin(1.0 + (double)i) * pow(10.0, (double)(i % 60) - 30.0);
        if (precision == CLTOMO_PRECISION_DOUBLE) {
            matrix->data.f64[i] = i == 2 ? 5e-324 : x;
        } else {
            matrix->data.f32[i] = (float)x;
        }
    }
    return matrix;
}

static cltomo_status read_status(const char *path, cltomo_error *error)
{
    cltomo_matrix *matrix = NULL;
    cltomo_status status = cltomo_matrix_read(context, &matrix, path, error);
    cr_assert((matrix != NULL) == (status == CLTOMO_OK));
    cltomo_matrix_destroy(matrix);
    return status;
}

static void assert_round_trip(const cltomo_matrix *matrix, const char *path, cltomo_file_format f)
{
    cltomo_error error = {0};
    cltomo_matrix *copy = NULL;
    cr_assert_eq(
        cltomo_matrix_write(matrix, path, f, &error), CLTOMO_OK, "%s: %s", path, error.message);
    cr_assert_eq(
        cltomo_matrix_read(context, &copy, path, &error), CLTOMO_OK, "%s: %s", path, error.message);
    cr_assert_eq(copy->rows, matrix->rows);
    cr_assert_eq(copy->cols, matrix->cols);
    cr_assert_eq(copy->precision, matrix->precision);
    cr_assert_arr_eq(copy->data.raw, matrix->data.raw,
        matrix->rows * matrix->cols * cltomo_precision_size(matrix->precision));
    cltomo_matrix_destroy(copy);
}

Test(matrix_file, every_bit_comes_back)
{
    static const size_t shapes[][2] = {{1, 1}, {1, 7}, {7, 1}, {3, 5}, {360, 19}, {83, 401}};
    const char *path = scratch_path(&place, "a");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        for (int precision = 0; precision < 2; ++precision) {
            cltomo_matrix *matrix = make((cltomo_precision)precision, shapes[i][0], shapes[i][1]);
            assert_round_trip(matrix, path, CLTOMO_FORMAT_FITS);
            assert_round_trip(matrix, path, CLTOMO_FORMAT_NPY);
            cltomo_matrix_destroy(matrix);
        }
    }
    cr_assert_eq(scratch_count(&place), 1);
}

Test(matrix_file, names_mean_nothing_but_themselves)
{
    static const char *const names[] = {" a", "a ", "!a.fits", "a[1].fits", "a[1:2,*]", "a(b).fits",
        "~root", "~", "-", "stdin", "mem:a", "a.fits.gz", "a.fits+1", "a'b", "a\"b", "a\nb", "a;b",
        "a%s%d", "\xc3\xa9", "*", "a=b", "&a", "@a", "#a", "-.gz", "http:a"};
    cltomo_matrix *matrix = make(CLTOMO_PRECISION_DOUBLE, 3, 5);
    cr_assert_eq(chdir(place.directory), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        for (size_t f = 0; f < 2; ++f) {
            assert_round_trip(matrix, names[i], formats[f]);
            cr_assert_eq(scratch_count(&place), 1, "%s", names[i]);
            assert_round_trip(matrix, scratch_path(&place, names[i]), formats[f]);
            cr_assert_eq(scratch_count(&place), 1, "%s", names[i]);
            cr_assert_eq(unlink(names[i]), 0);
        }
    }
    cltomo_matrix_destroy(matrix);
}

Test(matrix_file, a_longer_file_is_replaced_by_a_shorter_one)
{
    const char *path = scratch_path(&place, "a");
    for (size_t f = 0; f < 2; ++f) {
        cltomo_matrix *large = make(CLTOMO_PRECISION_DOUBLE, 100, 100);
        cltomo_matrix *small = make(CLTOMO_PRECISION_SINGLE, 2, 3);
        assert_round_trip(large, path, formats[f]);
        assert_round_trip(small, path, formats[f]);
        cltomo_matrix_destroy(large);
        cltomo_matrix_destroy(small);
    }
}

Test(matrix_file, refuses_an_unknown_format)
{
    cltomo_error error = {0};
    cltomo_matrix *matrix = make(CLTOMO_PRECISION_DOUBLE, 2, 3);
    cr_assert_eq(
        cltomo_matrix_write(matrix, scratch_path(&place, "a"), (cltomo_file_format)7, &error),
        CLTOMO_ERROR_ARGUMENT);
    cr_assert_str_eq(error.key, "format");
    cr_assert_eq(scratch_count(&place), 0);
    cltomo_matrix_destroy(matrix);
}

Test(matrix_file, refuses_what_cannot_be_read)
{
    static char path[8000];
    cltomo_error error = {0};
    cr_assert_eq(read_status("", &error), CLTOMO_ERROR_IO);
    cr_assert_eq(read_status(scratch_path(&place, "missing"), &error), CLTOMO_ERROR_IO);
    cr_assert(strstr(error.message, "No such file") != NULL, "%s", error.message);
    cr_assert_eq(read_status(place.directory, &error), CLTOMO_ERROR_IO);
    cr_assert_eq(read_status("/dev/zero", &error), CLTOMO_ERROR_IO);
    cr_assert_eq(mkfifo(scratch_path(&place, "pipe"), 0600), 0);
    cr_assert_eq(read_status(place.path, &error), CLTOMO_ERROR_IO);
    memset(path, 'x', sizeof path - 1);
    cr_assert_eq(read_status(path, &error), CLTOMO_ERROR_IO);
    cr_assert_eq(read_status(scratch_write(&place, "empty", "", 0), &error), CLTOMO_ERROR_PARSE);
    cr_assert_eq(
        read_status(scratch_write(&place, "text", "hello world", 11), &error), CLTOMO_ERROR_PARSE);
    cr_assert(strstr(error.message, "neither") != NULL, "%s", error.message);
    cr_assert_eq(
        read_status(scratch_write(&place, "short", "SIMP", 4), &error), CLTOMO_ERROR_PARSE);
}

Test(matrix_file, a_compressed_copy_does_not_stand_in_for_a_missing_file)
{
    cltomo_matrix *matrix = make(CLTOMO_PRECISION_DOUBLE, 3, 5);
    assert_round_trip(matrix, scratch_path(&place, "a.fits.gz"), CLTOMO_FORMAT_FITS);
    cr_assert_eq(read_status(scratch_path(&place, "a.fits"), NULL), CLTOMO_ERROR_IO);
    cltomo_matrix_destroy(matrix);
}

Test(matrix_file, refuses_numbers_that_are_not_finite)
{
    const double wrong[3] = {NAN, INFINITY, -INFINITY};
    const char *path = scratch_path(&place, "a");
    for (size_t i = 0; i < 3; ++i) {
        for (size_t f = 0; f < 2; ++f) {
            for (int precision = 0; precision < 2; ++precision) {
                cltomo_matrix *matrix = make((cltomo_precision)precision, 3, 5);
                if (precision == CLTOMO_PRECISION_DOUBLE) {
                    matrix->data.f64[14] = wrong[i];
                } else {
                    matrix->data.f32[14] = (float)wrong[i];
                }
                cr_assert_eq(cltomo_matrix_write(matrix, path, formats[f], NULL), CLTOMO_OK);
                cr_assert_eq(read_status(path, NULL), CLTOMO_ERROR_NOT_FINITE);
                cltomo_matrix_destroy(matrix);
            }
        }
    }
}

enum { n_threads = 4, n_repeats = 25 };

typedef struct worker {
    const cltomo_matrix *matrix;
    char own[256];    /* a file of this worker alone */
    char shared[256]; /* one that all write */
    cltomo_file_format format;
    int n_failures;
} worker;

static void *write_and_read(void *argument)
{
    worker *self = argument;
    for (int i = 0; i < n_repeats; ++i) {
        const char *path = i % 2 == 0 ? self->own : self->shared;
        cltomo_matrix *copy = NULL;
        bool is_good =
            cltomo_matrix_write(self->matrix, path, self->format, NULL) == CLTOMO_OK &&
            cltomo_matrix_read(context, &copy, path, NULL) == CLTOMO_OK && copy->rows == 50 &&
            memcmp(copy->data.raw, self->matrix->data.raw, 50 * 60 * sizeof(double)) == 0;
        self->n_failures += !is_good;
        cltomo_matrix_destroy(copy);
    }
    return NULL;
}

Test(matrix_file, threads_write_and_read_side_by_side)
{
    pthread_t thread[n_threads];
    worker workers[n_threads];
    cltomo_matrix *matrix = make(CLTOMO_PRECISION_DOUBLE, 50, 60);
    for (size_t f = 0; f < 2; ++f) {
        for (size_t i = 0; i < n_threads; ++i) {
            worker *w = &workers[i];
            *w = (worker){.matrix = matrix, .format = formats[f]};
            (void)snprintf(w->own, sizeof w->own, "%s/%zu", place.directory, i);
            (void)snprintf(w->shared, sizeof w->shared, "%s/all", place.directory);
            cr_assert_eq(pthread_create(&thread[i], NULL, write_and_read, w), 0);
        }
        for (size_t i = 0; i < n_threads; ++i) {
            cr_assert_eq(pthread_join(thread[i], NULL), 0);
            cr_assert_eq(workers[i].n_failures, 0);
        }
    }
    cr_assert_eq(scratch_count(&place), n_threads + 1);
    cltomo_matrix_destroy(matrix);
}

Test(matrix_file, survives_every_failed_allocation)
{
    cltomo_matrix *matrix = make(CLTOMO_PRECISION_DOUBLE, 3, 5);
    const char *path = scratch_path(&place, "a");
    for (size_t f = 0; f < 2; ++f) {
        cltomo_status status = CLTOMO_ERROR_MEMORY;
        long live = memory.live;
        for (long n = 0; status == CLTOMO_ERROR_MEMORY; ++n) {
            memory.left = n;
            status = cltomo_matrix_write(matrix, path, formats[f], NULL);
            if (status == CLTOMO_OK) {
                status = read_status(path, NULL);
            }
            cr_assert_eq(memory.live, live);
            cr_assert_lt(n, 100);
        }
        cr_assert_eq(status, CLTOMO_OK);
        memory.left = 1000000;
    }
    cltomo_matrix_destroy(matrix);
}
