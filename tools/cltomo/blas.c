#include <cltomo/blas.h>
#include <stdlib.h>
#include <unistd.h>

#include "tool.h"

/* OpenBLAS chooses its kernels while it is loaded, before main. */
void restart_with_fast_blas(char **argv)
{
    static const char core_variable[] = "OPENBLAS_CORETYPE";
    static const char restarted_variable[] = "CLTOMO_RESTARTED"; /* so that it happens once */
    cltomo_blas_info info;
    cltomo_blas_get_info(&info);
    if (info.preferred_core == NULL || getenv(core_variable) != NULL ||
        getenv(restarted_variable) != NULL || setenv(core_variable, info.preferred_core, 1) != 0 ||
        setenv(restarted_variable, "1", 1) != 0) {
        return;
    }
    (void)execv("/proc/self/exe", argv);
    /* It could not be restarted: the build goes on slowly, and warns of it. */
    (void)unsetenv(core_variable);
    (void)unsetenv(restarted_variable);
}
