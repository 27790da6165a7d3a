/* The innermost loops of a real-time frame, compiled for several instruction sets like the row
 * kernels. Single precision; none of them raises an error or depends on the number of threads. */
#ifndef CLTOMO_BACKEND_CPU_LOOP_KERNELS_H
#define CLTOMO_BACKEND_CPU_LOOP_KERNELS_H

#include <stddef.h>

/* How commands follow from what the matrix gives. */
typedef struct cltomo_command_filter {
    float keep; /* 1 - leak */
    float gain;
} cltomo_command_filter;

typedef struct cltomo_command_counts {
    size_t overflows; /* not finite before clipping */
    size_t clipped;   /* changed by a limit */
} cltomo_command_counts;

typedef struct cltomo_loop_kernels {
    const char *name; /* of the instruction set */

    /* y[i] = row i of a times x, i below n_rows; rows of `stride` elements, a multiple of
     * CLTOMO_VECTOR_BLOCK as long as x, both aligned. */
    void (*multiply)(float *restrict y, const float *restrict a, size_t stride,
        const float *restrict x, size_t n_rows);

    /* e[i] = slopes[i] - offset[i], or 0 where the slope is not finite. Returns how many are not.
     */
    size_t (*subtract_offset)(
        float *restrict e, const float *restrict slopes, const float *restrict offset, size_t n);

    /* e[i] -= d[i] */
    void (*subtract)(float *restrict e, const float *restrict d, size_t n);

    /* out[i] = clip(keep before[i] + gain x[i]) between lower[i] and upper[i], both finite; x
     * counts as 0 where the sum is a NaN. out may be before. */
    cltomo_command_counts (*filter)(float *out, const float *before, const float *restrict x,
        const float *restrict lower, const float *restrict upper, size_t n,
        cltomo_command_filter filter);
} cltomo_loop_kernels;

/* As cltomo_row_kernels_supported. */
const cltomo_loop_kernels *cltomo_loop_kernels_supported(size_t index);

/* The fastest. */
const cltomo_loop_kernels *cltomo_loop_kernels_best(void);

#endif
