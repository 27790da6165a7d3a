#include "support/operations.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "backend/backend.h"
#include "golden/von_karman.h"

static const cltomo_precision precisions[] = {CLTOMO_PRECISION_DOUBLE, CLTOMO_PRECISION_SINGLE};

cltomo_matrix *operations_matrix(const cltomo_context *context, cltomo_precision precision,
    size_t rows, size_t cols, double (*element)(size_t i, size_t j))
{
    cltomo_matrix *matrix = NULL;
    double *f64 = malloc(rows * cols * sizeof *f64);
    float *f32 = malloc(rows * cols * sizeof *f32);
    cr_assert(f64 != NULL && f32 != NULL);
    for (size_t k = 0; k < rows * cols; ++k) {
        f64[k] = element(k / cols, k % cols);
        f32[k] = (float)f64[k];
    }
    bool is_double = precision == CLTOMO_PRECISION_DOUBLE;
    cr_assert_eq(cltomo_matrix_create(context, &matrix, precision, rows, cols,
                     is_double ? (const void *)f64 : f32, NULL),
        CLTOMO_OK);
    free(f64);
    free(f32);
    return matrix;
}

double operations_element(const cltomo_matrix *matrix, size_t i, size_t j)
{
    size_t k = i * cltomo_matrix_cols(matrix) + j;
    return cltomo_matrix_precision(matrix) == CLTOMO_PRECISION_DOUBLE
               ? cltomo_matrix_double(matrix)[k]
               : (double)cltomo_matrix_single(matrix)[k];
}

static double of_matrix(size_t i, size_t j)
{
    return (double)((5 * i + 3 * j + i * j) % 17) - 7.0;
}

static double of_vectors(size_t i, size_t j)
{
    return (double)((7 * i + 11 * j) % 13) - 4.0;
}

/* What cltomo_matrix_apply gives, by an applier that gets the matrix in pieces, in the other
 * precision, and the vectors one by one. */
static void expect_applier(
    const cltomo_context *context, const cltomo_matrix *vectors, const cltomo_matrix *expected)
{
    const cltomo_applier_size size = {
        .rows = cltomo_matrix_cols(expected), .cols = cltomo_matrix_cols(vectors), .n_vectors = 1};
    cltomo_precision precision = cltomo_matrix_precision(expected);
    cltomo_matrix *other = operations_matrix(
        context, precisions[precision == precisions[0]], size.rows, size.cols, of_matrix);
    size_t row_size = cltomo_precision_size(other->precision) * size.cols;
    cltomo_applier applier;
    cr_assert_eq(cltomo_applier_create(context, &applier, &size, precision, NULL), CLTOMO_OK);
    for (size_t first = 0; first < size.rows; first += 3) {
        cltomo_matrix piece = *other;
        piece.data.raw = (char *)other->data.raw + first * row_size;
        piece.rows = size.rows - first < 3 ? size.rows - first : 3;
        cr_assert_eq(cltomo_applier_set_rows(&applier, first, &piece, NULL), CLTOMO_OK);
    }
    for (size_t v = 0; v < cltomo_matrix_rows(vectors); ++v) {
        cltomo_matrix vector = *vectors;
        cltomo_matrix *result = NULL;
        vector.data.raw =
            (char *)vectors->data.raw + v * size.cols * cltomo_precision_size(vectors->precision);
        vector.rows = 1;
        cr_assert_eq(cltomo_applier_apply(&applier, &result, &vector, NULL), CLTOMO_OK);
        cr_assert_eq(cltomo_matrix_precision(result), precision);
        for (size_t i = 0; i < size.rows; ++i) {
            cr_assert_eq(operations_element(result, 0, i), operations_element(expected, v, i));
        }
        cltomo_matrix_destroy(result);
    }
    cltomo_applier_release(&applier);
    cltomo_matrix_destroy(other);
}

static void expect_product(const cltomo_context *context, cltomo_precision precision, size_t rows,
    size_t cols, size_t n_vectors)
{
    cltomo_matrix *matrix = operations_matrix(context, precision, rows, cols, of_matrix);
    /* what does not have the matrix's precision is converted */
    cltomo_matrix *vectors =
        operations_matrix(context, precisions[n_vectors % 2], n_vectors, cols, of_vectors);
    cltomo_matrix *results = NULL;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_matrix_apply(context, &results, matrix, vectors, &error), CLTOMO_OK, "%s",
        error.message);
    cr_assert_eq(cltomo_matrix_rows(results), n_vectors);
    cr_assert_eq(cltomo_matrix_cols(results), rows);
    cr_assert_eq(cltomo_matrix_precision(results), precision);
    for (size_t v = 0; v < n_vectors; ++v) {
        for (size_t i = 0; i < rows; ++i) {
            double expected = 0.0;
            for (size_t j = 0; j < cols; ++j) {
                expected += of_matrix(i, j) * of_vectors(v, j);
            }
            cr_assert_eq(operations_element(results, v, i), expected, "%zu x %zu, %zu: [%zu][%zu]",
                rows, cols, n_vectors, v, i);
        }
    }
    expect_applier(context, vectors, results);
    cltomo_matrix_destroy(results);
    cltomo_matrix_destroy(vectors);
    cltomo_matrix_destroy(matrix);
}

void operations_expect_matrix_apply(const cltomo_context *context)
{
    static const size_t shapes[][2] = {
        {1, 1}, {1, 129}, {131, 1}, {7, 15}, {65, 16}, {64, 33}, {3, 64}, {70, 211}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; ++s) {
        for (size_t p = 0; p < 2; ++p) {
            for (size_t n_vectors = 1; n_vectors < 4; n_vectors += 2) {
                expect_product(context, precisions[p], shapes[s][0], shapes[s][1], n_vectors);
                expect_product(context, precisions[p], shapes[s][0], shapes[s][1], n_vectors + 1);
            }
        }
    }
}

enum { n_lenslets = 4, n_valid = 9 };

/* Sixteenths times small whole numbers are exact in both precisions. */
static double of_phase(size_t i, size_t j)
{
    return (double)((3 * i + 5 * j + j * j) % 11) - 3.0;
}

static double of_slopes(size_t i, size_t j)
{
    return (double)((2 * i + 7 * j) % 9) - 5.0;
}

/* Element by element from the matrix. */
static void expect_gamma_times(
    const cltomo_matrix *slopes, const cltomo_sparse *gamma, const cltomo_matrix *phase)
{
    cr_assert_eq(cltomo_matrix_rows(slopes), cltomo_matrix_rows(phase));
    cr_assert_eq(cltomo_matrix_cols(slopes), gamma->rows);
    cr_assert_eq(cltomo_matrix_precision(slopes), cltomo_matrix_precision(phase));
    for (size_t r = 0; r < cltomo_matrix_rows(phase); ++r) {
        for (size_t i = 0; i < gamma->rows; ++i) {
            double expected = 0.0;
            for (size_t k = gamma->row_start[i]; k < gamma->row_start[i + 1]; ++k) {
                expected += gamma->value[k] * operations_element(phase, r, gamma->column[k]);
            }
            cr_assert_eq(operations_element(slopes, r, i), expected);
        }
    }
}

static double inner_product(const cltomo_matrix *a, const cltomo_matrix *b)
{
    double sum = 0.0;
    cr_assert_eq(cltomo_matrix_cols(a), cltomo_matrix_cols(b));
    for (size_t r = 0; r < cltomo_matrix_rows(a); ++r) {
        for (size_t i = 0; i < cltomo_matrix_cols(a); ++i) {
            sum += operations_element(a, r, i) * operations_element(b, r, i);
        }
    }
    return sum;
}

static void expect_gamma(const cltomo_context *context, const cltomo_gradient *gradient,
    cltomo_precision precision, size_t n)
{
    const cltomo_sparse *gamma = cltomo_gradient_matrix(gradient);
    cltomo_matrix *phase = operations_matrix(context, precision, n, gamma->cols, of_phase);
    cltomo_matrix *slopes = operations_matrix(context, precision, n, gamma->rows, of_slopes);
    cltomo_matrix *of = NULL;
    cltomo_matrix *back = NULL;
    cr_assert_eq(cltomo_gradient_apply(context, &of, gradient, phase, NULL), CLTOMO_OK);
    cr_assert_eq(
        cltomo_gradient_apply_transposed(context, &back, gradient, slopes, NULL), CLTOMO_OK);
    expect_gamma_times(of, gamma, phase);
    cr_assert_eq(cltomo_matrix_cols(back), gamma->cols);
    cr_assert_eq(cltomo_matrix_precision(back), precision);
    cr_assert_eq(inner_product(of, slopes), inner_product(phase, back));
    cltomo_matrix_destroy(of);
    of = phase;
    cr_assert_eq(cltomo_gradient_apply(context, &of, gradient, slopes, NULL), CLTOMO_ERROR_SHAPE);
    cr_assert_null(of);
    cltomo_matrix_destroy(back);
    cltomo_matrix_destroy(phase);
    cltomo_matrix_destroy(slopes);
}

/* The phase x - 3 y at the points of the grid, in lenslets. */
static void expect_tilt(
    const cltomo_context *context, const cltomo_gradient *gradient, uint32_t stencil)
{
    double tilt[17 * 17];
    size_t n_grid = 0;
    size_t n = 0;
    const uint8_t *mask = cltomo_gradient_grid_mask(gradient, &n_grid);
    cltomo_matrix *phase = NULL;
    cltomo_matrix *slopes = NULL;
    for (size_t k = 0; k < n_grid * n_grid; ++k) {
        if (mask[k] != 0) {
            tilt[n++] = ((double)(k % n_grid) - 3.0 * (double)(k / n_grid)) / (double)(stencil - 1);
        }
    }
    cr_assert_eq(cltomo_matrix_create(context, &phase, CLTOMO_PRECISION_DOUBLE, 1, n, tilt, NULL),
        CLTOMO_OK);
    cr_assert_eq(cltomo_gradient_apply(context, &slopes, gradient, phase, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_matrix_cols(slopes), 2 * n_valid);
    for (size_t i = 0; i < 2 * n_valid; ++i) {
        /* y before x in this order of slopes */
        cr_assert_eq(operations_element(slopes, 0, i), i < n_valid ? -3.0 : 1.0);
    }
    cltomo_matrix_destroy(phase);
    cltomo_matrix_destroy(slopes);
}

void operations_expect_gradient(const cltomo_context *context)
{
    static const uint8_t map[n_lenslets * n_lenslets] = {
        0, 1, 1, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1};
    for (uint32_t stencil = 3; stencil <= 5; stencil += 2) {
        cltomo_gradient *gradient = NULL;
        cr_assert_eq(cltomo_gradient_create(context, &gradient, map, n_lenslets, NULL, stencil,
                         CLTOMO_SLOPES_YX, CLTOMO_LENSLETS_COLUMN, NULL),
            CLTOMO_OK);
        expect_tilt(context, gradient, stencil);
        for (size_t p = 0; p < 2; ++p) {
            expect_gamma(context, gradient, precisions[p], 1);
            expect_gamma(context, gradient, precisions[p], 3);
        }
        cltomo_gradient_destroy(gradient);
    }
}

enum { n_golden = sizeof golden_covariance / sizeof golden_covariance[0] };

static void expect_golden(const cltomo_context *context, size_t n)
{
    double covariance[n_golden];
    double value[n_golden]; /* the separations, in whose place the structure function comes */
    const double variance = golden_covariance[0].covariance;
    for (size_t i = 0; i < n; ++i) {
        value[i] = golden_covariance[i].separation;
    }
    cr_assert_eq(
        cltomo_von_karman_covariance_on(context, covariance, value, n, GOLDEN_R0, GOLDEN_L0, NULL),
        CLTOMO_OK);
    cr_assert_eq(cltomo_von_karman_structure_function_on(
                     context, value, value, n, GOLDEN_R0, GOLDEN_L0, NULL),
        CLTOMO_OK);
    for (size_t i = 0; i < n; ++i) {
        double u = 6.283185307179586 * golden_covariance[i].separation / GOLDEN_L0;
        cr_assert_float_eq(covariance[i], golden_covariance[i].covariance,
            (5e-15 + 4e-16 * u) * golden_covariance[i].covariance, "separation %zu", i);
        cr_assert_float_eq(value[i], golden_covariance[i].structure,
            2e-14 * golden_covariance[i].structure, "separation %zu", i);
        cr_assert_float_eq(value[i], 2.0 * (variance - covariance[i]), 1e-14 * variance);
    }
}

void operations_expect_von_karman(const cltomo_context *context)
{
    const double ends[] = {0.0, DBL_TRUE_MIN, 1e-300, DBL_MAX, INFINITY};
    double covariance[5];
    double structure[5];
    for (size_t n = 0; n < 19; ++n) {
        expect_golden(context, n);
    }
    expect_golden(context, n_golden);
    for (int outer = -300; outer <= 300; outer += 300) { /* 1e-300, 1 and 1e300 m */
        double L0 = pow(10.0, outer);
        cr_assert_eq(
            cltomo_von_karman_covariance_on(context, covariance, ends, 5, L0, L0, NULL), CLTOMO_OK);
        cr_assert_eq(
            cltomo_von_karman_structure_function_on(context, structure, ends, 5, L0, L0, NULL),
            CLTOMO_OK);
        cr_assert_eq(structure[0], 0.0);
        cr_assert_gt(covariance[0], 0.0);
        cr_assert_eq(covariance[4], 0.0);
        cr_assert_float_eq(structure[4], 2.0 * covariance[0], 1e-15 * covariance[0]);
        for (size_t i = 1; i < 5; ++i) {
            cr_assert_leq(covariance[i], covariance[i - 1]);
            cr_assert_geq(structure[i], structure[i - 1]);
        }
    }
    cr_expect_eq(cltomo_von_karman_covariance_on(context, covariance, ends, 5, 0.0, 1.0, NULL),
        CLTOMO_ERROR_ARGUMENT);
    cr_expect_eq(
        cltomo_von_karman_structure_function_on(context, structure, NULL, 5, 1.0, 1.0, NULL),
        CLTOMO_ERROR_ARGUMENT);
}

enum { n_updated = 37 };

static bool is_used(size_t i)
{
    return i % 5 != 2 && i != 0;
}

/* The updates one by one, on whole numbers and halves, which are exact. */
static void expect_updates(const cltomo_context *context, cltomo_precision precision)
{
    enum { n = n_updated };
    const cltomo_backend *backend = cltomo_backend_of(context);
    double diagonal[n];
    uint8_t used[n];
    cltomo_matrix *a = operations_matrix(context, precision, n, n, of_matrix);
    cltomo_matrix *b = operations_matrix(context, precision, n, n, of_vectors);
    cltomo_array *sum = NULL;
    cltomo_array *addend = NULL;
    cltomo_matrix *result = NULL;
    for (size_t i = 0; i < n; ++i) {
        diagonal[i] = 0.5 * (double)i - 3.0;
        used[i] = is_used(i);
    }
    cr_assert_eq(backend->upload(context, &sum, a, precision, NULL), CLTOMO_OK);
    cr_assert_eq(backend->upload(context, &addend, b, precision, NULL), CLTOMO_OK);
    cr_assert_eq(backend->add_to_diagonal(context, sum, diagonal, NULL), CLTOMO_OK);
    cr_assert_eq(backend->add(context, sum, -0.5, addend, NULL), CLTOMO_OK);
    cr_assert_eq(backend->clear_unused(context, sum, NULL, used, NULL), CLTOMO_OK);
    cr_assert_eq(backend->clear_unused(context, addend, used, used, NULL), CLTOMO_OK);
    cr_assert_eq(backend->add(context, sum, 2.0, addend, NULL), CLTOMO_OK);
    cr_assert_eq(backend->download(context, &result, &sum, NULL), CLTOMO_OK);
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
            double expected = of_matrix(i, j) + (i == j ? diagonal[i] : 0.0);
            expected = is_used(j) ? expected - 0.5 * of_vectors(i, j) : 0.0;
            expected += is_used(i) && is_used(j) ? 2.0 * of_vectors(i, j) : 0.0;
            cr_assert_eq(operations_element(result, i, j), expected, "[%zu][%zu]", i, j);
        }
    }
    backend->array_destroy(context, addend);
    cltomo_matrix_destroy(result);
    cltomo_matrix_destroy(a);
    cltomo_matrix_destroy(b);
}

void operations_expect_updates(const cltomo_context *context)
{
    expect_updates(context, CLTOMO_PRECISION_DOUBLE);
    expect_updates(context, CLTOMO_PRECISION_SINGLE);
}
