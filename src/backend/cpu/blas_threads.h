/* Holds OpenBLAS to the threads that a context's creator asked for. */
#ifndef CLTOMO_BACKEND_CPU_BLAS_THREADS_H
#define CLTOMO_BACKEND_CPU_BLAS_THREADS_H

#include "core/core.h"

/* Between begin and end the BLAS works with the context's threads, if they were asked for and the
 * BLAS is OpenBLAS; otherwise nothing happens. end takes what begin returned. The setting belongs
 * to the whole process, so such sections exclude each other and the old number is restored. */
int cltomo_blas_threads_begin(const cltomo_context *context);
void cltomo_blas_threads_end(const cltomo_context *context, int saved);

#endif
