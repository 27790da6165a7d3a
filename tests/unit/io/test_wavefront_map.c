#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/io.h"
#include "support/fixture.h"
#include "support/loop.h"
#include "support/scratch.h"

Test(wavefront_map, nan_outside_the_mask_and_zero_within)
{
    static const cltomo_point points[] = {{.row = 0, .col = 1}, {.row = 2, .col = 0}};
    static const double wavefront[] = {0.0, -3.0};
    double map[9];
    cr_assert_eq(cltomo_wavefront_map(map, 3, points, wavefront, 2, NULL), CLTOMO_OK);
    for (size_t i = 0; i < 9; ++i) {
        cr_assert(i == 1 ? map[i] == 0.0 : i == 6 ? map[i] == -3.0 : isnan(map[i]), "%zu", i);
    }
    map[0] = 7.0;
    cltomo_error error = {0};
    cr_assert_eq(cltomo_wavefront_map(map, 2, points, wavefront, 2, &error), CLTOMO_ERROR_SHAPE);
    cr_assert_eq(map[0], 7.0);
    cr_assert_neq(error.message[0], '\0');
}

/* The bytes of the cube after the 128 of the NPY header. */
Test(wavefront_map, of_files_is_r_times_slopes)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_reconstructor *built = NULL;
    cltomo_dimensions n;
    char r_path[1024], slopes_path[1024], maps_path[1024];
    scratch place;
    scratch_create(&place);
    (void)strcpy(r_path, scratch_path(&place, "R.fits"));
    (void)strcpy(slopes_path, scratch_path(&place, "slopes.npy"));
    (void)strcpy(maps_path, scratch_path(&place, "maps.npy"));
    options.products = CLTOMO_PRODUCT_R;
    cr_assert_eq(cltomo_reconstructor_build(context, &built, system, &options, NULL), CLTOMO_OK);
    cr_assert_eq(
        cltomo_reconstructor_write(built, CLTOMO_PRODUCT_R, r_path, CLTOMO_FORMAT_FITS, NULL),
        CLTOMO_OK);
    cltomo_system_dimensions(system, &n);
    double *slopes = malloc(2 * n.n_slopes * sizeof *slopes);
    for (size_t j = 0; j < 2 * n.n_slopes; ++j) {
        slopes[j] = loop_number(5, j);
    }
    cltomo_matrix *s = loop_matrix(context, slopes, 2, n.n_slopes, CLTOMO_PRECISION_DOUBLE);
    cr_assert_eq(cltomo_matrix_write(s, slopes_path, CLTOMO_FORMAT_NPY, NULL), CLTOMO_OK);
    cltomo_error error = {0};
    cltomo_status status = cltomo_reconstruct_files(
        context, r_path, slopes_path, maps_path, CLTOMO_FORMAT_NPY, &error);
    cr_assert_eq(status, CLTOMO_OK, "%s", error.message);

    size_t size = 0;
    char *bytes = scratch_read(maps_path, &size);
    size_t cells = n.n_grid * n.n_grid;
    cr_assert_eq(size, 128 + 2 * cells * sizeof(double));
    double *maps = malloc(2 * cells * sizeof *maps);
    memcpy(maps, bytes + 128, 2 * cells * sizeof *maps);
    cltomo_point *points = malloc(n.n_phase * sizeof *points);
    cr_assert_eq(cltomo_system_phase_points(system, points, n.n_phase, NULL), CLTOMO_OK);
    const double *r = cltomo_matrix_double(cltomo_reconstructor_matrix(built, CLTOMO_PRODUCT_R));
    size_t n_valid = 0;
    for (size_t k = 0; k < 2 * cells; ++k) {
        n_valid += isnan(maps[k]) ? 0 : 1;
    }
    cr_assert_eq(n_valid, 2 * n.n_phase);
    for (size_t v = 0; v < 2; ++v) {
        for (size_t i = 0; i < n.n_phase; ++i) {
            double sum = 0.0;
            for (size_t j = 0; j < n.n_slopes; ++j) {
                sum += r[i * n.n_slopes + j] * slopes[v * n.n_slopes + j];
            }
            double got = maps[v * cells + points[i].row * n.n_grid + points[i].col];
            cr_assert_float_eq(got, sum, 1e-12 * (1e-6 + fabs(sum)), "%zu, %zu", v, i);
        }
    }
    free(points);
    free(maps);
    free(bytes);
    free(slopes);
    cltomo_matrix_destroy(s);
    cltomo_reconstructor_destroy(built);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
    scratch_remove(&place);
}
