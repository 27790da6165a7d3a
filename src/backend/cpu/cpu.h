/* The C reference path, in parts. Its arrays are cltomo_matrix objects. */
#ifndef CLTOMO_BACKEND_CPU_CPU_H
#define CLTOMO_BACKEND_CPU_CPU_H

#include "backend/backend.h"

static inline cltomo_matrix *cltomo_cpu_matrix(cltomo_array *array)
{
    return (cltomo_matrix *)array;
}

static inline const cltomo_matrix *cltomo_cpu_const_matrix(const cltomo_array *array)
{
    return (const cltomo_matrix *)array;
}

/* a[row][col + k] = values[k], rounded to the precision of a. */
void cltomo_cpu_store(cltomo_matrix *a, size_t row, size_t col, const double *values, size_t count);

/* Points projected into every layer, in the rows that the row kernels walk along. */
typedef struct cltomo_cpu_points {
    size_t n_points;
    double *x; /* n_layers x n_points */
    double *y;
} cltomo_cpu_points;

/* The valid points of the phase grid as sensor i sees them. Release with cltomo_cpu_points_release.
 */
cltomo_status cltomo_cpu_project_points(
    cltomo_cpu_points *points, const cltomo_geometry *geometry, size_t wfs, cltomo_error *error);
void cltomo_cpu_points_release(const cltomo_context *context, cltomo_cpu_points *points);

/* Bytes of the projected points of a sensor. */
double cltomo_cpu_points_size(const cltomo_geometry *geometry);

/* slopes[2 n_lenslets] = Gamma phase[n_phase] for one sensor. */
void cltomo_cpu_gradient(const cltomo_geometry *geometry, double *slopes, const double *phase);

/* Operations, one file each. */
cltomo_status cltomo_cpu_slope_covariance(const cltomo_context *context, cltomo_array *c_ss,
    const cltomo_covariance *covariance, cltomo_error *error);
cltomo_status cltomo_cpu_phase_slope_covariance(const cltomo_context *context, cltomo_array *c_ps,
    const cltomo_covariance *covariance, cltomo_error *error);
cltomo_status cltomo_cpu_influence_functions(const cltomo_context *context,
    cltomo_matrix **influence, const cltomo_influence *mirror, cltomo_precision precision,
    cltomo_error *error);
cltomo_status cltomo_cpu_von_karman_covariance(const cltomo_context *context, double *covariance,
    const double *separation, size_t n, double factor, double L0, cltomo_error *error);
cltomo_status cltomo_cpu_von_karman_structure(const cltomo_context *context, double *structure,
    const double *separation, size_t n, double factor, double L0, cltomo_error *error);
cltomo_status cltomo_cpu_mean_diagonal(
    const cltomo_context *context, double *mean, const cltomo_array *a, cltomo_error *error);
cltomo_status cltomo_cpu_add_to_diagonal(
    const cltomo_context *context, cltomo_array *a, const double *values, cltomo_error *error);
cltomo_status cltomo_cpu_clear_unused(const cltomo_context *context, cltomo_array *a,
    const uint8_t *used_rows, const uint8_t *used_cols, cltomo_error *error);
cltomo_status cltomo_cpu_add(const cltomo_context *context, cltomo_array *a, double factor,
    const cltomo_array *b, cltomo_error *error);
cltomo_status cltomo_cpu_largest_row_sum(
    const cltomo_context *context, double *sum, const cltomo_array *a, cltomo_error *error);
cltomo_status cltomo_cpu_complete_symmetric(
    const cltomo_context *context, cltomo_array *a, cltomo_error *error);
cltomo_status cltomo_cpu_scale(
    const cltomo_context *context, cltomo_array *a, double factor, cltomo_error *error);
cltomo_status cltomo_cpu_cholesky(
    const cltomo_context *context, cltomo_array *a, double *pivot_ratio, cltomo_error *error);
cltomo_status cltomo_cpu_solve(const cltomo_context *context, cltomo_array *x,
    const cltomo_array *factor, cltomo_error *error);
cltomo_status cltomo_cpu_multiply(const cltomo_context *context, cltomo_array *c, double factor,
    const cltomo_array *a, const cltomo_array *b, cltomo_error *error);

cltomo_status cltomo_cpu_apply(const cltomo_context *context, cltomo_array *y,
    const cltomo_array *a, const cltomo_array *x, cltomo_error *error);
cltomo_status cltomo_cpu_apply_sparse(const cltomo_context *context, cltomo_array *y,
    const cltomo_sparse *a, const cltomo_array *x, cltomo_error *error);

/* The first n_cols rows of c become (columns first_col ... of a)^T b, or have it added to them. */
cltomo_status cltomo_cpu_multiply_transposed(const cltomo_context *context, cltomo_matrix *c,
    const cltomo_matrix *a, size_t first_col, size_t n_cols, const cltomo_matrix *b,
    bool accumulate, cltomo_error *error);

/* Parts of the slope covariance. gather_block and direct_block fill the block with the slopes of
 * sensor j as rows and those of sensor i as columns; the first needs a table, which exists for two
 * sensors that share scale and rotation, the second serves any pair. */
typedef struct cltomo_slope_table {
    size_t n;             /* 2 n_across - 1 lags per axis, the lag 0 in the middle */
    double *xx, *xy, *yy; /* n x n; row lag first */
} cltomo_slope_table;

cltomo_status cltomo_cpu_slope_table(const cltomo_context *context, cltomo_slope_table *table,
    const cltomo_covariance *covariance, size_t i, size_t j, cltomo_error *error);
void cltomo_cpu_slope_table_release(const cltomo_context *context, cltomo_slope_table *table);
void cltomo_cpu_gather_block(const cltomo_context *context, cltomo_matrix *c_ss,
    const cltomo_geometry *geometry, const cltomo_slope_table *table, size_t i, size_t j);
cltomo_status cltomo_cpu_direct_block(const cltomo_context *context, cltomo_matrix *c_ss,
    const cltomo_covariance *covariance, size_t i, size_t j, cltomo_error *error);

/* Bytes that a table takes with what it is made from, and direct_block for a while. */
double cltomo_cpu_slope_table_scratch(const cltomo_geometry *geometry, size_t workers);
double cltomo_cpu_direct_block_scratch(const cltomo_geometry *geometry, size_t workers);

#endif
