/* Copies between the device and the host. */
#ifndef CLTOMO_BACKEND_OPENCL_TRANSFER_H
#define CLTOMO_BACKEND_OPENCL_TRANSFER_H

#include "backend/opencl/opencl.h"

cltomo_status cltomo_opencl_copy(const cltomo_context *context, cltomo_array **copy,
    const cltomo_array *array, cltomo_error *error);

cltomo_status cltomo_opencl_place(const cltomo_context *context, cltomo_array *a, size_t row,
    size_t col, const cltomo_array *block, cltomo_error *error);

/* Whole matrices of equal shape and precision. */
cltomo_status cltomo_opencl_write(const cltomo_context *context, cltomo_array *array,
    const cltomo_matrix *matrix, cltomo_error *error);
cltomo_status cltomo_opencl_read(const cltomo_context *context, cltomo_matrix *matrix,
    const cltomo_array *array, cltomo_error *error);

/* As the backend's operations of these names. */
cltomo_status cltomo_opencl_upload(const cltomo_context *context, cltomo_array **array,
    const cltomo_matrix *matrix, cltomo_precision precision, cltomo_error *error);
cltomo_status cltomo_opencl_download(const cltomo_context *context, cltomo_matrix **matrix,
    cltomo_array **array, cltomo_error *error);

#endif
