#include "backend/opencl/solve.h"

#include <lapacke.h>

#include "backend/opencl/clblast.h"

enum { block = 128 };

typedef struct solve_job {
    const cltomo_context *context;
    cltomo_array *x;
    const cltomo_array *factor;
    cl_mem inverse; /* of the diagonal blocks, block x block each */
    cl_mem column;  /* a block of columns of x */
    size_t n;       /* size of A */
} solve_job;

static size_t width_of(const solve_job *job, size_t j)
{
    size_t left = job->n - j * block;
    return left < block ? left : block;
}

/* Reads the diagonal block j into a block x block square, inverts it, and clears what lies below.
 */
static cltomo_status invert_block(const solve_job *job, size_t j, void *square, cltomo_error *error)
{
    size_t element = cltomo_precision_size(job->x->precision);
    size_t width = width_of(job, j);
    cl_command_queue queue = cltomo_opencl_of(job->context)->queue;
    const size_t from[3] = {j * block * element, j * block, 0};
    const size_t to[3] = {0, 0, 0};
    const size_t region[3] = {width * element, width, 1};
    cl_int code = clEnqueueReadBufferRect(queue, job->factor->buffer, CL_TRUE, from, to, region,
        job->n * element, 0, block * element, 0, square, 0, NULL, NULL);
    if (code != CL_SUCCESS) {
        return cltomo_opencl_fail(error, code, "reading the factor");
    }
    /* row-major upper is column-major lower */
    lapack_int size = (lapack_int)width;
    lapack_int info = job->x->precision == CLTOMO_PRECISION_DOUBLE
                          ? LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'L', 'N', size, square, block)
                          : LAPACKE_strtri_work(LAPACK_COL_MAJOR, 'L', 'N', size, square, block);
    if (info != 0) {
        return cltomo_fail(error, CLTOMO_ERROR_NOT_POSITIVE_DEFINITE,
            "the Cholesky factor has a zero on its diagonal");
    }
    for (size_t row = 1; row < width; ++row) {
        for (size_t col = 0; col < row; ++col) {
            if (job->x->precision == CLTOMO_PRECISION_DOUBLE) {
                ((double *)square)[row * block + col] = 0.0;
            } else {
                ((float *)square)[row * block + col] = 0.0F;
            }
        }
    }
    code = clEnqueueWriteBuffer(queue, job->inverse, CL_TRUE, j * block * block * element,
        (size_t)block * block * element, square, 0, NULL, NULL);
    return code == CL_SUCCESS ? CLTOMO_OK : cltomo_opencl_fail(error, code, "writing a block");
}

static cltomo_status invert_blocks(const solve_job *job, size_t n_blocks, cltomo_error *error)
{
    size_t element = cltomo_precision_size(job->x->precision);
    void *square = cltomo_allocate_zero(job->context, (size_t)block * block, element);
    cltomo_status status = CLTOMO_OK;
    if (square == NULL) {
        return cltomo_fail_memory(error, "the solve");
    }
    for (size_t j = 0; j < n_blocks && status == CLTOMO_OK; ++j) {
        status = invert_block(job, j, square, error);
    }
    cltomo_release(job->context, square);
    return status;
}

/* x_j = x_j inverse_j, or its transpose. */
static cltomo_status apply_inverse(
    const solve_job *job, size_t j, bool transposed, cltomo_error *error)
{
    size_t element = cltomo_precision_size(job->x->precision);
    size_t width = width_of(job, j);
    cltomo_cl_block x = {job->x->buffer, j * block, job->n};
    cltomo_cl_block inverse = {job->inverse, j * block * block, block};
    cltomo_cl_block column = {job->column, 0, block};
    const size_t from[3] = {0, 0, 0};
    const size_t to[3] = {j * block * element, 0, 0};
    const size_t region[3] = {width * element, job->x->rows, 1};
    cltomo_status status = cltomo_clblast_gemm(job->context, job->x->precision, column,
        job->x->rows, width, width, 1.0, x, false, inverse, transposed, 0.0, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    cl_int code = clEnqueueCopyBufferRect(cltomo_opencl_of(job->context)->queue, job->column,
        job->x->buffer, from, to, region, block * element, 0, job->n * element, 0, 0, NULL, NULL);
    return code == CL_SUCCESS ? CLTOMO_OK : cltomo_opencl_fail(error, code, "copying a block");
}

/* y U = x, from the first block of columns to the last. */
static cltomo_status forward(const solve_job *job, size_t j, cltomo_error *error)
{
    size_t done = j * block;
    cltomo_cl_block x = {job->x->buffer, done, job->n};
    cltomo_cl_block known = {job->x->buffer, 0, job->n};
    cltomo_cl_block u = {job->factor->buffer, done, job->n};
    cltomo_status status = CLTOMO_OK;
    if (done > 0) {
        status = cltomo_clblast_gemm(job->context, job->x->precision, x, job->x->rows,
            width_of(job, j), done, -1.0, known, false, u, false, 1.0, error);
    }
    return status == CLTOMO_OK ? apply_inverse(job, j, false, error) : status;
}

/* z U^T = y, from the last block of columns to the first. */
static cltomo_status backward(const solve_job *job, size_t j, cltomo_error *error)
{
    size_t next = j * block + width_of(job, j);
    cltomo_cl_block x = {job->x->buffer, j * block, job->n};
    cltomo_cl_block known = {job->x->buffer, next, job->n};
    cltomo_cl_block u = {job->factor->buffer, j * block * job->n + next, job->n};
    cltomo_status status = CLTOMO_OK;
    if (next < job->n) {
        status = cltomo_clblast_gemm(job->context, job->x->precision, x, job->x->rows,
            width_of(job, j), job->n - next, -1.0, known, false, u, true, 1.0, error);
    }
    return status == CLTOMO_OK ? apply_inverse(job, j, true, error) : status;
}

cltomo_status cltomo_opencl_blocked_solve(
    const cltomo_context *context, cltomo_array *x, const cltomo_array *factor, cltomo_error *error)
{
    size_t n_blocks = (factor->rows + block - 1) / block;
    cltomo_array *inverse = NULL;
    cltomo_array *column = NULL;
    cltomo_status status =
        cltomo_opencl_array_create(context, &inverse, x->precision, n_blocks * block, block, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_array_create(context, &column, x->precision, x->rows, block, error);
    }
    if (status == CLTOMO_OK) {
        solve_job job = {.context = context,
            .x = x,
            .factor = factor,
            .inverse = inverse->buffer,
            .column = column->buffer,
            .n = factor->rows};
        status = invert_blocks(&job, n_blocks, error);
        for (size_t j = 0; j < n_blocks && status == CLTOMO_OK; ++j) {
            status = forward(&job, j, error);
        }
        for (size_t j = n_blocks; j > 0 && status == CLTOMO_OK; --j) {
            status = backward(&job, j - 1, error);
        }
    }
    cltomo_opencl_array_destroy(context, inverse);
    cltomo_opencl_array_destroy(context, column);
    return status == CLTOMO_OK ? cltomo_opencl_finish(context, error) : status;
}
