#include <math.h>

#include "backend/cpu/cpu.h"
#include "backend/scratch.h"

/* The blocks of one sensor with itself are alike whatever its rotation and shift, so sensors of
 * equal scale share one table. */
static cltomo_status fill_diagonal(const cltomo_context *context, cltomo_matrix *c_ss,
    const cltomo_covariance *covariance, cltomo_error *error)
{
    const cltomo_geometry *g = covariance->geometry;
    cltomo_slope_table table = {0};
    cltomo_status status = CLTOMO_OK;
    for (size_t i = 0; i < g->n_wfs && status == CLTOMO_OK; ++i) {
        if (cltomo_covariance_slope_evaluator(covariance, i, i) == CLTOMO_EVALUATOR_DIRECT) {
            status = cltomo_cpu_direct_block(context, c_ss, covariance, i, i, error);
            continue;
        }
        if (table.xx == NULL || !cltomo_covariance_same_scale(g, i - 1, i)) {
            cltomo_cpu_slope_table_release(context, &table);
            status = cltomo_cpu_slope_table(context, &table, covariance, i, i, error);
        }
        if (status == CLTOMO_OK) {
            cltomo_cpu_gather_block(context, c_ss, g, &table, i, i);
        }
    }
    cltomo_cpu_slope_table_release(context, &table);
    return status;
}

static cltomo_status fill_pair(const cltomo_context *context, cltomo_matrix *c_ss,
    const cltomo_covariance *covariance, size_t i, size_t j, cltomo_error *error)
{
    if (cltomo_covariance_slope_evaluator(covariance, i, j) == CLTOMO_EVALUATOR_DIRECT) {
        return cltomo_cpu_direct_block(context, c_ss, covariance, i, j, error);
    }
    cltomo_slope_table table = {0};
    cltomo_status status = cltomo_cpu_slope_table(context, &table, covariance, i, j, error);
    if (status == CLTOMO_OK) {
        cltomo_cpu_gather_block(context, c_ss, covariance->geometry, &table, i, j);
        cltomo_cpu_slope_table_release(context, &table);
    }
    return status;
}

/* Whether any pair of sensors is direct. All guide stars are at one height, so that scales need not
 * be known. */
static bool has_direct_pair(const cltomo_covariance *covariance)
{
    cltomo_geometry alike = *covariance->geometry;
    cltomo_covariance copy = *covariance;
    alike.n_layers = 0;
    copy.geometry = &alike;
    for (size_t i = 0; i < alike.n_wfs; ++i) {
        for (size_t j = 0; j <= i; ++j) {
            if (cltomo_covariance_slope_evaluator(&copy, i, j) == CLTOMO_EVALUATOR_DIRECT) {
                return true;
            }
        }
    }
    return false;
}

double cltomo_slope_covariance_scratch(const cltomo_covariance *covariance, size_t workers)
{
    const cltomo_geometry *g = covariance->geometry;
    double table = cltomo_cpu_slope_table_scratch(g, workers);
    return has_direct_pair(covariance) ? fmax(table, cltomo_cpu_direct_block_scratch(g, workers))
                                       : table;
}

cltomo_status cltomo_cpu_slope_covariance(const cltomo_context *context, cltomo_array *c_ss,
    const cltomo_covariance *covariance, cltomo_error *error)
{
    cltomo_matrix *matrix = cltomo_cpu_matrix(c_ss);
    size_t n_wfs = covariance->geometry->n_wfs;
    cltomo_status status = fill_diagonal(context, matrix, covariance, error);
    for (size_t i = 1; i < n_wfs && status == CLTOMO_OK; ++i) {
        for (size_t j = 0; j < i && status == CLTOMO_OK; ++j) {
            status = fill_pair(context, matrix, covariance, i, j, error);
        }
        if (status == CLTOMO_OK) {
            status = cltomo_progress(
                context, "slope covariance", (double)(i + 1) / (double)n_wfs, error);
        }
    }
    return status;
}
