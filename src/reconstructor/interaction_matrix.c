/* A caller's interaction matrix: its checks, and its blocks as arrays. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reconstructor/interaction.h"

static double element(const cltomo_matrix *a, size_t row, size_t col)
{
    size_t place = row * a->cols + col;
    return a->precision == CLTOMO_PRECISION_DOUBLE ? a->data.f64[place]
                                                   : (double)a->data.f32[place];
}

/* The row of the caller's matrix where the block of a sensor begins. */
static size_t first_row(const cltomo_interaction *m, size_t wfs)
{
    return m->matrix->rows == m->first_slope[m->n_wfs] ? m->first_slope[wfs] : 0;
}

static cltomo_status check_shape(const cltomo_interaction *m, cltomo_error *error)
{
    size_t n_slopes = m->first_slope[m->n_wfs];
    size_t n_shared = cltomo_interaction_slopes(m, 0);
    char value[64];
    char allowed[160];
    for (size_t i = 1; i < m->n_wfs; ++i) {
        n_shared = cltomo_interaction_slopes(m, i) == n_shared ? n_shared : 0;
    }
    bool is_shared = n_shared > 0 && m->matrix->rows == n_shared;
    if (m->matrix->cols == m->n_actuators && (m->matrix->rows == n_slopes || is_shared)) {
        return CLTOMO_OK;
    }
    (void)snprintf(value, sizeof value, "%zu x %zu", m->matrix->rows, m->matrix->cols);
    int length = snprintf(
        allowed, sizeof allowed, "%zu x %zu, slopes x actuators", n_slopes, m->n_actuators);
    if (n_shared > 0 && n_shared != n_slopes && length > 0) {
        (void)snprintf(allowed + length, sizeof allowed - (size_t)length,
            ", or %zu x %zu for all sensors alike", n_shared, m->n_actuators);
    }
    return cltomo_fail_key(error, CLTOMO_ERROR_SHAPE, "interaction_matrix", value, allowed,
        "the interaction matrix does not fit the system");
}

static bool is_zero_block(const cltomo_interaction *m, size_t wfs)
{
    size_t first = first_row(m, wfs);
    for (size_t row = first; row < first + cltomo_interaction_slopes(m, wfs); ++row) {
        for (size_t col = 0; col < m->n_actuators; ++col) {
            if (element(m->matrix, row, col) != 0.0) {
                return false;
            }
        }
    }
    return true;
}

static bool is_unseen(const cltomo_interaction *m, size_t actuator)
{
    for (size_t row = 0; row < m->matrix->rows; ++row) {
        if (element(m->matrix, row, actuator) != 0.0) {
            return false;
        }
    }
    return true;
}

/* One warning for all of them, which names the first few. */
static void warn_of_unseen(const cltomo_interaction *m)
{
    enum { most_named = 8 };
    char names[400] = "";
    size_t length = 0;
    size_t count = 0;
    for (size_t k = 0; k < m->n_actuators; ++k) {
        if (!is_unseen(m, k)) {
            continue;
        }
        if (count++ < most_named) {
            const cltomo_point *a = &m->actuators[k];
            int written =
                snprintf(names + length, sizeof names - length, "%s%zu (row %u, column %u)",
                    length > 0 ? ", " : "", k, (unsigned)a->row, (unsigned)a->col);
            length += written > 0 ? (size_t)written : 0;
        }
    }
    if (count > 0) {
        cltomo_log(m->base.context, CLTOMO_LOG_WARNING,
            "no sensor sees actuator%s %s%s: what R_IM gives for %s follows from the others alone",
            count > 1 ? "s" : "", names, count > most_named ? ", ..." : "",
            count > 1 ? "them" : "it");
    }
}

cltomo_status cltomo_interaction_check(const cltomo_interaction *m, cltomo_error *error)
{
    cltomo_status status = check_shape(m, error);
    for (size_t i = 0; i < m->n_wfs && status == CLTOMO_OK; ++i) {
        if (is_zero_block(m, i)) {
            status = cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "interaction_matrix", "", "",
                "the block of sensor %zu is zero throughout: it shows no actuator", i);
        }
    }
    if (status == CLTOMO_OK) {
        warn_of_unseen(m);
    }
    return status;
}

cltomo_status cltomo_interaction_block(
    const cltomo_interaction *m, cltomo_array **block, size_t wfs, cltomo_error *error)
{
    const cltomo_builder *b = &m->base;
    size_t row_size = m->n_actuators * cltomo_precision_size(m->matrix->precision);
    cltomo_matrix rows = *m->matrix;
    rows.rows = cltomo_interaction_slopes(m, wfs);
    rows.data.raw = (unsigned char *)rows.data.raw + first_row(m, wfs) * row_size;
    return b->backend->upload(b->context, block, &rows, b->out->options.precision, error);
}

cltomo_status cltomo_interaction_block_transposed(
    const cltomo_interaction *m, cltomo_array **block, size_t wfs, cltomo_error *error)
{
    const cltomo_builder *b = &m->base;
    size_t n = cltomo_interaction_slopes(m, wfs);
    size_t first = first_row(m, wfs);
    cltomo_matrix *transposed = NULL;
    *block = NULL;
    cltomo_status status = cltomo_matrix_allocate(
        b->context, &transposed, CLTOMO_PRECISION_DOUBLE, m->n_actuators, n, error);
    for (size_t row = 0; row < n && status == CLTOMO_OK; ++row) {
        for (size_t col = 0; col < m->n_actuators; ++col) {
            transposed->data.f64[col * n + row] = element(m->matrix, first + row, col);
        }
    }
    if (status == CLTOMO_OK) {
        status =
            b->backend->upload(b->context, block, transposed, b->out->options.precision, error);
    }
    cltomo_matrix_destroy(transposed);
    return status;
}

double cltomo_interaction_sensitivity(const cltomo_interaction *m)
{
    double total = 0.0;
    for (size_t row = 0; row < m->matrix->rows; ++row) {
        double sum = 0.0;
        for (size_t col = 0; col < m->n_actuators; ++col) {
            sum += fabs(element(m->matrix, row, col));
        }
        total += sum * sum;
    }
    return total / (double)m->matrix->rows;
}
