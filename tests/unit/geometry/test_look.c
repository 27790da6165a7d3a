/* Directions one by one. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "geometry/geometry.h"
#include "support/fault.h"
#include "support/fixture.h"

static cltomo_geometry *create(const cltomo_context *context, const cltomo_system *system)
{
    cltomo_geometry *geometry = NULL;
    cr_assert_eq(cltomo_geometry_create(context, &geometry, system, NULL), CLTOMO_OK);
    return geometry;
}

/* The difference of a phase point's place from a sensor's, both from their definitions. */
Test(look, keep_the_differences_of_places)
{
    const cltomo_direction direction = {.x = 3e-5, .y = -4e-5, .height = 120e3};
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_geometry *g = create(context, system);
    cltomo_geometry *looking = NULL;
    cr_assert_eq(cltomo_geometry_look(g, &looking, &direction, NULL), CLTOMO_OK);
    cr_assert_eq(looking->n_directions_across, 1);
    cr_assert_eq(looking->direction[0], 0.0);
    for (size_t i = 0; i < g->n_wfs; ++i) {
        for (size_t l = 0; l < g->n_layers; ++l) {
            size_t k = i * g->n_layers + l;
            double scale = 1.0 - g->height[l] / direction.height;
            double phase_x = scale * 0.9 + g->height[l] * direction.x;
            double phase_y = scale * -0.4 + g->height[l] * direction.y;
            cr_expect_float_eq(looking->phase_scale[l] * 0.9 - looking->shift_x[k],
                phase_x - g->shift_x[k], 1e-14);
            cr_expect_float_eq(looking->phase_scale[l] * -0.4 - looking->shift_y[k],
                phase_y - g->shift_y[k], 1e-14);
            cr_expect_eq(looking->scale[k], g->scale[k]);
        }
    }
    cltomo_geometry_look_away(looking);
    cltomo_geometry_look_away(NULL);
    cltomo_geometry_destroy(g);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}

Test(look, fail_cleanly_without_memory)
{
    const cltomo_direction direction = {.x = 3e-5, .y = -4e-5, .height = INFINITY};
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_geometry *g = create(context, system);
    cltomo_geometry *looking = NULL;
    long live = atomic_load(&state.live);
    long n = 0;
    while (true) {
        cltomo_error error = {0};
        atomic_store(&state.left, n);
        cltomo_status status = cltomo_geometry_look(g, &looking, &direction, &error);
        if (status == CLTOMO_OK) {
            break;
        }
        ++n;
        cr_assert_eq(status, CLTOMO_ERROR_MEMORY);
        cr_assert_eq(error.status, status);
        cr_assert_null(looking);
        cr_assert_eq(atomic_load(&state.live), live);
    }
    cr_expect_eq(n, 5);
    cltomo_geometry_look_away(looking);
    cr_expect_eq(atomic_load(&state.live), live);
    cltomo_geometry_destroy(g);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
}
