/* Builds that go straight into files, against builds that are written afterwards. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io.h"
#include "support/fault.h"
#include "support/fixture.h"
#include "support/model.h"
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

TestSuite(build_files, .init = set_up, .fini = tear_down);

static const char *const extensions[] = {"fits", "npy"};
static const cltomo_file_format formats[] = {CLTOMO_FORMAT_FITS, CLTOMO_FORMAT_NPY};

static const char *path_of(uint32_t product, size_t format)
{
    char name[32];
    (void)snprintf(name, sizeof name, "%s.%s", cltomo_product_name(product), extensions[format]);
    return scratch_path(&place, name);
}

/* Three directions, of which two count, one of them a source below infinity. */
static cltomo_system *system_of_directions(void)
{
    static const double x[] = {3e-5, -6e-5, 1e-5};
    static const double y[] = {-4e-5, 2e-5, 9e-5};
    static const double weight[] = {1.0, 0.0, 3.0};
    static const double height[] = {(double)INFINITY, (double)INFINITY, 60000.0};
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(system);
    d.n_directions = 3;
    d.direction_x = x;
    d.direction_y = y;
    d.direction_weight = weight;
    d.direction_height = height;
    cltomo_system *created = fixture_describe(context, &d);
    cltomo_system_destroy(system);
    return created;
}

static cltomo_build_options every_product(void)
{
    cltomo_build_options options = cltomo_build_options_init();
    options.products = 0;
#define ADD(product, bit, text, meaning) options.products |= (uint32_t)(product);
    CLTOMO_MODEL_PRODUCT_LIST(ADD)
#undef ADD
    options.slope_order = CLTOMO_SLOPES_INTERLEAVED;
    return options;
}

static cltomo_reconstructor *build(const cltomo_system *system, const cltomo_build_options *options)
{
    cltomo_reconstructor *built = NULL;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_reconstructor_build(context, &built, system, options, &error), CLTOMO_OK,
        "%s", error.message);
    return built;
}

static cltomo_reconstructor *build_files(
    const cltomo_system *system, const cltomo_build_options *options, size_t format)
{
    cltomo_reconstructor *built = NULL;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_reconstructor_build_files(
                     context, &built, system, options, place.directory, formats[format], &error),
        CLTOMO_OK, "%s", error.message);
    return built;
}

static void expect_files_of(
    const cltomo_reconstructor *built, const cltomo_build_options *options, size_t format)
{
    char expected[1200];
    for (uint32_t product = 1; product <= options->products; product <<= 1) {
        if ((options->products & product) != 0) {
            (void)snprintf(expected, sizeof expected, "%s", scratch_path(&place, "expected"));
            cr_assert_eq(cltomo_reconstructor_write(
                             built, (cltomo_product)product, expected, formats[format], NULL),
                CLTOMO_OK);
            assert_same_file(expected, path_of(product, format));
            cr_assert_eq(unlink(expected), 0);
        }
    }
}

Test(build_files, are_those_of_a_build_that_is_written_afterwards)
{
    cltomo_system *systems[] = {
        fixture_system(context, "small_asymmetric"), system_of_directions()};
    for (size_t k = 0; k < 8; ++k) {
        cltomo_build_options options = every_product();
        options.precision = k & 1 ? CLTOMO_PRECISION_SINGLE : CLTOMO_PRECISION_DOUBLE;
        options.per_direction = (uint32_t)k >> 2;
        cltomo_reconstructor *streamed = build_files(systems[k >> 2], &options, k >> 1 & 1);
        cltomo_reconstructor *built = build(systems[k >> 2], &options);
        expect_files_of(built, &options, k >> 1 & 1);
        cr_expect_null(cltomo_reconstructor_matrix(streamed, CLTOMO_PRODUCT_R));
        cr_expect_not_null(cltomo_reconstructor_matrix(streamed, CLTOMO_PRODUCT_C_SS));
        cltomo_reconstructor_destroy(streamed);
        cltomo_reconstructor_destroy(built);
    }
    cr_expect_eq(scratch_count(&place), 20, "ten products in two formats, and no temporary file");
    cltomo_system_destroy(systems[0]);
    cltomo_system_destroy(systems[1]);
}

/* The elements of an NPY file of two or three dimensions, which follow its header. */
static double *read_elements(const char *path, size_t n)
{
    size_t size = 0;
    char *bytes = scratch_read(path, &size);
    double *elements = malloc(n * sizeof *elements);
    cr_assert_gt(size, n * sizeof *elements);
    memcpy(elements, bytes + size - n * sizeof *elements, n * sizeof *elements);
    free(bytes);
    return elements;
}

Test(build_files, in_panels_hold_the_same_numbers)
{
    cltomo_system *system = system_of_directions();
    for (uint32_t each = 0; each < 2; ++each) {
        cltomo_build_options options = cltomo_build_options_init();
        options.per_direction = each;
        cltomo_reconstructor *whole = build(system, &options);
        options.max_memory = 1;
        uint64_t least = cltomo_build_files_memory(system, &options);
        options.max_memory = 0;
        uint64_t most = cltomo_build_files_memory(system, &options);
        options.max_memory = least + (most - least) * 2 / 5;
        cr_assert_leq(cltomo_build_files_memory(system, &options), options.max_memory);
        cltomo_reconstructor_destroy(build_files(system, &options, 1));
        for (uint32_t product = CLTOMO_PRODUCT_R; product <= CLTOMO_PRODUCT_FR; product <<= 1) {
            const cltomo_matrix *expected =
                cltomo_reconstructor_matrix(whole, (cltomo_product)product);
            size_t n = cltomo_matrix_rows(expected) * cltomo_matrix_cols(expected);
            double *found = read_elements(path_of(product, 1), n);
            double largest = 0.0;
            double difference = 0.0;
            for (size_t i = 0; i < n; ++i) {
                largest = fmax(largest, fabs(cltomo_matrix_double(expected)[i]));
                difference = fmax(difference, fabs(found[i] - cltomo_matrix_double(expected)[i]));
            }
            cr_expect_lt(difference, 1e-12 * largest, "%s", cltomo_product_name(product));
            free(found);
        }
        cltomo_reconstructor_destroy(whole);
    }
    cltomo_system_destroy(system);
}

/* ---- shapes and tables --------------------------------------------------------------------- */

Test(build_files, shapes_are_those_of_the_matrices)
{
    cltomo_system *system = system_of_directions();
    for (uint32_t each = 0; each < 2; ++each) {
        cltomo_build_options options = every_product();
        options.per_direction = each;
        cltomo_reconstructor *built = build(system, &options);
        for (uint32_t product = 1; product <= options.products; product <<= 1) {
            const cltomo_matrix *m = cltomo_reconstructor_matrix(built, (cltomo_product)product);
            cltomo_shape shape = cltomo_reconstructor_shape(built, (cltomo_product)product);
            bool is_cube = product == CLTOMO_PRODUCT_R || product == CLTOMO_PRODUCT_FR ||
                           product == CLTOMO_PRODUCT_C_PS || product == CLTOMO_PRODUCT_R_UNSCALED;
            cr_expect_eq(shape.planes, each != 0 && is_cube ? 3 : 0);
            size_t planes = shape.planes > 0 ? shape.planes : 1;
            cr_expect_eq(planes * shape.rows,
                m != NULL ? cltomo_matrix_rows(m) : cltomo_reconstructor_gradient(built)->rows);
            cr_expect_eq(shape.cols,
                m != NULL ? cltomo_matrix_cols(m) : cltomo_reconstructor_gradient(built)->cols);
        }
        cltomo_reconstructor_destroy(built);
    }
    cltomo_system_destroy(system);
}

Test(build_files, a_cube_tells_its_directions)
{
    static const double arcsec = 206264.80624709635515647335733078;
    static const char *const names[] = {"X", "Y", "WEIGHT", "HEIGHT"};
    cltomo_system *system = system_of_directions();
    cltomo_build_options options = cltomo_build_options_init();
    options.per_direction = 1;
    cltomo_reconstructor_destroy(build_files(system, &options, 0));
    /* The zenith angle of the system lengthens the line of sight. */
    const double slant = 60000.0 / cos(37.0 / 57.295779513082320876798154814105);
    const double expected[4][3] = {{arcsec * atan(3e-5), arcsec * atan(-6e-5), arcsec * atan(1e-5)},
        {arcsec * atan(-4e-5), arcsec * atan(2e-5), arcsec * atan(9e-5)}, {0.25, 0.0, 0.75},
        {(double)INFINITY, (double)INFINITY, slant}};
    fitsfile *file = NULL;
    int fits_status = 0;
    int n_axes = 0;
    long shape[3] = {0};
    char table[FLEN_VALUE] = "";
    fits_open_diskfile(&file, path_of(CLTOMO_PRODUCT_FR, 0), READONLY, &fits_status);
    fits_get_img_param(file, 3, NULL, &n_axes, shape, &fits_status);
    fits_read_key_str(file, "PLNTABLE", table, NULL, &fits_status);
    fits_movnam_hdu(file, BINARY_TBL, table, 0, &fits_status);
    cr_assert_eq(fits_status, 0);
    cr_expect_eq(n_axes, 3);
    cr_expect_eq(shape[0], 96);
    cr_expect_eq(shape[1], 25);
    cr_expect_eq(shape[2], 3);
    for (int k = 0; k < 4; ++k) {
        double found[3] = {0.0};
        char name[16];
        int column = 0;
        (void)snprintf(name, sizeof name, "%s", names[k]);
        fits_get_colnum(file, CASESEN, name, &column, &fits_status);
        fits_read_col(file, TDOUBLE, column, 1, 1, 3, NULL, found, NULL, &fits_status);
        cr_assert_eq(fits_status, 0);
        for (size_t i = 0; i < 3; ++i) {
            cr_expect(found[i] == expected[k][i] ||
                          fabs(found[i] - expected[k][i]) < 1e-14 * fabs(expected[k][i]),
                "%s %zu: %.17g, not %.17g", names[k], i, found[i], expected[k][i]);
        }
    }
    fits_close_file(file, &fits_status);
    cltomo_system_destroy(system);
}

/* ---- failures ------------------------------------------------------------------------------ */

/* A file that is written first must not be replaced because a later one cannot be. */
Test(build_files, replaces_no_file_unless_all_are_complete, .description = "large")
{
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_build_options options = every_product();
    cltomo_reconstructor *built = NULL;
    cltomo_error error = {0};
    for (size_t format = 0; format < 2; ++format) {
        for (uint32_t product = 1; product <= options.products; product <<= 1) {
            for (uint32_t other = 1; other <= options.products; other <<= 1) {
                (void)unlink(path_of(other, format));
            }
            (void)scratch_write(&place, format == 0 ? "R.fits" : "R.npy", "old", 3);
            (void)unlink(path_of(product, format));
            cr_assert_eq(mkdir(path_of(product, format), 0700), 0);
            cr_expect_eq(cltomo_reconstructor_build_files(context, &built, system, &options,
                             place.directory, formats[format], &error),
                CLTOMO_ERROR_IO);
            cr_expect_null(built);
            cr_expect(strstr(error.file, cltomo_product_name(product)) != NULL, "%s", error.file);
            cr_assert_eq(rmdir(path_of(product, format)), 0);
            if (product != CLTOMO_PRODUCT_R) {
                char *bytes = scratch_read(path_of(CLTOMO_PRODUCT_R, format), NULL);
                cr_expect_str_eq(bytes, "old");
                free(bytes);
                (void)unlink(path_of(CLTOMO_PRODUCT_R, format));
            }
            cr_expect_eq(scratch_count(&place), 0, "%s", cltomo_product_name(product));
        }
    }
    cltomo_system_destroy(system);
}

static cltomo_status refuse_rows(void *user, const cltomo_reconstructor *building,
    cltomo_product product, size_t first_row, const cltomo_matrix *rows, cltomo_error *error)
{
    (void)user;
    (void)building;
    (void)product;
    (void)first_row;
    (void)rows;
    (void)error;
    return CLTOMO_ERROR_ARGUMENT;
}

Test(build_files, refuses_what_it_cannot_serve)
{
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_reconstructor *built = NULL;
    cltomo_error error = {0};
    cr_expect_eq(cltomo_reconstructor_build_files(
                     context, &built, system, NULL, place.directory, (cltomo_file_format)7, &error),
        CLTOMO_ERROR_ARGUMENT);
    cr_expect_str_eq(error.key, "format");
    cr_expect_eq(cltomo_reconstructor_build_files(context, &built, system, NULL,
                     scratch_path(&place, "missing"), CLTOMO_FORMAT_FITS, &error),
        CLTOMO_ERROR_IO);
    options.row_sink = refuse_rows;
    cr_expect_eq(cltomo_reconstructor_build_files(context, &built, system, &options,
                     place.directory, CLTOMO_FORMAT_FITS, &error),
        CLTOMO_ERROR_ARGUMENT);
    cr_expect_str_eq(error.key, "row_sink");
    options = cltomo_build_options_init();
    options.alpha = -1.0;
    cr_expect_eq(cltomo_reconstructor_build_files(context, &built, system, &options,
                     place.directory, CLTOMO_FORMAT_FITS, &error),
        CLTOMO_ERROR_ARGUMENT);
    cr_expect_str_eq(error.key, "alpha");
    cr_expect_eq(cltomo_build_files_memory(system, &options), 0);
    cr_expect_null(built);
    cr_expect_eq(scratch_count(&place), 0);
    cltomo_system_destroy(system);
}

typedef struct attempt {
    const cltomo_system *system;
    cltomo_build_options options;
    cltomo_file_format format;
} attempt;

static cltomo_status try_to_build(const cltomo_context *c, void *user, cltomo_error *error)
{
    const attempt *a = user;
    cltomo_reconstructor *built = NULL;
    cltomo_status status = cltomo_reconstructor_build_files(
        c, &built, a->system, &a->options, place.directory, a->format, error);
    cr_assert((built != NULL) == (status == CLTOMO_OK));
    cr_assert_eq(scratch_count(&place), status == CLTOMO_OK ? 3 : 0);
    for (size_t i = 0; i < 3 && status == CLTOMO_OK; ++i) {
        static const uint32_t products[] = {
            CLTOMO_PRODUCT_R, CLTOMO_PRODUCT_FR, CLTOMO_PRODUCT_GAMMA};
        cr_assert_eq(unlink(path_of(products[i], a->format == CLTOMO_FORMAT_NPY)), 0);
    }
    cltomo_reconstructor_destroy(built);
    return status;
}

Test(build_files, survive_every_failed_allocation, .description = "large")
{
    attempt a = {.options = cltomo_build_options_init()};
    cltomo_system *system = fixture_system(context, "small_single");
    a.system = system;
    a.options.products |= CLTOMO_PRODUCT_GAMMA;
    a.options.per_direction = 1;
    for (size_t format = 0; format < 2; ++format) {
        a.format = formats[format];
        cr_assert_gt(fault_each(&memory, context, try_to_build, &a), 10);
    }
    cltomo_system_destroy(system);
}
