/* The innermost loops of the C path, compiled for several instruction sets of which the processor's
 * best is chosen at run time. They walk along a row of n points and add to `sum`. */
#ifndef CLTOMO_BACKEND_CPU_ROW_KERNELS_H
#define CLTOMO_BACKEND_CPU_ROW_KERNELS_H

#include <stddef.h>

/* Arrays need no alignment and must not overlap. Arguments are finite, scale and exponent are not
 * negative. */
typedef struct cltomo_row_kernels {
    const char *name; /* of the instruction set */

    /* sum[i] += weight f(scale sqrt((x[i] - x0)^2 + (y[i] - y0)^2)), f(u) = u^(5/6) K_{5/6}(u):
     * with scale = 2 pi / L0 and the variance factor as weight this adds the covariance of point i
     * with (x0, y0). */
    void (*von_karman)(double *restrict sum, const double *restrict x, const double *restrict y,
        size_t n, double x0, double y0, double scale, double weight);

    /* The same in single precision up to f. The sum is double: over many layers and directions a
     * single-precision sum loses more than f itself, and the wider sum costs nothing. */
    void (*von_karman_single)(double *restrict sum, const float *restrict x,
        const float *restrict y, size_t n, float x0, float y0, float scale, double weight);

    /* sum[i] += weight exp(-exponent (x[i] - x0)^2), taken as 0 where the exponential is below
     * CLTOMO_GAUSSIAN_CUT: keeps products of two of them out of the slow subnormal numbers. */
    void (*gaussian)(double *restrict sum, const double *restrict x, size_t n, double x0,
        double exponent, double weight);

    /* sum[j * stride + i] += y[j] x[i], j below n_y and i below n_x. */
    void (*add_product)(double *restrict sum, size_t stride, const double *restrict y, size_t n_y,
        const double *restrict x, size_t n_x);
} cltomo_row_kernels;

#define CLTOMO_GAUSSIAN_CUT 50.0 /* in exp(-50) = 2e-22 */

/* The variants that this processor can run, the fastest first; NULL beyond the last. The baseline
 * is always there. */
const cltomo_row_kernels *cltomo_row_kernels_supported(size_t index);

/* The fastest. */
const cltomo_row_kernels *cltomo_row_kernels_best(void);

#endif
