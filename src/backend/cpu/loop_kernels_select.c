#include <string.h>

#include "backend/cpu/loop_kernels.h"
#include "backend/cpu/row_kernels.h"

extern const cltomo_loop_kernels cltomo_loop_kernels_baseline;
#ifdef CLTOMO_ROW_KERNELS_X86
extern const cltomo_loop_kernels cltomo_loop_kernels_avx2;
extern const cltomo_loop_kernels cltomo_loop_kernels_avx512;
#endif

static const cltomo_loop_kernels *const variants[] = {
#ifdef CLTOMO_ROW_KERNELS_X86
    &cltomo_loop_kernels_avx2,
    &cltomo_loop_kernels_avx512,
#endif
    &cltomo_loop_kernels_baseline,
};

const cltomo_loop_kernels *cltomo_loop_kernels_supported(size_t index)
{
    const cltomo_row_kernels *same = cltomo_row_kernels_supported(index);
    for (size_t i = 0; same != NULL && i < sizeof variants / sizeof *variants; ++i) {
        if (strcmp(variants[i]->name, same->name) == 0) {
            return variants[i];
        }
    }
    return NULL;
}

const cltomo_loop_kernels *cltomo_loop_kernels_best(void)
{
    return cltomo_loop_kernels_supported(0);
}
