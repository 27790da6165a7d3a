#include <string.h>

#include "geometry/geometry.h"

struct cltomo_gradient {
    const cltomo_context *context;
    cltomo_sparse matrix; /* points to the arrays below */
    size_t *row_start;
    uint32_t *column;
    double *value;
    uint8_t *grid_mask;
    size_t n_grid;
};

/* Averaging weights along an edge of a lenslet, for stencils of 3 and 5 points. */
static const double *edge_weights(uint32_t stencil)
{
    static const double three[3] = {1.0 / 4, 1.0 / 2, 1.0 / 4};
    static const double five[5] = {1.0 / 16, 3.0 / 16, 1.0 / 2, 3.0 / 16, 1.0 / 16};
    return stencil == 3 ? three : five;
}

static bool is_lit(const uint8_t *amplitude, size_t n_grid, size_t row, size_t col, size_t stencil)
{
    if (amplitude == NULL) {
        return true;
    }
    for (size_t i = 0; i < stencil; ++i) {
        for (size_t j = 0; j < stencil; ++j) {
            if (amplitude[(row + i) * n_grid + col + j] == 0) {
                return false;
            }
        }
    }
    return true;
}

/* Clears the lenslets that are not fully lit from kept, marks the stencils of the others in the
 * grid mask, and returns how many are kept. */
static size_t keep_lenslets(
    uint8_t *kept, uint8_t *grid_mask, size_t n, const uint8_t *amplitude, size_t stencil)
{
    size_t step = stencil - 1;
    size_t n_grid = step * n + 1;
    size_t n_kept = 0;
    for (size_t cell = 0; cell < n * n; ++cell) {
        size_t row = step * (cell / n);
        size_t col = step * (cell % n);
        kept[cell] = kept[cell] != 0 && is_lit(amplitude, n_grid, row, col, stencil);
        for (size_t i = 0; kept[cell] != 0 && i < stencil; ++i) {
            memset(&grid_mask[(row + i) * n_grid + col], 1, stencil);
        }
        n_kept += kept[cell];
    }
    return n_kept;
}

/* One row of Gamma: the two edges of the lenslet, points in ascending order of their number. */
static size_t fill_row(cltomo_gradient *g, size_t k, const cltomo_slope *slope, size_t stencil,
    const uint32_t *point_number)
{
    const double *weight = edge_weights((uint32_t)stencil);
    size_t last = stencil - 1;
    size_t origin = last * slope->lenslet_row * g->n_grid + last * slope->lenslet_col;
    for (size_t i = 0; i < stencil; ++i) {
        for (size_t j = 0; j < stencil; ++j) {
            size_t across = slope->axis == 0 ? j : i;
            size_t along = slope->axis == 0 ? i : j;
            if (across == 0 || across == last) {
                g->column[k] = point_number[origin + i * g->n_grid + j];
                g->value[k++] = across == 0 ? -weight[along] : weight[along];
            }
        }
    }
    return k;
}

static cltomo_status fill(cltomo_gradient *g, const cltomo_slope *slopes, size_t n_slopes,
    size_t stencil, cltomo_error *error)
{
    size_t n_points = 0;
    size_t n_cells = g->n_grid * g->n_grid;
    uint32_t *point_number = cltomo_allocate(g->context, n_cells, sizeof *point_number);
    if (point_number == NULL) {
        return cltomo_fail_memory(error, "the gradient operator");
    }
    for (size_t i = 0; i < n_cells; ++i) {
        point_number[i] = (uint32_t)n_points;
        n_points += g->grid_mask[i];
    }
    size_t k = 0;
    for (size_t row = 0; row < n_slopes; ++row) {
        g->row_start[row] = k;
        k = fill_row(g, k, &slopes[row], stencil, point_number);
    }
    g->row_start[n_slopes] = k;
    g->matrix = (cltomo_sparse){.rows = n_slopes,
        .cols = n_points,
        .row_start = g->row_start,
        .column = g->column,
        .value = g->value};
    cltomo_release(g->context, point_number);
    return CLTOMO_OK;
}

static cltomo_status check_arguments(const uint8_t *valid_lenslets, size_t n_lenslets,
    uint32_t stencil, cltomo_slope_order slope_order, cltomo_lenslet_order lenslet_order,
    cltomo_error *error)
{
    if (valid_lenslets == NULL || n_lenslets == 0 || n_lenslets > 4096) {
        return cltomo_fail_key(
            error, CLTOMO_ERROR_ARGUMENT, "n_lenslets", "", "1 to 4096", "a lenslet map is needed");
    }
    if (stencil != 3 && stencil != 5) {
        return cltomo_fail_key(
            error, CLTOMO_ERROR_ARGUMENT, "stencil", "", "3 or 5", "unknown stencil");
    }
    return cltomo_check_orders(slope_order, lenslet_order, error);
}

cltomo_status cltomo_gradient_create(const cltomo_context *context, cltomo_gradient **gradient,
    const uint8_t *valid_lenslets, size_t n_lenslets, const uint8_t *amplitude, uint32_t stencil,
    cltomo_slope_order slope_order, cltomo_lenslet_order lenslet_order, cltomo_error *error)
{
    cltomo_slope *slopes = NULL;
    uint8_t *kept = NULL;
    *gradient = NULL;
    cltomo_status status =
        check_arguments(valid_lenslets, n_lenslets, stencil, slope_order, lenslet_order, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    cltomo_gradient *g = cltomo_allocate_zero(context, 1, sizeof *g);
    if (g == NULL) {
        return cltomo_fail_memory(error, "the gradient operator");
    }
    g->context = cltomo_context_retain(context);
    g->n_grid = (stencil - 1) * n_lenslets + 1;
    g->grid_mask = cltomo_allocate_zero(context, g->n_grid * g->n_grid, 1);
    kept = cltomo_duplicate(context, valid_lenslets, n_lenslets * n_lenslets, 1);
    if (g->grid_mask == NULL || kept == NULL) {
        status = cltomo_fail_memory(error, "the gradient operator");
        goto done;
    }
    size_t n_kept = keep_lenslets(kept, g->grid_mask, n_lenslets, amplitude, stencil);
    if (n_kept == 0) {
        status = cltomo_fail(error, CLTOMO_ERROR_ARGUMENT, "no lenslet is valid and fully lit");
        goto done;
    }
    size_t per_row = 2 * (size_t)stencil;
    slopes = cltomo_allocate(context, 2 * n_kept, sizeof *slopes);
    g->row_start = cltomo_allocate(context, 2 * n_kept + 1, sizeof *g->row_start);
    g->column = cltomo_allocate(context, 2 * n_kept * per_row, sizeof *g->column);
    g->value = cltomo_allocate(context, 2 * n_kept * per_row, sizeof *g->value);
    if (slopes == NULL || g->row_start == NULL || g->column == NULL || g->value == NULL) {
        status = cltomo_fail_memory(error, "the gradient operator");
        goto done;
    }
    cltomo_list_sensor_slopes(
        slopes, kept, (uint32_t)n_lenslets, n_kept, slope_order, lenslet_order);
    status = fill(g, slopes, 2 * n_kept, stencil, error);
done:
    cltomo_release(context, slopes);
    cltomo_release(context, kept);
    if (status != CLTOMO_OK) {
        cltomo_gradient_destroy(g);
        return status;
    }
    *gradient = g;
    return CLTOMO_OK;
}

const cltomo_sparse *cltomo_gradient_matrix(const cltomo_gradient *gradient)
{
    return &gradient->matrix;
}

const uint8_t *cltomo_gradient_grid_mask(const cltomo_gradient *gradient, size_t *n_grid)
{
    if (n_grid != NULL) {
        *n_grid = gradient->n_grid;
    }
    return gradient->grid_mask;
}

void cltomo_gradient_destroy(cltomo_gradient *gradient)
{
    if (gradient != NULL) {
        const cltomo_context *context = gradient->context;
        cltomo_release(context, gradient->row_start);
        cltomo_release(context, gradient->column);
        cltomo_release(context, gradient->value);
        cltomo_release(context, gradient->grid_mask);
        cltomo_release(context, gradient);
        cltomo_context_release(context);
    }
}
