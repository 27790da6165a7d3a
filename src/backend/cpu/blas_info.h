/* Recognises an OpenBLAS that does not know the processor it runs on and so works at a fraction of
 * its speed. */
#ifndef CLTOMO_BACKEND_CPU_BLAS_INFO_H
#define CLTOMO_BACKEND_CPU_BLAS_INFO_H

#include <cltomo/blas.h>
#include <cltomo/context.h>

/* Sets slow and preferred_core from the other fields of *info. */
void cltomo_blas_judge(cltomo_blas_info *info);

/* Logs one warning that names the remedy if *info is slow. */
void cltomo_blas_warn(const cltomo_context *context, const cltomo_blas_info *info);

/* The same for the BLAS of this process. */
void cltomo_blas_warn_if_slow(const cltomo_context *context);

#endif
