#include "backend/cpu/row_kernels.h"
#include "turbulence/turbulence.h"

#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

enum { CAPACITY = 1024 };

static const size_t counts[] = {0, 1, 2, 3, 5, 7, 8, 9, 15, 17, 31, 33, 1000};
#define N_COUNTS (sizeof(counts) / sizeof(counts[0]))

/* A scattered row with every distance from 0 to beyond the range of the exponential. */
typedef struct {
    double x[CAPACITY], y[CAPACITY], sum[CAPACITY], start[CAPACITY];
    float xf[CAPACITY], yf[CAPACITY];
} row;

static row fixture;

static void fill(row *r)
{
    for (size_t i = 0; i < CAPACITY; i++) {
        double distance = i % 11 == 0 ? 0.0 : pow(10.0, -4.0 + 6.5 * (double)(i % 97) / 97.0);
        double angle = 2.4 * (double)i;
        r->x[i] = 3.25 + distance * cos(angle);
        r->y[i] = -1.75 + distance * sin(angle);
        r->xf[i] = (float)r->x[i];
        r->yf[i] = (float)r->y[i];
        r->start[i] = 0.125 * (double)(i % 5);
    }
}

/* Calls body(variant, count, offset) for all variants of the processor, counts and alignments. */
static void for_each(row *r, void (*body)(const cltomo_row_kernels *, row *, size_t, size_t))
{
    fill(r);
    const cltomo_row_kernels *kernels = NULL;
    for (size_t k = 0; (kernels = cltomo_row_kernels_supported(k)); k++)
        for (size_t c = 0; c < N_COUNTS; c++)
            for (size_t offset = 0; offset < 3; offset++) {
                memcpy(r->sum, r->start, sizeof(r->sum));
                body(kernels, r, counts[c], offset);
                size_t end = offset + counts[c]; /* nothing outside the row is written */
                cr_assert_eq(memcmp(r->sum, r->start, offset * sizeof(double)), 0);
                cr_assert_eq(
                    memcmp(&r->sum[end], &r->start[end], (CAPACITY - end) * sizeof(double)), 0);
            }
}

static void check_double(const cltomo_row_kernels *kernels, row *r, size_t n, size_t offset)
{
    const double scale = 0.9, weight = 1.5;
    kernels->von_karman(
        r->sum + offset, r->x + offset, r->y + offset, n, 3.25, -1.75, scale, weight);
    for (size_t i = offset; i < offset + n; i++) {
        double u = scale * hypot(r->x[i] - 3.25, r->y[i] + 1.75);
        double f = cltomo_von_karman_f(u);
        double expected = r->start[i] + weight * f;
        double tolerance = (4e-15 + 1e-15 * u) * weight * f + 4e-16 * r->start[i];
        cr_assert_leq(fabs(r->sum[i] - expected), tolerance, "%s, n = %zu, i = %zu, u = %g",
            kernels->name, n, i, u);
    }
}

Test(row_kernels, von_karman_adds_the_scalar_function)
{
    for_each(&fixture, check_double);
}

static void check_single(const cltomo_row_kernels *kernels, row *r, size_t n, size_t offset)
{
    const float scale = 0.9f;
    const double weight = 1.5;
    kernels->von_karman_single(
        r->sum + offset, r->xf + offset, r->yf + offset, n, 3.25f, -1.75f, scale, weight);
    for (size_t i = offset; i < offset + n; i++) {
        double u = (double)scale * hypot((double)r->xf[i] - 3.25, (double)r->yf[i] + 1.75);
        double f = cltomo_von_karman_f(u);
        double expected = r->start[i] + weight * f;
        double tolerance = (4e-7 + 3e-7 * u) * weight * f + 1e-15 * r->start[i] + 4e-37;
        cr_assert_leq(fabs(r->sum[i] - expected), tolerance, "%s, n = %zu, i = %zu, u = %g",
            kernels->name, n, i, u);
    }
}

Test(row_kernels, von_karman_single_adds_the_scalar_function)
{
    for_each(&fixture, check_single);
}

static void check_gaussian(const cltomo_row_kernels *kernels, row *r, size_t n, size_t offset)
{
    const double exponent = 0.07, weight = 1.5;
    kernels->gaussian(r->sum + offset, r->x + offset, n, 3.25, exponent, weight);
    for (size_t i = offset; i < offset + n; i++) {
        double dx = r->x[i] - 3.25;
        double u = exponent * dx * dx;
        double value = u > CLTOMO_GAUSSIAN_CUT ? 0.0 : weight * exp(-u);
        double tolerance = (1e-15 + 1e-15 * u) * value + 4e-16 * r->start[i];
        cr_assert_leq(fabs(r->sum[i] - r->start[i] - value), tolerance,
            "%s, n = %zu, i = %zu, u = %g", kernels->name, n, i, u);
    }
}

Test(row_kernels, gaussian_adds_the_exponential)
{
    for_each(&fixture, check_gaussian);
}

/* Points that coincide, in the middle of a vector and in its remainder, are not special. */
Test(row_kernels, coincident_points_give_the_variance)
{
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 3},
                 y[] = {0, 0, 0.5, 1, 1, 1, 1, 1, 1, 1, 0.5};
    const float xf[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 3};
    const float yf[] = {0, 0, 0.5, 1, 1, 1, 1, 1, 1, 1, 0.5};
    const cltomo_row_kernels *kernels = NULL;
    for (size_t k = 0; (kernels = cltomo_row_kernels_supported(k)); k++) {
        double sum[11] = {0}, single[11] = {0}, gaussian[11] = {0};
        kernels->von_karman(sum, x, y, 11, 3.0, 0.5, 0.25, 2.0);
        kernels->von_karman_single(single, xf, yf, 11, 3.0f, 0.5f, 0.25f, 2.0);
        kernels->gaussian(gaussian, x, 11, 3.0, 0.3, 2.0);
        for (size_t i = 2; i < 11; i += 8) {
            cr_assert_eq(sum[i], 2.0 * cltomo_von_karman_f(0.0), "%s", kernels->name);
            cr_assert_eq(
                single[i], 2.0 * (double)cltomo_von_karman_f_single(0.0f), "%s", kernels->name);
            cr_assert_eq(gaussian[i], 2.0, "%s", kernels->name);
        }
    }
}

Test(row_kernels, baseline_is_always_supported_and_the_best_comes_first)
{
    size_t count = 0;
    while (cltomo_row_kernels_supported(count))
        count++;
    cr_assert_geq(count, 1);
    cr_assert_str_eq(cltomo_row_kernels_supported(count - 1)->name, "baseline");
    cr_assert_eq(cltomo_row_kernels_best(), cltomo_row_kernels_supported(0));
}
