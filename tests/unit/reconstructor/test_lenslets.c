/* Sensors with lenslets and flux of their own, against the definition: rows and columns of the
 * covariances of a system with all lenslets, and a solution by plain loops. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/fixture.h"
#include "support/model.h"

enum { n_across = 5, n_cells = n_across * n_across, n_wfs = 3 };

/* A system whose sensors differ, and the one that has the union of their lenslets everywhere. */
typedef struct pair {
    cltomo_context *context;
    cltomo_system *all;
    cltomo_system *own;
    uint8_t map[n_wfs * n_cells];
    double flux[n_wfs * n_cells];
    size_t n_slopes;
    size_t *number; /* of each slope of `own` among those of `all` */
    double *slope_flux;
} pair;

static const cltomo_slope_order slope_order = CLTOMO_SLOPES_INTERLEAVED;
static const cltomo_lenslet_order lenslet_order = CLTOMO_LENSLETS_COLUMN;

static size_t find(const cltomo_slope *slopes, size_t n, const cltomo_slope *wanted)
{
    for (size_t k = 0; k < n; ++k) {
        if (slopes[k].wfs == wanted->wfs && slopes[k].axis == wanted->axis &&
            slopes[k].lenslet_row == wanted->lenslet_row &&
            slopes[k].lenslet_col == wanted->lenslet_col) {
            return k;
        }
    }
    cr_assert_fail("a slope is missing");
    return n;
}

static cltomo_slope *list_slopes(const cltomo_system *system, size_t *n)
{
    cltomo_dimensions size;
    cltomo_system_dimensions(system, &size);
    *n = size.n_slopes;
    cltomo_slope *slopes = calloc(*n, sizeof *slopes);
    cr_assert_eq(
        cltomo_system_slopes(system, slopes, *n, slope_order, lenslet_order, NULL), CLTOMO_OK);
    return slopes;
}

static pair create(bool with_maps, bool with_flux)
{
    pair p = {.context = fixture_context()};
    p.all = fixture_system(p.context, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(p.all);
    cr_assert(d.n_lenslets == n_across && d.n_wfs == n_wfs);
    for (size_t i = 0; i < n_wfs * n_cells; ++i) {
        size_t cell = i % n_cells;
        /* the first sensor keeps all, the others lose some */
        p.map[i] = d.valid_lenslets[cell] != 0 && (i < n_cells || (7 * i + 3) % 11 > 2);
        p.flux[i] = p.map[i] ? 0.25 + (double)((5 * i) % 13) : 0.0;
    }
    d.valid_lenslets_per_wfs = with_maps ? p.map : NULL;
    d.lenslet_flux = with_flux ? p.flux : NULL;
    if (!with_maps) {
        for (size_t i = 0; i < n_wfs * n_cells; ++i) {
            p.flux[i] = 0.25 + (double)((5 * i) % 13);
        }
    }
    p.own = fixture_describe(p.context, &d);
    size_t n_all;
    cltomo_slope *all = list_slopes(p.all, &n_all);
    cltomo_slope *own = list_slopes(p.own, &p.n_slopes);
    cr_assert(with_maps ? p.n_slopes < n_all : p.n_slopes == n_all);
    p.number = calloc(p.n_slopes, sizeof *p.number);
    p.slope_flux = calloc(p.n_slopes, sizeof *p.slope_flux);
    for (size_t k = 0; k < p.n_slopes; ++k) {
        size_t cell = own[k].wfs * n_cells + own[k].lenslet_row * n_across + own[k].lenslet_col;
        cr_assert(!with_maps || p.map[cell]);
        p.number[k] = find(all, n_all, &own[k]);
        p.slope_flux[k] = with_flux ? p.flux[cell] : 1.0;
    }
    free(all);
    free(own);
    return p;
}

static void destroy(pair *p)
{
    free(p->number);
    free(p->slope_flux);
    cltomo_system_destroy(p->own);
    cltomo_system_destroy(p->all);
    cltomo_context_destroy(p->context);
}

static cltomo_build_options make_options(uint32_t products)
{
    cltomo_build_options options = cltomo_build_options_init();
    options.products = products;
    options.slope_order = slope_order;
    options.lenslet_order = lenslet_order;
    return options;
}

static cltomo_reconstructor *build(
    const pair *p, const cltomo_system *system, const cltomo_build_options *options)
{
    cltomo_reconstructor *reconstructor = NULL;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_reconstructor_build(p->context, &reconstructor, system, options, &error),
        CLTOMO_OK, "%s", error.message);
    return reconstructor;
}

/* The matrix with the slopes of `own` alone, as columns and, if square, as rows. */
static cltomo_matrix *pick(const pair *p, const cltomo_matrix *a, bool square)
{
    size_t rows = square ? p->n_slopes : cltomo_matrix_rows(a);
    double *data = calloc(rows * p->n_slopes, sizeof *data);
    cltomo_matrix *picked = NULL;
    for (size_t i = 0; i < rows; ++i) {
        for (size_t k = 0; k < p->n_slopes; ++k) {
            size_t row = square ? p->number[i] : i;
            data[i * p->n_slopes + k] =
                cltomo_matrix_double(a)[row * cltomo_matrix_cols(a) + p->number[k]];
        }
    }
    cr_assert_eq(cltomo_matrix_create(
                     p->context, &picked, CLTOMO_PRECISION_DOUBLE, rows, p->n_slopes, data, NULL),
        CLTOMO_OK);
    free(data);
    return picked;
}

/* x A = b for each row, A symmetric positive definite, by elimination. */
static void solve(double *a, double *b, size_t n, size_t rows)
{
    for (size_t k = 0; k < n; ++k) {
        for (size_t i = k + 1; i < n; ++i) {
            double factor = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n; ++j) {
                a[i * n + j] -= factor * a[k * n + j];
            }
            for (size_t r = 0; r < rows; ++r) {
                b[r * n + i] -= factor * b[r * n + k];
            }
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t r = 0; r < rows; ++r) {
            for (size_t j = k + 1; j < n; ++j) {
                b[r * n + k] -= a[k * n + j] * b[r * n + j];
            }
            b[r * n + k] /= a[k * n + k];
        }
    }
}

/* C_ps (C_ss + alpha mean(diag C_ss) diag(1 / flux))^-1 of the picked slopes. */
static cltomo_matrix *expected_solution(
    const pair *p, const cltomo_matrix *c_ss, const cltomo_matrix *c_ps, double alpha)
{
    size_t n = p->n_slopes;
    size_t rows = cltomo_matrix_rows(c_ps);
    double *a = calloc(n * n, sizeof *a);
    double *b = calloc(rows * n, sizeof *b);
    double mean = 0.0;
    memcpy(a, cltomo_matrix_double(c_ss), n * n * sizeof *a);
    memcpy(b, cltomo_matrix_double(c_ps), rows * n * sizeof *b);
    for (size_t k = 0; k < n; ++k) {
        mean += a[k * n + k] / (double)n;
    }
    for (size_t k = 0; k < n; ++k) {
        a[k * n + k] += alpha * mean / p->slope_flux[k];
    }
    solve(a, b, n, rows);
    cltomo_matrix *solution = NULL;
    cr_assert_eq(
        cltomo_matrix_create(p->context, &solution, CLTOMO_PRECISION_DOUBLE, rows, n, b, NULL),
        CLTOMO_OK);
    free(a);
    free(b);
    return solution;
}

static void expect_solution(bool with_maps, bool with_flux)
{
    const uint32_t products = CLTOMO_PRODUCT_C_SS | CLTOMO_PRODUCT_C_PS | CLTOMO_PRODUCT_C_N |
                              CLTOMO_PRODUCT_R_UNSCALED | CLTOMO_PRODUCT_FR | CLTOMO_PRODUCT_F;
    pair p = create(with_maps, with_flux);
    cltomo_build_options options = make_options(products);
    options.alpha = 0.7;
    options.scaling = 1.0;
    cltomo_reconstructor *all = build(&p, p.all, &options);
    cltomo_reconstructor *own = build(&p, p.own, &options);
    cltomo_matrix *c_ss = pick(&p, cltomo_reconstructor_matrix(all, CLTOMO_PRODUCT_C_SS), true);
    cltomo_matrix *c_ps = pick(&p, cltomo_reconstructor_matrix(all, CLTOMO_PRODUCT_C_PS), false);
    cltomo_matrix *expected = expected_solution(&p, c_ss, c_ps, options.alpha);
    const cltomo_matrix *found = cltomo_reconstructor_matrix(own, CLTOMO_PRODUCT_R_UNSCALED);
    cr_expect_eq(
        model_difference(cltomo_reconstructor_matrix(own, CLTOMO_PRODUCT_C_SS), c_ss), 0.0);
    cr_expect_eq(
        model_difference(cltomo_reconstructor_matrix(own, CLTOMO_PRODUCT_C_PS), c_ps), 0.0);
    cr_expect_lt(model_difference(found, expected), 1e-12, "%g", model_difference(found, expected));
    const double *noise =
        cltomo_matrix_double(cltomo_reconstructor_matrix(own, CLTOMO_PRODUCT_C_N));
    double mean = cltomo_reconstructor_report(own)->mean_slope_variance;
    for (size_t k = 0; k < p.n_slopes; ++k) {
        cr_expect_float_eq(
            noise[k], options.alpha * mean / p.slope_flux[k], 1e-14 * noise[k], "slope %zu", k);
    }
    cltomo_matrix_destroy(expected);
    cltomo_matrix_destroy(c_ps);
    cltomo_matrix_destroy(c_ss);
    cltomo_reconstructor_destroy(own);
    cltomo_reconstructor_destroy(all);
    destroy(&p);
}

Test(lenslets, of_each_sensor_make_its_slopes)
{
    expect_solution(true, false);
}

Test(lenslets, flux_divides_the_noise)
{
    expect_solution(false, true);
}

Test(lenslets, and_flux_of_each_sensor)
{
    expect_solution(true, true);
}

/* FR alone solves for the commands: the same as with R, and in single precision with the estimate
 * of its error. */
Test(lenslets, commands_alone_are_the_same)
{
    pair p = create(true, true);
    cltomo_build_options options = make_options(CLTOMO_PRODUCT_FR);
    cltomo_reconstructor *alone = build(&p, p.own, &options);
    options.precision = CLTOMO_PRECISION_SINGLE;
    cltomo_reconstructor *single = build(&p, p.own, &options);
    options.products |= CLTOMO_PRODUCT_R;
    options.precision = CLTOMO_PRECISION_DOUBLE;
    cltomo_reconstructor *both = build(&p, p.own, &options);
    const cltomo_matrix *expected = cltomo_reconstructor_matrix(both, CLTOMO_PRODUCT_FR);
    cr_expect_lt(
        model_difference(cltomo_reconstructor_matrix(alone, CLTOMO_PRODUCT_FR), expected), 1e-12);
    double loss =
        model_difference(cltomo_reconstructor_matrix(single, CLTOMO_PRODUCT_FR), expected);
    double estimate = cltomo_reconstructor_report(single)->estimated_error;
    cr_expect(loss < 1e-5 && estimate > 0.0 && estimate < 1e-3, "%g, estimated %g", loss, estimate);
    cltomo_reconstructor_destroy(both);
    cltomo_reconstructor_destroy(single);
    cltomo_reconstructor_destroy(alone);
    destroy(&p);
}

Test(lenslets, that_differ_have_no_gamma)
{
    pair p = create(true, false);
    cltomo_build_options options = make_options(CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_GAMMA);
    cltomo_reconstructor *reconstructor = NULL;
    cltomo_error error = {0};
    cr_expect_eq(cltomo_reconstructor_build(p.context, &reconstructor, p.own, &options, &error),
        CLTOMO_ERROR_CONFIG);
    cr_expect_str_eq(error.key, "lgs_wfs_parameters.validLLMap");
    destroy(&p);
}
