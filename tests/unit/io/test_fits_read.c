#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/io.h"
#include "support/fault.h"
#include "support/scratch.h"

enum { block = 2880, card = 80 };

static char file[16 * block];
static size_t file_size;

static scratch place;
static fault memory;
static cltomo_context *context;

static void set_up(void)
{
    scratch_create(&place);
    file_size = 0;
    context = fault_context(&memory);
}

static void tear_down(void)
{
    cltomo_context_destroy(context);
    cr_assert_eq(memory.live, 0);
    scratch_remove(&place);
}

TestSuite(fits_read, .init = set_up, .fini = tear_down);

/* Appends one header, given as its cards separated by '|', blank up to a whole block. */
static void add_header(const char *cards)
{
    char *at = file + file_size;
    memset(at, ' ', block);
    for (; *cards != '\0'; at += card) {
        size_t length = strcspn(cards, "|");
        memcpy(at, cards, length);
        cards += length + (cards[length] == '|');
    }
    file_size += block;
}

/* Appends bytes, zero up to a whole block. */
static void add_data(const void *data, size_t size)
{
    memcpy(file + file_size, data, size);
    memset(file + file_size + size, 0, block - size);
    file_size += block;
}

#define SIMPLE "SIMPLE  =                    T|"
#define PRIMARY_SINGLE                                                                             \
    SIMPLE "BITPIX  =                  -32|NAXIS   =                    2|"                        \
           "NAXIS1  =                    3|NAXIS2  =                    2|"

/* 1 2 3 / 4 5 6 as FITS stores it, big-endian. */
static const unsigned char single[24] = {0x3f, 0x80, 0, 0, 0x40, 0, 0, 0, 0x40, 0x40, 0, 0, 0x40,
    0x80, 0, 0, 0x40, 0xa0, 0, 0, 0x40, 0xc0, 0, 0};

static cltomo_status read_file(cltomo_matrix **matrix, cltomo_error *error)
{
    const char *path = scratch_write(&place, "a.fits", file, file_size);
    return cltomo_matrix_read(context, matrix, path, error);
}

static void assert_reads(const float *expected)
{
    cltomo_matrix *matrix = NULL;
    cltomo_error error = {0};
    cr_assert_eq(read_file(&matrix, &error), CLTOMO_OK, "%s", error.message);
    cr_assert_eq(matrix->rows, 2);
    cr_assert_eq(matrix->cols, 3);
    cr_assert_eq(matrix->precision, CLTOMO_PRECISION_SINGLE);
    for (size_t i = 0; i < 6; ++i) {
        cr_assert_eq(matrix->data.f32[i], expected[i]);
    }
    cltomo_matrix_destroy(matrix);
}

static void assert_fails(cltomo_status expected, const char *message)
{
    cltomo_matrix *matrix = NULL;
    cltomo_error error = {0};
    cr_assert_eq(read_file(&matrix, &error), expected, "%s", error.message);
    cr_assert_null(matrix);
    cr_assert(strstr(error.message, message) != NULL, "%s", error.message);
    cr_assert_str_eq(error.file, place.path);
    cr_assert_eq(memory.live, 1);
}

Test(fits_read, rows_are_the_second_axis)
{
    add_header(PRIMARY_SINGLE "END");
    add_data(single, sizeof single);
    assert_reads((const float[6]){1, 2, 3, 4, 5, 6});
}

Test(fits_read, applies_the_scale)
{
    add_header(PRIMARY_SINGLE "BSCALE  =                  2.0|BZERO   =                 10.0|END");
    add_data(single, sizeof single);
    assert_reads((const float[6]){12, 14, 16, 18, 20, 22});
}

Test(fits_read, finds_the_first_image_behind_a_table)
{
    add_header(SIMPLE "BITPIX  =                    8|NAXIS   =                    0|"
                      "EXTEND  =                    T|END");
    add_header("XTENSION= 'BINTABLE'|BITPIX  =                    8|NAXIS   =                    2|"
               "NAXIS1  =                    4|NAXIS2  =                    6|"
               "PCOUNT  =                    0|GCOUNT  =                    1|"
               "TFIELDS =                    1|TFORM1  = '1E      '|END");
    add_data(single, sizeof single);
    add_header("XTENSION= 'IMAGE   '|BITPIX  =                  -32|NAXIS   =                    2|"
               "NAXIS1  =                    3|NAXIS2  =                    2|"
               "PCOUNT  =                    0|GCOUNT  =                    1|END");
    add_data(single, sizeof single);
    assert_reads((const float[6]){1, 2, 3, 4, 5, 6});
}

Test(fits_read, refuses_truncated_files)
{
    add_header(PRIMARY_SINGLE "END");
    add_data(single, sizeof single);
    file_size = block + sizeof single; /* the data, but not all of their block */
    assert_fails(CLTOMO_ERROR_PARSE, "CFITSIO error");
    file_size = block + sizeof single - 1;
    assert_fails(CLTOMO_ERROR_PARSE, "truncated");
    file_size = block;
    assert_fails(CLTOMO_ERROR_PARSE, "truncated");
    for (size_t size = 6; size < block; size += 119) {
        cltomo_matrix *matrix = NULL;
        file_size = size;
        cr_assert_eq(read_file(&matrix, NULL), CLTOMO_ERROR_PARSE, "%zu bytes", size);
    }
}

Test(fits_read, a_lying_header_allocates_nothing)
{
    static const char *const sizes[][2] = {{"2147483647", "2147483647"}, {"1000000000000", "1"},
        {"9223372036854775807", "9223372036854775807"}, {"3", "4294967296"}, {"1", "1000000"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        char header[1024];
        cltomo_matrix *matrix = NULL;
        (void)snprintf(header, sizeof header,
            SIMPLE "BITPIX  =                  -64|NAXIS   =                    2|"
                   "NAXIS1  = %20s|NAXIS2  = %20s|END",
            sizes[i][0], sizes[i][1]);
        file_size = 0;
        add_header(header);
        add_data(single, sizeof single);
        memory.left = 0;
        cr_assert_eq(read_file(&matrix, NULL), CLTOMO_ERROR_PARSE, "%s", header);
    }
}

Test(fits_read, refuses_images_that_are_not_matrices_of_floating_point_numbers)
{
    static const struct {
        const char *header;
        cltomo_status status;
        const char *message;
    } cases[] = {
        {SIMPLE "BITPIX  =                   16|NAXIS   =                    2|"
                "NAXIS1  =                    3|NAXIS2  =                    2|END",
            CLTOMO_ERROR_PARSE, "BITPIX = 16"},
        {SIMPLE "BITPIX  =                  -32|NAXIS   =                    1|"
                "NAXIS1  =                    6|END",
            CLTOMO_ERROR_SHAPE, "1 dimensions"},
        {SIMPLE "BITPIX  =                  -32|NAXIS   =                    3|"
                "NAXIS1  =                    3|NAXIS2  =                    2|"
                "NAXIS3  =                    1|END",
            CLTOMO_ERROR_SHAPE, "3 dimensions"},
        {SIMPLE "BITPIX  =                  -32|NAXIS   =                    2|"
                "NAXIS1  =                    0|NAXIS2  =                    2|END",
            CLTOMO_ERROR_SHAPE, "empty"},
        {SIMPLE "BITPIX  =                  -32|NAXIS   =                    0|END",
            CLTOMO_ERROR_SHAPE, "no image"},
        {SIMPLE "BITPIX  =                   17|NAXIS   =                    2|"
                "NAXIS1  =                    3|NAXIS2  =                    2|END",
            CLTOMO_ERROR_PARSE, "BITPIX"},
        {SIMPLE "BITPIX  =                  -32|NAXIS   =                    2|"
                "NAXIS1  =                   -3|NAXIS2  =                    2|END",
            CLTOMO_ERROR_PARSE, "NAXIS"},
        {SIMPLE "BITPIX  =                  -32|NAXIS   =                 2000|END",
            CLTOMO_ERROR_PARSE, "NAXIS"},
        {SIMPLE "END", CLTOMO_ERROR_PARSE, "CFITSIO error"},
        {SIMPLE, CLTOMO_ERROR_PARSE, "CFITSIO error"},
        {"SIMPLE  = what?", CLTOMO_ERROR_PARSE, "CFITSIO error"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        file_size = 0;
        add_header(cases[i].header);
        if (strstr(cases[i].message, "no image") == NULL) {
            add_data(single, sizeof single);
        }
        assert_fails(cases[i].status, cases[i].message);
    }
}

Test(fits_read, leaves_the_host_programs_messages_alone)
{
    char message[FLEN_ERRMSG] = "";
    fits_write_errmsg("the host's own");
    add_header(SIMPLE "END");
    assert_fails(CLTOMO_ERROR_PARSE, "CFITSIO error");
    cr_assert_neq(fits_read_errmsg(message), 0);
    cr_assert_str_eq(message, "the host's own");
    cr_assert_eq(fits_read_errmsg(message), 0);
}

Test(fits_read, refuses_a_path_longer_than_cfitsio_takes)
{
    cltomo_error error = {0};
    static char path[1100];
    char own[FLEN_FILENAME];
    memset(path, '/', sizeof path - 1);
    cr_assert_eq(cltomo_fits_path(own, path, &error), CLTOMO_ERROR_IO);
    cr_assert(strstr(error.message, "too long") != NULL, "%s", error.message);
    path[FLEN_FILENAME - 1] = '\0';
    cr_assert_eq(cltomo_fits_path(own, path, &error), CLTOMO_OK);
}
