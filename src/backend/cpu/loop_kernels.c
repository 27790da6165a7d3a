/* Compiled once per instruction set; CLTOMO_LOOP_KERNELS_ISA is the last part of the table's name.
 */
#include "backend/cpu/loop_kernels.h"

#include <float.h>
#include <math.h>

#if defined(__AVX512F__)
enum { lanes = 16 };
#elif defined(__AVX__)
enum { lanes = 8 };
#else
enum { lanes = 4 };
#endif

typedef float vector __attribute__((vector_size(lanes * sizeof(float)), may_alias));

static float sum_of(vector v)
{
    float sum = 0.0F;
    for (int k = 0; k < lanes; ++k) {
        sum += v[k];
    }
    return sum;
}

/* Four rows at a time, so that each piece of x is loaded once for them, and two sums for each row,
 * which hide the time that an addition takes. */
static void multiply_four(float *restrict y, const float *restrict a, size_t stride,
    const float *restrict x, size_t n_vectors)
{
    const vector *restrict v = (const vector *)x;
    const vector *restrict r0 = (const vector *)a;
    const vector *restrict r1 = (const vector *)(a + stride);
    const vector *restrict r2 = (const vector *)(a + 2 * stride);
    const vector *restrict r3 = (const vector *)(a + 3 * stride);
    vector even0 = {0}, even1 = {0}, even2 = {0}, even3 = {0};
    vector odd0 = {0}, odd1 = {0}, odd2 = {0}, odd3 = {0};
    for (size_t j = 0; j < n_vectors; j += 2) {
        even0 += r0[j] * v[j];
        even1 += r1[j] * v[j];
        even2 += r2[j] * v[j];
        even3 += r3[j] * v[j];
        odd0 += r0[j + 1] * v[j + 1];
        odd1 += r1[j + 1] * v[j + 1];
        odd2 += r2[j + 1] * v[j + 1];
        odd3 += r3[j + 1] * v[j + 1];
    }
    y[0] = sum_of(even0 + odd0);
    y[1] = sum_of(even1 + odd1);
    y[2] = sum_of(even2 + odd2);
    y[3] = sum_of(even3 + odd3);
}

static float multiply_one(const float *restrict a, const float *restrict x, size_t n_vectors)
{
    const vector *restrict v = (const vector *)x;
    const vector *restrict row = (const vector *)a;
    vector even = {0};
    vector odd = {0};
    for (size_t j = 0; j < n_vectors; j += 2) {
        even += row[j] * v[j];
        odd += row[j + 1] * v[j + 1];
    }
    return sum_of(even + odd);
}

static void multiply(float *restrict y, const float *restrict a, size_t stride,
    const float *restrict x, size_t n_rows)
{
    size_t i = 0;
    for (; i + 4 <= n_rows; i += 4) {
        multiply_four(y + i, a + i * stride, stride, x, stride / lanes);
    }
    for (; i < n_rows; ++i) {
        y[i] = multiply_one(a + i * stride, x, stride / lanes);
    }
}

/* Numbers below FLT_MIN would make every product with them many times slower. */
static inline float flushed(float x)
{
    return fabsf(x) < FLT_MIN ? 0.0F : x;
}

static inline int is_finite(float x)
{
    return fabsf(x) <= FLT_MAX; /* false for a NaN */
}

static size_t subtract_offset(
    float *restrict e, const float *restrict slopes, const float *restrict offset, size_t n)
{
    unsigned bad = 0;
#pragma omp simd reduction(+ : bad)
    for (size_t i = 0; i < n; ++i) {
        int good = is_finite(slopes[i]);
        e[i] = good ? flushed(slopes[i] - offset[i]) : 0.0F;
        bad += good ? 0U : 1U;
    }
    return bad;
}

static void subtract(float *restrict e, const float *restrict d, size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; ++i) {
        e[i] -= d[i];
    }
}

static cltomo_command_counts filter(float *out, const float *before, const float *restrict x,
    const float *restrict lower, const float *restrict upper, size_t n,
    cltomo_command_filter filter)
{
    unsigned overflows = 0;
    unsigned clipped = 0;
#pragma omp simd reduction(+ : overflows, clipped)
    for (size_t i = 0; i < n; ++i) {
        float kept = filter.keep * before[i];
        float sum = kept + filter.gain * x[i];
        float wanted = sum == sum ? sum : kept;
        float risen = wanted < lower[i] ? lower[i] : wanted;
        float within = risen > upper[i] ? upper[i] : risen;
        overflows += is_finite(sum) ? 0U : 1U;
        clipped += within != wanted ? 1U : 0U;
        out[i] = flushed(within);
    }
    return (cltomo_command_counts){overflows, clipped};
}

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

extern const cltomo_loop_kernels JOIN(cltomo_loop_kernels_, CLTOMO_LOOP_KERNELS_ISA);
const cltomo_loop_kernels JOIN(cltomo_loop_kernels_, CLTOMO_LOOP_KERNELS_ISA) = {
    .name = TEXT(CLTOMO_LOOP_KERNELS_ISA),
    .multiply = multiply,
    .subtract_offset = subtract_offset,
    .subtract = subtract,
    .filter = filter,
};
