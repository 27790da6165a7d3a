/* The linear-algebra library that the process runs with, and whether it suits the processor. */
#ifndef CLTOMO_BLAS_H
#define CLTOMO_BLAS_H

#include <cltomo/export.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What OpenBLAS says of itself, and what the processor and the operating system offer. With
 * another BLAS the strings are empty, n_threads is 0, and slow is 0. */
typedef struct cltomo_blas_info {
    char library[192];          /* name, version and build options, as the library states them */
    char core[32];              /* processor that its running kernels were written for */
    uint32_t n_threads;         /* threads that it works with */
    uint32_t cpu_has_avx2;      /* nonzero: AVX2 and FMA */
    uint32_t cpu_has_avx512;    /* nonzero: AVX-512 F, CD, BW, DQ and VL */
    uint32_t slow;              /* nonzero: the kernels leave the processor's vector units idle */
    const char *preferred_core; /* value for the environment variable OPENBLAS_CORETYPE that cures
                                   it, to be set before the process starts; static; NULL if not
                                   slow, or if the library holds no other kernels */
} cltomo_blas_info;

CLTOMO_API void cltomo_blas_get_info(cltomo_blas_info *info);

#ifdef __cplusplus
}
#endif

#endif
