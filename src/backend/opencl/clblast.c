#include "backend/opencl/clblast.h"

#include <clblast_c.h>
#include <math.h>

#include "backend/opencl/transfer.h"

static pthread_mutex_t clblast_lock = PTHREAD_MUTEX_INITIALIZER;

cltomo_status cltomo_clblast_gemm(const cltomo_context *context, cltomo_precision precision,
    cltomo_cl_block c, size_t m, size_t n, size_t k, double alpha, cltomo_cl_block a,
    bool transpose_a, cltomo_cl_block b, bool transpose_b, double beta, cltomo_error *error)
{
    cl_command_queue queue = cltomo_opencl_of(context)->queue;
    CLBlastTranspose of_a = transpose_a ? CLBlastTransposeYes : CLBlastTransposeNo;
    CLBlastTranspose of_b = transpose_b ? CLBlastTransposeYes : CLBlastTransposeNo;
    (void)pthread_mutex_lock(&clblast_lock);
    CLBlastStatusCode code =
        precision == CLTOMO_PRECISION_DOUBLE
            ? CLBlastDgemm(CLBlastLayoutRowMajor, of_a, of_b, m, n, k, alpha, a.buffer, a.offset,
                  a.stride, b.buffer, b.offset, b.stride, beta, c.buffer, c.offset, c.stride,
                  &queue, NULL)
            : CLBlastSgemm(CLBlastLayoutRowMajor, of_a, of_b, m, n, k, (float)alpha, a.buffer,
                  a.offset, a.stride, b.buffer, b.offset, b.stride, (float)beta, c.buffer, c.offset,
                  c.stride, &queue, NULL);
    (void)pthread_mutex_unlock(&clblast_lock);
    return code == CLBlastSuccess ? CLTOMO_OK
                                  : cltomo_opencl_fail(error, (cl_int)code, "CLBlast's GEMM");
}

enum { check_m = 37, check_k = 53, check_n = 41 };

static double check_value(size_t i)
{
    return sin(0.7 * (double)i + 0.3);
}

static cltomo_status check_upload(const cltomo_context *context, cltomo_array **array,
    cltomo_precision precision, size_t rows, size_t cols, cltomo_error *error)
{
    cltomo_matrix *matrix = NULL;
    cltomo_status status =
        cltomo_matrix_allocate(context, &matrix, CLTOMO_PRECISION_DOUBLE, rows, cols, error);
    if (status == CLTOMO_OK) {
        for (size_t i = 0; i < rows * cols; ++i) {
            matrix->data.f64[i] = check_value(i);
        }
        status = cltomo_opencl_upload(context, array, matrix, precision, error);
        cltomo_matrix_destroy(matrix);
    }
    return status;
}

static double largest_difference(const cltomo_matrix *product)
{
    double largest = 0.0;
    for (size_t i = 0; i < check_m; ++i) {
        for (size_t j = 0; j < check_n; ++j) {
            double expected = 0.0;
            for (size_t k = 0; k < check_k; ++k) {
                expected += check_value(i * check_k + k) * check_value(k * check_n + j);
            }
            double found = product->precision == CLTOMO_PRECISION_DOUBLE
                               ? product->data.f64[i * check_n + j]
                               : (double)product->data.f32[i * check_n + j];
            largest = fmax(largest, fabs(found - expected));
        }
    }
    return largest;
}

static cltomo_status check_product(const cltomo_context *context, cltomo_array **product,
    const cltomo_array *a, const cltomo_array *b, cltomo_error *error)
{
    cltomo_matrix *matrix = NULL;
    bool is_double = a->precision == CLTOMO_PRECISION_DOUBLE;
    cltomo_cl_block in_a = {a->buffer, 0, check_k};
    cltomo_cl_block in_b = {b->buffer, 0, check_n};
    cltomo_cl_block out = {(*product)->buffer, 0, check_n};
    cltomo_status status = cltomo_clblast_gemm(context, a->precision, out, check_m, check_n,
        check_k, 1.0, in_a, false, in_b, false, 0.0, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_download(context, &matrix, product, error);
    }
    if (status != CLTOMO_OK) {
        return status;
    }
    double difference = largest_difference(matrix);
    cltomo_matrix_destroy(matrix);
    if (!(difference <= (is_double ? 1e-12 : 1e-4))) {
        return cltomo_fail(error, CLTOMO_ERROR_DEVICE,
            "CLBlast multiplies wrongly on this device (difference %.1e)", difference);
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_clblast_check(
    const cltomo_context *context, cltomo_precision precision, cltomo_error *error)
{
    cltomo_array *a = NULL;
    cltomo_array *b = NULL;
    cltomo_array *product = NULL;
    cltomo_status status = check_upload(context, &a, precision, check_m, check_k, error);
    if (status == CLTOMO_OK) {
        status = check_upload(context, &b, precision, check_k, check_n, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_array_create(context, &product, precision, check_m, check_n, error);
    }
    if (status == CLTOMO_OK) {
        status = check_product(context, &product, a, b, error);
    }
    cltomo_opencl_array_destroy(context, a);
    cltomo_opencl_array_destroy(context, b);
    cltomo_opencl_array_destroy(context, product);
    return status;
}
