#include "backend/opencl/solve.h"

#include <lapacke.h>

#include "backend/opencl/clblast.h"

/* A block's rows are in one panel of the factor. */
enum { block = cltomo_panel_step };

typedef struct solve_job {
    const cltomo_context *context;
    cltomo_array *x;
    const cltomo_array *factor;
    cltomo_array *inverse; /* of the diagonal blocks, block x block each */
    cltomo_array *column;  /* a block of columns of a panel of x */
    cltomo_cl_span panel;  /* the panel of x at work */
} solve_job;

static size_t width_of(const solve_job *job, size_t j)
{
    size_t left = job->factor->rows - j * block;
    return left < block ? left : block;
}

/* Column `col` of x, in the panel at work. */
static cltomo_cl_block x_block(const solve_job *job, size_t col)
{
    return cltomo_cl_block_of(job->x, &job->panel, col);
}

/* Sets the elements below the diagonal to zero. */
static void clear_lower(void *square, cltomo_precision precision, size_t width)
{
    for (size_t row = 1; row < width; ++row) {
        for (size_t col = 0; col < row; ++col) {
            if (precision == CLTOMO_PRECISION_DOUBLE) {
                ((double *)square)[row * block + col] = 0.0;
            } else {
                ((float *)square)[row * block + col] = 0.0F;
            }
        }
    }
}

/* Inverts the diagonal block j in a block x block square on the host. */
static cltomo_status invert_block(const solve_job *job, size_t j, void *square, cltomo_error *error)
{
    cltomo_precision precision = job->x->precision;
    size_t element = cltomo_precision_size(precision);
    size_t width = width_of(job, j);
    cl_command_queue queue = cltomo_opencl_of(job->context)->queue;
    cltomo_cl_span from = cltomo_opencl_span(job->factor, j * block, j * block + width);
    cltomo_cl_span to = cltomo_opencl_span(job->inverse, j * block, (j + 1) * block);
    const size_t from_origin[3] = {j * block * element, from.first, 0};
    const size_t host_origin[3] = {0, 0, 0};
    const size_t region[3] = {width * element, width, 1};
    cl_int code = clEnqueueReadBufferRect(queue, from.buffer, CL_TRUE, from_origin, host_origin,
        region, job->factor->cols * element, 0, block * element, 0, square, 0, NULL, NULL);
    if (code != CL_SUCCESS) {
        return cltomo_opencl_fail(error, code, "reading the factor");
    }
    /* row-major upper is column-major lower */
    lapack_int size = (lapack_int)width;
    lapack_int info = precision == CLTOMO_PRECISION_DOUBLE
                          ? LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'L', 'N', size, square, block)
                          : LAPACKE_strtri_work(LAPACK_COL_MAJOR, 'L', 'N', size, square, block);
    if (info != 0) {
        return cltomo_fail(error, CLTOMO_ERROR_NOT_POSITIVE_DEFINITE,
            "the Cholesky factor has a zero on its diagonal");
    }
    clear_lower(square, precision, width);
    code = clEnqueueWriteBuffer(queue, to.buffer, CL_TRUE, to.first * block * element,
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
    size_t rows = job->panel.count;
    cltomo_cl_span of_inverse = cltomo_opencl_span(job->inverse, j * block, (j + 1) * block);
    cltomo_cl_span of_column = cltomo_opencl_span(job->column, 0, rows);
    cltomo_cl_factor x = {x_block(job, j * block), false};
    cltomo_cl_factor inverse = {cltomo_cl_block_of(job->inverse, &of_inverse, 0), transposed};
    cltomo_cl_block column = cltomo_cl_block_of(job->column, &of_column, 0);
    const size_t from[3] = {0, 0, 0};
    const size_t to[3] = {j * block * element, job->panel.first, 0};
    const size_t region[3] = {width * element, rows, 1};
    cltomo_status status = cltomo_clblast_gemm(
        job->context, job->x->precision, column, rows, width, width, 1.0, x, inverse, 0.0, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    cl_int code = clEnqueueCopyBufferRect(cltomo_opencl_of(job->context)->queue, column.buffer,
        job->panel.buffer, from, to, region, block * element, 0, job->x->cols * element, 0, 0, NULL,
        NULL);
    return code == CL_SUCCESS ? CLTOMO_OK : cltomo_opencl_fail(error, code, "copying a block");
}

/* y U = x, from the first block of columns to the last. */
static cltomo_status forward(const solve_job *job, size_t j, cltomo_error *error)
{
    size_t done = j * block;
    cltomo_status status = CLTOMO_OK;
    for (size_t k = 0; k < done && status == CLTOMO_OK;) {
        cltomo_cl_span span = cltomo_opencl_span(job->factor, k, done);
        cltomo_cl_factor known = {x_block(job, k), false};
        cltomo_cl_factor u = {cltomo_cl_block_of(job->factor, &span, done), false};
        status = cltomo_clblast_gemm(job->context, job->x->precision, x_block(job, done),
            job->panel.count, width_of(job, j), span.count, -1.0, known, u, 1.0, error);
        k += span.count;
    }
    return status == CLTOMO_OK ? apply_inverse(job, j, false, error) : status;
}

/* z U^T = y, from the last block of columns to the first. */
static cltomo_status backward(const solve_job *job, size_t j, cltomo_error *error)
{
    size_t n = job->factor->rows;
    size_t width = width_of(job, j);
    size_t next = j * block + width;
    cltomo_status status = CLTOMO_OK;
    if (next < n) {
        cltomo_cl_span span = cltomo_opencl_span(job->factor, j * block, next);
        cltomo_cl_factor known = {x_block(job, next), false};
        cltomo_cl_factor u = {cltomo_cl_block_of(job->factor, &span, next), true};
        status = cltomo_clblast_gemm(job->context, job->x->precision, x_block(job, j * block),
            job->panel.count, width, n - next, -1.0, known, u, 1.0, error);
    }
    return status == CLTOMO_OK ? apply_inverse(job, j, true, error) : status;
}

static cltomo_status solve_panel(solve_job *job, size_t row, size_t n_blocks, cltomo_error *error)
{
    cltomo_status status = CLTOMO_OK;
    job->panel = cltomo_opencl_span(job->x, row, job->x->rows);
    for (size_t j = 0; j < n_blocks && status == CLTOMO_OK; ++j) {
        status = forward(job, j, error);
    }
    for (size_t j = n_blocks; j > 0 && status == CLTOMO_OK; --j) {
        status = backward(job, j - 1, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_finish(job->context, error);
    }
    double done = (double)(row + job->panel.count) / (double)job->x->rows;
    return status == CLTOMO_OK ? cltomo_progress(job->context, "solve", done, error) : status;
}

cltomo_status cltomo_opencl_blocked_solve(
    const cltomo_context *context, cltomo_array *x, const cltomo_array *factor, cltomo_error *error)
{
    size_t n_blocks = (factor->rows + block - 1) / block;
    solve_job job = {.context = context, .x = x, .factor = factor};
    cltomo_status status = cltomo_opencl_array_create(
        context, &job.inverse, x->precision, n_blocks * block, block, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_array_create(
            context, &job.column, x->precision, x->panel_rows, block, error);
    }
    if (status == CLTOMO_OK) {
        status = invert_blocks(&job, n_blocks, error);
    }
    for (size_t row = 0; row < x->rows && status == CLTOMO_OK; row += x->panel_rows) {
        status = solve_panel(&job, row, n_blocks, error);
    }
    cltomo_opencl_array_destroy(context, job.inverse);
    cltomo_opencl_array_destroy(context, job.column);
    return status;
}
