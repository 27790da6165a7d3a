/* Whether CLBlast multiplies rightly on a device. */
#include <cblas.h>
#include <math.h>

#include "backend/cpu/blas_threads.h"
#include "backend/opencl/clblast.h"
#include "backend/opencl/transfer.h"

/* c = alpha a b + beta c, with or without transposing a or b: what products and solves use. */
typedef struct check_case {
    size_t m, n, k;
    bool transpose_a;
    bool transpose_b;
    double alpha;
    double beta;
} check_case;

/* Small products have a kernel of their own. */
static const check_case cases[] = {
    {37, 41, 53, false, false, 1.0, 0.0},
    {37, 41, 53, true, false, 1.0, 1.0},
    {37, 41, 53, false, true, -1.0, 1.0},
    {900, 830, 770, false, false, 1.0, 0.0},
    {830, 900, 770, true, false, 1.0, 1.0},
    {770, 830, 900, false, true, -1.0, 1.0},
};
enum { n_small_cases = 3, n_cases = 6 };

/* Each matrix is a block within a larger one, from row 2 and column 3. */
enum { first_row = 2, first_col = 3, margin = 5 };

/* A matrix on the host, in double, and on the device. */
typedef struct operand {
    cltomo_matrix *host;
    cltomo_array *device;
} operand;

typedef struct check_data {
    operand a, b, c;
} check_data;

static size_t offset_of(const operand *o)
{
    return first_row * o->host->cols + first_col;
}

static cltomo_cl_block block_of(const operand *o)
{
    return (cltomo_cl_block){o->device->panel[0], offset_of(o), o->host->cols};
}

/* All of it is `value` where that is a NaN, else many different numbers. */
static cltomo_status create(const cltomo_context *context, operand *o, cltomo_precision precision,
    size_t rows, size_t cols, double value, cltomo_error *error)
{
    cltomo_status status = cltomo_matrix_allocate(
        context, &o->host, CLTOMO_PRECISION_DOUBLE, rows + margin, cols + margin, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    for (size_t i = 0; i < o->host->rows * o->host->cols; ++i) {
        double number = sin(0.7 * (double)i + 0.3);
        o->host->data.f64[i] = isnan(value) ? value : (double)(float)number;
    }
    return cltomo_opencl_upload(context, &o->device, o->host, precision, error);
}

/* What beta = 0 multiplies may be a NaN. */
static cltomo_status prepare(const cltomo_context *context, check_data *d, const check_case *t,
    cltomo_precision precision, cltomo_error *error)
{
    size_t a_rows = t->transpose_a ? t->k : t->m;
    size_t a_cols = t->transpose_a ? t->m : t->k;
    size_t b_rows = t->transpose_b ? t->n : t->k;
    size_t b_cols = t->transpose_b ? t->k : t->n;
    cltomo_status status = create(context, &d->a, precision, a_rows, a_cols, 0.0, error);
    if (status == CLTOMO_OK) {
        status = create(context, &d->b, precision, b_rows, b_cols, 0.0, error);
    }
    return status == CLTOMO_OK ? create(context, &d->c, precision, t->m, t->n,
                                     t->beta == 0.0 ? (double)NAN : 0.0, error)
                               : status;
}

static void release(const cltomo_context *context, check_data *d)
{
    operand *operands[] = {&d->a, &d->b, &d->c};
    for (size_t i = 0; i < sizeof operands / sizeof *operands; ++i) {
        cltomo_opencl_array_destroy(context, operands[i]->device);
        cltomo_matrix_destroy(operands[i]->host);
    }
}

/* The same product by the host, in d->c.host. */
static void multiply_on_host(const cltomo_context *context, check_data *d, const check_case *t)
{
    const operand *a = &d->a;
    const operand *b = &d->b;
    const operand *c = &d->c;
    int saved = cltomo_blas_threads_begin(context);
    cblas_dgemm(CblasRowMajor, t->transpose_a ? CblasTrans : CblasNoTrans,
        t->transpose_b ? CblasTrans : CblasNoTrans, (int)t->m, (int)t->n, (int)t->k, t->alpha,
        &a->host->data.f64[offset_of(a)], (int)a->host->cols, &b->host->data.f64[offset_of(b)],
        (int)b->host->cols, t->beta, &c->host->data.f64[offset_of(c)], (int)c->host->cols);
    cltomo_blas_threads_end(context, saved);
}

/* The largest difference of an element, over the largest that rounding explains; outside the block
 * nothing may change. */
static double compare(const check_data *d, const check_case *t, const cltomo_matrix *found)
{
    bool is_double = found->precision == CLTOMO_PRECISION_DOUBLE;
    double allowed = (is_double ? 2.2e-16 : 1.2e-7) * 4.0 * (double)t->k;
    double largest = 0.0;
    for (size_t i = 0; i < found->rows * found->cols; ++i) {
        double expected = d->c.host->data.f64[i];
        double value = is_double ? found->data.f64[i] : (double)found->data.f32[i];
        double difference = isnan(expected) && isnan(value) ? 0.0 : fabs(value - expected);
        largest = difference <= largest ? largest : difference; /* keeps a NaN */
    }
    return largest / allowed;
}

static cltomo_status check(const cltomo_context *context, check_data *d, const check_case *t,
    cltomo_precision precision, cltomo_error *error)
{
    cltomo_matrix *found = NULL;
    cltomo_status status = prepare(context, d, t, precision, error);
    if (status == CLTOMO_OK) {
        cltomo_cl_factor a = {block_of(&d->a), t->transpose_a};
        cltomo_cl_factor b = {block_of(&d->b), t->transpose_b};
        status = cltomo_clblast_gemm(
            context, precision, block_of(&d->c), t->m, t->n, t->k, t->alpha, a, b, t->beta, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_matrix_allocate(
            context, &found, precision, d->c.host->rows, d->c.host->cols, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_opencl_read(context, found, d->c.device, error);
    }
    if (status == CLTOMO_OK) {
        multiply_on_host(context, d, t);
        double excess = compare(d, t, found);
        if (!(excess <= 1.0)) {
            status = cltomo_fail(error, CLTOMO_ERROR_DEVICE,
                "CLBlast multiplies wrongly on this device (%zu x %zu by %zu x %zu, %.0e times the "
                "rounding error)",
                t->m, t->k, t->k, t->n, excess);
        }
    }
    cltomo_matrix_destroy(found);
    return status;
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
