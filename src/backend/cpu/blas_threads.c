#include "backend/cpu/blas_threads.h"

#include <pthread.h>

/* Present only if the BLAS is OpenBLAS. */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int n_threads) __attribute__((weak));

/* Guards OpenBLAS's own process-wide setting; nothing of ours. */
static pthread_mutex_t openblas_setting = PTHREAD_MUTEX_INITIALIZER;

static bool is_held(const cltomo_context *context)
{
    return cltomo_context_threads_requested(context) && openblas_get_num_threads != NULL &&
           openblas_set_num_threads != NULL;
}

int cltomo_blas_threads_begin(const cltomo_context *context)
{
    if (!is_held(context)) {
        return 0;
    }
    (void)pthread_mutex_lock(&openblas_setting);
    int saved = openblas_get_num_threads();
    openblas_set_num_threads((int)cltomo_context_threads(context));
    return saved;
}

void cltomo_blas_threads_end(const cltomo_context *context, int saved)
{
    if (is_held(context)) {
        openblas_set_num_threads(saved);
        (void)pthread_mutex_unlock(&openblas_setting);
    }
}
