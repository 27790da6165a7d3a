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

/* ---- where its blocks are ------------------------------------------------------------------ */

/* The slopes of each sensor if all have equally many, else 0. */
static size_t shared_rows(const cltomo_interaction *m)
{
    size_t n = cltomo_interaction_slopes(m, 0);
    for (size_t i = 1; i < m->n_wfs; ++i) {
        if (cltomo_interaction_slopes(m, i) != n) {
            return 0;
        }
    }
    return n;
}

/* The slopes of the whole system of which this one is a subset, 0 if it is none; *first_row
 * receives where those of the subset's sensors begin among them. */
static size_t whole_rows(const cltomo_interaction *m, size_t *first_row)
{
    const cltomo_system *whole = cltomo_system_whole(m->base.out->system);
    const uint32_t *numbers = cltomo_system_wfs_numbers(m->base.out->system);
    size_t rows = 0;
    size_t next = 0;
    if (whole == NULL) {
        return 0;
    }
    const cltomo_system_description *d = cltomo_system_get_description(whole);
    for (uint32_t wfs = 0; wfs < d->n_wfs; ++wfs) {
        if (next < m->n_wfs && numbers[next] == wfs) {
            first_row[next++] = rows;
        }
        rows += 2 * cltomo_count_sensor_lenslets(d, wfs);
    }
    return rows;
}

static cltomo_status refuse_shape(
    const cltomo_interaction *m, size_t n_shared, size_t n_whole, cltomo_error *error)
{
    size_t n_slopes = m->first_slope[m->n_wfs];
    char value[64];
    char allowed[200];
    char shared[64] = "";
    char whole[64] = "";
    if (n_shared > 0 && n_shared != n_slopes) {
        (void)snprintf(shared, sizeof shared, ", or %zu x %zu for all sensors alike", n_shared,
            m->n_actuators);
    }
    if (n_whole > 0) {
        (void)snprintf(
            whole, sizeof whole, ", or %zu x %zu for the whole system", n_whole, m->n_actuators);
    }
    (void)snprintf(value, sizeof value, "%zu x %zu", m->matrix->rows, m->matrix->cols);
    (void)snprintf(allowed, sizeof allowed, "%zu x %zu, slopes x actuators%s%s", n_slopes,
        m->n_actuators, shared, whole);
    return cltomo_fail_key(error, CLTOMO_ERROR_SHAPE, "interaction_matrix", value, allowed,
        "the interaction matrix does not fit the system");
}

/* The number of rows alone tells which of the three forms the matrix has: every sensor has slopes,
 * so the whole system has more than a subset. */
static cltomo_status find_blocks(cltomo_interaction *m, cltomo_error *error)
{
    size_t n_whole = whole_rows(m, m->first_row);
    size_t n_shared = shared_rows(m);
    size_t n_slopes = m->first_slope[m->n_wfs];
    size_t rows = m->matrix->rows;
    bool fits = rows > 0 && (rows == n_slopes || rows == n_shared || rows == n_whole);
    if (m->matrix->cols != m->n_actuators || !fits) {
        return refuse_shape(m, n_shared, n_whole, error);
    }
    for (size_t i = 0; i < m->n_wfs && rows != n_whole; ++i) {
        m->first_row[i] = rows == n_slopes ? m->first_slope[i] : 0;
    }
    return CLTOMO_OK;
}

/* ---- checks -------------------------------------------------------------------------------- */

static bool is_zero_block(const cltomo_interaction *m, size_t wfs)
{
    size_t first = m->first_row[wfs];
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
    for (size_t wfs = 0; wfs < m->n_wfs; ++wfs) {
        for (size_t k = 0; k < cltomo_interaction_slopes(m, wfs); ++k) {
            if (element(m->matrix, m->first_row[wfs] + k, actuator) != 0.0) {
                return false;
            }
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

cltomo_status cltomo_interaction_check(cltomo_interaction *m, cltomo_error *error)
{
    const uint32_t *numbers = cltomo_system_wfs_numbers(m->base.out->system);
    cltomo_status status = find_blocks(m, error);
    for (size_t i = 0; i < m->n_wfs && status == CLTOMO_OK; ++i) {
        if (is_zero_block(m, i)) {
            status = cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "interaction_matrix", "", "",
                "the block of sensor %zu is zero throughout: it shows no actuator",
                numbers != NULL ? (size_t)numbers[i] : i);
        }
    }
    if (status == CLTOMO_OK) {
        warn_of_unseen(m);
    }
    return status;
}

/* ---- blocks -------------------------------------------------------------------------------- */

cltomo_status cltomo_interaction_block(
    const cltomo_interaction *m, cltomo_array **block, size_t wfs, cltomo_error *error)
{
    const cltomo_builder *b = &m->base;
    size_t row_size = m->n_actuators * cltomo_precision_size(m->matrix->precision);
    cltomo_matrix rows = *m->matrix;
    rows.rows = cltomo_interaction_slopes(m, wfs);
    rows.data.raw = (unsigned char *)rows.data.raw + m->first_row[wfs] * row_size;
    return b->backend->upload(b->context, block, &rows, b->out->options.precision, error);
}

cltomo_status cltomo_interaction_block_transposed(
    const cltomo_interaction *m, cltomo_array **block, size_t wfs, cltomo_error *error)
{
    const cltomo_builder *b = &m->base;
    size_t n = cltomo_interaction_slopes(m, wfs);
    size_t first = m->first_row[wfs];
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
    for (size_t wfs = 0; wfs < m->n_wfs; ++wfs) {
        for (size_t k = 0; k < cltomo_interaction_slopes(m, wfs); ++k) {
            double sum = 0.0;
            for (size_t col = 0; col < m->n_actuators; ++col) {
                sum += fabs(element(m->matrix, m->first_row[wfs] + k, col));
            }
            total += sum * sum;
        }
    }
    return total / (double)m->first_slope[m->n_wfs];
}
