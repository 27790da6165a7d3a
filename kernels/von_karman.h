/* f(u) = u^(5/6) K_{5/6}(u), the shape of the von Karman covariance, written once for C and OpenCL
 * C.
 *
 * No branch, no iteration and no library call, so that a compiler can evaluate many u at once: both
 * expansions are computed and one is selected. Their derivation is in
 * tools/derive/von_karman_coefficients.py.
 *
 * Valid for u in [0, inf]; f(0) is the exact value rounded once; beyond CLTOMO_VK_LIMIT_* the
 * result is 0; a NaN gives a NaN. Relative error below 3e-15 in double precision; in single
 * precision 3e-7. Under a flush-to-zero mode nothing changes: no result or intermediate is
 * subnormal unless u is below the square root of the smallest normal number, where f(u) = f(0).
 *
 * In OpenCL C, CLTOMO_VK_WIDTH (2, 4, 8 or 16) selects vector types, and double precision is there
 * if CLTOMO_VK_DOUBLE is defined. In C both precisions are there; contraction of products and sums
 * into fused operations is welcome but not needed. */
#ifndef CLTOMO_VON_KARMAN_H
#define CLTOMO_VON_KARMAN_H

#ifndef CLTOMO_VON_KARMAN_COEFFICIENTS_H
#include "von_karman_coefficients.h"
#endif

/* An OpenCL compiler that does not inline these no longer vectorises the work-items. */
#define CLTOMO_VK_INLINE static inline __attribute__((always_inline))

#ifdef __OPENCL_C_VERSION__

#ifdef CLTOMO_VK_WIDTH
#define CLTOMO_VK_JOIN_(a, b) a##b
#define CLTOMO_VK_JOIN(a, b) CLTOMO_VK_JOIN_(a, b)
#else
#define CLTOMO_VK_WIDTH
#define CLTOMO_VK_JOIN(a, b) a
#endif

typedef CLTOMO_VK_JOIN(float, CLTOMO_VK_WIDTH) cltomo_vk_single;
typedef CLTOMO_VK_JOIN(int, CLTOMO_VK_WIDTH) cltomo_vk_int;
#define CLTOMO_VK_INT_OF_SINGLE(x) CLTOMO_VK_JOIN(as_int, CLTOMO_VK_WIDTH)(x)
#define CLTOMO_VK_UINT_OF_SINGLE(x) CLTOMO_VK_JOIN(as_uint, CLTOMO_VK_WIDTH)(x)
#define CLTOMO_VK_SINGLE_OF_INT(i) CLTOMO_VK_JOIN(as_float, CLTOMO_VK_WIDTH)(i)
#define CLTOMO_VK_SINGLE_OF_UINT(i) CLTOMO_VK_JOIN(as_float, CLTOMO_VK_WIDTH)(i)
#ifdef CLTOMO_VK_DOUBLE
typedef CLTOMO_VK_JOIN(double, CLTOMO_VK_WIDTH) cltomo_vk_double;
#define CLTOMO_VK_TO_SINGLE(x) CLTOMO_VK_JOIN(convert_float, CLTOMO_VK_WIDTH)(x)
#define CLTOMO_VK_TO_DOUBLE(x) CLTOMO_VK_JOIN(convert_double, CLTOMO_VK_WIDTH)(x)
#define CLTOMO_VK_ULONG_OF_DOUBLE(x) CLTOMO_VK_JOIN(as_ulong, CLTOMO_VK_WIDTH)(x)
#define CLTOMO_VK_DOUBLE_OF_ULONG(i) CLTOMO_VK_JOIN(as_double, CLTOMO_VK_WIDTH)(i)
#endif

#else /* C */

#include <stdint.h>

#define CLTOMO_VK_DOUBLE
typedef float cltomo_vk_single;
typedef int32_t cltomo_vk_int;
typedef double cltomo_vk_double;
#define CLTOMO_VK_TO_SINGLE(x) ((float)(x))
#define CLTOMO_VK_TO_DOUBLE(x) ((double)(x))
/* A compound literal of a union reinterprets bits, as C11 6.5.2.3 allows. */
#define CLTOMO_VK_INT_OF_SINGLE(x) ((union cltomo_vk_bits32){.f = (x)}.i)
#define CLTOMO_VK_UINT_OF_SINGLE(x) ((union cltomo_vk_bits32){.f = (x)}.u)
#define CLTOMO_VK_SINGLE_OF_INT(i_) ((union cltomo_vk_bits32){.i = (i_)}.f)
#define CLTOMO_VK_SINGLE_OF_UINT(u_) ((union cltomo_vk_bits32){.u = (u_)}.f)
#define CLTOMO_VK_ULONG_OF_DOUBLE(x) ((union cltomo_vk_bits64){.f = (x)}.u)
#define CLTOMO_VK_DOUBLE_OF_ULONG(u_) ((union cltomo_vk_bits64){.u = (u_)}.f)

union cltomo_vk_bits32 {
    float f;
    int32_t i;
    uint32_t u;
};

union cltomo_vk_bits64 {
    double f;
    uint64_t u;
};

#endif

/* u^(-1/3) to about 4 percent: a third of a float's bits is nearly a third of its logarithm. Some
 * finite number for u = 0, and for a NaN. */
CLTOMO_VK_INLINE cltomo_vk_single cltomo_vk_root_guess(cltomo_vk_single u)
{
    cltomo_vk_int bits = CLTOMO_VK_INT_OF_SINGLE(u);
    return CLTOMO_VK_SINGLE_OF_INT(CLTOMO_VK_ROOT_BITS - bits / 3);
}

/* e^(-u) for u in [0, CLTOMO_VK_LIMIT_SINGLE]. Adding CLTOMO_VK_ROUND_* rounds to an integer and
 * leaves it in the low bits, from where a shift makes it an exponent. */
CLTOMO_VK_INLINE cltomo_vk_single cltomo_vk_exp_minus_single(cltomo_vk_single u)
{
    cltomo_vk_single rounded = u * -CLTOMO_VK_LOG2_E_SINGLE + CLTOMO_VK_ROUND_SINGLE;
    cltomo_vk_single n = rounded - CLTOMO_VK_ROUND_SINGLE;
    cltomo_vk_single r = (-u - n * CLTOMO_VK_LOG2_HIGH_SINGLE) - n * CLTOMO_VK_LOG2_LOW_SINGLE;
    cltomo_vk_single power =
        CLTOMO_VK_SINGLE_OF_UINT((CLTOMO_VK_UINT_OF_SINGLE(rounded) + 127u) << 23);
    return (1.0f + (r + r * r * CLTOMO_VK_EXP_SINGLE(r))) * power;
}

/* u^(1/3); 0 for u = 0. The last step makes up for the roundings of y and of u y^2. */
CLTOMO_VK_INLINE cltomo_vk_single cltomo_vk_cbrt_single(cltomo_vk_single u)
{
    cltomo_vk_single y = cltomo_vk_root_guess(u);
    cltomo_vk_single r = 1.0f - (u * y) * (y * y);
    y += y * r * CLTOMO_VK_ROOT_FIRST_SINGLE(r);
    cltomo_vk_single t = u * y * y;
    return t - (t * t * t - u) * (y * y * CLTOMO_VK_THIRD_SINGLE);
}

/* f(u) */
CLTOMO_VK_INLINE cltomo_vk_single cltomo_vk_f_single(cltomo_vk_single u)
{
    cltomo_vk_single v = u > CLTOMO_VK_LIMIT_SINGLE ? CLTOMO_VK_LIMIT_SINGLE : u;
    cltomo_vk_single t = cltomo_vk_cbrt_single(v);
    cltomo_vk_single w = v * v;
    cltomo_vk_single near = CLTOMO_VK_F_ZERO_SINGLE +
                            (w * CLTOMO_VK_A_TAIL_SINGLE(w) + v * (t * t) * CLTOMO_VK_B_SINGLE(w));
    cltomo_vk_single ratio = CLTOMO_VK_NUMERATOR_SINGLE(v) / CLTOMO_VK_DENOMINATOR_SINGLE(v);
    cltomo_vk_single far =
        cltomo_vk_exp_minus_single(v) * (t * (CLTOMO_VK_SQRT_HALF_PI_SINGLE + ratio));
    far = u > CLTOMO_VK_LIMIT_SINGLE ? 0.0f : far;
    return u < CLTOMO_VK_SWITCH_SINGLE ? near : far;
}

#ifdef CLTOMO_VK_DOUBLE

/* e^(-u) for u in [0, CLTOMO_VK_LIMIT_DOUBLE]; see cltomo_vk_exp_minus_single. */
CLTOMO_VK_INLINE cltomo_vk_double cltomo_vk_exp_minus_double(cltomo_vk_double u)
{
    cltomo_vk_double rounded = u * -CLTOMO_VK_LOG2_E_DOUBLE + CLTOMO_VK_ROUND_DOUBLE;
    cltomo_vk_double n = rounded - CLTOMO_VK_ROUND_DOUBLE;
    cltomo_vk_double r = (-u - n * CLTOMO_VK_LOG2_HIGH_DOUBLE) - n * CLTOMO_VK_LOG2_LOW_DOUBLE;
    cltomo_vk_double power =
        CLTOMO_VK_DOUBLE_OF_ULONG((CLTOMO_VK_ULONG_OF_DOUBLE(rounded) + 1023u) << 52);
    return (1.0 + (r + r * r * CLTOMO_VK_EXP_DOUBLE(r))) * power;
}

/* u^(-1/3) for u up to CLTOMO_VK_LIMIT_DOUBLE; some finite number for u = 0. */
CLTOMO_VK_INLINE cltomo_vk_double cltomo_vk_root_double(cltomo_vk_double u)
{
    cltomo_vk_double y = CLTOMO_VK_TO_DOUBLE(cltomo_vk_root_guess(CLTOMO_VK_TO_SINGLE(u)));
    cltomo_vk_double r = 1.0 - (u * y) * (y * y);
    y += y * r * CLTOMO_VK_ROOT_FIRST_DOUBLE(r);
    r = 1.0 - (u * y) * (y * y);
    return y + y * r * CLTOMO_VK_ROOT_SECOND_DOUBLE(r);
}

/* f(u) - f(0) for u below CLTOMO_VK_SWITCH_DOUBLE, with y = u^(-1/3) */
CLTOMO_VK_INLINE cltomo_vk_double cltomo_vk_near_double(cltomo_vk_double u, cltomo_vk_double y)
{
    cltomo_vk_double w = u * u;
    return w * (CLTOMO_VK_A_TAIL_DOUBLE(w) + y * CLTOMO_VK_B_DOUBLE(w));
}

/* f(u) for u from CLTOMO_VK_SWITCH_DOUBLE to CLTOMO_VK_LIMIT_DOUBLE, with y = u^(-1/3) */
CLTOMO_VK_INLINE cltomo_vk_double cltomo_vk_far_double(cltomo_vk_double u, cltomo_vk_double y)
{
    cltomo_vk_double ratio = CLTOMO_VK_NUMERATOR_DOUBLE(u) / CLTOMO_VK_DENOMINATOR_DOUBLE(u);
    cltomo_vk_double t = u * (y * y);
    return cltomo_vk_exp_minus_double(u) * (t * (CLTOMO_VK_SQRT_HALF_PI_DOUBLE + ratio));
}

/* f(u) */
CLTOMO_VK_INLINE cltomo_vk_double cltomo_vk_f_double(cltomo_vk_double u)
{
    cltomo_vk_double v = u > CLTOMO_VK_LIMIT_DOUBLE ? CLTOMO_VK_LIMIT_DOUBLE : u;
    cltomo_vk_double y = cltomo_vk_root_double(v);
    cltomo_vk_double near = CLTOMO_VK_F_ZERO_DOUBLE + cltomo_vk_near_double(v, y);
    cltomo_vk_double far = cltomo_vk_far_double(v, y);
    far = u > CLTOMO_VK_LIMIT_DOUBLE ? 0.0 : far;
    return u < CLTOMO_VK_SWITCH_DOUBLE ? near : far;
}

#endif

#endif
