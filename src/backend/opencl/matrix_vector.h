/* The kernel that multiplies a matrix by a vector. Operations launch it through
 * cltomo_opencl_apply; who keeps a kernel of its own, with the arguments bound beforehand, takes
 * the arguments and the sizes from here. */
#ifndef CLTOMO_BACKEND_OPENCL_MATRIX_VECTOR_H
#define CLTOMO_BACKEND_OPENCL_MATRIX_VECTOR_H

#include "backend/opencl/opencl.h"

#define CLTOMO_MATRIX_VECTOR_KERNEL "matrix_vector"

/* Of the kernel above: y[first + i] = row i of a times x, a n_rows x n_cols. All in one precision,
 * that of the program. */
typedef struct cltomo_cl_matrix_vector {
    cl_mem y;
    cl_int first;
    cl_mem a;
    cl_mem x;
    cl_int n_rows;
    cl_int n_cols;
} cltomo_cl_matrix_vector;

enum { cltomo_cl_matrix_vector_arguments = 6 };

/* The kernel's arguments, which point into *product. */
void cltomo_opencl_matrix_vector_arguments(
    cltomo_cl_argument arguments[cltomo_cl_matrix_vector_arguments],
    const cltomo_cl_matrix_vector *product);

/* Work-items of the launch in two dimensions; the group has cltomo_opencl_group x 1 of them, and
 * the global size is a multiple of that. */
void cltomo_opencl_matrix_vector_size(const cltomo_opencl *cl, size_t global[2], size_t n_rows);

#endif
