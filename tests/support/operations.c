#include "support/operations.h"

#include <criterion/criterion.h>
#include <stdlib.h>

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
