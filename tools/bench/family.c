/* Systems that differ in nothing but their size: KAPA's layout, sampled by more or fewer lenslets
 * of half a metre. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"

enum { N_STARS = 4, N_LAYERS = 7 };

const bench_family_member bench_family[BENCH_FAMILY_SIZE] = {
    {10, "family-10"},
    {14, "family-14"},
    {20, "family-20"},
    {28, "family-28"},
    {40, "family-40"},
    {60, "family-60"},
};

/* Cells whose centres lie between the radii, in cells. */
static void fill_annulus(uint8_t *map, uint32_t n, double outer, double inner)
{
    for (uint32_t row = 0; row < n; ++row) {
        for (uint32_t col = 0; col < n; ++col) {
            double radius = hypot(row + 0.5 - 0.5 * (double)n, col + 0.5 - 0.5 * (double)n);
            map[row * n + col] = radius <= outer && radius >= inner;
        }
    }
}

cltomo_status bench_family_create(
    const cltomo_context *context, cltomo_system **system, uint32_t n_lenslets, cltomo_error *error)
{
    static const double altitude[N_LAYERS] = {0.0, 500.0, 1e3, 2e3, 4e3, 8e3, 16e3};
    static const double fraction[N_LAYERS] = {
        0.4557, 0.1295, 0.0442, 0.0506, 0.1167, 0.0926, 0.1107};
    static const double pitch = 0.5;
    static const double radius = 7.6 * 3.14159265358979323846 / (180.0 * 3600.0);
    const double star_x[N_STARS] = {tan(radius), 0.0, -tan(radius), 0.0};
    const double star_y[N_STARS] = {0.0, tan(radius), 0.0, -tan(radius)};
    uint32_t n_actuators = n_lenslets + 1;
    uint8_t *lenslets = calloc((size_t)n_lenslets * n_lenslets, 1);
    uint8_t *actuators = calloc((size_t)n_actuators * n_actuators, 1);
    cltomo_status status = CLTOMO_ERROR_MEMORY;
    *system = NULL;
    if (lenslets == NULL || actuators == NULL) {
        *error = (cltomo_error){.status = status, .message = "no memory for the pupil maps"};
        goto done;
    }
    fill_annulus(lenslets, n_lenslets, 0.5 * n_lenslets, 0.1 * n_lenslets);
    fill_annulus(actuators, n_actuators, 0.5 * n_actuators, 0.0);
    cltomo_system_description description = cltomo_system_description_init();
    description.telescope_diameter = pitch * n_lenslets;
    description.n_lenslets = n_lenslets;
    description.valid_lenslets = lenslets;
    description.n_wfs = N_STARS;
    description.guide_star_x = star_x;
    description.guide_star_y = star_y;
    description.guide_star_wavelength = 589e-9;
    description.guide_star_height = 90e3;
    description.zenith_angle = 30.0 * 3.14159265358979323846 / 180.0;
    description.r0 = 0.186;
    description.L0 = 30.0;
    description.n_layers = N_LAYERS;
    description.layer_altitude = altitude;
    description.layer_fraction = fraction;
    description.n_actuators = n_actuators;
    description.valid_actuators = actuators;
    description.actuator_pitch = pitch;
    status = cltomo_system_create(context, system, NULL, &description, error);
done:
    free(lenslets);
    free(actuators);
    return status;
}
