/* Whether CLBlast multiplies rightly on a device. */
#include <math.h>

#include "backend/opencl/clblast.h"
#include "backend/opencl/transfer.h"

/* c = c0 + a b, with or without transposing a or b. */
typedef struct check_case {
    size_t m, n, k;
    bool transpose_a;
    bool transpose_b;
} check_case;

/* Small products have a kernel of their own. */
static const check_case cases[] = {
    {37, 41, 53, false, false},
    {37, 41, 53, true, false},
    {37, 41, 53, false, true},
    {1600, 1530, 1570, false, false},
};
enum { n_small_cases = 3, n_cases = 4 };

typedef struct check_data {
    cltomo_matrix *a, *b, *c;
    cltomo_array *device_a, *device_b, *device_c;
    double *v, *bv, *abv; /* a probe, and what the factors make of it */
} check_data;

static double value(size_t i)
{
    return sin(0.7 * (double)i + 0.3);
}

static cltomo_status create(const cltomo_context *context, cltomo_matrix **matrix,
    cltomo_array **array, cltomo_precision precision, size_t rows, size_t cols, cltomo_error *error)
{
    cltomo_status status =
        cltomo_matrix_allocate(context, matrix, CLTOMO_PRECISION_DOUBLE, rows, cols, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    for (size_t i = 0; i < rows * cols; ++i) {
        (*matrix)->data.f64[i] = value(i);
    }
    return cltomo_opencl_upload(context, array, *matrix, precision, error);
}

static cltomo_status prepare(const cltomo_context *context, check_data *d, const check_case *t,
    cltomo_precision precision, cltomo_error *error)
{
    size_t a_rows = t->transpose_a ? t->k : t->m;
    size_t b_rows = t->transpose_b ? t->n : t->k;
    cltomo_status status = create(
        context, &d->a, &d->device_a, precision, a_rows, t->transpose_a ? t->m : t->k, error);
    if (status == CLTOMO_OK) {
        status = create(
            context, &d->b, &d->device_b, precision, b_rows, t->transpose_b ? t->k : t->n, error);
    }
    if (status == CLTOMO_OK) {
        status = create(context, &d->c, &d->device_c, precision, t->m, t->n, error);
    }
    if (status == CLTOMO_OK) {
        d->v = cltomo_allocate(context, t->n, sizeof *d->v);
        d->bv = cltomo_allocate(context, t->k, sizeof *d->bv);
        d->abv = cltomo_allocate(context, t->m, sizeof *d->abv);
        if (d->v == NULL || d->bv == NULL || d->abv == NULL) {
            status = cltomo_fail_memory(error, "the check of CLBlast");
        }
    }
    return status;
}

static void release(const cltomo_context *context, check_data *d)
{
    cltomo_opencl_array_destroy(context, d->device_a);
    cltomo_opencl_array_destroy(context, d->device_b);
    cltomo_opencl_array_destroy(context, d->device_c);
    cltomo_matrix_destroy(d->a);
    cltomo_matrix_destroy(d->b);
    cltomo_matrix_destroy(d->c);
    cltomo_release(context, d->v);
    cltomo_release(context, d->bv);
    cltomo_release(context, d->abv);
}

/* y[rows] = M x, M transposed or not */
static void apply(
    double *y, const cltomo_matrix *m, bool transposed, const double *x, size_t rows, size_t cols)
{
    for (size_t i = 0; i < rows; ++i) {
        y[i] = 0.0;
        for (size_t j = 0; j < cols; ++j) {
            y[i] += m->data.f64[transposed ? j * m->cols + i : i * m->cols + j] * x[j];
        }
    }
}

/* Largest difference of (product - c0) v from a (b v), over the largest that rounding explains. */
static double compare(const check_data *d, const check_case *t, const cltomo_matrix *product)
{
    double epsilon = product->precision == CLTOMO_PRECISION_DOUBLE ? 2.2e-16 : 1.2e-7;
    double allowed = 16.0 * epsilon * (double)t->k * (double)t->n;
    double largest = 0.0;
    for (size_t j = 0; j < t->n; ++j) {
        d->v[j] = value(11 * j);
    }
    apply(d->bv, d->b, t->transpose_b, d->v, t->k, t->n);
    apply(d->abv, d->a, t->transpose_a, d->bv, t->m, t->k);
    for (size_t i = 0; i < t->m; ++i) {
        double sum = 0.0;
        for (size_t j = 0; j < t->n; ++j) {
            size_t place = i * t->n + j;
            double found = product->precision == CLTOMO_PRECISION_DOUBLE
                               ? product->data.f64[place]
                               : (double)product->data.f32[place];
            sum += (found - d->c->data.f64[place]) * d->v[j];
        }
        double difference = fabs(sum - d->abv[i]);
        largest = difference <= largest ? largest : difference; /* keeps a NaN */
    }
    return largest / allowed;
}

static cltomo_status check(const cltomo_context *context, check_data *d, const check_case *t,
    cltomo_precision precision, cltomo_error *error)
{
    cltomo_matrix *product = NULL;
    cltomo_status status = prepare(context, d, t, precision, error);
    if (status == CLTOMO_OK) {
        cltomo_cl_factor a = {{d->device_a->panel[0], 0, d->a->cols}, t->transpose_a};
        cltomo_cl_factor b = {{d->device_b->panel[0], 0, d->b->cols}, t->transpose_b};
        cltomo_cl_block c = {d->device_c->panel[0], 0, t->n};
        status =
            cltomo_clblast_gemm(context, precision, c, t->m, t->n, t->k, 1.0, a, b, 1.0, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_download(context, &product, &d->device_c, error);
    }
    if (status == CLTOMO_ERROR_NOT_FINITE) {
        return cltomo_fail(error, CLTOMO_ERROR_DEVICE,
            "CLBlast's product of two matrices is not finite on this device");
    }
    if (status != CLTOMO_OK) {
        return status;
    }
    double excess = compare(d, t, product);
    cltomo_matrix_destroy(product);
    if (!(excess <= 1.0)) {
        return cltomo_fail(error, CLTOMO_ERROR_DEVICE,
            "CLBlast multiplies wrongly on this device (%zu x %zu by %zu x %zu, %.0e times the "
            "rounding error)",
            t->m, t->k, t->k, t->n, excess);
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_clblast_check(
    const cltomo_context *context, cltomo_precision precision, cltomo_error *error)
{
    size_t n = cltomo_opencl_of(context)->quirks.large_trial ? n_cases : n_small_cases;
    cltomo_status status = CLTOMO_OK;
    for (size_t i = 0; i < n && status == CLTOMO_OK; ++i) {
        check_data d = {0};
        status = check(context, &d, &cases[i], precision, error);
        release(context, &d);
    }
    return status;
}
