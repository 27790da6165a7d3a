/* The tables of a product against the maps in tests/golden/small_asymmetric.yaml. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "io/io.h"
#include "support/fault.h"
#include "support/fixture.h"
#include "support/interaction.h"
#include "support/scratch.h"

enum { n_sensor_slopes = 32, n_sensors = 3, n_slopes = 96, n_phase = 88, n_actuators = 25 };

static scratch place;
static fault memory;
static cltomo_context *context;
static cltomo_reconstructor *reconstructor;

static void set_up(void)
{
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_error error = {0};
    scratch_create(&place);
    context = fault_context(&memory);
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    options.products = CLTOMO_PRODUCT_FR | CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_F | CLTOMO_PRODUCT_IF |
                       CLTOMO_PRODUCT_C_SS | CLTOMO_PRODUCT_C_N | CLTOMO_PRODUCT_GRID_MASK |
                       CLTOMO_PRODUCT_GAMMA;
    options.slope_order = CLTOMO_SLOPES_INTERLEAVED;
    options.lenslet_order = CLTOMO_LENSLETS_COLUMN;
    cr_assert_eq(cltomo_reconstructor_build(context, &reconstructor, system, &options, &error),
        CLTOMO_OK, "%s", error.message);
    cltomo_system_destroy(system);
}

static void tear_down(void)
{
    cltomo_reconstructor_destroy(reconstructor);
    cltomo_context_destroy(context);
    cr_assert_eq(memory.live, 0);
    scratch_remove(&place);
}

TestSuite(reconstructor_file, .init = set_up, .fini = tear_down);

static const char *write_product(cltomo_product product, cltomo_file_format format)
{
    cltomo_error error = {0};
    const char *path = scratch_path(&place, "product");
    cr_assert_eq(cltomo_reconstructor_write(reconstructor, product, path, format, &error),
        CLTOMO_OK, "%s", error.message);
    cr_assert_eq(scratch_count(&place), 1);
    return path;
}

static fitsfile *open_product(cltomo_product product)
{
    fitsfile *file = NULL;
    int fits_status = 0;
    fits_open_diskfile(&file, write_product(product, CLTOMO_FORMAT_FITS), READONLY, &fits_status);
    cr_assert_eq(fits_status, 0);
    return file;
}

static void close_product(fitsfile *file)
{
    int fits_status = 0;
    fits_close_file(file, &fits_status);
    cr_assert_eq(fits_status, 0);
}

static int count_tables(fitsfile *file)
{
    int fits_status = 0;
    int n = 0;
    fits_get_num_hdus(file, &n, &fits_status);
    cr_assert_eq(fits_status, 0);
    return n - 1;
}

/* Moves to a table and checks its number of rows. */
static void go_to(fitsfile *file, const char *name, long expected_rows)
{
    char own[FLEN_VALUE];
    int fits_status = 0;
    long n = 0;
    strcpy(own, name);
    fits_movnam_hdu(file, BINARY_TBL, own, 0, &fits_status);
    fits_get_num_rows(file, &n, &fits_status);
    cr_assert_eq(fits_status, 0, "%s", name);
    cr_assert_eq(n, expected_rows, "%s", name);
}

/* One number of a table; row counts from 0. */
static double cell(fitsfile *file, const char *column, long row)
{
    char own[FLEN_VALUE];
    int fits_status = 0;
    int number = 0;
    double value = 0.0;
    strcpy(own, column);
    fits_get_colnum(file, CASESEN, own, &number, &fits_status);
    fits_read_col(file, TDOUBLE, number, row + 1, 1, 1, NULL, &value, NULL, &fits_status);
    cr_assert_eq(fits_status, 0, "%s", column);
    return value;
}

static void assert_slope(fitsfile *file, long i, const double expected[4])
{
    static const char *const columns[4] = {"WFS", "LENS_ROW", "LENS_COL", "AXIS"};
    for (size_t c = 0; c < 4; ++c) {
        cr_assert_eq(cell(file, columns[c], i), expected[c], "%s of slope %ld", columns[c], i);
    }
}

static void assert_point(fitsfile *file, long i, const double expected[4])
{
    static const char *const columns[4] = {"ROW", "COL", "X", "Y"};
    for (size_t c = 0; c < 4; ++c) {
        cr_assert_float_eq(
            cell(file, columns[c], i), expected[c], 1e-14, "%s of point %ld", columns[c], i);
    }
}

Test(reconstructor_file, fr_says_what_its_slopes_and_actuators_are)
{
    fitsfile *file = open_product(CLTOMO_PRODUCT_FR);
    cr_assert_eq(count_tables(file), 2);
    go_to(file, "SLOPES", n_slopes);
    assert_slope(file, 0, (double[]){0, 1, 0, 0}); /* the first valid lenslet of column 0 */
    assert_slope(file, 1, (double[]){0, 1, 0, 1});
    assert_slope(file, 2, (double[]){0, 2, 0, 0});
    assert_slope(file, 4, (double[]){0, 0, 1, 0});
    assert_slope(file, n_sensor_slopes + 1, (double[]){1, 1, 0, 1});
    assert_slope(file, n_slopes - 1, (double[]){2, 2, 4, 1}); /* the last one of column 4 */
    go_to(file, "ACTUATORS", n_actuators);
    assert_point(file, 0, (double[]){0, 1, -1.5 * 0.74, -2.5 * 0.74});
    assert_point(file, n_actuators - 1, (double[]){5, 3, 0.5 * 0.74, 2.5 * 0.74});
    close_product(file);
}

/* The actuators of R_IM stand where the covariances had them. */
Test(reconstructor_file, r_im_says_where_its_actuators_were)
{
    cltomo_interaction_options options = interaction_options();
    cltomo_reconstructor *model = reconstructor;
    cltomo_matrix *matrix = interaction_matrix(context, "small_asymmetric", "im");
    options.grid = CLTOMO_ACTUATORS_PYTOMOAO;
    cr_assert_eq(cltomo_reconstructor_build_interaction(context, &reconstructor,
                     cltomo_reconstructor_system(model), matrix, &options, NULL),
        CLTOMO_OK);
    fitsfile *file = open_product(CLTOMO_PRODUCT_R_IM);
    double spacing = 3.7 * 9.0 / 5.0 / 5.0;
    cr_assert_eq(count_tables(file), 2);
    go_to(file, "SLOPES", n_slopes);
    assert_slope(file, n_slopes - 1, (double[]){2, 4, 2, 1});
    go_to(file, "ACTUATORS", n_actuators);
    assert_point(file, 0, (double[]){0, 1, -1.5 * spacing, -2.5 * spacing});
    assert_point(file, n_actuators - 1, (double[]){5, 3, 0.5 * spacing, 2.5 * spacing});
    close_product(file);
    cltomo_reconstructor_destroy(reconstructor);
    cltomo_matrix_destroy(matrix);
    reconstructor = model;
}

static void write_subset(const uint32_t *sensors, size_t n)
{
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_reconstructor *whole = reconstructor;
    cltomo_system *subset = NULL;
    options.products = CLTOMO_PRODUCT_R;
    cr_assert_eq(cltomo_system_subset(
                     context, &subset, cltomo_reconstructor_system(whole), sensors, n, NULL),
        CLTOMO_OK);
    cltomo_reconstructor_destroy(whole);
    cr_assert_eq(
        cltomo_reconstructor_build(context, &reconstructor, subset, &options, NULL), CLTOMO_OK);
    cltomo_system_destroy(subset);
}

/* Only the numbers of the sensors are those of the whole system. */
Test(reconstructor_file, slopes_of_a_subset_have_the_numbers_of_its_sensors)
{
    static const uint32_t sensors[] = {0, 2};
    char list[FLEN_VALUE];
    int fits_status = 0;
    write_subset(sensors, 2);
    fitsfile *file = open_product(CLTOMO_PRODUCT_R);
    fits_read_key(file, TSTRING, "WFSLIST", list, NULL, &fits_status);
    cr_assert_eq(fits_status, 0);
    cr_expect_str_eq(list, "0,2");
    go_to(file, "SLOPES", 2L * n_sensor_slopes);
    assert_slope(file, 0, (double[]){0, 0, 1, 0}); /* xy, row by row: the defaults */
    assert_slope(file, n_sensor_slopes - 1, (double[]){0, 4, 2, 1});
    assert_slope(file, n_sensor_slopes, (double[]){2, 0, 1, 0});
    assert_slope(file, 2 * n_sensor_slopes - 1, (double[]){2, 4, 2, 1});
    close_product(file);
}

Test(reconstructor_file, r_says_where_its_points_are)
{
    fitsfile *file = open_product(CLTOMO_PRODUCT_R);
    cr_assert_eq(count_tables(file), 2);
    go_to(file, "SLOPES", n_slopes);
    go_to(file, "GRID", n_phase);
    /* Lenslet (0, 1) starts at grid point (2 * (0 + 2), 2 * (1 + 2)); the centre is point (9, 9).
     */
    assert_point(file, 0, (double[]){4, 6, -3 * 0.37, -5 * 0.37});
    assert_point(file, n_phase - 1, (double[]){14, 10, 0.37, 5 * 0.37});
    close_product(file);
}

Test(reconstructor_file, other_products_have_the_tables_of_their_axes)
{
    static const struct {
        cltomo_product product;
        int n_tables;
        const char *tables[2];
        long n_rows[2];
    } cases[] = {
        {CLTOMO_PRODUCT_F, 2, {"ACTUATORS", "GRID"}, {n_actuators, n_phase}},
        {CLTOMO_PRODUCT_IF, 2, {"ACTUATORS", "GRID"}, {n_actuators, n_phase}},
        {CLTOMO_PRODUCT_C_SS, 1, {"SLOPES", "SLOPES"}, {n_slopes, n_slopes}},
        {CLTOMO_PRODUCT_C_N, 1, {"SLOPES", "SLOPES"}, {n_slopes, n_slopes}},
        {CLTOMO_PRODUCT_GRID_MASK, 0, {NULL, NULL}, {0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        fitsfile *file = open_product(cases[i].product);
        cr_assert_eq(count_tables(file), cases[i].n_tables);
        for (size_t k = 0; k < 2 && cases[i].tables[k] != NULL; ++k) {
            go_to(file, cases[i].tables[k], cases[i].n_rows[k]);
        }
        close_product(file);
    }
}

Test(reconstructor_file, gamma_is_a_table_of_its_elements)
{
    static double dense[n_sensor_slopes * n_phase];
    golden_array expected = {0};
    fitsfile *file = open_product(CLTOMO_PRODUCT_GAMMA);
    cr_assert_eq(count_tables(file), 3);
    go_to(file, "SLOPES", n_sensor_slopes);
    go_to(file, "GRID", n_phase);
    go_to(file, "GAMMA", n_sensor_slopes * 6L);
    for (long k = 0; k < n_sensor_slopes * 6L; ++k) {
        size_t row = (size_t)cell(file, "ROW", k);
        size_t col = (size_t)cell(file, "COL", k);
        cr_assert(row < n_sensor_slopes && col < n_phase);
        dense[row * n_phase + col] = cell(file, "VALUE", k);
    }
    close_product(file);
    cr_assert(golden_read(write_product(CLTOMO_PRODUCT_GAMMA, CLTOMO_FORMAT_NPY), &expected));
    cr_assert_eq(expected.rows, n_sensor_slopes);
    cr_assert_eq(expected.columns, n_phase);
    cr_assert_arr_eq(dense, expected.data, sizeof dense);
    golden_destroy(&expected);
}

Test(reconstructor_file, both_formats_give_the_matrix_back)
{
    for (uint32_t bit = 0; bit < 10; ++bit) {
        cltomo_product product = (cltomo_product)(1U << bit);
        const cltomo_matrix *matrix = cltomo_reconstructor_matrix(reconstructor, product);
        for (int format = 0; format < 2 && matrix != NULL; ++format) {
            cltomo_matrix *copy = NULL;
            const char *path = write_product(product, (cltomo_file_format)format);
            cr_assert_eq(cltomo_matrix_read(context, &copy, path, NULL), CLTOMO_OK);
            cr_assert_eq(copy->rows, matrix->rows);
            cr_assert_eq(copy->cols, matrix->cols);
            cr_assert_arr_eq(
                copy->data.raw, matrix->data.raw, matrix->rows * matrix->cols * sizeof(double));
            cltomo_matrix_destroy(copy);
        }
    }
}

Test(reconstructor_file, refuses_what_was_not_built_or_does_not_exist)
{
    cltomo_error error = {0};
    const char *path = scratch_path(&place, "product");
    cr_assert_eq(cltomo_reconstructor_write(
                     reconstructor, CLTOMO_PRODUCT_C_PS, path, CLTOMO_FORMAT_FITS, &error),
        CLTOMO_ERROR_ARGUMENT);
    cr_assert_str_eq(error.value, "C_ps");
    cr_assert_eq(cltomo_reconstructor_write(reconstructor,
                     (cltomo_product)(CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_FR), path,
                     CLTOMO_FORMAT_FITS, &error),
        CLTOMO_ERROR_ARGUMENT);
    cr_assert_eq(cltomo_reconstructor_write(
                     reconstructor, CLTOMO_PRODUCT_R, path, (cltomo_file_format)2, &error),
        CLTOMO_ERROR_ARGUMENT);
    cr_assert_str_eq(error.key, "format");
    cr_assert_eq(scratch_count(&place), 0);
    cr_assert_eq(cltomo_reconstructor_write(reconstructor, CLTOMO_PRODUCT_R,
                     "/no/such/directory/R.fits", CLTOMO_FORMAT_FITS, &error),
        CLTOMO_ERROR_IO);
    cr_assert_str_eq(error.file, "/no/such/directory/R.fits");
}

Test(reconstructor_file, survives_every_failed_allocation)
{
    static const cltomo_product products[] = {
        CLTOMO_PRODUCT_FR, CLTOMO_PRODUCT_F, CLTOMO_PRODUCT_GAMMA};
    long live = memory.live;
    for (size_t i = 0; i < sizeof products / sizeof *products; ++i) {
        const char *path = scratch_write(&place, "product", "old", 3);
        cltomo_status status = CLTOMO_ERROR_MEMORY;
        for (long n = 0; status == CLTOMO_ERROR_MEMORY; ++n) {
            char *bytes = scratch_read(path, NULL);
            cr_assert_str_eq(bytes, "old");
            free(bytes);
            memory.left = n;
            status = cltomo_reconstructor_write(
                reconstructor, products[i], path, CLTOMO_FORMAT_FITS, NULL);
            cr_assert_eq(memory.live, live);
            cr_assert_eq(scratch_count(&place), 1);
            cr_assert_lt(n, 100);
        }
        cr_assert_eq(status, CLTOMO_OK);
    }
}
