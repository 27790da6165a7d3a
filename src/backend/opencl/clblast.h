/* CLBlast in one place. It keeps process-wide caches of compiled routines, and its version 1.5
 * races when two threads compile one at the same time: a process-wide lock is held during each
 * call. */
#ifndef CLTOMO_BACKEND_OPENCL_CLBLAST_H
#define CLTOMO_BACKEND_OPENCL_CLBLAST_H

#include "backend/opencl/opencl.h"

/* A part of a row-major buffer: where it begins, and the distance of its rows, in elements. */
typedef struct cltomo_cl_block {
    cl_mem buffer;
    size_t offset;
    size_t stride;
} cltomo_cl_block;

/* c (m x n) = alpha op(a) op(b) + beta c, op the transposition if asked for; k is the inner size.
 */
cltomo_status cltomo_clblast_gemm(const cltomo_context *context, cltomo_precision precision,
    cltomo_cl_block c, size_t m, size_t n, size_t k, double alpha, cltomo_cl_block a,
    bool transpose_a, cltomo_cl_block b, bool transpose_b, double beta, cltomo_error *error);

/* Multiplies two small matrices and compares with the host: CLBlast has been wrong on some devices.
 */
cltomo_status cltomo_clblast_check(
    const cltomo_context *context, cltomo_precision precision, cltomo_error *error);

#endif
