/* The gradient operator: what it does to simple phases, its weights one by one, and its mask. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/geometry.h"
#include "support/fault.h"
#include "support/fixture.h"

enum { n = 4, n_valid = 9, max_grid = 4 * n + 1 };

/* Nothing is symmetric. */
static const uint8_t map[n * n] = {0, 1, 1, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1};

static cltomo_gradient *create(
    const cltomo_context *context, const uint8_t *amplitude, uint32_t stencil)
{
    cltomo_gradient *gradient = NULL;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_gradient_create(context, &gradient, map, n, amplitude, stencil,
                     CLTOMO_SLOPES_XY, CLTOMO_LENSLETS_ROW, &error),
        CLTOMO_OK, "%s", error.message);
    return gradient;
}

/* Grid index of each column. */
static void list_points(size_t *points, const cltomo_gradient *gradient)
{
    size_t n_grid = 0;
    size_t k = 0;
    const uint8_t *mask = cltomo_gradient_grid_mask(gradient, &n_grid);
    for (size_t i = 0; i < n_grid * n_grid; ++i) {
        if (mask[i] != 0) {
            points[k++] = i;
        }
    }
    cr_assert_eq(k, cltomo_gradient_matrix(gradient)->cols);
}

/* One row of Gamma on the whole grid. */
static void spread_row(double *grid, const cltomo_gradient *gradient, size_t row)
{
    size_t points[max_grid * max_grid];
    const cltomo_sparse *m = cltomo_gradient_matrix(gradient);
    list_points(points, gradient);
    memset(grid, 0, max_grid * max_grid * sizeof *grid);
    for (size_t k = m->row_start[row]; k < m->row_start[row + 1]; ++k) {
        cr_assert_lt(m->column[k], m->cols);
        cr_assert(k == m->row_start[row] || m->column[k] > m->column[k - 1]);
        grid[points[m->column[k]]] = m->value[k];
    }
}

/* The weights of the documentation, with the corner of lenslet (row, col) at (0, 0). */
static double weight(uint32_t stencil, uint32_t axis, int row, int col)
{
    static const double three[] = {0.25, 0.5, 0.25};
    static const double five[] = {0.0625, 0.1875, 0.5, 0.1875, 0.0625};
    int last = (int)stencil - 1;
    if (row < 0 || col < 0 || row > last || col > last) {
        return 0.0;
    }
    int across = axis == 0 ? col : row;
    int along = axis == 0 ? row : col;
    double edge = stencil == 3 ? three[along] : five[along];
    return across == 0 ? -edge : across == last ? edge : 0.0;
}

Test(gradient, has_the_documented_weights)
{
    cltomo_context *context = fixture_context();
    for (uint32_t stencil = 3; stencil <= 5; stencil += 2) {
        cltomo_gradient *gradient = create(context, NULL, stencil);
        const cltomo_sparse *m = cltomo_gradient_matrix(gradient);
        int n_grid = (int)((stencil - 1) * n + 1);
        size_t row = 0;
        cr_assert_eq(m->rows, 2 * n_valid);
        for (uint32_t axis = 0; axis < 2; ++axis) {
            for (int lenslet = 0; lenslet < n * n; ++lenslet) {
                if (map[lenslet] == 0) {
                    continue;
                }
                double grid[max_grid * max_grid];
                int corner_row = (lenslet / n) * (int)(stencil - 1);
                int corner_col = (lenslet % n) * (int)(stencil - 1);
                spread_row(grid, gradient, row++);
                for (int i = 0; i < n_grid; ++i) {
                    for (int j = 0; j < n_grid; ++j) {
                        cr_assert_eq(grid[i * n_grid + j],
                            weight(stencil, axis, i - corner_row, j - corner_col));
                    }
                }
            }
        }
        cltomo_gradient_destroy(gradient);
    }
    cltomo_context_destroy(context);
}

static void expect_slopes(
    const cltomo_gradient *gradient, const double *phase, double slope_x, double slope_y)
{
    const cltomo_sparse *m = cltomo_gradient_matrix(gradient);
    for (size_t row = 0; row < m->rows; ++row) {
        double slope = 0.0;
        for (size_t k = m->row_start[row]; k < m->row_start[row + 1]; ++k) {
            slope += m->value[k] * phase[m->column[k]];
        }
        cr_assert_eq(slope, row < m->rows / 2 ? slope_x : slope_y);
    }
}

Test(gradient, constants_vanish_and_ramps_are_exact)
{
    cltomo_context *context = fixture_context();
    for (uint32_t stencil = 3; stencil <= 5; stencil += 2) {
        cltomo_gradient *gradient = create(context, NULL, stencil);
        const cltomo_sparse *m = cltomo_gradient_matrix(gradient);
        size_t points[max_grid * max_grid];
        double phase[3][max_grid * max_grid];
        size_t n_grid = 0;
        (void)cltomo_gradient_grid_mask(gradient, &n_grid);
        cr_assert_eq(n_grid, (stencil - 1) * n + 1);
        list_points(points, gradient);
        for (size_t k = 0; k < m->cols; ++k) {
            phase[0][k] = 3.0;
            phase[1][k] = (double)(points[k] % n_grid) / (stencil - 1) - 1.5;
            phase[2][k] = (double)(points[k] / n_grid) / (stencil - 1) + 0.5;
        }
        expect_slopes(gradient, phase[0], 0.0, 0.0);
        expect_slopes(gradient, phase[1], 1.0, 0.0);
        expect_slopes(gradient, phase[2], 0.0, 1.0);
        cltomo_gradient_destroy(gradient);
    }
    cltomo_context_destroy(context);
}

static bool is_in_stencil(size_t lenslet, size_t stencil, size_t row, size_t col)
{
    size_t top = (lenslet / n) * (stencil - 1);
    size_t left = (lenslet % n) * (stencil - 1);
    return row >= top && row < top + stencil && col >= left && col < left + stencil;
}

/* Darkens each point of the grid in turn: exactly the lenslets with it in their stencil go. */
Test(gradient, a_dark_point_drops_exactly_the_lenslets_around_it)
{
    cltomo_context *context = fixture_context();
    for (uint32_t stencil = 3; stencil <= 5; stencil += 2) {
        size_t n_grid = (stencil - 1) * n + 1;
        for (size_t dark = 0; dark < n_grid * n_grid; ++dark) {
            uint8_t amplitude[max_grid * max_grid];
            uint8_t kept[n * n];
            uint8_t expected_mask[max_grid * max_grid] = {0};
            cltomo_gradient *expected = NULL;
            memset(amplitude, 200, sizeof amplitude);
            amplitude[dark] = 0;
            for (size_t cell = 0; cell < n * n; ++cell) {
                kept[cell] =
                    map[cell] != 0 && !is_in_stencil(cell, stencil, dark / n_grid, dark % n_grid);
                for (size_t i = 0; kept[cell] != 0 && i < n_grid * n_grid; ++i) {
                    expected_mask[i] |= is_in_stencil(cell, stencil, i / n_grid, i % n_grid);
                }
            }
            cltomo_gradient *gradient = create(context, amplitude, stencil);
            cr_assert_eq(cltomo_gradient_create(context, &expected, kept, n, NULL, stencil,
                             CLTOMO_SLOPES_XY, CLTOMO_LENSLETS_ROW, NULL),
                CLTOMO_OK);
            const cltomo_sparse *a = cltomo_gradient_matrix(gradient);
            const cltomo_sparse *b = cltomo_gradient_matrix(expected);
            cr_assert_eq(
                memcmp(cltomo_gradient_grid_mask(gradient, NULL), expected_mask, n_grid * n_grid),
                0);
            cr_assert_eq(a->rows, b->rows);
            cr_assert_eq(a->cols, b->cols);
            size_t n_elements = a->row_start[a->rows];
            cr_assert_eq(n_elements, a->rows * 2 * stencil);
            cr_assert_eq(memcmp(a->column, b->column, n_elements * sizeof *a->column), 0);
            cr_assert_eq(memcmp(a->value, b->value, n_elements * sizeof *a->value), 0);
            cltomo_gradient_destroy(gradient);
            cltomo_gradient_destroy(expected);
        }
    }
    cltomo_context_destroy(context);
}

Test(gradient, rows_follow_the_orders)
{
    cltomo_context *context = fixture_context();
    cltomo_gradient *own = create(context, NULL, 3);
    for (int order = 0; order < 6; ++order) {
        cltomo_slope_order slope_order = (cltomo_slope_order)(order / 2);
        cltomo_lenslet_order lenslet_order = (cltomo_lenslet_order)(order % 2);
        cltomo_gradient *gradient = NULL;
        cr_assert_eq(cltomo_gradient_create(
                         context, &gradient, map, n, NULL, 3, slope_order, lenslet_order, NULL),
            CLTOMO_OK);
        size_t k = 0;
        for (size_t a = 0; a < n; ++a) {
            for (size_t b = 0; b < n; ++b) {
                size_t cell = lenslet_order == CLTOMO_LENSLETS_ROW ? a * n + b : b * n + a;
                size_t number = 0; /* of the lenslet, row by row */
                for (size_t i = 0; i < cell; ++i) {
                    number += map[i];
                }
                for (size_t axis = 0; map[cell] != 0 && axis < 2; ++axis) {
                    double found[max_grid * max_grid];
                    double expected[max_grid * max_grid];
                    size_t row = slope_order == CLTOMO_SLOPES_XY   ? axis * n_valid + k
                                 : slope_order == CLTOMO_SLOPES_YX ? (1 - axis) * n_valid + k
                                                                   : 2 * k + axis;
                    spread_row(found, gradient, row);
                    spread_row(expected, own, axis * n_valid + number);
                    cr_assert_eq(memcmp(found, expected, sizeof found), 0);
                }
                k += map[cell];
            }
        }
        cltomo_gradient_destroy(gradient);
    }
    cltomo_gradient_destroy(own);
    cltomo_context_destroy(context);
}

Test(gradient, equals_the_high_precision_evaluation)
{
    static const char *const names[] = {"small_asymmetric", "small_directions", "small_single"};
    cltomo_context *context = fixture_context();
    for (size_t s = 0; s < 3; ++s) {
        golden_array gamma = fixture_golden(names[s], "gamma");
        cltomo_system *system = fixture_system(context, names[s]);
        const cltomo_system_description *d = cltomo_system_get_description(system);
        cltomo_gradient *gradient = NULL;
        cr_assert_eq(cltomo_gradient_create(context, &gradient, d->valid_lenslets, d->n_lenslets,
                         NULL, 3, CLTOMO_SLOPES_XY, CLTOMO_LENSLETS_ROW, NULL),
            CLTOMO_OK);
        const cltomo_sparse *m = cltomo_gradient_matrix(gradient);
        cr_assert_eq(m->rows, gamma.rows);
        cr_assert_eq(m->cols, gamma.columns);
        double *dense = calloc(m->rows * m->cols, sizeof *dense);
        for (size_t row = 0; row < m->rows; ++row) {
            for (size_t k = m->row_start[row]; k < m->row_start[row + 1]; ++k) {
                dense[row * m->cols + m->column[k]] = m->value[k];
            }
        }
        cr_expect_eq(memcmp(dense, gamma.data, m->rows * m->cols * sizeof *dense), 0);
        free(dense);
        cltomo_gradient_destroy(gradient);
        cltomo_system_destroy(system);
        golden_destroy(&gamma);
    }
    cltomo_context_destroy(context);
}

Test(gradient, a_single_lenslet_is_enough)
{
    cltomo_context *context = fixture_context();
    const uint8_t one[1] = {255};
    cltomo_gradient *gradient = NULL;
    cr_assert_eq(cltomo_gradient_create(context, &gradient, one, 1, NULL, 3,
                     CLTOMO_SLOPES_INTERLEAVED, CLTOMO_LENSLETS_COLUMN, NULL),
        CLTOMO_OK);
    cr_assert_eq(cltomo_gradient_matrix(gradient)->rows, 2);
    cr_assert_eq(cltomo_gradient_matrix(gradient)->cols, 9);
    cltomo_context_destroy(context); /* the operator keeps it */
    cltomo_gradient_destroy(gradient);
    cltomo_gradient_destroy(NULL);
}

static void expect_refused(const uint8_t *valid, size_t n_lenslets, const uint8_t *amplitude,
    uint32_t stencil, int slope_order, int lenslet_order, const char *key)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_gradient *gradient = (cltomo_gradient *)(uintptr_t)1;
    cltomo_error error = {0};
    cr_expect_eq(cltomo_gradient_create(context, &gradient, valid, n_lenslets, amplitude, stencil,
                     (cltomo_slope_order)slope_order, (cltomo_lenslet_order)lenslet_order, &error),
        CLTOMO_ERROR_ARGUMENT);
    cr_expect_null(gradient);
    cr_expect_eq(error.status, CLTOMO_ERROR_ARGUMENT);
    cr_expect_str_eq(error.key, key);
    cr_expect_eq(atomic_load(&state.live), 1);
    cltomo_context_destroy(context);
}

Test(gradient, refuses_bad_arguments)
{
    static const uint8_t dark[max_grid * max_grid];
    static const uint8_t none[n * n];
    expect_refused(NULL, n, NULL, 3, 0, 0, "n_lenslets");
    expect_refused(map, 0, NULL, 3, 0, 0, "n_lenslets");
    expect_refused(map, 4097, NULL, 3, 0, 0, "n_lenslets");
    expect_refused(map, SIZE_MAX, NULL, 3, 0, 0, "n_lenslets");
    static const uint32_t stencils[] = {0, 1, 2, 4, 6, UINT32_MAX};
    for (size_t i = 0; i < sizeof stencils / sizeof *stencils; ++i) {
        expect_refused(map, n, NULL, stencils[i], 0, 0, "stencil");
    }
    expect_refused(map, n, NULL, 3, 3, 0, "slope_order");
    expect_refused(map, n, NULL, 3, 0, 2, "lenslet_order");
    expect_refused(map, n, dark, 3, 0, 0, "");
    expect_refused(none, n, NULL, 5, 0, 0, "");
}

Test(gradient, fails_cleanly_without_memory)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_status status = CLTOMO_ERROR_MEMORY;
    long left = 0;
    for (; status == CLTOMO_ERROR_MEMORY; ++left) {
        cltomo_gradient *gradient = (cltomo_gradient *)(uintptr_t)1;
        atomic_store(&state.left, left);
        status = cltomo_gradient_create(
            context, &gradient, map, n, NULL, 5, CLTOMO_SLOPES_XY, CLTOMO_LENSLETS_ROW, NULL);
        cr_assert_eq(gradient == NULL, status != CLTOMO_OK);
        cltomo_gradient_destroy(gradient);
        cr_assert_eq(atomic_load(&state.live), 1);
    }
    cr_assert_eq(status, CLTOMO_OK);
    cr_assert_gt(left, 6);
    cltomo_context_destroy(context);
}
