/* All numbers in these tests are small integers, so that every step is exact in both precisions. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu.h"
#include "support/fixture.h"

static const cltomo_precision precisions[] = {CLTOMO_PRECISION_DOUBLE, CLTOMO_PRECISION_SINGLE};
static const uint32_t thread_counts[] = {1, 2, 5, 0}; /* 0: all, and the BLAS as it is */
enum { n_thread_counts = sizeof thread_counts / sizeof thread_counts[0] };

static cltomo_matrix *matrix_of(
    const cltomo_context *context, cltomo_precision precision, size_t rows, size_t cols)
{
    cltomo_matrix *matrix = NULL;
    cr_assert_eq(cltomo_matrix_allocate(context, &matrix, precision, rows, cols, NULL), CLTOMO_OK);
    return matrix;
}

static void set(cltomo_matrix *a, size_t i, size_t j, double value)
{
    cltomo_cpu_store(a, i, j, &value, 1);
}

static double get(const cltomo_matrix *a, size_t i, size_t j)
{
    size_t place = i * a->cols + j;
    return a->precision == CLTOMO_PRECISION_DOUBLE ? a->data.f64[place]
                                                   : (double)a->data.f32[place];
}

static cltomo_array *array_of(cltomo_matrix *matrix)
{
    return (cltomo_array *)matrix;
}

/* The known factor L of A = L L^T: on its diagonal 1 and 2, and 4 once. */
static double lower(size_t i, size_t j)
{
    if (i == j) {
        return i == 2 ? 4.0 : (double)(1 + i % 2);
    }
    return j < i && i - j < 4 ? (double)((5 * i + 3 * j) % 3) - 1.0 : 0.0;
}

static double symmetric(size_t i, size_t j)
{
    double sum = 0.0;
    for (size_t k = 0; k <= i && k <= j; ++k) {
        sum += lower(i, k) * lower(j, k);
    }
    return sum;
}

/* A with only its upper triangle set; the rest is garbage, as the backend leaves it. */
static cltomo_matrix *known_matrix(
    const cltomo_context *context, cltomo_precision precision, size_t n)
{
    cltomo_matrix *a = matrix_of(context, precision, n, n);
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
            set(a, i, j, j >= i ? symmetric(i, j) : NAN);
        }
    }
    return a;
}

Test(linear_algebra, cholesky_gives_the_known_factor)
{
    static const size_t sizes[] = {1, 2, 3, 17, 70, 200};
    for (size_t t = 0; t < n_thread_counts; ++t) {
        cltomo_context *context = fixture_threads(thread_counts[t]);
        for (size_t k = 0; k < 2 * sizeof sizes / sizeof sizes[0]; ++k) {
            size_t n = sizes[k / 2];
            cltomo_matrix *a = known_matrix(context, precisions[k % 2], n);
            double pivot_ratio = 0.0;
            cltomo_error error = {0};
            cr_assert_eq(cltomo_cpu_cholesky(context, array_of(a), &pivot_ratio, &error), CLTOMO_OK,
                "%s", error.message);
            cr_assert_eq(pivot_ratio, n == 1 ? 1.0 : n == 2 ? 1.0 / 4 : 1.0 / 16);
            for (size_t i = 0; i < n; ++i) {
                for (size_t j = i; j < n; ++j) {
                    cr_assert_eq(get(a, i, j), lower(j, i)); /* the upper triangle is L^T */
                }
            }
            cltomo_matrix_destroy(a);
        }
        cltomo_context_destroy(context);
    }
}

/* x[i][k], of which the rows stand out, so that mixing them up shows. */
static double solution(size_t i, size_t k)
{
    return (double)((i + 1) % 7) - (double)((3 * i + k) % 4);
}

static void expect_solution(
    const cltomo_context *context, cltomo_precision precision, size_t rows, size_t n)
{
    cltomo_matrix *a = known_matrix(context, precision, n);
    cltomo_matrix *x = matrix_of(context, precision, rows, n);
    double pivot_ratio = 0.0;
    cr_assert_eq(cltomo_cpu_cholesky(context, array_of(a), &pivot_ratio, NULL), CLTOMO_OK);
    for (size_t i = 0; i < rows; ++i) {
        for (size_t j = 0; j < n; ++j) {
            double sum = 0.0;
            for (size_t k = 0; k < n; ++k) {
                sum += solution(i, k) * symmetric(k, j);
            }
            set(x, i, j, sum);
        }
    }
    cltomo_error error = {0};
    cr_assert_eq(cltomo_cpu_solve(context, array_of(x), array_of(a), &error), CLTOMO_OK, "%s",
        error.message);
    double tolerance = precision == CLTOMO_PRECISION_DOUBLE ? 1e-10 : 0.05;
    for (size_t i = 0; i < rows; ++i) {
        for (size_t k = 0; k < n; ++k) {
            cr_assert_float_eq(get(x, i, k), solution(i, k), tolerance, "%zu x %zu (%zu, %zu): %g",
                rows, n, i, k, get(x, i, k));
        }
    }
    cltomo_matrix_destroy(a);
    cltomo_matrix_destroy(x);
}

/* More right-hand sides than are solved at a time, too. */
Test(linear_algebra, solve_gives_the_known_solution)
{
    static const size_t shapes[][2] = {
        {1, 1}, {5, 1}, {1, 9}, {3, 8}, {1023, 5}, {1024, 5}, {1025, 5}, {2049, 6}};
    for (size_t t = 0; t < n_thread_counts; ++t) {
        cltomo_context *context = fixture_threads(thread_counts[t]);
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; ++s) {
            expect_solution(context, CLTOMO_PRECISION_DOUBLE, shapes[s][0], shapes[s][1]);
            expect_solution(context, CLTOMO_PRECISION_SINGLE, shapes[s][0], shapes[s][1]);
        }
        cltomo_context_destroy(context);
    }
}

static double left_element(size_t i, size_t k)
{
    return (double)((2 * i + 5 * k) % 9) - 4.0;
}

static double right_element(size_t k, size_t j)
{
    return (double)((4 * k + j) % 7) - 3.0;
}

static cltomo_matrix *filled(const cltomo_context *context, cltomo_precision precision, size_t rows,
    size_t cols, double (*element)(size_t i, size_t j))
{
    cltomo_matrix *a = matrix_of(context, precision, rows, cols);
    for (size_t k = 0; k < rows * cols; ++k) {
        set(a, k / cols, k % cols, element(k / cols, k % cols));
    }
    return a;
}

static double garbage(size_t i, size_t j)
{
    (void)i;
    (void)j;
    return NAN;
}

Test(linear_algebra, multiply_gives_the_known_product)
{
    static const size_t shapes[][3] = {{1, 1, 1}, {2, 3, 4}, {1, 17, 5}, {33, 1, 2}, {70, 65, 81}};
    for (size_t t = 0; t < n_thread_counts; ++t) {
        cltomo_context *context = fixture_threads(thread_counts[t]);
        for (size_t s = 0; s < 2 * sizeof shapes / sizeof shapes[0]; ++s) {
            cltomo_precision precision = precisions[s % 2];
            const size_t *n = shapes[s / 2];
            cltomo_matrix *a = filled(context, precision, n[0], n[1], left_element);
            cltomo_matrix *b = filled(context, precision, n[1], n[2], right_element);
            cltomo_matrix *c = filled(context, precision, n[0], n[2], garbage);
            cr_assert_eq(
                cltomo_cpu_multiply(context, array_of(c), -0.5, array_of(a), array_of(b), NULL),
                CLTOMO_OK);
            for (size_t i = 0; i < n[0]; ++i) {
                for (size_t j = 0; j < n[2]; ++j) {
                    double sum = 0.0;
                    for (size_t k = 0; k < n[1]; ++k) {
                        sum += left_element(i, k) * right_element(k, j);
                    }
                    cr_assert_eq(get(c, i, j), -0.5 * sum);
                }
            }
            cltomo_matrix_destroy(a);
            cltomo_matrix_destroy(b);
            cltomo_matrix_destroy(c);
        }
        cltomo_context_destroy(context);
    }
}

/* A band of columns; the rows of c below it stay as they are. */
Test(linear_algebra, multiply_transposed_gives_the_known_product)
{
    enum { inner = 7, cols = 12, width = 5, first = 4, count = 6, room = 8 };
    cltomo_context *context = fixture_threads(2);
    for (size_t p = 0; p < 2; ++p) {
        cltomo_matrix *a = filled(context, precisions[p], inner, cols, left_element);
        cltomo_matrix *b = filled(context, precisions[p], inner, width, right_element);
        cltomo_matrix *c = filled(context, precisions[p], room, width, left_element);
        cr_assert_eq(
            cltomo_cpu_multiply_transposed(context, c, a, first, count, b, false, NULL), CLTOMO_OK);
        for (size_t i = 0; i < room; ++i) {
            for (size_t j = 0; j < width; ++j) {
                double expected = i < count ? 0.0 : left_element(i, j);
                for (size_t k = 0; i < count && k < inner; ++k) {
                    expected += left_element(k, first + i) * right_element(k, j);
                }
                cr_assert_eq(get(c, i, j), expected);
            }
        }
        cltomo_matrix_destroy(a);
        cltomo_matrix_destroy(b);
        cltomo_matrix_destroy(c);
    }
    cltomo_context_destroy(context);
}

Test(linear_algebra, a_matrix_that_is_not_positive_definite_is_refused)
{
    cltomo_context *context = fixture_threads(2);
    static const struct {
        size_t n, row; /* the row, from 0, at which the factorisation stops */
        double change; /* of that row's diagonal element */
    } cases[] = {
        {1, 0, -1.0}, {1, 0, -2.0}, {3, 1, -4.0}, {3, 2, -16.5}, {70, 68, -1.0}, {200, 199, -5.0}};
    for (size_t k = 0; k < 2 * sizeof cases / sizeof cases[0]; ++k) {
        size_t row = cases[k / 2].row;
        cltomo_matrix *a = known_matrix(context, precisions[k % 2], cases[k / 2].n);
        set(a, row, row, symmetric(row, row) + cases[k / 2].change);
        double pivot_ratio = -7.0;
        cltomo_error error = {0};
        char place[32];
        (void)snprintf(place, sizeof place, "row %zu of %zu", row + 1, cases[k / 2].n);
        cr_assert_eq(cltomo_cpu_cholesky(context, array_of(a), &pivot_ratio, &error),
            CLTOMO_ERROR_NOT_POSITIVE_DEFINITE, "case %zu", k);
        cr_assert_eq(error.status, CLTOMO_ERROR_NOT_POSITIVE_DEFINITE);
        cr_assert_not_null(strstr(error.message, "not positive definite"));
        cr_assert_not_null(strstr(error.message, place), "%s", error.message);
        cr_assert_not_null(strstr(error.message, "alpha")); /* what helps */
        cltomo_matrix_destroy(a);
    }
    cltomo_context_destroy(context);
}

/* Wherever the NaN or infinity stands in the triangle that counts. */
Test(linear_algebra, what_is_not_finite_ends_in_an_error)
{
    static const size_t sizes[] = {1, 5, 130};
    const double bad[] = {NAN, INFINITY, -INFINITY};
    cltomo_context *context = fixture_threads(2);
    for (size_t s = 0; s < 3; ++s) {
        size_t n = sizes[s];
        for (size_t k = 0; k < 60; ++k) {
            size_t i = k * 37 % n;
            size_t j = i + k * 53 % (n - i);
            cltomo_matrix *a = known_matrix(context, precisions[k % 2], n);
            set(a, i, j, bad[k % 3]);
            double pivot_ratio = 0.0;
            cltomo_error error = {0};
            cltomo_status status = cltomo_cpu_cholesky(context, array_of(a), &pivot_ratio, &error);
            cr_assert(
                status == CLTOMO_ERROR_NOT_FINITE || status == CLTOMO_ERROR_NOT_POSITIVE_DEFINITE,
                "%zu: %g at (%zu, %zu): %d", n, bad[k % 3], i, j, (int)status);
            cr_assert_eq(error.status, status);
            cltomo_matrix_destroy(a);
        }
    }
    cltomo_context_destroy(context);
}

Test(linear_algebra, shapes_and_precisions_must_fit)
{
    cltomo_context *context = fixture_threads(1);
    cltomo_error error = {0};
    double pivot_ratio = 0.0;
    cltomo_matrix *square = known_matrix(context, CLTOMO_PRECISION_DOUBLE, 3);
    cltomo_matrix *wide = filled(context, CLTOMO_PRECISION_DOUBLE, 2, 3, left_element);
    cltomo_matrix *tall = filled(context, CLTOMO_PRECISION_DOUBLE, 3, 2, left_element);
    cltomo_matrix *single = filled(context, CLTOMO_PRECISION_SINGLE, 2, 3, left_element);
    cltomo_matrix *single_square = known_matrix(context, CLTOMO_PRECISION_SINGLE, 3);

    cr_assert_eq(
        cltomo_cpu_cholesky(context, array_of(wide), &pivot_ratio, &error), CLTOMO_ERROR_SHAPE);
    cr_assert_not_null(strstr(error.message, "2 x 3"));
    cr_assert_eq(
        cltomo_cpu_solve(context, array_of(tall), array_of(square), &error), CLTOMO_ERROR_SHAPE);
    cr_assert_eq(
        cltomo_cpu_solve(context, array_of(wide), array_of(tall), &error), CLTOMO_ERROR_SHAPE);
    cr_assert_eq(cltomo_cpu_solve(context, array_of(single), array_of(square), &error),
        CLTOMO_ERROR_ARGUMENT);

    cltomo_matrix *const bad[][3] = {{square, wide, tall}, /* c, a, b */
        {tall, wide, square}, {wide, tall, wide}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        cr_assert_eq(cltomo_cpu_multiply(context, array_of(bad[i][0]), 1.0, array_of(bad[i][1]),
                         array_of(bad[i][2]), &error),
            CLTOMO_ERROR_SHAPE, "case %zu", i);
    }
    cr_assert_eq(cltomo_cpu_multiply(
                     context, array_of(single), 1.0, array_of(wide), array_of(square), &error),
        CLTOMO_ERROR_ARGUMENT);
    cr_assert_eq(cltomo_cpu_multiply(
                     context, array_of(wide), 1.0, array_of(wide), array_of(single_square), &error),
        CLTOMO_ERROR_ARGUMENT);
    cltomo_matrix_destroy(square);
    cltomo_matrix_destroy(wide);
    cltomo_matrix_destroy(tall);
    cltomo_matrix_destroy(single);
    cltomo_matrix_destroy(single_square);
    cltomo_context_destroy(context);
}

typedef struct watcher {
    size_t calls;
    double last;
    size_t cancel_at;
} watcher;

static int watch(void *user, const char *stage, double fraction)
{
    watcher *w = user;
    cr_assert_str_eq(stage, "solve");
    cr_assert_gt(fraction, w->last);
    cr_assert_leq(fraction, 1.0);
    w->last = fraction;
    return ++w->calls == w->cancel_at;
}

Test(linear_algebra, a_long_solve_tells_its_progress_and_can_be_cancelled)
{
    for (size_t cancel_at = 0; cancel_at < 4; ++cancel_at) {
        watcher w = {.cancel_at = cancel_at};
        cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
        cltomo_context *context = NULL;
        double pivot_ratio = 0.0;
        options.backend = CLTOMO_BACKEND_CPU;
        options.progress = watch;
        options.progress_user = &w;
        cr_assert_eq(cltomo_context_create(&context, &options, NULL), CLTOMO_OK);
        cltomo_matrix *a = known_matrix(context, CLTOMO_PRECISION_DOUBLE, 3);
        cltomo_matrix *x = filled(context, CLTOMO_PRECISION_DOUBLE, 2500, 3, left_element);
        cr_assert_eq(cltomo_cpu_cholesky(context, array_of(a), &pivot_ratio, NULL), CLTOMO_OK);
        cr_assert_eq(cltomo_cpu_solve(context, array_of(x), array_of(a), NULL),
            cancel_at == 0 ? CLTOMO_OK : CLTOMO_ERROR_CANCELLED);
        cr_assert_eq(w.calls, cancel_at == 0 ? 3 : cancel_at);
        cr_assert(cancel_at > 0 || w.last == 1.0);
        cltomo_matrix_destroy(a);
        cltomo_matrix_destroy(x);
        cltomo_context_destroy(context);
    }
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
    cr_expect_eq(
        cltomo_cpu_multiply_transposed(context, &square, &square, 0, 1, &square, false, NULL),
        CLTOMO_ERROR_UNSUPPORTED);
    cltomo_context_destroy(context);
}
