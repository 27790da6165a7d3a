#include "backend/cpu/loop_kernels.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdalign.h>

#include "backend/plan.h"
#include "support/loop.h"

enum { most = 192 };

static alignas(CLTOMO_ALIGNMENT) float a[most * most];
static alignas(CLTOMO_ALIGNMENT) float x[most];
static float y[most + 1];

static void expect_product(const cltomo_loop_kernels *kernels, size_t n_rows, size_t stride)
{
    for (size_t i = 0; i < n_rows * stride; ++i) {
        a[i] = rintf(8.0F * (float)loop_number(1, i)); /* exact in any order of summation */
    }
    for (size_t j = 0; j < stride; ++j) {
        x[j] = rintf(8.0F * (float)loop_number(2, j));
    }
    y[n_rows] = 77.0F;
    kernels->multiply(y, a, stride, x, n_rows);
    for (size_t i = 0; i < n_rows; ++i) {
        float sum = 0.0F;
        for (size_t j = 0; j < stride; ++j) {
            sum += a[i * stride + j] * x[j];
        }
        cr_assert(y[i] == sum, "%s, %zu x %zu, row %zu", kernels->name, n_rows, stride, i);
    }
    cr_assert(y[n_rows] == 77.0F);
}

Test(loop_kernels, multiply)
{
    const cltomo_loop_kernels *kernels = NULL;
    for (size_t v = 0; (kernels = cltomo_loop_kernels_supported(v)) != NULL; ++v) {
        for (size_t n_rows = 0; n_rows <= 13; ++n_rows) {
            for (size_t stride = CLTOMO_VECTOR_BLOCK; stride <= 160;
                 stride += CLTOMO_VECTOR_BLOCK) {
                expect_product(kernels, n_rows, stride);
            }
        }
    }
    cr_assert_not_null(cltomo_loop_kernels_best());
    cr_assert_eq(cltomo_loop_kernels_best(), cltomo_loop_kernels_supported(0));
}

Test(loop_kernels, subtract_offset)
{
    static const float special[] = {NAN, INFINITY, -INFINITY, FLT_MAX, FLT_MIN / 2.0F, 3.0F};
    static const float expected[] = {0.0F, 0.0F, 0.0F, FLT_MAX, 0.0F, 3.0F};
    const cltomo_loop_kernels *kernels = NULL;
    for (size_t v = 0; (kernels = cltomo_loop_kernels_supported(v)) != NULL; ++v) {
        for (size_t n = 0; n <= 70; ++n) {
            float slopes[70];
            float offset[70];
            size_t bad = 0;
            for (size_t i = 0; i < n; ++i) {
                slopes[i] = special[(i + n) % 6];
                offset[i] = (i + n) % 6 == 5 ? 1.0F : 0.0F;
                bad += (i + n) % 6 < 3;
            }
            cr_assert_eq(kernels->subtract_offset(y, slopes, offset, n), bad);
            for (size_t i = 0; i < n; ++i) {
                cr_assert(y[i] == expected[(i + n) % 6] - offset[i], "%s, %zu of %zu",
                    kernels->name, i, n);
            }
        }
    }
}

Test(loop_kernels, filter)
{
    static const float product[] = {NAN, INFINITY, -INFINITY, 4.0F, 100.0F, 1e-40F};
    static const float expected[] = {3.0F, 10.0F, -10.0F, 5.0F, 10.0F, 3.0F};
    const cltomo_loop_kernels *kernels = NULL;
    for (size_t v = 0; (kernels = cltomo_loop_kernels_supported(v)) != NULL; ++v) {
        for (size_t n = 0; n <= 70; ++n) {
            float before[70];
            float given[70];
            float lower[70];
            float upper[70];
            size_t overflows = 0;
            size_t clipped = 0;
            for (size_t i = 0; i < n; ++i) {
                size_t kind = (i + n) % 6;
                before[i] = 6.0F;
                given[i] = product[kind];
                lower[i] = -10.0F;
                upper[i] = 10.0F;
                overflows += kind < 3;
                clipped += kind == 1 || kind == 2 || kind == 4;
            }
            const cltomo_command_filter half = {.keep = 0.5F, .gain = 0.5F};
            cltomo_command_counts counts =
                kernels->filter(before, before, given, lower, upper, n, half);
            cr_assert_eq(counts.overflows, overflows);
            cr_assert_eq(counts.clipped, clipped);
            for (size_t i = 0; i < n; ++i) {
                cr_assert(before[i] == expected[(i + n) % 6], "%s, %zu of %zu: %g", kernels->name,
                    i, n, (double)before[i]);
            }
        }
    }
}
