/* Products with a vector on the device: for each matrix its buffers, and a kernel with all
 * arguments bound beforehand. Matrices are uploaded through a queue of their own, beside the
 * loop's. Products with many vectors are those of two matrices, by whoever does these on the
 * device. */
#include "backend/plan.h"

#include <limits.h>
#include <string.h>

#include "backend/opencl/matrix_vector.h"
#include "backend/opencl/transfer.h"

struct cltomo_plan {
    const cltomo_context *context;
    cl_command_queue upload;
};

struct cltomo_prepared {
    size_t rows;
    size_t cols;
    cltomo_array *a; /* in one buffer */
    cl_mem x;
    cl_mem y;
    cl_kernel kernel;
    size_t global[2];
};

static void destroy(cltomo_plan *plan)
{
    if (plan != NULL) {
        (void)clReleaseCommandQueue(plan->upload);
        cltomo_release(plan->context, plan);
    }
}

static cltomo_status create(const cltomo_context *context, cltomo_plan **plan,
    const cltomo_plan_options *options, cltomo_error *error)
{
    const cltomo_opencl *cl = cltomo_opencl_of(context);
    cl_int code = CL_SUCCESS;
    (void)options;
    *plan = NULL;
    cltomo_plan *created = cltomo_allocate(context, 1, sizeof *created);
    if (created == NULL) {
        return cltomo_fail_memory(error, "a real-time loop");
    }
    created->context = context;
    created->upload = clCreateCommandQueue(cl->context, cl->device, 0, &code);
    if (code != CL_SUCCESS) {
        cltomo_release(context, created);
        return cltomo_opencl_fail(error, code, "creating a command queue");
    }
    *plan = created;
    return CLTOMO_OK;
}

static uint32_t threads(const cltomo_plan *plan)
{
    (void)plan;
    return 1;
}

static void release(cltomo_plan *plan, cltomo_prepared *prepared)
{
    if (prepared == NULL) {
        return;
    }
    if (prepared->kernel != NULL) {
        (void)clReleaseKernel(prepared->kernel);
    }
    cltomo_opencl_array_destroy(plan->context, prepared->a);
    cltomo_opencl_release_buffer(prepared->x);
    cltomo_opencl_release_buffer(prepared->y);
    cltomo_release(plan->context, prepared);
}

static cltomo_status create_matrix(cltomo_plan *plan, cltomo_prepared *p, cltomo_error *error)
{
    cltomo_status status = cltomo_opencl_array_create(
        plan->context, &p->a, CLTOMO_PRECISION_SINGLE, p->rows, p->cols, error);
    if (status == CLTOMO_OK && p->a->n_panels > 1) {
        return cltomo_fail(error, CLTOMO_ERROR_MEMORY,
            "a %zu x %zu matrix of the real-time loop needs one buffer, but the OpenCL device "
            "allows %.0f MB",
            p->rows, p->cols, 1e-6 * (double)cltomo_opencl_of(plan->context)->largest_buffer);
    }
    return status;
}

static cl_int create_vectors(cltomo_plan *plan, cltomo_prepared *p)
{
    cl_context context = cltomo_opencl_of(plan->context)->context;
    cl_int code = CL_SUCCESS;
    p->x = clCreateBuffer(context, CL_MEM_READ_ONLY, p->cols * sizeof(float), NULL, &code);
    if (code == CL_SUCCESS) {
        p->y = clCreateBuffer(context, CL_MEM_WRITE_ONLY, p->rows * sizeof(float), NULL, &code);
    }
    return code;
}

static cl_int bind_kernel(cltomo_plan *plan, cltomo_prepared *p, cl_program program)
{
    const cltomo_cl_matrix_vector product = {.y = p->y,
        .a = p->a->panel[0],
        .x = p->x,
        .n_rows = (cl_int)p->rows,
        .n_cols = (cl_int)p->cols};
    cltomo_cl_argument arguments[cltomo_cl_matrix_vector_arguments];
    cl_int code = CL_SUCCESS;
    cltomo_opencl_matrix_vector_arguments(arguments, &product);
    cltomo_opencl_matrix_vector_size(cltomo_opencl_of(plan->context), p->global, p->rows);
    p->kernel = clCreateKernel(program, CLTOMO_MATRIX_VECTOR_KERNEL, &code);
    for (cl_uint i = 0; i < cltomo_cl_matrix_vector_arguments && code == CL_SUCCESS; ++i) {
        code = clSetKernelArg(p->kernel, i, arguments[i].size, arguments[i].value);
    }
    return code;
}

static cl_int upload(cltomo_plan *plan, cltomo_prepared *p, const float *elements)
{
    return clEnqueueWriteBuffer(plan->upload, p->a->panel[0], CL_TRUE, 0,
        p->rows * p->cols * sizeof *elements, elements, 0, NULL, NULL);
}

static cltomo_status fill(
    cltomo_plan *plan, cltomo_prepared *p, const cltomo_matrix *matrix, cltomo_error *error)
{
    cltomo_matrix *single = NULL;
    cltomo_status status =
        cltomo_matrix_convert(plan->context, &single, matrix, CLTOMO_PRECISION_SINGLE, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    cl_int code = upload(plan, p, single->data.f32);
    cltomo_matrix_destroy(single);
    return code == CL_SUCCESS ? CLTOMO_OK
                              : cltomo_opencl_fail(error, code, "a matrix of the real-time loop");
}

static cltomo_status create_kernel(cltomo_plan *plan, cltomo_prepared *p, cltomo_error *error)
{
    cl_program program = NULL;
    cltomo_status status =
        cltomo_opencl_program(plan->context, &program, CLTOMO_PRECISION_SINGLE, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    cl_int code = create_vectors(plan, p);
    code = code == CL_SUCCESS ? bind_kernel(plan, p, program) : code;
    return code == CL_SUCCESS ? CLTOMO_OK
                              : cltomo_opencl_fail(error, code, "the kernel of a real-time loop");
}

static cltomo_status prepare(
    cltomo_plan *plan, cltomo_prepared **prepared, const cltomo_matrix *matrix, cltomo_error *error)
{
    *prepared = NULL;
    if (matrix->rows > INT_MAX || matrix->cols > INT_MAX) {
        return cltomo_fail(error, CLTOMO_ERROR_UNSUPPORTED,
            "a %zu x %zu matrix is beyond the 32-bit sizes of the kernels", matrix->rows,
            matrix->cols);
    }
    cltomo_prepared *created = cltomo_allocate_zero(plan->context, 1, sizeof *created);
    if (created == NULL) {
        return cltomo_fail_memory(error, "a matrix of the real-time loop");
    }
    created->rows = matrix->rows;
    created->cols = matrix->cols;
    cltomo_status status = create_matrix(plan, created, error);
    if (status == CLTOMO_OK) {
        status = create_kernel(plan, created, error);
    }
    if (status == CLTOMO_OK) {
        status = fill(plan, created, matrix, error);
    }
    if (status != CLTOMO_OK) {
        release(plan, created);
        return status;
    }
    *prepared = created;
    return CLTOMO_OK;
}

static cltomo_status execute(
    cltomo_plan *plan, const cltomo_prepared *p, float *y, const float *x, cltomo_error *error)
{
    cl_command_queue queue = cltomo_opencl_of(plan->context)->queue;
    const size_t local[2] = {cltomo_opencl_group, 1};
    cl_int code =
        clEnqueueWriteBuffer(queue, p->x, CL_FALSE, 0, p->cols * sizeof *x, x, 0, NULL, NULL);
    if (code == CL_SUCCESS) {
        code = clEnqueueNDRangeKernel(queue, p->kernel, 2, NULL, p->global, local, 0, NULL, NULL);
    }
    if (code == CL_SUCCESS) {
        code = clEnqueueReadBuffer(queue, p->y, CL_TRUE, 0, p->rows * sizeof *y, y, 0, NULL, NULL);
    }
    return code == CL_SUCCESS ? CLTOMO_OK : cltomo_opencl_fail(error, code, "the real-time loop");
}

/* The vectors, which have room at their ends, as a matrix of the device. */
static cltomo_status upload_vectors(const cltomo_context *context, cltomo_array **array,
    const float *x, size_t n, size_t length, cltomo_error *error)
{
    cltomo_matrix *matrix = NULL;
    *array = NULL;
    cltomo_status status =
        cltomo_matrix_allocate(context, &matrix, CLTOMO_PRECISION_SINGLE, n, length, error);
    for (size_t i = 0; i < n && status == CLTOMO_OK; ++i) {
        memcpy(
            matrix->data.f32 + i * length, x + i * cltomo_vector_room(length), length * sizeof *x);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_upload(context, array, matrix, CLTOMO_PRECISION_SINGLE, error);
    }
    cltomo_matrix_destroy(matrix);
    return status;
}

/* y = x A^T, y on the host */
static cltomo_status multiply(const cltomo_context *context, cltomo_matrix *y,
    const cltomo_array *a, const cltomo_array *x, cltomo_error *error)
{
    cltomo_array *product = NULL;
    cltomo_status status =
        cltomo_opencl_array_create(context, &product, y->precision, y->rows, y->cols, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_multiply_by_transpose(context, product, x, a, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_read(context, y, product, error);
    }
    cltomo_opencl_array_destroy(context, product);
    return status;
}

static cltomo_status execute_many(cltomo_plan *plan, const cltomo_prepared *p, float *y,
    const float *x, size_t n, cltomo_error *error)
{
    cltomo_matrix results = cltomo_vectors_view(plan->context, y, n, p->rows);
    cltomo_array *vectors = NULL;
    cltomo_status status = upload_vectors(plan->context, &vectors, x, n, p->cols, error);
    if (status == CLTOMO_OK) {
        status = multiply(plan->context, &results, p->a, vectors, error);
    }
    cltomo_opencl_array_destroy(plan->context, vectors);
    return status;
}

const cltomo_plan_operations cltomo_plan_opencl = {
    .create = create,
    .destroy = destroy,
    .threads = threads,
    .prepare = prepare,
    .release = release,
    .execute = execute,
    .execute_many = execute_many,
};
