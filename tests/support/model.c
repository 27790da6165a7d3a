#include "support/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/backend.h"

static void check(cltomo_status status, const cltomo_error *error)
{
    if (status != CLTOMO_OK) {
        (void)fprintf(stderr, "model: %s\n", error->message);
        abort();
    }
}

model model_create(const cltomo_context *context, const cltomo_system *system, double accuracy)
{
    model m = {.context = context};
    cltomo_error error;
    check(cltomo_geometry_create(context, &m.geometry, system, &error), &error);
    check(cltomo_covariance_init(
              &m.covariance, m.geometry, accuracy > 0.0 ? accuracy : 1e-14, &error),
        &error);
    return m;
}

void model_destroy(model *m)
{
    cltomo_geometry_destroy(m->geometry);
}

static cltomo_matrix *finish(const model *m, cltomo_array *array)
{
    cltomo_matrix *matrix = NULL;
    cltomo_error error;
    check(cltomo_backend_of(m->context)->download(m->context, &matrix, &array, &error), &error);
    return matrix;
}

cltomo_matrix *model_c_ss(const model *m, cltomo_precision precision)
{
    const cltomo_backend *backend = cltomo_backend_of(m->context);
    size_t n = m->geometry->n_slopes;
    cltomo_array *array = NULL;
    cltomo_error error;
    check(backend->array_create(m->context, &array, precision, n, n, &error), &error);
    check(backend->slope_covariance(m->context, array, &m->covariance, &error), &error);
    check(backend->complete_symmetric(m->context, array, &error), &error);
    return finish(m, array);
}

cltomo_matrix *model_c_ps_rows(const model *m, cltomo_precision precision, size_t n)
{
    const cltomo_backend *backend = cltomo_backend_of(m->context);
    cltomo_array *array = NULL;
    cltomo_error error;
    check(backend->array_create(m->context, &array, precision, n, m->geometry->n_slopes, &error),
        &error);
    check(backend->phase_slope_covariance(m->context, array, &m->covariance, &error), &error);
    return finish(m, array);
}

cltomo_matrix *model_c_ps(const model *m, cltomo_precision precision)
{
    return model_c_ps_rows(m, precision, m->geometry->n_phase);
}

static double element(const cltomo_matrix *a, size_t k)
{
    return a->precision == CLTOMO_PRECISION_DOUBLE ? a->data.f64[k] : (double)a->data.f32[k];
}

double model_difference(const cltomo_matrix *a, const cltomo_matrix *b)
{
    double difference = 0.0;
    double norm = 0.0;
    if (a->rows != b->rows || a->cols != b->cols) {
        return INFINITY;
    }
    for (size_t k = 0; k < a->rows * a->cols; ++k) {
        double d = element(a, k) - element(b, k);
        difference += d * d;
        norm += element(b, k) * element(b, k);
    }
    return sqrt(difference / norm);
}
