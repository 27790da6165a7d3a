#include <cltomo/system.h>
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "golden/pytomoao_systems.h"
#include "support/golden.h"
#include "support/system_text.h"

Test(examples, names)
{
    const char *const names[] = {"kapa", "kapa-single-channel", "keck", "revolt"};
    cr_assert_eq(cltomo_example_count(), 4);
    for (size_t i = 0; i < 4; ++i) {
        cr_assert_str_eq(cltomo_example_name(i), names[i]);
        cr_assert_not_null(cltomo_example_text(names[i]));
    }
    cr_assert_null(cltomo_example_name(4));
    cr_assert_null(cltomo_example_text("Kapa"));
    cr_assert_null(cltomo_example_text(""));
    cr_assert_null(cltomo_example_text(NULL));
}

Test(examples, load_without_a_warning)
{
    for (size_t i = 0; i < cltomo_example_count(); ++i) {
        parsed p = parse_text(cltomo_example_text(cltomo_example_name(i)));
        (void)parsed_description(&p);
        cr_assert_null(p.diagnostics, "%s", cltomo_example_name(i));
        parsed_clear(&p);
    }
}

static void assert_near(double value, double expected, const char *what)
{
    cr_assert_leq(fabs(value - expected), 4e-16 * fabs(expected), "%s: %.17g, not %.17g", what,
        value, expected);
}

static void assert_same(const cltomo_system_description *d, const golden_system *g)
{
    double airmass = 1.0 / cos(d->zenith_angle);
    assert_near(d->telescope_diameter, g->diameter, "diameter");
    assert_near(airmass, g->airmass, "airmass");
    assert_near(d->r0 * pow(cos(d->zenith_angle), 0.6), g->r0, "r0");
    assert_near(d->L0, g->outer_scale, "L0");
    cr_assert_eq(d->n_layers, g->n_layers);
    for (size_t i = 0; i < g->n_layers; ++i) {
        assert_near(d->layer_altitude[i] * airmass, g->layer_heights[i], "height");
        assert_near(d->layer_fraction[i], g->layer_weights[i], "weight");
    }
    assert_near(d->guide_star_height * airmass, g->star_height, "star height");
    assert_near(d->guide_star_wavelength, g->star_wavelength, "wavelength");
    cr_assert_eq(d->n_wfs, g->n_sensors);
    for (size_t i = 0; i < g->n_sensors; ++i) {
        cr_assert_float_eq(d->guide_star_x[i], g->star_x[i], 1e-19);
        cr_assert_float_eq(d->guide_star_y[i], g->star_y[i], 1e-19);
        cr_assert_eq(d->wfs_rotation[i], g->sensor_rotation[i]);
        cr_assert_eq(d->wfs_offset_x[i], g->sensor_offset_x[i]);
        cr_assert_eq(d->wfs_offset_y[i], g->sensor_offset_y[i]);
    }
    cr_assert_eq((size_t)d->n_directions_across * d->n_directions_across, g->n_directions);
    /* pyTomoAO places them along the radius, which differs by 3e-12 rad. */
    cr_assert_float_eq(tan(d->field_of_view / 2.0), g->direction_x_max, 4e-12);
    cr_assert_eq(d->n_lenslets, g->n_lenslets_across);
    cr_assert_eq(golden_map_hash(d->valid_lenslets, d->n_lenslets, d->n_lenslets), g->lenslet_hash);
    cr_assert_eq(d->n_actuators, g->n_actuators_across);
    cr_assert_eq(
        golden_map_hash(d->valid_actuators, d->n_actuators, d->n_actuators), g->actuator_hash);
    assert_near(d->actuator_pitch, g->actuator_pitch, "pitch");
}

Test(examples, are_the_systems_of_pytomoao)
{
    for (size_t i = 0; i < cltomo_example_count(); ++i) {
        const golden_system *expected = NULL;
        for (size_t k = 0; k < sizeof golden_systems / sizeof golden_systems[0]; ++k) {
            if (strcmp(golden_systems[k].name, cltomo_example_name(i)) == 0) {
                expected = &golden_systems[k];
            }
        }
        cr_assert_not_null(expected);
        parsed p = parse_text(cltomo_example_text(cltomo_example_name(i)));
        assert_same(parsed_description(&p), expected);
        parsed_clear(&p);
    }
}

/* What pyTomoAO's own files of these systems, which are not in this tree, hash to. */
Test(examples, hash_as_the_files_of_pytomoao_do)
{
    const uint64_t hashes[] = {UINT64_C(0x5fab239112b19810), UINT64_C(0xa8aad664a5ff4002),
        UINT64_C(0x428eaffbd4564601), UINT64_C(0x9a77b22a1d97fad0)};
    for (size_t i = 0; i < cltomo_example_count(); ++i) {
        parsed p = parse_text(cltomo_example_text(cltomo_example_name(i)));
        cr_assert_eq(cltomo_system_hash(p.system), hashes[i], "%s", cltomo_example_name(i));
        parsed_clear(&p);
    }
}
