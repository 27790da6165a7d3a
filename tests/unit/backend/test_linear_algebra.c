/* Answers that are known exactly, in both precisions; what is not positive definite, not finite or
 * does not fit together. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu.h"
#include "support/fixture.h"

static const cltomo_precision both[] = {CLTOMO_PRECISION_DOUBLE, CLTOMO_PRECISION_SINGLE};

static cltomo_array *make(const cltomo_context *context, cltomo_precision precision, size_t rows,
    size_t cols, const double *values)
{
    cltomo_matrix *matrix = NULL;
    cr_assert_eq(cltomo_matrix_allocate(context, &matrix, precision, rows, cols, NULL), CLTOMO_OK);
    for (size_t row = 0; row < rows; ++row) {
        cltomo_cpu_store(matrix, row, 0, &values[row * cols], cols);
    }
    return (cltomo_array *)matrix;
}

static double at(const cltomo_array *a, size_t row, size_t col)
{
    const cltomo_matrix *m = cltomo_cpu_const_matrix(a);
    size_t k = row * m->cols + col;
    return m->precision == CLTOMO_PRECISION_DOUBLE ? m->data.f64[k] : (double)m->data.f32[k];
}

static void expect_values(const cltomo_array *a, const double *values, double tolerance)
{
    const cltomo_matrix *m = cltomo_cpu_const_matrix(a);
    for (size_t row = 0; row < m->rows; ++row) {
        for (size_t col = 0; col < m->cols; ++col) {
            cr_expect_float_eq(at(a, row, col), values[row * m->cols + col], tolerance,
                "(%zu, %zu): %g", row, col, at(a, row, col));
        }
    }
}

static void destroy(cltomo_array *a)
{
    cltomo_matrix_destroy(cltomo_cpu_matrix(a));
}

/* L L^T with L = [2 0 0; -1 3 0; 4 0.5 1]; what stands below the diagonal must not matter. */
static const double spd[9] = {4.0, -2.0, 8.0, 777.0, 10.0, -2.5, -999.0, 555.0, 17.25};

Test(linear_algebra, cholesky_uses_the_upper_triangle_only)
{
    cltomo_context *context = fixture_context();
    for (size_t p = 0; p < 2; ++p) {
        cltomo_array *a = make(context, both[p], 3, 3, spd);
        double pivot_ratio = 0.0;
        cr_assert_eq(cltomo_cpu_cholesky(context, a, &pivot_ratio, NULL), CLTOMO_OK);
        cr_expect_float_eq(pivot_ratio, 1.0 / 9.0, 1e-6);
        const double diagonal[3] = {2.0, 3.0, 1.0};
        for (size_t i = 0; i < 3; ++i) {
            cr_expect_float_eq(at(a, i, i), diagonal[i], 1e-5);
        }
        cr_expect_float_eq(at(a, 0, 1), -1.0, 1e-5);
        cr_expect_float_eq(at(a, 0, 2), 4.0, 1e-5);
        cr_expect_float_eq(at(a, 1, 2), 0.5, 1e-5);
        destroy(a);
    }
    cltomo_context_destroy(context);
}

Test(linear_algebra, solve_divides_by_the_matrix_on_the_right)
{
    static const double x[6] = {1.0, -2.0, 0.5, 3.0, 0.0, -1.5};
    static const double full[9] = {4.0, -2.0, 8.0, -2.0, 10.0, -2.5, 8.0, -2.5, 17.25};
    double product[6] = {0};
    for (size_t i = 0; i < 2; ++i) {
        for (size_t j = 0; j < 3; ++j) {
            for (size_t k = 0; k < 3; ++k) {
                product[i * 3 + j] += x[i * 3 + k] * full[k * 3 + j];
            }
        }
    }
    cltomo_context *context = fixture_context();
    for (size_t p = 0; p < 2; ++p) {
        cltomo_array *factor = make(context, both[p], 3, 3, spd);
        cltomo_array *rhs = make(context, both[p], 2, 3, product);
        double pivot_ratio = 0.0;
        cr_assert_eq(cltomo_cpu_cholesky(context, factor, &pivot_ratio, NULL), CLTOMO_OK);
        cr_assert_eq(cltomo_cpu_solve(context, rhs, factor, NULL), CLTOMO_OK);
        expect_values(rhs, x, p == 0 ? 1e-13 : 1e-4);
        destroy(factor);
        destroy(rhs);
    }
    cltomo_context_destroy(context);
}

static int count_progress(void *user, const char *stage, double fraction)
{
    int *calls = user;
    cr_expect_str_eq(stage, "solve");
    cr_expect(fraction > 0.0 && fraction <= 1.0);
    return ++*calls == 3;
}

/* More rows than one panel: A = 4 I, so each element becomes a quarter; the third call cancels. */
Test(linear_algebra, solve_works_in_panels_and_can_be_cancelled)
{
    enum { rows = 2500 };
    static const double four[4] = {4.0, 0.0, 0.0, 4.0};
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    int calls = 0;
    double *values = malloc(2 * rows * sizeof *values);
    options.progress = count_progress;
    options.progress_user = &calls;
    cr_assert_eq(cltomo_context_create(&context, &options, NULL), CLTOMO_OK);
    for (size_t k = 0; k < 2 * rows; ++k) {
        values[k] = (double)k;
    }
    cltomo_array *rhs = make(context, CLTOMO_PRECISION_DOUBLE, rows, 2, values);
    cltomo_array *factor = make(context, CLTOMO_PRECISION_DOUBLE, 2, 2, four);
    double pivot_ratio = 0.0;
    cr_assert_eq(cltomo_cpu_cholesky(context, factor, &pivot_ratio, NULL), CLTOMO_OK);
    cr_expect_eq(pivot_ratio, 1.0);
    cr_expect_eq(cltomo_cpu_solve(context, rhs, factor, NULL), CLTOMO_ERROR_CANCELLED);
    cr_expect_eq(calls, 3);
    for (size_t k = 0; k < 2 * rows; ++k) {
        values[k] *= 0.25;
    }
    expect_values(rhs, values, 1e-12);
    free(values);
    destroy(rhs);
    destroy(factor);
    cltomo_context_destroy(context);
}

Test(linear_algebra, multiply_scales_the_product)
{
    static const double a[6] = {1, 2, 3, 4, 5, 6};                       /* 2 x 3 */
    static const double b[12] = {1, 0, -1, 2, 3, 1, 0, -2, 1, 1, 4, -3}; /* 3 x 4 */
    static const double ab[8] = {-20, -10, -22, 22, -50, -22, -40, 40};  /* -2 a b */
    static const double garbage[8] = {NAN, NAN, INFINITY, 1, 2, 3, 4, NAN};
    cltomo_context *context = fixture_context();
    for (size_t p = 0; p < 2; ++p) {
        cltomo_array *left = make(context, both[p], 2, 3, a);
        cltomo_array *right = make(context, both[p], 3, 4, b);
        cltomo_array *out = make(context, both[p], 2, 4, garbage);
        cr_assert_eq(cltomo_cpu_multiply(context, out, -2.0, left, right, NULL), CLTOMO_OK);
        expect_values(out, ab, 0.0);
        destroy(left);
        destroy(right);
        destroy(out);
    }
    cltomo_context_destroy(context);
}

/* Columns 1 and 2 of a, transposed, times b. */
Test(linear_algebra, multiply_transposed_takes_some_columns)
{
    static const double a[8] = {1, 2, 3, 4, 5, 6, 7, 8}; /* 2 x 4 */
    static const double b[6] = {1, 0, -1, 2, 3, 1};      /* 2 x 3 */
    static const double expected[9] = {14, 18, 4, 17, 21, 4, -7, -7, -7};
    static const double garbage[9] = {NAN, NAN, NAN, NAN, NAN, NAN, -7, -7, -7};
    cltomo_context *context = fixture_context();
    for (size_t p = 0; p < 2; ++p) {
        cltomo_array *left = make(context, both[p], 2, 4, a);
        cltomo_array *right = make(context, both[p], 2, 3, b);
        cltomo_array *out = make(context, both[p], 3, 3, garbage);
        cr_assert_eq(cltomo_cpu_multiply_transposed(context, cltomo_cpu_matrix(out),
                         cltomo_cpu_const_matrix(left), 1, 2, cltomo_cpu_const_matrix(right), NULL),
            CLTOMO_OK);
        expect_values(out, expected, 0.0);
        destroy(left);
        destroy(right);
        destroy(out);
    }
    cltomo_context_destroy(context);
}

Test(linear_algebra, not_positive_definite_is_an_error)
{
    static const double cases[][9] = {
        {1, 2, 0, 2, 1, 0, 0, 0, 1},  /* eigenvalues 3, -1, 1 */
        {1, 0, 0, 0, 0, 0, 0, 0, 1},  /* singular */
        {-1, 0, 0, 0, 1, 0, 0, 0, 1}, /* at once */
        {1, 0, 0, 0, 1, 0, 0, 0, -1}, /* at the end */
    };
    cltomo_context *context = fixture_context();
    for (size_t p = 0; p < 2; ++p) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
            cltomo_array *a = make(context, both[p], 3, 3, cases[i]);
            cltomo_error error = {0};
            double pivot_ratio = 0.0;
            cr_expect_eq(cltomo_cpu_cholesky(context, a, &pivot_ratio, &error),
                CLTOMO_ERROR_NOT_POSITIVE_DEFINITE);
            cr_expect_eq(error.status, CLTOMO_ERROR_NOT_POSITIVE_DEFINITE);
            destroy(a);
        }
    }
    cltomo_context_destroy(context);
}

/* A NaN anywhere in the upper triangle, in matrices below and above LAPACK's block size. */
Test(linear_algebra, a_nan_does_not_pass_for_a_factor)
{
    static const size_t sizes[] = {1, 3, 40, 150};
    cltomo_context *context = fixture_context();
    for (size_t p = 0; p < 2; ++p) {
        for (size_t s = 0; s < 4; ++s) {
            size_t n = sizes[s];
            double *values = calloc(n * n, sizeof *values);
            for (size_t i = 0; i < n; ++i) {
                values[i * n + i] = 2.0;
            }
            const size_t places[] = {0, n - 1, (n / 2) * n + n - 1, n * n - 1};
            static const double bad[] = {NAN, INFINITY};
            for (size_t k = 0; k < 8; ++k) {
                double saved = values[places[k / 2]];
                values[places[k / 2]] = bad[k % 2];
                cltomo_array *a = make(context, both[p], n, n, values);
                double pivot_ratio = 0.0;
                cltomo_status status = cltomo_cpu_cholesky(context, a, &pivot_ratio, NULL);
                cr_expect(status == CLTOMO_ERROR_NOT_FINITE ||
                              status == CLTOMO_ERROR_NOT_POSITIVE_DEFINITE,
                    "n %zu, %g at %zu: %d", n, bad[k % 2], places[k / 2], (int)status);
                destroy(a);
                values[places[k / 2]] = saved;
            }
            free(values);
        }
    }
    cltomo_context_destroy(context);
}

Test(linear_algebra, shapes_must_fit)
{
    static const double zeros[16] = {0};
    cltomo_context *context = fixture_context();
    cltomo_array *a23 = make(context, CLTOMO_PRECISION_DOUBLE, 2, 3, zeros);
    cltomo_array *a32 = make(context, CLTOMO_PRECISION_DOUBLE, 3, 2, zeros);
    cltomo_array *a22 = make(context, CLTOMO_PRECISION_DOUBLE, 2, 2, zeros);
    cltomo_array *a33 = make(context, CLTOMO_PRECISION_DOUBLE, 3, 3, zeros);
    cltomo_array *single = make(context, CLTOMO_PRECISION_SINGLE, 2, 2, zeros);
    cltomo_error error = {0};
    double ratio = 0.0;
    cr_expect_eq(cltomo_cpu_multiply(context, a22, 1.0, a23, a32, NULL), CLTOMO_OK);
    cr_expect_eq(cltomo_cpu_multiply(context, a22, 1.0, a23, a23, &error), CLTOMO_ERROR_SHAPE);
    cr_expect_eq(error.status, CLTOMO_ERROR_SHAPE);
    cr_expect_eq(cltomo_cpu_multiply(context, a33, 1.0, a23, a32, NULL), CLTOMO_ERROR_SHAPE);
    cr_expect_eq(cltomo_cpu_multiply(context, a23, 1.0, a23, a32, NULL), CLTOMO_ERROR_SHAPE);
    cr_expect_eq(cltomo_cpu_multiply(context, single, 1.0, a23, a32, NULL), CLTOMO_ERROR_SHAPE);
    cr_expect_eq(cltomo_cpu_multiply(context, a22, 1.0, single, a22, NULL), CLTOMO_ERROR_SHAPE);
    cr_expect_eq(cltomo_cpu_multiply(context, a22, 1.0, a22, single, NULL), CLTOMO_ERROR_SHAPE);
    cr_expect_eq(cltomo_cpu_cholesky(context, a23, &ratio, &error), CLTOMO_ERROR_SHAPE);
    cr_expect_eq(cltomo_cpu_solve(context, a23, a22, &error), CLTOMO_ERROR_SHAPE);
    cr_expect_eq(cltomo_cpu_solve(context, a23, a32, &error), CLTOMO_ERROR_SHAPE);
    cr_expect_eq(cltomo_cpu_solve(context, a22, single, &error), CLTOMO_ERROR_SHAPE);
    cltomo_array *all[] = {a23, a32, a22, a33, single};
    for (size_t i = 0; i < 5; ++i) {
        destroy(all[i]);
    }
    cltomo_context_destroy(context);
}

Test(linear_algebra, sizes_beyond_lapack_are_refused)
{
    cltomo_context *context = fixture_context();
    size_t huge = (size_t)1 << 31;
    cltomo_matrix square = {
        .context = context, .rows = huge, .cols = huge, .precision = CLTOMO_PRECISION_DOUBLE};
    cltomo_array *a = (cltomo_array *)&square;
    double ratio = 0.0;
    cr_expect_eq(cltomo_cpu_cholesky(context, a, &ratio, NULL), CLTOMO_ERROR_UNSUPPORTED);
    cr_expect_eq(cltomo_cpu_solve(context, a, a, NULL), CLTOMO_ERROR_UNSUPPORTED);
    cr_expect_eq(cltomo_cpu_multiply(context, a, 1.0, a, a, NULL), CLTOMO_ERROR_UNSUPPORTED);
    cr_expect_eq(cltomo_cpu_multiply_transposed(context, &square, &square, 0, 1, &square, NULL),
        CLTOMO_ERROR_UNSUPPORTED);
    cltomo_context_destroy(context);
}
