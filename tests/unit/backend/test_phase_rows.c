/* Parts of C_ps: some of its rows, and single directions, with every evaluator. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "support/fixture.h"
#include "support/model.h"

static const double rotation[] = {0.0, 0.3, 0.0};

/* small_asymmetric is all point by point; with these rotations one sensor takes the rotated
 * evaluator and two the separable one. */
static cltomo_system *mixed_system(const cltomo_context *context)
{
    cltomo_system *base = fixture_system(context, "small_asymmetric");
    cltomo_system_description d = *cltomo_system_get_description(base);
    d.wfs_rotation = rotation;
    cltomo_system *system = fixture_describe(context, &d);
    cltomo_system_destroy(base);
    return system;
}

static cltomo_system *make_system(const cltomo_context *context, const char *name)
{
    return strcmp(name, "mixed") == 0 ? mixed_system(context) : fixture_system(context, name);
}

static void expect_panels(const char *name, bool direct, cltomo_precision precision)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = make_system(context, name);
    model m = model_create(context, system, 0.0);
    m.covariance.direct_reason = direct ? "a test" : NULL;
    cltomo_matrix *whole = model_c_ps(&m, precision);
    size_t size = cltomo_precision_size(precision) * whole->cols;
    for (size_t first = 0; first < whole->rows; first += 17) {
        size_t left = whole->rows - first;
        size_t n = left < 17 ? left : 17;
        cltomo_matrix *part = NULL;
        m.covariance.first_phase = first;
        part = model_c_ps_rows(&m, precision, n);
        const unsigned char *expected = whole->data.raw;
        cltomo_matrix *slice = NULL;
        cr_assert_eq(cltomo_matrix_create(
                         context, &slice, precision, n, whole->cols, &expected[first * size], NULL),
            CLTOMO_OK);
        cr_expect_lt(model_difference(part, slice),
            precision == CLTOMO_PRECISION_DOUBLE ? 1e-14 : 1e-6, "%s from row %zu", name, first);
        cltomo_matrix_destroy(slice);
        cltomo_matrix_destroy(part);
    }
    cltomo_matrix_destroy(whole);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(phase_rows, are_those_of_the_whole)
{
    static const char *const names[] = {
        "small_asymmetric", "small_directions", "small_single", "mixed"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        expect_panels(names[i], false, CLTOMO_PRECISION_DOUBLE);
        expect_panels(names[i], false, CLTOMO_PRECISION_SINGLE);
    }
    expect_panels("mixed", true, CLTOMO_PRECISION_DOUBLE);
}

Test(phase_rows, are_those_of_the_whole_of_kapa, .description = "large")
{
    expect_panels("reduced_kapa", false, CLTOMO_PRECISION_DOUBLE);
    expect_panels("reduced_kapa", false, CLTOMO_PRECISION_SINGLE);
}

/* The mean over the directions of a grid is that of C_ps in each of them. */
static void expect_mean(const char *name, bool direct)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = make_system(context, name);
    model m = model_create(context, system, 0.0);
    cltomo_matrix *expected = model_c_ps(&m, CLTOMO_PRECISION_DOUBLE);
    cltomo_matrix *mean = model_c_ps(&m, CLTOMO_PRECISION_DOUBLE);
    cltomo_dimensions size;
    cltomo_direction directions[16];
    const cltomo_geometry *geometry = m.geometry;
    cltomo_system_dimensions(system, &size);
    cr_assert_leq(size.n_directions, 16);
    cltomo_list_directions(directions, cltomo_system_get_description(system));
    memset(mean->data.f64, 0, mean->rows * mean->cols * sizeof(double));
    m.covariance.direct_reason = direct ? "a test" : NULL;
    for (size_t k = 0; k < size.n_directions; ++k) {
        cltomo_geometry *looking = NULL;
        cr_assert_eq(cltomo_geometry_look(geometry, &looking, &directions[k], NULL), CLTOMO_OK);
        m.covariance.geometry = looking;
        cltomo_matrix *c_ps = model_c_ps(&m, CLTOMO_PRECISION_DOUBLE);
        for (size_t i = 0; i < c_ps->rows * c_ps->cols; ++i) {
            mean->data.f64[i] += directions[k].weight * c_ps->data.f64[i];
        }
        cltomo_matrix_destroy(c_ps);
        cltomo_geometry_look_away(looking);
    }
    cr_expect_lt(model_difference(mean, expected), 1e-12, "%s, direct %d: %g", name, direct,
        model_difference(mean, expected));
    cltomo_matrix_destroy(mean);
    cltomo_matrix_destroy(expected);
    model_destroy(&m);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(phase_rows, average_over_single_directions)
{
    expect_mean("small_directions", true);
    expect_mean("small_directions", false);
    expect_mean("mixed", true);
    expect_mean("mixed", false);
}

/* Gamma applied from the left to C_ps towards a guide star, whose sensor is neither rotated nor
 * offset: what the sensor sees then is what C_ss tells of its slopes. */
static void expect_slope_covariance(const model *m, const cltomo_matrix *c_ps,
    const cltomo_gradient *gradient, const cltomo_matrix *c_ss, size_t wfs)
{
    const cltomo_sparse *gamma = cltomo_gradient_matrix(gradient);
    size_t n = m->geometry->n_slopes;
    double difference = 0.0;
    double norm = 0.0;
    for (size_t i = 0; i < gamma->rows; ++i) {
        for (size_t j = 0; j < n; ++j) {
            double sum = 0.0;
            for (size_t k = gamma->row_start[i]; k < gamma->row_start[i + 1]; ++k) {
                sum += gamma->value[k] * c_ps->data.f64[gamma->column[k] * n + j];
            }
            double expected = c_ss->data.f64[(wfs * gamma->rows + i) * n + j];
            difference += (sum - expected) * (sum - expected);
            norm += expected * expected;
        }
    }
    cr_expect_lt(sqrt(difference / norm), 1e-11, "%g", sqrt(difference / norm));
}

Test(phase_rows, towards_a_guide_star_are_what_its_sensor_sees)
{
    cltomo_context *context = fixture_context();
    for (int rotated = 0; rotated < 2; ++rotated) {
        cltomo_system *base = fixture_system(context, "small_asymmetric");
        cltomo_system_description d = *cltomo_system_get_description(base);
        double zero_x[] = {0.0, 0.02, 0.0};
        double zero_y[] = {0.0, -0.03, 0.0};
        d.wfs_rotation = rotated ? rotation : NULL;
        d.wfs_offset_x = zero_x;
        d.wfs_offset_y = zero_y;
        cltomo_system *system = fixture_describe(context, &d);
        model m = model_create(context, system, 0.0);
        const cltomo_geometry *geometry = m.geometry;
        cltomo_matrix *c_ss = model_c_ss(&m, CLTOMO_PRECISION_DOUBLE);
        cltomo_gradient *gradient = NULL;
        cr_assert_eq(cltomo_gradient_create(context, &gradient, d.valid_lenslets, d.n_lenslets,
                         NULL, 3, CLTOMO_SLOPES_XY, CLTOMO_LENSLETS_ROW, NULL),
            CLTOMO_OK);
        for (size_t wfs = 0; wfs < 3; wfs += 2) {
            const cltomo_direction direction = {.x = d.guide_star_x[wfs],
                .y = d.guide_star_y[wfs],
                .height = geometry->guide_star_height};
            cltomo_geometry *looking = NULL;
            cr_assert_eq(cltomo_geometry_look(geometry, &looking, &direction, NULL), CLTOMO_OK);
            for (int direct = 0; direct < 2; ++direct) {
                m.covariance.geometry = looking;
                m.covariance.direct_reason = direct ? "a test" : NULL;
                cltomo_matrix *c_ps = model_c_ps(&m, CLTOMO_PRECISION_DOUBLE);
                expect_slope_covariance(&m, c_ps, gradient, c_ss, wfs);
                cltomo_matrix_destroy(c_ps);
            }
            m.covariance.geometry = geometry;
            cltomo_geometry_look_away(looking);
        }
        cltomo_gradient_destroy(gradient);
        cltomo_matrix_destroy(c_ss);
        model_destroy(&m);
        cltomo_system_destroy(system);
        cltomo_system_destroy(base);
    }
    cltomo_context_destroy(context);
}
