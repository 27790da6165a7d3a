#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

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

TestSuite(npy_read, .init = set_up, .fini = tear_down);

/* Makes a file of the given version, header text and data, and returns its path. */
static const char *make(int version, const char *header, const void *data, size_t size)
{
    static char file[1024];
    size_t length = strlen(header);
    size_t prefix = version == 1 ? 10 : 12;
    memset(file, 0, sizeof file);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (char)version;
    file[8] = (char)length;
    cr_assert_lt(length, 256);
    memcpy(file + prefix, header, length);
    if (size > 0) {
        memcpy(file + prefix + length, data, size);
    }
    return scratch_write(&place, "a.npy", file, prefix + length + size);
}

#define HEADER(type, order, shape)                                                                 \
    "{'descr': '" type "', 'fortran_order': " order ", 'shape': " shape ", }   \n"

static cltomo_status read_status(const char *path, cltomo_error *error)
{
    cltomo_matrix *matrix = NULL;
    cltomo_status status = cltomo_matrix_read(context, &matrix, path, error);
    cr_assert((matrix != NULL) == (status == CLTOMO_OK));
    cltomo_matrix_destroy(matrix);
    return status;
}

static void assert_reads(
    const char *path, cltomo_precision precision, size_t rows, size_t cols, const double *expected)
{
    cltomo_matrix *matrix = NULL;
    cltomo_error error = {0};
    cr_assert_eq(
        cltomo_matrix_read(context, &matrix, path, &error), CLTOMO_OK, "%s", error.message);
    cr_assert_eq(cltomo_matrix_precision(matrix), precision);
    cr_assert_eq(cltomo_matrix_rows(matrix), rows);
    cr_assert_eq(cltomo_matrix_cols(matrix), cols);
    for (size_t i = 0; i < rows * cols; ++i) {
        double got = precision == CLTOMO_PRECISION_DOUBLE ? cltomo_matrix_double(matrix)[i]
                                                          : (double)cltomo_matrix_single(matrix)[i];
        cr_assert_eq(got, expected[i], "element %zu", i);
    }
    cltomo_matrix_destroy(matrix);
}

/* What must come out as 1 2 3 / 4 5 6. */
static const double in_rows[6] = {1, 2, 3, 4, 5, 6};
static const double in_columns[6] = {1, 4, 2, 5, 3, 6};
static const unsigned char big_endian_double[48] = {0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0,
    0, 0, 0, 0x40, 0x08, 0, 0, 0, 0, 0, 0, 0x40, 0x10, 0, 0, 0, 0, 0, 0, 0x40, 0x14, 0, 0, 0, 0, 0,
    0, 0x40, 0x18, 0, 0, 0, 0, 0, 0};
static const unsigned char big_endian_single[24] = {0x3f, 0x80, 0, 0, 0x40, 0, 0, 0, 0x40, 0x40, 0,
    0, 0x40, 0x80, 0, 0, 0x40, 0xa0, 0, 0, 0x40, 0xc0, 0, 0};

Test(npy_read, reads_every_version_order_and_type)
{
    for (int version = 1; version <= 3; ++version) {
        assert_reads(make(version, HEADER("<f8", "False", "(2, 3)"), in_rows, sizeof in_rows),
            CLTOMO_PRECISION_DOUBLE, 2, 3, in_rows);
        assert_reads(make(version, HEADER("<f8", "True", "(2, 3)"), in_columns, sizeof in_columns),
            CLTOMO_PRECISION_DOUBLE, 2, 3, in_rows);
        assert_reads(make(version, HEADER(">f8", "False", "(3, 2)"), big_endian_double, 48),
            CLTOMO_PRECISION_DOUBLE, 3, 2, in_rows);
        assert_reads(make(version, HEADER(">f4", "True", "(1, 6)"), big_endian_single, 24),
            CLTOMO_PRECISION_SINGLE, 1, 6, in_rows);
    }
    const float single[6] = {1, 2, 3, 4, 5, 6};
    assert_reads(make(1, HEADER("<f4", "False", "(6, 1)"), single, sizeof single),
        CLTOMO_PRECISION_SINGLE, 6, 1, in_rows);
}

Test(npy_read, takes_other_ways_of_writing_the_same_header)
{
    assert_reads(make(1, "{\"shape\":(2L,3L,),\"fortran_order\":False,\"descr\":\"<f8\"}", in_rows,
                     sizeof in_rows),
        CLTOMO_PRECISION_DOUBLE, 2, 3, in_rows);
}

Test(npy_read, turns_fortran_order_beyond_one_block_of_columns)
{
    static double data[3 * 21];
    static double expected[3 * 21];
    for (size_t j = 0; j < 21; ++j) {
        for (size_t i = 0; i < 3; ++i) {
            data[j * 3 + i] = (double)(100 * i + j);
            expected[i * 21 + j] = (double)(100 * i + j);
        }
    }
    assert_reads(make(1, HEADER("<f8", "True", "(3, 21)"), data, sizeof data),
        CLTOMO_PRECISION_DOUBLE, 3, 21, expected);
}

Test(npy_read, refuses_wrong_headers)
{
    static const struct {
        const char *header;
        cltomo_status status;
        const char *message;
    } cases[] = {
        {"", CLTOMO_ERROR_PARSE, "not a dictionary"},
        {"{", CLTOMO_ERROR_PARSE, "not a dictionary"},
        {"{}", CLTOMO_ERROR_PARSE, "missing"},
        {"[1, 2]", CLTOMO_ERROR_PARSE, "not a dictionary"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)", CLTOMO_ERROR_PARSE,
            "not a dictionary"},
        {"{'descr': '<f8', 'fortran_order': False}", CLTOMO_ERROR_PARSE, "missing"},
        {"{'descr': '<f8' 'fortran_order': False, 'shape': (2, 3)}", CLTOMO_ERROR_PARSE,
            "not a dictionary"},
        {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
            CLTOMO_ERROR_PARSE, "repeated"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), 'more': 1}", CLTOMO_ERROR_PARSE,
            "unknown"},
        {"{'a key that is much too long for a NumPy file': 1}", CLTOMO_ERROR_PARSE,
            "not a dictionary"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)} more", CLTOMO_ERROR_PARSE,
            "text after"},
        {HEADER("<f8", "Maybe", "(2, 3)"), CLTOMO_ERROR_PARSE, "fortran_order"},
        {HEADER("<f8", "False", "2, 3"), CLTOMO_ERROR_PARSE, "tuple"},
        {HEADER("<f8", "False", "(6)"), CLTOMO_ERROR_PARSE, "tuple"},
        {HEADER("<f8", "False", "(2 3)"), CLTOMO_ERROR_PARSE, "tuple"},
        {HEADER("<f8", "False", "(2,,3)"), CLTOMO_ERROR_PARSE, "tuple"},
        {HEADER("<f8", "False", "(-2, 3)"), CLTOMO_ERROR_PARSE, "tuple"},
        {HEADER("<f8", "False", "(2.0, 3)"), CLTOMO_ERROR_PARSE, "tuple"},
        {HEADER("<f8", "False", "(18446744073709551616, 3)"), CLTOMO_ERROR_PARSE, "too large"},
        {HEADER("<f8", "False", "(18446744073709551615, 18446744073709551615)"), CLTOMO_ERROR_PARSE,
            "do not make"},
        {HEADER("<f8", "False", "(4611686018427387905, 4)"), CLTOMO_ERROR_PARSE, "do not make"},
        {HEADER("<f8", "False", "(2, 4)"), CLTOMO_ERROR_PARSE, "do not make"},
        {HEADER("<f8", "False", "(5, 1)"), CLTOMO_ERROR_PARSE, "do not make"},
        {HEADER("<f4", "False", "(2, 3)"), CLTOMO_ERROR_PARSE, "do not make"},
        {HEADER("<f8", "False", "()"), CLTOMO_ERROR_SHAPE, "0 dimensions"},
        {HEADER("<f8", "False", "(6,)"), CLTOMO_ERROR_SHAPE, "1 dimensions"},
        {HEADER("<f8", "False", "(1, 2, 3)"), CLTOMO_ERROR_SHAPE, "3 dimensions"},
        {HEADER("<f8", "False", "(0, 3)"), CLTOMO_ERROR_SHAPE, "empty"},
        {HEADER("<f8", "False", "(3, 0)"), CLTOMO_ERROR_SHAPE, "empty"},
        {HEADER("", "False", "(2, 3)"), CLTOMO_ERROR_PARSE, "not supported"},
        {HEADER("f8", "False", "(2, 3)"), CLTOMO_ERROR_PARSE, "not supported"},
        {HEADER("=f8", "False", "(2, 3)"), CLTOMO_ERROR_PARSE, "not supported"},
        {HEADER("<f88", "False", "(2, 3)"), CLTOMO_ERROR_PARSE, "not supported"},
        {HEADER("<i8", "False", "(2, 3)"), CLTOMO_ERROR_PARSE, "'<i8'"},
        {HEADER("<c16", "False", "(2, 3)"), CLTOMO_ERROR_PARSE, "'<c16'"},
        {HEADER("<f\n8", "False", "(2, 3)"), CLTOMO_ERROR_PARSE, "plain type"},
        {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6, 1)}", CLTOMO_ERROR_PARSE,
            "plain type"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        cltomo_error error = {0};
        const char *path = make(1, cases[i].header, in_rows, sizeof in_rows);
        cr_assert_eq(
            read_status(path, &error), cases[i].status, "%s: %s", cases[i].header, error.message);
        cr_assert(strstr(error.message, cases[i].message) != NULL, "%s: %s", cases[i].header,
            error.message);
        cr_assert_str_eq(error.file, path);
    }
}

Test(npy_read, refuses_every_truncation_and_trailing_bytes)
{
    static char file[256];
    const char header[] = HEADER("<f8", "False", "(2, 3)");
    size_t length = sizeof header - 1;
    size_t total = 10 + length + sizeof in_rows;
    memcpy(file, "\x93NUMPY\x01\x00", 8);
    file[8] = (char)length;
    memcpy(file + 10, header, length);
    memcpy(file + 10 + length, in_rows, sizeof in_rows);
    for (size_t size = 0; size < total + 10; ++size) {
        cltomo_status status = read_status(scratch_write(&place, "a", file, size), NULL);
        cr_assert_eq(status, size == total ? CLTOMO_OK : CLTOMO_ERROR_PARSE, "%zu bytes", size);
    }
}

Test(npy_read, refuses_headers_longer_than_the_file_or_unreasonable)
{
    cltomo_error error = {0};
    static char file[200000] = "\x93NUMPY\x02\x00\xff\xff\xff\xff";
    cr_assert_eq(read_status(scratch_write(&place, "a", file, 100), &error), CLTOMO_ERROR_PARSE);
    cr_assert(strstr(error.message, "4294967295") != NULL, "%s", error.message);
    file[10] = 2;
    file[11] = 0; /* 196607 bytes */
    cr_assert_eq(
        read_status(scratch_write(&place, "a", file, sizeof file), NULL), CLTOMO_ERROR_PARSE);
}

Test(npy_read, refuses_other_versions)
{
    cr_assert_eq(read_status(make(4, HEADER("<f8", "False", "(2, 3)"), in_rows, 48), NULL),
        CLTOMO_ERROR_PARSE);
    cr_assert_eq(read_status(make(0, HEADER("<f8", "False", "(2, 3)"), in_rows, 48), NULL),
        CLTOMO_ERROR_PARSE);
}

Test(npy_read, survives_every_failed_allocation)
{
    const char *path = make(1, HEADER("<f8", "True", "(2, 3)"), in_columns, sizeof in_columns);
    cltomo_status status = CLTOMO_ERROR_MEMORY;
    for (long n = 0; status == CLTOMO_ERROR_MEMORY; ++n) {
        memory.left = n;
        status = read_status(path, NULL);
        cr_assert_eq(memory.live, 1);
        cr_assert_lt(n, 100);
    }
    cr_assert_eq(status, CLTOMO_OK);
}
