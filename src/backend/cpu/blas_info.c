#include "backend/cpu/blas_info.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "core/core.h"

/* OpenBLAS's own functions. Weak, so that the library also links and loads with another BLAS; a
 * weak reference, unlike dlsym, also sees an OpenBLAS that a plug-in host loaded privately. */
#if defined(__GNUC__)
char *openblas_get_config(void) __attribute__((weak));
char *openblas_get_corename(void) __attribute__((weak));
int openblas_get_num_threads(void) __attribute__((weak));
#endif

/* Kernels that use no AVX2. All other names (Haswell, Zen, SkylakeX, those of later releases and of
 * other architectures) are taken to suit the processor. "Unknown" is what 0.3 calls a processor
 * that it has no kernels for. */
static const char *const cores_without_avx2[] = {
    "Generic",
    "Unknown",
    "Katmai",
    "Coppermine",
    "Northwood",
    "Prescott",
    "Banias",
    "Atom",
    "Core2",
    "Penryn",
    "Dunnington",
    "Nehalem",
    "Athlon",
    "Opteron",
    "Opteron_SSE3",
    "Barcelona",
    "Nano",
    "Bobcat",
    "Sandybridge",
    "Bulldozer",
    "Piledriver",
    "Steamroller",
};

static bool core_lacks_avx2(const char *core)
{
    for (size_t i = 0; i < sizeof cores_without_avx2 / sizeof *cores_without_avx2; ++i) {
        if (strcasecmp(core, cores_without_avx2[i]) == 0) {
            return true;
        }
    }
    return false;
}

void cltomo_blas_judge(cltomo_blas_info *info)
{
    info->slow = core_lacks_avx2(info->core) && (info->cpu_has_avx2 || info->cpu_has_avx512);
    info->preferred_core = NULL;
    /* A library built for one processor only ignores OPENBLAS_CORETYPE. */
    if (info->slow && strstr(info->library, "DYNAMIC_ARCH") != NULL) {
        info->preferred_core = info->cpu_has_avx512 ? "SKYLAKEX" : "HASWELL";
    }
}

static void read_cpu(cltomo_blas_info *info)
{
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
    __builtin_cpu_init();
    info->cpu_has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    info->cpu_has_avx512 = __builtin_cpu_supports("avx512f") &&
                           __builtin_cpu_supports("avx512cd") &&
                           __builtin_cpu_supports("avx512bw") &&
                           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
    (void)info;
#endif
}

void cltomo_blas_get_info(cltomo_blas_info *info)
{
    memset(info, 0, sizeof *info);
    read_cpu(info);
#if defined(__GNUC__)
    if (openblas_get_config != NULL) {
        cltomo_copy_text(info->library, sizeof info->library, openblas_get_config());
    }
    if (openblas_get_corename != NULL) {
        cltomo_copy_text(info->core, sizeof info->core, openblas_get_corename());
    }
    if (openblas_get_num_threads != NULL) {
        int n = openblas_get_num_threads();
        info->n_threads = n > 0 ? (uint32_t)n : 0;
    }
#endif
    cltomo_blas_judge(info);
}

void cltomo_blas_warn(const cltomo_context *context, const cltomo_blas_info *info)
{
    if (!info->slow) {
        return;
    }
    const char *units = info->cpu_has_avx512 ? "AVX-512" : "AVX2";
    if (info->preferred_core != NULL) {
        cltomo_log(context, CLTOMO_LOG_WARNING,
            "OpenBLAS runs its %s kernels although this processor has %s, which makes linear "
            "algebra several times slower; set OPENBLAS_CORETYPE=%s in the environment before the "
            "program starts",
            info->core, units, info->preferred_core);
    } else {
        cltomo_log(context, CLTOMO_LOG_WARNING,
            "OpenBLAS runs its %s kernels, the only ones it was built with, although this "
            "processor has %s, which makes linear algebra several times slower; install an "
            "OpenBLAS built with DYNAMIC_ARCH",
            info->core, units);
    }
}

void cltomo_blas_warn_if_slow(const cltomo_context *context)
{
    cltomo_blas_info info;
    cltomo_blas_get_info(&info);
    cltomo_blas_warn(context, &info);
}
