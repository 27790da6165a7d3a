#include <cltomo/version.h>
#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

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

TestSuite(fits_write, .init = set_up, .fini = tear_down);

typedef struct row {
    uint32_t index;
    uint32_t count;
    double x;
} row;

static const row rows[3] = {{7, 4000000, 0.5}, {0, 1, -2.25}, {9, 2, 5e-324}};
static const double values[6] = {1.5, -2.0, 3.25, 4.0, 5e-324, -0.0};

/* More than the 68 characters that fit into one card. */
#define LONG_TEXT                                                                                  \
    "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58,60,62"

static const cltomo_fits_keyword keywords[] = {
    {"PRODUCT", "what it is", CLTOMO_FITS_TEXT, {.text = "it's a test"}},
    {"NUMBER", "[m] a number", CLTOMO_FITS_REAL, {.real = 0.125}},
    {"HEIGHT", "[m] none", CLTOMO_FITS_REAL, {.real = INFINITY}},
    {"COUNT", "an integer", CLTOMO_FITS_INTEGER, {.integer = -12}},
    {"LONG", "of 90", CLTOMO_FITS_TEXT, {.text = LONG_TEXT}},
    {"FLIP", "yes or no", CLTOMO_FITS_LOGICAL, {.integer = 1}},
};

static const cltomo_fits_table tables[] = {
    {"ROWS", 3, 3,
        {{"INDEX", "", "counted from 0", false, &rows[0].index, sizeof(row)},
            {"COUNT", "", "how many", false, &rows[0].count, sizeof(row)},
            {"X", "m", "where", true, &rows[0].x, sizeof(row)}}},
    {"LIST", 6, 1, {{"VALUE", "", "numbers", true, values, sizeof(double)}}},
    {"NOTHING", 0, 1, {{"VALUE", "", "numbers", true, values, sizeof(double)}}},
};

static cltomo_status write_content(
    const cltomo_matrix *image, const char *path, cltomo_error *error)
{
    cltomo_file_content content = {.keywords = keywords,
        .n_keywords = sizeof keywords / sizeof *keywords,
        .tables = tables,
        .n_tables = sizeof tables / sizeof *tables};
    if (image != NULL) {
        content.precision = image->precision;
        content.rows = image->rows;
        content.cols = image->cols;
    }
    return cltomo_content_write(
        context, path, CLTOMO_FORMAT_FITS, &content, image != NULL ? image->data.raw : NULL, error);
}

static cltomo_matrix *make_image(void)
{
    cltomo_matrix *image = NULL;
    cr_assert_eq(cltomo_matrix_create(context, &image, CLTOMO_PRECISION_DOUBLE, 2, 3, values, NULL),
        CLTOMO_OK);
    return image;
}

/* The file opened again by CFITSIO. */
static fitsfile *write_all(const cltomo_matrix *image)
{
    cltomo_error error = {0};
    fitsfile *file = NULL;
    int fits_status = 0;
    const char *path = scratch_path(&place, "a.fits");
    cr_assert_eq(write_content(image, path, &error), CLTOMO_OK, "%s", error.message);
    cr_assert_eq(scratch_count(&place), 1);
    fits_open_diskfile(&file, path, READONLY, &fits_status);
    cr_assert_eq(fits_status, 0);
    return file;
}

static void assert_string(fitsfile *file, const char *name, const char *value, const char *comment)
{
    int fits_status = 0;
    char text[FLEN_VALUE];
    char remark[FLEN_COMMENT];
    fits_read_key_str(file, name, text, remark, &fits_status);
    cr_assert_eq(fits_status, 0, "%s", name);
    cr_assert_str_eq(text, value);
    cr_assert_str_eq(remark, comment);
}

Test(fits_write, the_primary_hdu_is_the_matrix)
{
    size_t size = 0;
    cltomo_matrix *image = make_image();
    fitsfile *file = write_all(image);
    int fits_status = 0;
    fits_close_file(file, &fits_status);
    char *bytes = scratch_read(place.path, &size);
    static const char *const cards[] = {"SIMPLE  =                    T",
        "BITPIX  =                  -64", "NAXIS   =                    2",
        "NAXIS1  =                    3", "NAXIS2  =                    2"};
    for (size_t i = 0; i < sizeof cards / sizeof *cards; ++i) {
        cr_assert_eq(
            strncmp(bytes + 80 * i, cards[i], strlen(cards[i])), 0, "%.80s", bytes + 80 * i);
    }
    cr_assert_eq(size % 2880, 0);
    static const unsigned char big_endian[48] = {0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0,
        0, 0, 0x40, 0x0a, 0, 0, 0, 0, 0, 0, 0x40, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
        0x80, 0, 0, 0, 0, 0, 0, 0};
    cr_assert_arr_eq(bytes + 2880, big_endian, sizeof big_endian);
    free(bytes);
    cltomo_matrix_destroy(image);
}

Test(fits_write, keywords_have_their_types_and_comments)
{
    cltomo_matrix *image = make_image();
    fitsfile *file = write_all(image);
    int fits_status = 0;
    double real = 0.0;
    LONGLONG integer = 0;
    int logical = 0;
    assert_string(file, "CREATOR", "cltomo " CLTOMO_VERSION_STRING, "program that wrote the file");
    assert_string(file, "PRODUCT", "it's a test", "what it is");
    fits_read_key(file, TDOUBLE, "NUMBER", &real, NULL, &fits_status);
    fits_read_key(file, TLONGLONG, "COUNT", &integer, NULL, &fits_status);
    fits_read_key(file, TLOGICAL, "FLIP", &logical, NULL, &fits_status);
    cr_assert_eq(fits_status, 0);
    char *text = NULL;
    fits_read_key_longstr(file, "LONG", &text, NULL, &fits_status);
    cr_assert_eq(fits_status, 0);
    cr_assert_str_eq(text, LONG_TEXT);
    free(text);
    cr_assert_eq(real, 0.125);
    cr_assert_eq(integer, -12);
    cr_assert_eq(logical, 1);
    fits_read_key(file, TDOUBLE, "HEIGHT", &real, NULL, &fits_status);
    cr_assert_eq(fits_status, VALUE_UNDEFINED);
    fits_status = 0;
    fits_close_file(file, &fits_status);
    cltomo_matrix_destroy(image);
}

Test(fits_write, tables_have_their_columns)
{
    cltomo_matrix *image = make_image();
    fitsfile *file = write_all(image);
    int fits_status = 0;
    int index[3];
    int count[3];
    double x[6];
    long n = 0;
    fits_movnam_hdu(file, BINARY_TBL, "ROWS", 0, &fits_status);
    assert_string(file, "TTYPE1", "INDEX", "counted from 0");
    assert_string(file, "TTYPE2", "COUNT", "how many");
    assert_string(file, "TTYPE3", "X", "where");
    fits_get_num_rows(file, &n, &fits_status);
    cr_assert_eq(n, 3);
    fits_read_col(file, TINT, 1, 1, 1, 3, NULL, index, NULL, &fits_status);
    fits_read_col(file, TINT, 2, 1, 1, 3, NULL, count, NULL, &fits_status);
    fits_read_col(file, TDOUBLE, 3, 1, 1, 3, NULL, x, NULL, &fits_status);
    for (size_t i = 0; i < 3; ++i) {
        cr_assert_eq(index[i], (int)rows[i].index);
        cr_assert_eq(count[i], (int)rows[i].count);
        cr_assert_eq(x[i], rows[i].x);
    }
    fits_movnam_hdu(file, BINARY_TBL, "LIST", 0, &fits_status);
    fits_read_col(file, TDOUBLE, 1, 1, 1, 6, NULL, x, NULL, &fits_status);
    cr_assert_arr_eq(x, values, sizeof values);
    fits_movnam_hdu(file, BINARY_TBL, "NOTHING", 0, &fits_status);
    fits_get_num_rows(file, &n, &fits_status);
    cr_assert_eq(n, 0);
    cr_assert_eq(fits_status, 0);
    fits_close_file(file, &fits_status);
    cltomo_matrix_destroy(image);
}

Test(fits_write, every_hdu_has_good_checksums)
{
    cltomo_matrix *image = make_image();
    fitsfile *file = write_all(image);
    int fits_status = 0;
    int n = 0;
    fits_get_num_hdus(file, &n, &fits_status);
    cr_assert_eq(n, 4);
    for (int i = 1; i <= n; ++i) {
        int data_is_good = 0;
        int hdu_is_good = 0;
        fits_movabs_hdu(file, i, NULL, &fits_status);
        fits_verify_chksum(file, &data_is_good, &hdu_is_good, &fits_status);
        cr_assert_eq(fits_status, 0);
        cr_assert_eq(data_is_good, 1);
        cr_assert_eq(hdu_is_good, 1);
    }
    fits_close_file(file, &fits_status);
    cltomo_matrix_destroy(image);
}

Test(fits_write, the_image_may_be_absent)
{
    fitsfile *file = write_all(NULL);
    int fits_status = 0;
    int n = -1;
    fits_get_img_dim(file, &n, &fits_status);
    cr_assert_eq(n, 0);
    fits_close_file(file, &fits_status);
    cr_assert_eq(fits_status, 0);
}

Test(fits_write, a_full_disk_leaves_the_old_file)
{
    static const double numbers[100000];
    cltomo_error error = {0};
    cltomo_matrix *image = NULL;
    const char *path = scratch_write(&place, "a.fits", "old", 3);
    cr_assert_eq(
        cltomo_matrix_create(context, &image, CLTOMO_PRECISION_DOUBLE, 100, 1000, numbers, NULL),
        CLTOMO_OK);
    (void)signal(SIGXFSZ, SIG_IGN);
    /* In the seed, in the data, and in the very last block. */
    static const rlim_t limits[] = {1000, 2880, 5000, 500000, 805000};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        const struct rlimit limit = {limits[i], RLIM_INFINITY};
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        cr_assert_eq(write_content(image, path, &error), CLTOMO_ERROR_IO);
        cr_assert(strstr(error.message, "too large") != NULL, "%zu: %s", i, error.message);
        cr_assert_str_eq(error.file, path);
        char *bytes = scratch_read(path, NULL);
        cr_assert_str_eq(bytes, "old");
        free(bytes);
        cr_assert_eq(scratch_count(&place), 1);
    }
    cltomo_matrix_destroy(image);
}

Test(fits_write, survives_every_failed_allocation)
{
    cltomo_matrix *image = make_image();
    const char *path = scratch_write(&place, "a.fits", "old", 3);
    cltomo_status status = CLTOMO_ERROR_MEMORY;
    long live = memory.live;
    for (long n = 0; status == CLTOMO_ERROR_MEMORY; ++n) {
        char *bytes = scratch_read(path, NULL);
        cr_assert_str_eq(bytes, "old");
        free(bytes);
        memory.left = n;
        status = write_content(image, path, NULL);
        cr_assert_eq(memory.live, live);
        cr_assert_eq(scratch_count(&place), 1);
        cr_assert_lt(n, 100);
    }
    cr_assert_eq(status, CLTOMO_OK);
    cltomo_matrix_destroy(image);
}
