/* The pseudo-inverse. A row-major n_actuators x n_phase matrix is LAPACK's column-major n_phase x
 * n_actuators one, so the influence functions are factored where their inverse is to stand. */
#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "mirror/mirror.h"

/* Below this reciprocal condition number the singular values decide. */
static const double smallest_rcond = 1e-6;

static cltomo_status lapack_failed(cltomo_error *error, const char *routine, lapack_int info)
{
    return cltomo_fail(error, CLTOMO_ERROR_INTERNAL, "LAPACK's %s returns %d", routine, (int)info);
}

/* transposed[a][p] = influence[p][a] */
static void transpose(double *transposed, const cltomo_matrix *influence)
{
    for (size_t p = 0; p < influence->rows; ++p) {
        for (size_t a = 0; a < influence->cols; ++a) {
            transposed[a * influence->rows + p] = influence->data.f64[p * influence->cols + a];
        }
    }
}

/* r becomes the upper Cholesky factor of a^T a, a (m x n) becomes a r^-1. Returns false if a^T a is
 * not positive definite. */
static bool cholesky_qr(double *a, int m, int n, double *r)
{
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, n, m, 1.0, a, m, 0.0, r, n);
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, r, n) != 0) {
        return false;
    }
    cblas_dtrsm(
        CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, m, n, 1.0, r, n, a, m);
    return true;
}

/* M = Q R gives F^T = Q R^-T. Cholesky QR, done twice, is as accurate as Householder's for a
 * condition number well below 1 / sqrt(epsilon), and all of it is matrix products. Sets *done to
 * false, leaving F spoilt, if R is ill conditioned. */
static cltomo_status invert_by_qr(
    const cltomo_context *context, cltomo_matrix *fitting, bool *done, cltomo_error *error)
{
    int m = (int)fitting->cols;
    int n = (int)fitting->rows;
    double *a = fitting->data.f64;
    double rcond = 0.0;
    cltomo_status status = CLTOMO_OK;
    *done = false;
    double *first = cltomo_allocate_zero(context, fitting->rows * fitting->rows, sizeof *first);
    double *second = cltomo_allocate_zero(context, fitting->rows * fitting->rows, sizeof *second);
    double *work = cltomo_allocate(context, 3 * fitting->rows, sizeof *work);
    lapack_int *iwork = cltomo_allocate(context, fitting->rows, sizeof *iwork);
    if (first == NULL || second == NULL || work == NULL || iwork == NULL) {
        status = cltomo_fail_memory(error, "the fitting matrix");
        goto done;
    }
    if (!cholesky_qr(a, m, n, first) ||
        LAPACKE_dtrcon_work(LAPACK_COL_MAJOR, '1', 'U', 'N', n, first, n, &rcond, work, iwork) !=
            0 ||
        rcond < smallest_rcond || !cholesky_qr(a, m, n, second)) {
        goto done;
    }
    /* R = second first */
    cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, m, n, 1.0, second,
        n, a, m);
    cblas_dtrsm(
        CblasColMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, m, n, 1.0, first, n, a, m);
    *done = true;
done:
    cltomo_release(context, first);
    cltomo_release(context, second);
    cltomo_release(context, work);
    cltomo_release(context, iwork);
    return status;
}

typedef struct svd {
    double *u;  /* n_phase x k, column-major */
    double *s;  /* k, descending */
    double *vt; /* k x n_actuators, column-major */
    double *work;
    lapack_int *iwork;
} svd;

static void svd_release(const cltomo_context *context, svd *d)
{
    void *arrays[] = {d->u, d->s, d->vt, d->work, d->iwork};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        cltomo_release(context, arrays[i]);
    }
}

/* Scales the left singular vectors by the inverse singular values; returns the rank. */
static size_t scale_by_inverse(const svd *d, size_t k, size_t m, double cutoff)
{
    size_t rank = 0;
    for (size_t j = 0; j < k; ++j) {
        bool kept = d->s[j] > cutoff;
        double inverse = kept ? 1.0 / d->s[j] : 0.0;
        rank += kept;
        for (size_t i = 0; i < m; ++i) {
            d->u[j * m + i] *= inverse;
        }
    }
    return rank;
}

/* M = U S V^T gives F^T = U S^+ V^T. F holds M^T on entry. */
static cltomo_status invert_by_svd(
    const cltomo_context *context, cltomo_matrix *fitting, cltomo_error *error)
{
    size_t m = fitting->cols;
    size_t n = fitting->rows;
    size_t k = m < n ? m : n;
    double *a = fitting->data.f64;
    double query = 0.0;
    cltomo_status status = CLTOMO_OK;
    svd d = {.u = cltomo_allocate(context, m * k, sizeof(double)),
        .s = cltomo_allocate(context, k, sizeof(double)),
        .vt = cltomo_allocate(context, k * n, sizeof(double)),
        .iwork = cltomo_allocate(context, 8 * k, sizeof(lapack_int))};
    if (d.u == NULL || d.s == NULL || d.vt == NULL || d.iwork == NULL) {
        status = cltomo_fail_memory(error, "the fitting matrix");
        goto done;
    }
    lapack_int rows = (lapack_int)m;
    lapack_int cols = (lapack_int)n;
    lapack_int inner = (lapack_int)k;
    lapack_int info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', rows, cols, a, rows, d.s, d.u,
        rows, d.vt, inner, &query, -1, d.iwork);
    if (info != 0) {
        status = lapack_failed(error, "dgesdd", info);
        goto done;
    }
    d.work = cltomo_allocate(context, (size_t)query, sizeof(double));
    if (d.work == NULL) {
        status = cltomo_fail_memory(error, "the fitting matrix");
        goto done;
    }
    info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', rows, cols, a, rows, d.s, d.u, rows, d.vt,
        inner, d.work, (lapack_int)query, d.iwork);
    if (info != 0) {
        status = lapack_failed(error, "dgesdd", info);
        goto done;
    }
    double cutoff = (double)(m > n ? m : n) * DBL_EPSILON * d.s[0];
    size_t rank = scale_by_inverse(&d, k, m, cutoff);
    if (rank < n) {
        cltomo_log(context, CLTOMO_LOG_WARNING,
            "the influence functions of %zu actuators have rank %zu on the phase grid: "
            "combinations that move nothing get no command",
            n, rank);
    }
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)n, (int)k, 1.0, d.u, (int)m,
        d.vt, (int)k, 0.0, a, (int)m);
done:
    svd_release(context, &d);
    return status;
}

static cltomo_status invert(const cltomo_context *context, cltomo_matrix *fitting,
    const cltomo_matrix *influence, cltomo_error *error)
{
    bool done = false;
    cltomo_status status = CLTOMO_OK;
    if (influence->rows > INT_MAX || influence->cols > INT_MAX / 64) {
        return cltomo_fail(error, CLTOMO_ERROR_UNSUPPORTED,
            "%zu x %zu influence functions are beyond the 32-bit sizes of LAPACK", influence->rows,
            influence->cols);
    }
    if (!cltomo_matrix_is_finite(influence)) { /* LAPACK's SVD would not end well */
        return cltomo_fail(
            error, CLTOMO_ERROR_NOT_FINITE, "an influence function has a NaN or an infinity");
    }
    transpose(fitting->data.f64, influence);
    if (influence->rows >= influence->cols) {
        status = invert_by_qr(context, fitting, &done, error);
    }
    if (status == CLTOMO_OK && !done) {
        transpose(fitting->data.f64, influence);
        status = invert_by_svd(context, fitting, error);
    }
    if (status == CLTOMO_OK && !cltomo_matrix_is_finite(fitting)) {
        status = cltomo_fail(
            error, CLTOMO_ERROR_NOT_FINITE, "the fitting matrix has a NaN or an infinity");
    }
    return status;
}

/* Doubles of LAPACK's work for the singular values of an m x n matrix. */
static double svd_work(size_t m, size_t n)
{
    double query = 0.0;
    double none = 0.0;
    lapack_int rows = (lapack_int)m;
    lapack_int cols = (lapack_int)n;
    lapack_int inner = rows < cols ? rows : cols;
    lapack_int iwork = 0;
    lapack_int info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'S', rows, cols, &none, rows, &none,
        &none, rows, &none, inner, &query, -1, &iwork);
    return info == 0 ? query : 0.0;
}

double cltomo_fitting_scratch(size_t n_phase, size_t n_actuators)
{
    double m = (double)n_phase;
    double n = (double)n_actuators;
    double k = fmin(m, n);
    if (n_phase > INT_MAX || n_actuators > INT_MAX / 64) {
        return 0.0; /* refused */
    }
    double qr = sizeof(double) * (2.0 * n * n + 3.0 * n) + sizeof(lapack_int) * n;
    double values = sizeof(double) * (m * k + k + k * n + svd_work(n_phase, n_actuators)) +
                    sizeof(lapack_int) * 8.0 * k;
    return fmax(qr, values);
}

cltomo_status cltomo_fitting_matrix(const cltomo_context *context, cltomo_matrix **fitting,
    const cltomo_matrix *influence, cltomo_error *error)
{
    cltomo_status status = cltomo_matrix_allocate(
        context, fitting, CLTOMO_PRECISION_DOUBLE, influence->cols, influence->rows, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    status = invert(context, *fitting, influence, error);
    if (status != CLTOMO_OK) {
        cltomo_matrix_destroy(*fitting);
        *fitting = NULL;
    }
    return status;
}
