/* Compiled once per instruction set; CLTOMO_ROW_KERNELS_ISA is the last part of the table's name.
 */
#include "backend/cpu/row_kernels.h"
#include "von_karman.h"
#include <math.h>

static void von_karman(double *restrict sum, const double *restrict x, const double *restrict y,
    size_t n, double x0, double y0, double scale, double weight)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double dx = x[i] - x0;
        double dy = y[i] - y0;
        sum[i] += weight * cltomo_vk_f_double(scale * sqrt(dx * dx + dy * dy));
    }
}

static void von_karman_single(double *restrict sum, const float *restrict x,
    const float *restrict y, size_t n, float x0, float y0, float scale, double weight)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        float dx = x[i] - x0;
        float dy = y[i] - y0;
        sum[i] += weight * (double)cltomo_vk_f_single(scale * sqrtf(dx * dx + dy * dy));
    }
}

static void gaussian(double *restrict sum, const double *restrict x, size_t n, double x0,
    double exponent, double weight)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        double dx = x[i] - x0;
        double u = exponent * (dx * dx);
        double v = u > CLTOMO_GAUSSIAN_CUT ? CLTOMO_GAUSSIAN_CUT : u;
        double value = cltomo_vk_exp_minus_double(v);
        sum[i] += weight * (u > CLTOMO_GAUSSIAN_CUT ? 0.0 : value);
    }
}

static void add_product(double *restrict sum, size_t stride, const double *restrict y, size_t n_y,
    const double *restrict x, size_t n_x)
{
    for (size_t j = 0; j < n_y; j++) {
        double *restrict row = sum + j * stride;
        double factor = y[j];
#pragma omp simd
        for (size_t i = 0; i < n_x; i++) {
            row[i] += factor * x[i];
        }
    }
}

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

extern const cltomo_row_kernels JOIN(cltomo_row_kernels_, CLTOMO_ROW_KERNELS_ISA);
const cltomo_row_kernels JOIN(cltomo_row_kernels_, CLTOMO_ROW_KERNELS_ISA) = {
    .name = TEXT(CLTOMO_ROW_KERNELS_ISA),
    .von_karman = von_karman,
    .von_karman_single = von_karman_single,
    .gaussian = gaussian,
    .add_product = add_product,
};
