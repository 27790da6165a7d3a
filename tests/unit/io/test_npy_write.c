#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
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

TestSuite(npy_write, .init = set_up, .fini = tear_down);

/* The file that NumPy 2.4's numpy.save makes of [[1.5, -2, 3.25], [4, 5e-324, -0.0]]. */
static const char numpy_double[] =
    "\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
    "                                                          \n"
    "\x00\x00\x00\x00\x00\x00\xf8\x3f\x00\x00\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x0a"
    "\x40\x00\x00\x00\x00\x00\x00\x10\x40\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
    "\x00\x80";

static const double values[6] = {1.5, -2.0, 3.25, 4.0, 5e-324, -0.0};

static void assert_file_is(const char *path, const void *data, size_t size)
{
    size_t got = 0;
    char *bytes = scratch_read(path, &got);
    cr_assert_eq(got, size);
    cr_assert_arr_eq(bytes, data, size);
    free(bytes);
}

static cltomo_status write_sparse(const cltomo_sparse *sparse, const char *path)
{
    const cltomo_file_content content = {.rows = sparse->rows, .cols = sparse->cols};
    cltomo_matrix_writer *writer = NULL;
    cltomo_status status =
        cltomo_matrix_writer_open(context, &writer, path, CLTOMO_FORMAT_NPY, &content, NULL);
    if (status == CLTOMO_OK) {
        status = cltomo_matrix_writer_append_sparse(writer, sparse, NULL);
    }
    if (status == CLTOMO_OK) {
        return cltomo_matrix_writer_close(&writer, NULL);
    }
    cltomo_matrix_writer_destroy(writer);
    return status;
}

Test(npy_write, makes_numpys_file)
{
    cltomo_matrix *matrix = NULL;
    const char *path = scratch_path(&place, "a.npy");
    cr_assert_eq(
        cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_DOUBLE, 2, 3, values, NULL),
        CLTOMO_OK);
    cr_assert_eq(cltomo_matrix_write(matrix, path, CLTOMO_FORMAT_NPY, NULL), CLTOMO_OK);
    assert_file_is(path, numpy_double, sizeof numpy_double - 1);
    cltomo_matrix_destroy(matrix);
}

Test(npy_write, single_precision_has_its_own_type)
{
    const float single[3] = {1.5F, -2.0F, 3.25F};
    cltomo_matrix *matrix = NULL;
    const char *path = scratch_path(&place, "a.npy");
    cr_assert_eq(
        cltomo_matrix_create(context, &matrix, CLTOMO_PRECISION_SINGLE, 3, 1, single, NULL),
        CLTOMO_OK);
    cr_assert_eq(cltomo_matrix_write(matrix, path, CLTOMO_FORMAT_NPY, NULL), CLTOMO_OK);
    size_t size = 0;
    char *bytes = scratch_read(path, &size);
    cr_assert_eq(size, 128 + sizeof single);
    cr_assert(
        strstr(bytes + 10, "'descr': '<f4', 'fortran_order': False, 'shape': (3, 1), }") != NULL);
    cr_assert_arr_eq(bytes + 128, single, sizeof single);
    free(bytes);
    cltomo_matrix_destroy(matrix);
}

Test(npy_write, fills_the_zeros_of_a_sparse_matrix)
{
    const size_t row_start[3] = {0, 3, 6};
    const uint32_t column[6] = {0, 1, 2, 0, 1, 2};
    const cltomo_sparse full = {2, 3, row_start, column, values};
    const char *path = scratch_path(&place, "a.npy");
    cr_assert_eq(write_sparse(&full, path), CLTOMO_OK);
    assert_file_is(path, numpy_double, sizeof numpy_double - 1);

    const size_t sparse_start[4] = {0, 1, 1, 3};
    const uint32_t sparse_column[3] = {2, 0, 1};
    const cltomo_sparse sparse = {3, 3, sparse_start, sparse_column, values};
    const double dense[9] = {0, 0, 1.5, 0, 0, 0, -2.0, 3.25, 0};
    cr_assert_eq(write_sparse(&sparse, path), CLTOMO_OK);
    size_t size = 0;
    char *bytes = scratch_read(path, &size);
    cr_assert_eq(size, 128 + sizeof dense);
    cr_assert_arr_eq(bytes + 128, dense, sizeof dense);
    free(bytes);
}

Test(npy_write, survives_every_failed_allocation)
{
    const size_t row_start[3] = {0, 3, 6};
    const uint32_t column[6] = {0, 1, 2, 0, 1, 2};
    const cltomo_sparse full = {2, 3, row_start, column, values};
    const char *path = scratch_write(&place, "a.npy", "old", 3);
    cltomo_status status = CLTOMO_ERROR_MEMORY;
    for (long n = 0; status == CLTOMO_ERROR_MEMORY; ++n) {
        assert_file_is(path, "old", 3);
        memory.left = n;
        status = write_sparse(&full, path);
        cr_assert_eq(memory.live, 1);
        cr_assert_eq(scratch_count(&place), 1);
        cr_assert_lt(n, 100);
    }
    cr_assert_eq(status, CLTOMO_OK);
    assert_file_is(path, numpy_double, sizeof numpy_double - 1);
}
