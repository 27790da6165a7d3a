#include "backend/cpu/row_kernels.h"
#include <stdbool.h>

extern const cltomo_row_kernels cltomo_row_kernels_baseline;

#ifdef CLTOMO_ROW_KERNELS_X86

extern const cltomo_row_kernels cltomo_row_kernels_avx2;
extern const cltomo_row_kernels cltomo_row_kernels_avx512;

const cltomo_row_kernels *cltomo_row_kernels_supported(size_t index)
{
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
    const cltomo_row_kernels *supported[4] = {NULL};
    size_t count = 0;
    if (avx512)
        supported[count++] = &cltomo_row_kernels_avx512;
    if (avx2)
        supported[count++] = &cltomo_row_kernels_avx2;
    supported[count++] = &cltomo_row_kernels_baseline;
    return index < count ? supported[index] : NULL;
}

#else

const cltomo_row_kernels *cltomo_row_kernels_supported(size_t index)
{
    return index == 0 ? &cltomo_row_kernels_baseline : NULL;
}

#endif

const cltomo_row_kernels *cltomo_row_kernels_best(void)
{
    return cltomo_row_kernels_supported(0);
}
