/* Dense linear algebra: by the host's BLAS and LAPACK, which work on mapped buffers without a copy
 * where the device shares the host's memory; or by CLBlast and solves made of its products, and
 * then only the factorisation is the host's. */
#include "backend/cpu/cpu.h"
#include "backend/opencl/blas.h"
#include "backend/opencl/clblast.h"
#include "backend/opencl/loan.h"
#include "backend/opencl/solve.h"

/* Up to three arrays, of which the first is the output. */
enum { max_loans = 3 };

static cltomo_status give_all_back(
    const cltomo_context *context, cltomo_cl_loan *loans, cltomo_status status, cltomo_error *error)
{
    for (size_t i = 0; i < max_loans; ++i) {
        status = cltomo_opencl_give_back(context, &loans[i], status, error);
    }
    return status;
}

static cltomo_status borrow_all(const cltomo_context *context, cltomo_cl_loan *loans,
    const cltomo_array *a, const cltomo_array *b, const cltomo_array *c, cltomo_error *error)
{
    const cltomo_array *arrays[max_loans] = {a, b, c};
    cltomo_status status = CLTOMO_OK;
    for (size_t i = 0; i < max_loans; ++i) {
        loans[i] = (cltomo_cl_loan){NULL, NULL, false};
    }
    for (size_t i = 0; i < max_loans && arrays[i] != NULL && status == CLTOMO_OK; ++i) {
        status = cltomo_opencl_borrow(context, &loans[i], arrays[i], i == 0, error);
    }
    return status == CLTOMO_OK ? status : give_all_back(context, loans, status, error);
}

static cltomo_array *as_array(cltomo_matrix *matrix)
{
    return (cltomo_array *)matrix; /* as the C path's operations take it */
}

cltomo_status cltomo_opencl_cholesky(
    const cltomo_context *context, cltomo_array *a, double *pivot_ratio, cltomo_error *error)
{
    cltomo_cl_loan loans[max_loans];
    cltomo_status status = borrow_all(context, loans, a, NULL, NULL, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    status = cltomo_cpu_cholesky(context, as_array(loans[0].matrix), pivot_ratio, error);
    return give_all_back(context, loans, status, error);
}

cltomo_status cltomo_opencl_solve(
    const cltomo_context *context, cltomo_array *x, const cltomo_array *factor, cltomo_error *error)
{
    cltomo_cl_loan loans[max_loans];
    bool on_host = true;
    cltomo_status status = cltomo_opencl_choose_blas(context, &on_host, x->precision, error);
    if (status == CLTOMO_OK && !on_host) {
        return cltomo_opencl_blocked_solve(context, x, factor, error);
    }
    if (status == CLTOMO_OK) {
        status = borrow_all(context, loans, x, factor, NULL, error);
    }
    if (status != CLTOMO_OK) {
        return status;
    }
    status = cltomo_cpu_solve(context, as_array(loans[0].matrix), as_array(loans[1].matrix), error);
    return give_all_back(context, loans, status, error);
}

/* c = factor a b in CLBlast: rows of c that share a buffer, over the panels of b. */
static cltomo_status multiply(const cltomo_context *context, cltomo_array *c, double factor,
    const cltomo_array *a, const cltomo_array *b, cltomo_error *error)
{
    cltomo_status status = CLTOMO_OK;
    for (size_t row = 0; row < c->rows && status == CLTOMO_OK;) {
        cltomo_cl_span to = cltomo_opencl_span(c, row, c->rows);
        cltomo_cl_span from = cltomo_opencl_span(a, row, row + to.count);
        for (size_t k = 0; k < b->rows && status == CLTOMO_OK; k += b->panel_rows) {
            cltomo_cl_span inner = cltomo_opencl_span(b, k, b->rows);
            cltomo_cl_factor left = {cltomo_cl_block_of(a, &from, k), false};
            cltomo_cl_factor right = {cltomo_cl_block_of(b, &inner, 0), false};
            status = cltomo_clblast_gemm(context, c->precision, cltomo_cl_block_of(c, &to, 0),
                from.count, c->cols, inner.count, factor, left, right, k == 0 ? 0.0 : 1.0, error);
        }
        row += from.count;
    }
    return status;
}

cltomo_status cltomo_opencl_multiply(const cltomo_context *context, cltomo_array *c, double factor,
    const cltomo_array *a, const cltomo_array *b, cltomo_error *error)
{
    cltomo_cl_loan loans[max_loans];
    bool on_host = true;
    cltomo_status status = cltomo_opencl_choose_blas(context, &on_host, c->precision, error);
    if (status == CLTOMO_OK && !on_host) {
        return multiply(context, c, factor, a, b, error);
    }
    if (status == CLTOMO_OK) {
        status = borrow_all(context, loans, c, a, b, error);
    }
    if (status != CLTOMO_OK) {
        return status;
    }
    status = cltomo_cpu_multiply(context, as_array(loans[0].matrix), factor,
        as_array(loans[1].matrix), as_array(loans[2].matrix), error);
    return give_all_back(context, loans, status, error);
}

/* c = a b^T in CLBlast: a panel of b makes columns of c. */
static cltomo_status multiply_by_transpose(const cltomo_context *context, cltomo_array *c,
    const cltomo_array *a, const cltomo_array *b, cltomo_error *error)
{
    cltomo_status status = CLTOMO_OK;
    for (size_t row = 0; row < c->rows && status == CLTOMO_OK;) {
        cltomo_cl_span to = cltomo_opencl_span(c, row, c->rows);
        cltomo_cl_span from = cltomo_opencl_span(a, row, row + to.count);
        for (size_t k = 0; k < b->rows && status == CLTOMO_OK; k += b->panel_rows) {
            cltomo_cl_span of_b = cltomo_opencl_span(b, k, b->rows);
            cltomo_cl_factor left = {cltomo_cl_block_of(a, &from, 0), false};
            cltomo_cl_factor right = {cltomo_cl_block_of(b, &of_b, 0), true};
            status = cltomo_clblast_gemm(context, c->precision, cltomo_cl_block_of(c, &to, k),
                from.count, of_b.count, a->cols, 1.0, left, right, 0.0, error);
        }
        row += from.count;
    }
    return status;
}

cltomo_status cltomo_opencl_multiply_by_transpose(const cltomo_context *context, cltomo_array *c,
    const cltomo_array *a, const cltomo_array *b, cltomo_error *error)
{
    cltomo_cl_loan loans[max_loans];
    bool on_host = true;
    cltomo_status status = cltomo_opencl_choose_blas(context, &on_host, c->precision, error);
    if (status == CLTOMO_OK && !on_host) {
        return multiply_by_transpose(context, c, a, b, error);
    }
    if (status == CLTOMO_OK) {
        status = borrow_all(context, loans, c, a, b, error);
    }
    if (status != CLTOMO_OK) {
        return status;
    }
    status = cltomo_cpu_apply(context, as_array(loans[0].matrix), as_array(loans[2].matrix),
        as_array(loans[1].matrix), error);
    return give_all_back(context, loans, status, error);
}

/* The first n_cols rows of c = (columns first_col ... of a)^T b in CLBlast, over the panels of a
 * and b. */
static cltomo_status multiply_transposed(const cltomo_context *context, cltomo_array *c,
    const cltomo_array *a, size_t first_col, size_t n_cols, const cltomo_array *b,
    cltomo_error *error)
{
    cltomo_status status = CLTOMO_OK;
    for (size_t row = 0; row < n_cols && status == CLTOMO_OK;) {
        cltomo_cl_span to = cltomo_opencl_span(c, row, n_cols);
        for (size_t k = 0; k < a->rows && status == CLTOMO_OK;) {
            cltomo_cl_span of_a = cltomo_opencl_span(a, k, a->rows);
            cltomo_cl_span of_b = cltomo_opencl_span(b, k, k + of_a.count);
            cltomo_cl_factor left = {cltomo_cl_block_of(a, &of_a, first_col + row), true};
            cltomo_cl_factor right = {cltomo_cl_block_of(b, &of_b, 0), false};
            status = cltomo_clblast_gemm(context, c->precision, cltomo_cl_block_of(c, &to, 0),
                to.count, b->cols, of_b.count, 1.0, left, right, k == 0 ? 0.0 : 1.0, error);
            k += of_b.count;
        }
        row += to.count;
    }
    return status;
}

cltomo_status cltomo_opencl_multiply_transposed(const cltomo_context *context, cltomo_array *c,
    const cltomo_array *a, size_t first_col, size_t n_cols, const cltomo_array *b,
    cltomo_error *error)
{
    cltomo_cl_loan loans[max_loans];
    bool on_host = true;
    cltomo_status status = cltomo_opencl_choose_blas(context, &on_host, c->precision, error);
    if (status == CLTOMO_OK && !on_host) {
        return multiply_transposed(context, c, a, first_col, n_cols, b, error);
    }
    if (status == CLTOMO_OK) {
        status = borrow_all(context, loans, c, a, b, error);
    }
    if (status != CLTOMO_OK) {
        return status;
    }
    status = cltomo_cpu_multiply_transposed(context, loans[0].matrix, loans[1].matrix, first_col,
        n_cols, loans[2].matrix, false, error);
    return give_all_back(context, loans, status, error);
}
