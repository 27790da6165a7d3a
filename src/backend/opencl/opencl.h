/* The OpenCL backend, in parts. Everything it knows of its device is fixed when the context is
 * made; programs are built at the first use of their precision, under a lock. Kernel objects belong
 * to one launch each, so threads share none. The queue is in order: a launch sees what earlier ones
 * wrote. */
#ifndef CLTOMO_BACKEND_OPENCL_OPENCL_H
#define CLTOMO_BACKEND_OPENCL_OPENCL_H

#include <CL/cl.h>
#include <cltomo/device.h>
#include <pthread.h>

#include "backend/backend.h"
#include "backend/opencl/quirks.h"

typedef struct cltomo_opencl {
    cltomo_backend operations; /* first: cltomo_backend_of() returns its address */
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cltomo_device info;
    char *cache_dir; /* of compiled programs; NULL: none */
    bool has_double;
    cltomo_quirks quirks;
    cl_ulong global_memory;
    cl_ulong largest_buffer;
    pthread_mutex_t lock;  /* of the programs */
    cl_program program[2]; /* by cltomo_precision; NULL: not built yet */
    pthread_mutex_t blas_lock;
    struct {
        bool is_known; /* CLBlast has been tried, if it was to be used */
        cltomo_opencl_blas blas;
    } blas[2]; /* by cltomo_precision */
} cltomo_opencl;

/* The backend of a context that resolved to OpenCL. */
cltomo_opencl *cltomo_opencl_of(const cltomo_context *context);

/* ---- errors -------------------------------------------------------------------------------- */

/* The name of an OpenCL error code, "CL_OUT_OF_RESOURCES", or "unknown error". */
const char *cltomo_opencl_error_name(cl_int code);

/* Fills *error: what failed, and the code's name; CLTOMO_ERROR_MEMORY for the codes that mean it.
 */
cltomo_status cltomo_opencl_fail(cltomo_error *error, cl_int code, const char *what);

/* ---- programs ------------------------------------------------------------------------------ */

/* The program for a precision of the matrices, built or taken from the cache on first use. */
cltomo_status cltomo_opencl_program(const cltomo_context *context, cl_program *program,
    cltomo_precision precision, cltomo_error *error);

/* An argument of a kernel: a cl_mem, an int, or a number in the type of the kernel's parameter. */
typedef struct cltomo_cl_argument {
    size_t size;
    const void *value;
} cltomo_cl_argument;

#define CLTOMO_CL(variable)                                                                        \
    {                                                                                              \
        sizeof(variable), &(variable)                                                              \
    }

/* Work-items of a group, which the global size is padded to; the kernels check their range. Fixed,
 * as a driver that compiles per group size would otherwise do so for every matrix size. */
enum { cltomo_opencl_group = 64 };

/* Launches a kernel over columns x rows work-items. */
cltomo_status cltomo_opencl_run(const cltomo_context *context, cltomo_precision precision,
    const char *kernel, size_t columns, size_t rows, const cltomo_cl_argument *arguments,
    size_t n_arguments, cltomo_error *error);

/* A number as kernels take it in `wide` (double where the device has it) or `real`. */
typedef union cltomo_cl_number {
    double f64;
    float f32;
} cltomo_cl_number;

/* ---- buffers ------------------------------------------------------------------------------- */

/* A matrix on the device, in one buffer or, if that would be too large for the device, in several:
 * panels of whole rows. Where the device shares the host's memory, they are laid over a host
 * matrix, which becomes the result without a copy. */
struct cltomo_array {
    size_t rows;
    size_t cols;
    cltomo_precision precision;
    cltomo_matrix *host; /* NULL on devices with a memory of their own */
    size_t panel_rows;   /* of each panel but the last: a multiple of cltomo_panel_step, or all */
    size_t n_panels;
    cl_mem panel[];
};

enum { cltomo_panel_step = 128 };

cltomo_status cltomo_opencl_array_create(const cltomo_context *context, cltomo_array **array,
    cltomo_precision precision, size_t rows, size_t cols, cltomo_error *error);
void cltomo_opencl_array_destroy(const cltomo_context *context, cltomo_array *array);

/* Rows of an array that are in one buffer. */
typedef struct cltomo_cl_span {
    cl_mem buffer;
    size_t first; /* row of the buffer */
    size_t count;
} cltomo_cl_span;

/* The rows from `row` on, at most up to `end`, as far as one buffer holds them. */
cltomo_cl_span cltomo_opencl_span(const cltomo_array *array, size_t row, size_t end);

/* Gives the host matrix under an array to the host, until unmapped; only where there is one. */
cltomo_status cltomo_opencl_map(
    const cltomo_context *context, const cltomo_array *array, cltomo_error *error);
cltomo_status cltomo_opencl_unmap(
    const cltomo_context *context, const cltomo_array *array, cltomo_error *error);

/* A scratch buffer of n numbers in `wide`; values (doubles, may be NULL) are copied into it. */
cltomo_status cltomo_opencl_wide_buffer(const cltomo_context *context, cl_mem *buffer, size_t n,
    const double *values, cltomo_error *error);
/* A scratch buffer of n ints. */
cltomo_status cltomo_opencl_int_buffer(const cltomo_context *context, cl_mem *buffer, size_t n,
    const cl_int *values, cltomo_error *error);
/* Reads n numbers in `wide`. */
cltomo_status cltomo_opencl_read_wide(
    const cltomo_context *context, double *values, cl_mem buffer, size_t n, cltomo_error *error);
/* Accepts NULL. */
void cltomo_opencl_release_buffer(cl_mem buffer);

/* Waits for everything launched so far, which is where a device's failure shows. */
cltomo_status cltomo_opencl_finish(const cltomo_context *context, cltomo_error *error);

cltomo_cl_number cltomo_opencl_wide(const cltomo_opencl *cl, double value);
cltomo_cl_number cltomo_opencl_real(cltomo_precision precision, double value);
size_t cltomo_opencl_wide_size(const cltomo_opencl *cl);

/* The smallest multiple of the covariance kernels' width that holds n. */
size_t cltomo_opencl_stride(const cltomo_opencl *cl, size_t n);

/* ---- operations, one file each --------------------------------------------------------------- */

cltomo_status cltomo_opencl_slope_covariance(const cltomo_context *context, cltomo_array *c_ss,
    const cltomo_covariance *covariance, cltomo_error *error);
cltomo_status cltomo_opencl_phase_slope_covariance(const cltomo_context *context,
    cltomo_array *c_ps, const cltomo_covariance *covariance, cltomo_error *error);
cltomo_status cltomo_opencl_influence_functions(const cltomo_context *context,
    cltomo_matrix **influence, const cltomo_influence *mirror, cltomo_precision precision,
    cltomo_error *error);
cltomo_status cltomo_opencl_von_karman_covariance(const cltomo_context *context, double *covariance,
    const double *separation, size_t n, double factor, double L0, cltomo_error *error);
cltomo_status cltomo_opencl_von_karman_structure(const cltomo_context *context, double *structure,
    const double *separation, size_t n, double factor, double L0, cltomo_error *error);
cltomo_status cltomo_opencl_mean_diagonal(
    const cltomo_context *context, double *mean, const cltomo_array *a, cltomo_error *error);
cltomo_status cltomo_opencl_add_to_diagonal(
    const cltomo_context *context, cltomo_array *a, const double *values, cltomo_error *error);
cltomo_status cltomo_opencl_clear_unused(const cltomo_context *context, cltomo_array *a,
    const uint8_t *used_rows, const uint8_t *used_cols, cltomo_error *error);
cltomo_status cltomo_opencl_add(const cltomo_context *context, cltomo_array *a, double factor,
    const cltomo_array *b, cltomo_error *error);
cltomo_status cltomo_opencl_largest_row_sum(
    const cltomo_context *context, double *sum, const cltomo_array *a, cltomo_error *error);
cltomo_status cltomo_opencl_complete_symmetric(
    const cltomo_context *context, cltomo_array *a, cltomo_error *error);
cltomo_status cltomo_opencl_scale(
    const cltomo_context *context, cltomo_array *a, double factor, cltomo_error *error);
cltomo_status cltomo_opencl_cholesky(
    const cltomo_context *context, cltomo_array *a, double *pivot_ratio, cltomo_error *error);
cltomo_status cltomo_opencl_solve(const cltomo_context *context, cltomo_array *x,
    const cltomo_array *factor, cltomo_error *error);
cltomo_status cltomo_opencl_multiply(const cltomo_context *context, cltomo_array *c, double factor,
    const cltomo_array *a, const cltomo_array *b, cltomo_error *error);
/* c = a b^T */
cltomo_status cltomo_opencl_multiply_by_transpose(const cltomo_context *context, cltomo_array *c,
    const cltomo_array *a, const cltomo_array *b, cltomo_error *error);
cltomo_status cltomo_opencl_apply(const cltomo_context *context, cltomo_array *y,
    const cltomo_array *a, const cltomo_array *x, cltomo_error *error);
cltomo_status cltomo_opencl_apply_sparse(const cltomo_context *context, cltomo_array *y,
    const cltomo_sparse *a, const cltomo_array *x, cltomo_error *error);
/* The first n_cols rows of c become (columns first_col ... of a)^T b. */
cltomo_status cltomo_opencl_multiply_transposed(const cltomo_context *context, cltomo_array *c,
    const cltomo_array *a, size_t first_col, size_t n_cols, const cltomo_array *b,
    cltomo_error *error);

/* Fills the columns of C_ps that belong to the sensors with the separable evaluator. */
cltomo_status cltomo_opencl_separable(const cltomo_context *context, cltomo_array *c_ps,
    const cltomo_covariance *covariance, cltomo_error *error);

/* What the direct evaluator needs of a sensor: its points in every layer, and the stencils. */
typedef struct cltomo_cl_points {
    cl_mem x; /* n_layers x stride */
    cl_mem y;
    size_t stride;
} cltomo_cl_points;

cltomo_status cltomo_opencl_project_points(const cltomo_context *context, cltomo_cl_points *points,
    const cltomo_geometry *geometry, size_t wfs, cltomo_error *error);
void cltomo_opencl_points_release(cltomo_cl_points *points);

/* First point of each stencil row of each lenslet, 3 n_lenslets ints. */
cltomo_status cltomo_opencl_stencils(const cltomo_context *context, cl_mem *start,
    const cltomo_geometry *geometry, cltomo_error *error);

/* (weight, height) of each layer; height 0 for all if the directions do not matter. */
cltomo_status cltomo_opencl_layers(const cltomo_context *context, cl_mem *layers,
    const cltomo_covariance *covariance, bool with_heights, cltomo_error *error);

/* Rows of one launch, at most n_rows, that keep it well below a second and its buffer small: rows
 * of n points that take this many evaluations each. */
size_t cltomo_opencl_rows_per_launch(
    const cltomo_opencl *cl, size_t n_rows, size_t n, double evaluations);

#endif
