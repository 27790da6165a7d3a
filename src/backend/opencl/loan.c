#include "backend/opencl/loan.h"

#include "backend/opencl/transfer.h"

static cltomo_status copy_to_host(
    const cltomo_context *context, cltomo_cl_loan *loan, cltomo_error *error)
{
    const cltomo_array *array = loan->array;
    cltomo_matrix *matrix = NULL;
    cltomo_status status =
        cltomo_matrix_allocate(context, &matrix, array->precision, array->rows, array->cols, error);
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_read(context, matrix, array, error);
    }
    if (status != CLTOMO_OK) {
        cltomo_matrix_destroy(matrix);
        return status;
    }
    loan->matrix = matrix;
    return CLTOMO_OK;
}

cltomo_status cltomo_opencl_borrow(const cltomo_context *context, cltomo_cl_loan *loan,
    const cltomo_array *array, bool is_output, cltomo_error *error)
{
    *loan = (cltomo_cl_loan){(cltomo_array *)(uintptr_t)array, NULL, is_output};
    if (array->host == NULL) {
        return copy_to_host(context, loan, error);
    }
    cltomo_status status = cltomo_opencl_map(context, array, error);
    loan->matrix = status == CLTOMO_OK ? array->host : NULL;
    return status;
}

cltomo_status cltomo_opencl_give_back(
    const cltomo_context *context, cltomo_cl_loan *loan, cltomo_status status, cltomo_error *error)
{
    cltomo_error own = {0};
    cltomo_status given = CLTOMO_OK;
    if (loan->matrix == NULL) {
        return status;
    }
    if (loan->array->host != NULL) {
        given = cltomo_opencl_unmap(context, loan->array, &own);
    } else {
        if (loan->is_output && status == CLTOMO_OK) {
            given = cltomo_opencl_write(context, loan->array, loan->matrix, &own);
        }
        cltomo_matrix_destroy(loan->matrix);
    }
    loan->matrix = NULL;
    if (status == CLTOMO_OK && given != CLTOMO_OK && error != NULL) {
        *error = own;
    }
    return status == CLTOMO_OK ? given : status;
}
