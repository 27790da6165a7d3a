/* Dense linear algebra. The factorisation is the host's, on a mapped buffer; where the device
 * shares the host's memory that takes no copy, and products and solves are the host's too.
 * Elsewhere CLBlast and the blocked solve do them on the device. */
#include "backend/cpu/cpu.h"
#include "backend/opencl/clblast.h"
#include "backend/opencl/opencl.h"
#include "backend/opencl/solve.h"

static bool on_host(const cltomo_context *context)
{
    return !cltomo_opencl_of(context)->use_clblast;
}

/* Up to three arrays mapped at the same time. */
typedef struct mapping {
    const cltomo_array *array[3];
    cltomo_matrix matrix[3];
    size_t n;
} mapping;

/* Unmaps all; returns status, or the first failure of an unmapping. */
static cltomo_status unmap_all(
    const cltomo_context *context, mapping *m, cltomo_status status, cltomo_error *error)
{
    while (m->n > 0) {
        cltomo_error own;
        cltomo_status unmapped =
            cltomo_opencl_unmap(context, &m->matrix[m->n - 1], m->array[m->n - 1], &own);
        --m->n;
        if (status == CLTOMO_OK && unmapped != CLTOMO_OK) {
            status = unmapped;
            if (error != NULL) {
                *error = own;
            }
        }
    }
    return status;
}

static cltomo_status map_all(const cltomo_context *context, mapping *m, const cltomo_array *a,
    const cltomo_array *b, const cltomo_array *c, cltomo_error *error)
{
    const cltomo_array *arrays[] = {a, b, c};
    cltomo_status status = CLTOMO_OK;
    m->n = 0;
    for (size_t i = 0; i < 3 && status == CLTOMO_OK && arrays[i] != NULL; ++i) {
        /* inputs are mapped for reading and writing alike, and not written */
        m->array[i] = arrays[i];
        status = cltomo_opencl_map(context, &m->matrix[i], arrays[i], error);
        m->n += status == CLTOMO_OK;
    }
    return status == CLTOMO_OK ? status : unmap_all(context, m, status, error);
}

static cltomo_array *as_array(cltomo_matrix *matrix)
{
    return (cltomo_array *)matrix; /* as the C path's operations take it */
}

cltomo_status cltomo_opencl_cholesky(
    const cltomo_context *context, cltomo_array *a, double *pivot_ratio, cltomo_error *error)
{
    mapping m;
    cltomo_status status = map_all(context, &m, a, NULL, NULL, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    status = cltomo_cpu_cholesky(context, as_array(&m.matrix[0]), pivot_ratio, error);
    return unmap_all(context, &m, status, error);
}

cltomo_status cltomo_opencl_solve(
    const cltomo_context *context, cltomo_array *x, const cltomo_array *factor, cltomo_error *error)
{
    mapping m;
    if (!on_host(context)) {
        return cltomo_opencl_blocked_solve(context, x, factor, error);
    }
    cltomo_status status = map_all(context, &m, x, factor, NULL, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    status = cltomo_cpu_solve(context, as_array(&m.matrix[0]), as_array(&m.matrix[1]), error);
    return unmap_all(context, &m, status, error);
}

cltomo_status cltomo_opencl_multiply(const cltomo_context *context, cltomo_array *c, double factor,
    const cltomo_array *a, const cltomo_array *b, cltomo_error *error)
{
    mapping m;
    if (!on_host(context)) {
        cltomo_cl_block out = {c->buffer, 0, c->cols};
        cltomo_cl_block left = {a->buffer, 0, a->cols};
        cltomo_cl_block right = {b->buffer, 0, b->cols};
        return cltomo_clblast_gemm(context, c->precision, out, c->rows, c->cols, a->cols, factor,
            left, false, right, false, 0.0, error);
    }
    cltomo_status status = map_all(context, &m, c, a, b, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    status = cltomo_cpu_multiply(context, as_array(&m.matrix[0]), factor, as_array(&m.matrix[1]),
        as_array(&m.matrix[2]), error);
    return unmap_all(context, &m, status, error);
}

cltomo_status cltomo_opencl_multiply_by_transpose(const cltomo_context *context, cltomo_array *c,
    const cltomo_array *a, const cltomo_array *b, cltomo_error *error)
{
    mapping m;
    if (!on_host(context)) {
        cltomo_cl_block out = {c->buffer, 0, c->cols};
        cltomo_cl_block left = {a->buffer, 0, a->cols};
        cltomo_cl_block right = {b->buffer, 0, b->cols};
        return cltomo_clblast_gemm(context, c->precision, out, c->rows, c->cols, a->cols, 1.0, left,
            false, right, true, 0.0, error);
    }
    cltomo_status status = map_all(context, &m, c, a, b, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    status = cltomo_cpu_apply(
        context, as_array(&m.matrix[0]), as_array(&m.matrix[2]), as_array(&m.matrix[1]), error);
    return unmap_all(context, &m, status, error);
}

cltomo_status cltomo_opencl_multiply_transposed(const cltomo_context *context, cltomo_array *c,
    const cltomo_array *a, size_t first_col, size_t n_cols, const cltomo_array *b,
    cltomo_error *error)
{
    mapping m;
    if (!on_host(context)) {
        cltomo_cl_block out = {c->buffer, 0, c->cols};
        cltomo_cl_block left = {a->buffer, first_col, a->cols};
        cltomo_cl_block right = {b->buffer, 0, b->cols};
        return cltomo_clblast_gemm(context, c->precision, out, n_cols, b->cols, a->rows, 1.0, left,
            true, right, false, 0.0, error);
    }
    cltomo_status status = map_all(context, &m, c, a, b, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    status = cltomo_cpu_multiply_transposed(
        context, &m.matrix[0], &m.matrix[1], first_col, n_cols, &m.matrix[2], false, error);
    return unmap_all(context, &m, status, error);
}
