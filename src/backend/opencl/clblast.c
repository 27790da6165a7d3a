#include "backend/opencl/clblast.h"

#include <clblast_c.h>

static pthread_mutex_t clblast_lock = PTHREAD_MUTEX_INITIALIZER;

static cltomo_status gemm(const cltomo_context *context, cltomo_precision precision,
    cltomo_cl_block c, size_t m, size_t n, size_t k, double alpha, cltomo_cl_factor a,
    cltomo_cl_factor b, double beta, cltomo_error *error)
{
    cl_command_queue queue = cltomo_opencl_of(context)->queue;
    CLBlastTranspose of_a = a.transposed ? CLBlastTransposeYes : CLBlastTransposeNo;
    CLBlastTranspose of_b = b.transposed ? CLBlastTransposeYes : CLBlastTransposeNo;
    (void)pthread_mutex_lock(&clblast_lock);
    CLBlastStatusCode code =
        precision == CLTOMO_PRECISION_DOUBLE
            ? CLBlastDgemm(CLBlastLayoutRowMajor, of_a, of_b, m, n, k, alpha, a.block.buffer,
                  a.block.offset, a.block.stride, b.block.buffer, b.block.offset, b.block.stride,
                  beta, c.buffer, c.offset, c.stride, &queue, NULL)
            : CLBlastSgemm(CLBlastLayoutRowMajor, of_a, of_b, m, n, k, (float)alpha, a.block.buffer,
                  a.block.offset, a.block.stride, b.block.buffer, b.block.offset, b.block.stride,
                  (float)beta, c.buffer, c.offset, c.stride, &queue, NULL);
    (void)pthread_mutex_unlock(&clblast_lock);
    return code == CLBlastSuccess ? CLTOMO_OK
                                  : cltomo_opencl_fail(error, (cl_int)code, "CLBlast's GEMM");
}

/* Part of c: some of its rows, over all of k. */
static cltomo_status gemm_rows(const cltomo_context *context, cltomo_precision precision,
    cltomo_cl_block c, size_t m, size_t n, size_t k, double alpha, cltomo_cl_factor a,
    cltomo_cl_factor b, double beta, cltomo_error *error)
{
    enum { fewest = 256 }; /* terms that still hide the reading and writing of c */
    double terms = cltomo_opencl_of(context)->quirks.launch_flops / (2.0 * (double)m * (double)n);
    size_t step = terms >= (double)k ? k : terms > fewest ? (size_t)terms : fewest;
    cltomo_status status = CLTOMO_OK;
    for (size_t done = 0; done < k && status == CLTOMO_OK; done += step) {
        size_t count = k - done < step ? k - done : step;
        cltomo_cl_factor left = a;
        cltomo_cl_factor right = b;
        left.block.offset += a.transposed ? done * a.block.stride : done;
        right.block.offset += b.transposed ? done : done * b.block.stride;
        status = gemm(
            context, precision, c, m, n, count, alpha, left, right, done == 0 ? beta : 1.0, error);
    }
    return status;
}

cltomo_status cltomo_clblast_gemm(const cltomo_context *context, cltomo_precision precision,
    cltomo_cl_block c, size_t m, size_t n, size_t k, double alpha, cltomo_cl_factor a,
    cltomo_cl_factor b, double beta, cltomo_error *error)
{
    enum { fewest = 256 }; /* rows that still keep a device busy */
    double rows = cltomo_opencl_of(context)->quirks.launch_flops / (2.0 * (double)n * (double)k);
    size_t step = rows >= (double)m ? m : rows > fewest ? (size_t)rows : fewest;
    cltomo_status status = CLTOMO_OK;
    for (size_t row = 0; row < m && status == CLTOMO_OK; row += step) {
        size_t count = m - row < step ? m - row : step;
        cltomo_cl_block to = c;
        cltomo_cl_factor from = a;
        to.offset += row * c.stride;
        from.block.offset += a.transposed ? row : row * a.block.stride;
        status = gemm_rows(context, precision, to, count, n, k, alpha, from, b, beta, error);
    }
    return status;
}
