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

/* A factor of a product: a block, and whether it is to be transposed. */
typedef struct cltomo_cl_factor {
    cltomo_cl_block block;
    bool transposed;
} cltomo_cl_factor;

/* The block that begins at `column` of a span's first row. */
static inline cltomo_cl_block cltomo_cl_block_of(
    const cltomo_array *array, const cltomo_cl_span *span, size_t column)
{
    return (cltomo_cl_block){span->buffer, span->first * array->cols + column, array->cols};
}

/* c (m x n) = alpha a b + beta c, k the inner size; in several launches if one would take long. */
cltomo_status cltomo_clblast_gemm(const cltomo_context *context, cltomo_precision precision,
    cltomo_cl_block c, size_t m, size_t n, size_t k, double alpha, cltomo_cl_factor a,
    cltomo_cl_factor b, double beta, cltomo_error *error);

/* Multiplies matrices and compares with the host: CLBlast has been wrong on some devices, and for
 * some sizes only, as it has several kernels. CLTOMO_ERROR_DEVICE if it is wrong or does not work.
 */
cltomo_status cltomo_clblast_check(
    const cltomo_context *context, cltomo_precision precision, cltomo_error *error);

#endif
