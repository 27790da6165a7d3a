#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "support/system_text.h"

/* A description of one's own: two sensors of 2 x 2 lenslets, three layers, one without strength. */
static const uint8_t lenslets[] = {1, 0, 255, 1};
static const uint8_t actuators[] = {0, 7, 1, 1, 1, 1, 1, 0, 0};
static const double rotation[] = {0.25, -0.25};
static const double offset_x[] = {0.01, 0.0};
static const double offset_y[] = {0.0, -0.02};
static const double star_x[] = {1e-5, -1e-5};
static const double star_y[] = {2e-5, 0.0};
static const double altitude[] = {4000.0, 0.0, 200000.0};
static const double fraction[] = {0.25, 0.75, 0.0};
static const double wind_speed[] = {10.0, 20.0, 0.0};
static const double wind_direction[] = {0.0, -1.0, 1.0};

static cltomo_system_description small_description(void)
{
    cltomo_system_description d = cltomo_system_description_init();
    d.telescope_diameter = 4.0;
    d.n_lenslets = 2;
    d.valid_lenslets = lenslets;
    d.n_wfs = 2;
    d.wfs_rotation = rotation;
    d.wfs_offset_x = offset_x;
    d.wfs_offset_y = offset_y;
    d.pixels_per_lenslet = 6;
    d.field_stop = 2e-5;
    d.guide_star_x = star_x;
    d.guide_star_y = star_y;
    d.guide_star_wavelength = 589e-9;
    d.guide_star_height = 90e3;
    d.zenith_angle = 0.5;
    d.r0 = 0.1;
    d.L0 = 20.0;
    d.turbulence_wavelength = 500e-9;
    d.n_layers = 3;
    d.layer_altitude = altitude;
    d.layer_fraction = fraction;
    d.wind_speed = wind_speed;
    d.wind_direction = wind_direction;
    d.n_directions_across = 5;
    d.field_of_view = 1e-4;
    d.n_actuators = 3;
    d.valid_actuators = actuators;
    d.actuator_pitch = 2.0;
    d.mirror_height = 50.0;
    d.mirror_coupling = 0.2;
    return d;
}

static parsed create(const cltomo_system_description *d)
{
    parsed p = {.context = NULL};
    cr_assert_eq(cltomo_context_create(&p.context, NULL, NULL), CLTOMO_OK);
    p.status = cltomo_system_create(p.context, &p.system, &p.diagnostics, d, &p.error);
    cr_assert_eq(p.system == NULL, p.status != CLTOMO_OK);
    return p;
}

Test(description, init_gives_one_direction_and_nothing_else)
{
    cltomo_system_description d = cltomo_system_description_init();
    cltomo_system_description zero = {.size = sizeof zero, .n_directions_across = 1};
    cr_assert_eq(memcmp(&d, &zero, sizeof d), 0);
}

Test(description, all_of_it_is_copied)
{
    cltomo_system_description d = small_description();
    parsed p = create(&d);
    const cltomo_system_description *own = parsed_description(&p);
    const uint8_t own_lenslets[] = {1, 0, 1, 1};
    const uint8_t own_actuators[] = {0, 1, 1, 1, 1, 1, 1, 0, 0};
    cr_assert_null(p.diagnostics);
    cr_assert_eq(own->telescope_diameter, 4.0);
    cr_assert_eq(own->n_lenslets, 2);
    cr_assert_arr_eq(own->valid_lenslets, own_lenslets, sizeof own_lenslets);
    cr_assert_eq(own->n_wfs, 2);
    cr_assert_arr_eq(own->wfs_rotation, rotation, sizeof rotation);
    cr_assert_arr_eq(own->wfs_offset_x, offset_x, sizeof offset_x);
    cr_assert_arr_eq(own->wfs_offset_y, offset_y, sizeof offset_y);
    cr_assert_eq(own->pixels_per_lenslet, 6);
    cr_assert_eq(own->field_stop, 2e-5);
    cr_assert_arr_eq(own->guide_star_x, star_x, sizeof star_x);
    cr_assert_arr_eq(own->guide_star_y, star_y, sizeof star_y);
    cr_assert_eq(own->guide_star_wavelength, 589e-9);
    cr_assert_eq(own->guide_star_height, 90e3);
    cr_assert_eq(own->zenith_angle, 0.5);
    cr_assert_eq(own->r0, 0.1);
    cr_assert_eq(own->L0, 20.0);
    cr_assert_eq(own->turbulence_wavelength, 500e-9);
    cr_assert_eq(own->n_layers, 3);
    cr_assert_arr_eq(own->layer_altitude, altitude, sizeof altitude);
    cr_assert_arr_eq(own->layer_fraction, fraction, sizeof fraction);
    cr_assert_arr_eq(own->wind_speed, wind_speed, sizeof wind_speed);
    cr_assert_arr_eq(own->wind_direction, wind_direction, sizeof wind_direction);
    cr_assert_eq(own->n_directions_across, 5);
    cr_assert_eq(own->field_of_view, 1e-4);
    cr_assert_eq(own->n_actuators, 3);
    cr_assert_arr_eq(own->valid_actuators, own_actuators, sizeof own_actuators);
    cr_assert_eq(own->actuator_pitch, 2.0);
    cr_assert_eq(own->mirror_height, 50.0);
    cr_assert_eq(own->mirror_coupling, 0.2);
    cr_assert_neq(own->guide_star_x, star_x);
    parsed_clear(&p);
}

Test(description, of_a_system_gives_an_equal_system)
{
    parsed first = parse_edited("fractionnalR0: [0.75, 0.25]", "fractionnalR0: [0.333, 0.6666]");
    parsed second = create(parsed_description(&first));
    const cltomo_system_description *a = parsed_description(&first);
    const cltomo_system_description *b = parsed_description(&second);
    cr_assert_eq(cltomo_system_hash(first.system), cltomo_system_hash(second.system));
    cr_assert_arr_eq(a->layer_fraction, b->layer_fraction, 2 * sizeof(double));
    cr_assert_arr_eq(a->guide_star_y, b->guide_star_y, 2 * sizeof(double));
    cr_assert_null(second.diagnostics);
    parsed_clear(&first);
    parsed_clear(&second);
}

Test(description, changed_field)
{
    parsed first = parse_text(system_text);
    cltomo_system_description d = *parsed_description(&first);
    d.r0 = 0.2;
    parsed second = create(&d);
    cr_assert_eq(parsed_description(&second)->r0, 0.2);
    cr_assert_eq(parsed_description(&first)->r0, 0.15);
    cr_assert_neq(cltomo_system_hash(first.system), cltomo_system_hash(second.system));
    parsed_clear(&first);
    parsed_clear(&second);
}

Test(description, what_may_be_left_out)
{
    cltomo_system_description d = small_description();
    d.wfs_rotation = NULL;
    d.wfs_offset_x = NULL;
    d.pixels_per_lenslet = 0;
    d.field_stop = 0.0;
    d.turbulence_wavelength = 0.0;
    d.wind_speed = NULL;
    d.wind_direction = NULL;
    d.n_actuators = 0;
    d.valid_actuators = NULL;
    d.actuator_pitch = 0.0;
    d.guide_star_height = (double)INFINITY;
    parsed p = create(&d);
    const cltomo_system_description *own = parsed_description(&p);
    cr_assert_null(p.diagnostics);
    cr_assert_eq(own->wfs_rotation[1], 0.0);
    cr_assert_eq(own->wfs_offset_x[0], 0.0);
    cr_assert_eq(own->wfs_offset_y[1], -0.02);
    cr_assert_null(own->wind_speed);
    cr_assert_null(own->valid_actuators);
    cr_assert(isinf(own->guide_star_height));
    parsed_clear(&p);
}

static void assert_bad(const cltomo_system_description *d, const char *key, const char *value,
    const char *message, const char *allowed)
{
    parsed p = create(d);
    cr_assert_eq(p.status, CLTOMO_ERROR_CONFIG, "%s", key);
    cr_assert_str_eq(p.error.key, key);
    cr_assert_str_eq(p.error.value, value, "%s: %s", key, p.error.value);
    cr_assert_str_eq(p.error.file, "");
    cr_assert_eq(p.error.line, 0);
    assert_holds(p.error.message, message);
    assert_holds(p.error.allowed, allowed);
    parsed_clear(&p);
}

#define BAD(member, bad, value, allowed)                                                           \
    do {                                                                                           \
        cltomo_system_description d = small_description();                                         \
        d.member = (bad);                                                                          \
        assert_bad(&d, #member, value, "out of range", allowed);                                   \
    } while (0)

Test(description, scalars_out_of_range)
{
    BAD(telescope_diameter, 0.0, "0", "0.0001 <= x <= 1000 m");
    BAD(telescope_diameter, (double)NAN, "nan", "0.0001 <= x <= 1000 m");
    BAD(telescope_diameter, -(double)INFINITY, "-inf", "0.0001 <= x <= 1000 m");
    BAD(n_lenslets, 0, "0", "an integer from 1 to 1024");
    BAD(n_lenslets, UINT32_C(0x80000000), "2147483648", "an integer from 1 to 1024");
    BAD(n_wfs, 0, "0", "an integer from 1 to 64");
    BAD(n_wfs, UINT32_MAX, "4294967295", "an integer from 1 to 64");
    BAD(pixels_per_lenslet, UINT32_MAX, "4294967295", "an integer from 1 to 65536");
    BAD(field_stop, -1.0, "-1", "rad");
    BAD(guide_star_wavelength, 0.0, "0", "m");
    BAD(guide_star_height, 0.0, "0", "infinity for natural stars");
    BAD(guide_star_height, (double)NAN, "nan", "infinity for natural stars");
    BAD(zenith_angle, 1.5707963267948966, "1.570796327", "0 <= x < 1.5708 rad");
    BAD(zenith_angle, -0.1, "-0.1", "0 <= x < 1.5708 rad");
    BAD(r0, (double)NAN, "nan", "m");
    BAD(L0, (double)INFINITY, "inf", "m");
    BAD(L0, DBL_MIN, "2.225073859e-308", "m");
    BAD(turbulence_wavelength, 500.0, "500", "m");
    BAD(n_layers, 0, "0", "an integer from 1 to 1024");
    BAD(n_layers, UINT32_MAX, "4294967295", "an integer from 1 to 1024");
    BAD(n_directions_across, 0, "0", "an integer from 1 to 128");
    BAD(n_directions_across, 129, "129", "an integer from 1 to 128");
    BAD(field_of_view, 1.0, "1", "rad");
    BAD(n_actuators, 1025, "1025", "an integer from 1 to 1024");
    BAD(actuator_pitch, 0.0, "0", "m");
    BAD(mirror_height, (double)NAN, "nan", "m");
    BAD(mirror_coupling, 2.0, "2", "0 <= x <= 1");
}

#define BAD_ELEMENT(member, bad, value, allowed)                                                   \
    do {                                                                                           \
        cltomo_system_description d = small_description();                                         \
        double changed[3] = {d.member[0], d.member[1], 0.0};                                       \
        changed[1] = (bad);                                                                        \
        d.member = changed;                                                                        \
        assert_bad(&d, #member "[1]", value, "out of range", allowed);                             \
    } while (0)

Test(description, elements_out_of_range)
{
    BAD_ELEMENT(wfs_rotation, (double)NAN, "nan", "rad");
    BAD_ELEMENT(wfs_rotation, 400.0, "400", "-6.2832 <= x <= 6.2832 rad");
    BAD_ELEMENT(wfs_offset_x, (double)INFINITY, "inf", "-1 <= x <= 1");
    BAD_ELEMENT(wfs_offset_y, -1.5, "-1.5", "-1 <= x <= 1");
    BAD_ELEMENT(guide_star_x, 10.0, "10", "<= x <=");
    BAD_ELEMENT(guide_star_y, (double)NAN, "nan", "<= x <=");
    BAD_ELEMENT(layer_altitude, -1.0, "-1", "0 <= x <= 1e+06 m");
    BAD_ELEMENT(layer_fraction, (double)NAN, "nan", "0 <= x");
    BAD_ELEMENT(wind_speed, -1.0, "-1", "m/s");
    BAD_ELEMENT(wind_direction, 100.0, "100", "rad");
}

#define MISSING(member)                                                                            \
    do {                                                                                           \
        cltomo_system_description d = small_description();                                         \
        d.member = NULL;                                                                           \
        assert_bad(&d, #member, "", "must not be NULL", "");                                       \
    } while (0)

Test(description, arrays_that_are_missing)
{
    MISSING(valid_lenslets);
    MISSING(guide_star_x);
    MISSING(guide_star_y);
    MISSING(layer_altitude);
    MISSING(layer_fraction);
    MISSING(valid_actuators);
}

Test(description, everything_that_a_file_is_checked_for)
{
    const uint8_t dark[9] = {0};
    const double high[] = {4000.0, 95e3, 0.0};
    const double off[] = {0.25, 0.25, 0.0};
    cltomo_system_description d = small_description();
    d.valid_lenslets = dark;
    assert_bad(&d, "valid_lenslets", "", "no cell of the map is valid", "at least one");
    d = small_description();
    d.valid_actuators = dark;
    assert_bad(&d, "valid_actuators", "", "no cell of the map is valid", "at least one");
    d = small_description();
    d.layer_altitude = high;
    assert_bad(&d, "layer_altitude[1]", "95000", "at or above the guide stars (guide_star_height)",
        "at 90000 m");
    d = small_description();
    d.layer_fraction = off;
    assert_bad(&d, "layer_fraction", "", "the fractions sum to 0.5", "a sum of 1");
    d = small_description();
    d.field_of_view = 0.0;
    assert_bad(&d, "field_of_view", "0", "n_directions_across asks for several", "above 0");
}

Test(description, fractions_are_scaled_with_a_warning)
{
    const double off[] = {0.25, 0.7495, 0.0};
    cltomo_system_description d = small_description();
    d.layer_fraction = off;
    parsed p = create(&d);
    cr_assert_float_eq(parsed_description(&p)->layer_fraction[0], 0.25 / 0.9995, 1e-15);
    cr_assert_not_null(parsed_find(&p, CLTOMO_SEVERITY_WARNING, "layer_fraction"));
    parsed_clear(&p);
}

Test(description, all_problems_are_reported)
{
    cltomo_system_description d = cltomo_system_description_init();
    parsed p = create(&d);
    const char *const expected[] = {"telescope_diameter", "n_lenslets", "n_wfs", "n_layers",
        "valid_lenslets", "guide_star_x", "guide_star_y", "guide_star_wavelength",
        "guide_star_height", "r0", "L0", "layer_altitude", "layer_fraction"};
    const size_t n = sizeof expected / sizeof expected[0];
    cr_assert_eq(p.status, CLTOMO_ERROR_CONFIG);
    cr_assert_eq(cltomo_diagnostics_count(p.diagnostics), n);
    for (size_t i = 0; i < n; ++i) {
        cr_assert_not_null(parsed_find(&p, CLTOMO_SEVERITY_ERROR, expected[i]), "%s", expected[i]);
    }
    cr_assert_str_eq(p.error.key, expected[0]);
    parsed_clear(&p);
}

Test(description, of_another_size)
{
    const uint32_t sizes[] = {0, 4, sizeof(cltomo_system_description) - 1,
        sizeof(cltomo_system_description) + 8, UINT32_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        cltomo_system_description d = small_description();
        d.size = sizes[i];
        parsed p = create(&d);
        cr_assert_eq(p.status, CLTOMO_ERROR_ARGUMENT);
        cr_assert_null(p.diagnostics);
        cr_assert_str_eq(p.error.key, "size");
        parsed_clear(&p);
    }
}

Test(description, largest_legal_sizes)
{
    static uint8_t all[1024 * 1024];
    static double zeros[1024];
    static double equal[1024];
    memset(all, 1, sizeof all);
    for (size_t i = 0; i < 1024; ++i) {
        equal[i] = 1.0 / 1024.0;
    }
    cltomo_system_description d = small_description();
    d.n_lenslets = 1024;
    d.valid_lenslets = all;
    d.n_wfs = 64;
    d.wfs_rotation = zeros;
    d.wfs_offset_x = zeros;
    d.wfs_offset_y = zeros;
    d.guide_star_x = zeros;
    d.guide_star_y = zeros;
    d.n_layers = 1024;
    d.layer_altitude = zeros;
    d.layer_fraction = equal;
    d.wind_speed = zeros;
    d.wind_direction = zeros;
    d.n_directions_across = 128;
    d.n_actuators = 1024;
    d.valid_actuators = all;
    parsed p = create(&d);
    (void)parsed_description(&p);
    parsed_clear(&p);
}

/* ---- lenslets per sensor, flux, listed directions ------------------------------------------ */

static const uint8_t sensor_lenslets[] = {1, 0, 255, 1, /* */ 0, 0, 1, 1};
static const double flux[] = {0.5, 0.0, 2.0, 1.0, /* */ 9.0, 9.0, 3.0, 4.0};
static const double direction_x[] = {1e-5, -2e-5, 0.0};
static const double direction_y[] = {0.0, 3e-5, -4e-5};
static const double weight[] = {1.0, 0.0, 3.0};
static const double height[] = {90e3, (double)INFINITY, 4001.0};

static cltomo_system_description detailed_description(void)
{
    cltomo_system_description d = small_description();
    d.valid_lenslets = NULL;
    d.valid_lenslets_per_wfs = sensor_lenslets;
    d.lenslet_flux = flux;
    d.n_directions = 3;
    d.direction_x = direction_x;
    d.direction_y = direction_y;
    d.direction_weight = weight;
    d.direction_height = height;
    return d;
}

Test(description, details_are_copied)
{
    const uint8_t own_maps[] = {1, 0, 1, 1, 0, 0, 1, 1};
    const uint8_t own_union[] = {1, 0, 1, 1};
    const double own_flux[] = {0.5, 0.0, 2.0, 1.0, 0.0, 0.0, 3.0, 4.0};
    const double own_weight[] = {0.25, 0.0, 0.75};
    cltomo_system_description d = detailed_description();
    parsed p = create(&d);
    const cltomo_system_description *own = parsed_description(&p);
    cr_assert_null(p.diagnostics);
    cr_assert_arr_eq(own->valid_lenslets_per_wfs, own_maps, sizeof own_maps);
    cr_assert_arr_eq(own->valid_lenslets, own_union, sizeof own_union);
    cr_assert_arr_eq(own->lenslet_flux, own_flux, sizeof own_flux);
    cr_assert_eq(own->n_directions, 3);
    cr_assert_arr_eq(own->direction_x, direction_x, sizeof direction_x);
    cr_assert_arr_eq(own->direction_y, direction_y, sizeof direction_y);
    cr_assert_arr_eq(own->direction_weight, own_weight, sizeof own_weight);
    cr_assert_arr_eq(own->direction_height, height, sizeof height);
    cr_assert_neq(own->direction_x, direction_x);
    cr_assert_neq(own->direction_height, height);
    cr_assert_eq(own->n_directions_across, 1);
    cr_assert_eq(own->field_of_view, 0.0);
    parsed again = create(own);
    cr_assert_eq(cltomo_system_hash(again.system), cltomo_system_hash(p.system));
    parsed_clear(&again);
    parsed_clear(&p);
}

static uint64_t hash_of(const cltomo_system_description *d)
{
    parsed p = create(d);
    (void)parsed_description(&p);
    uint64_t hash = cltomo_system_hash(p.system);
    parsed_clear(&p);
    return hash;
}

/* Each has its part in the hash; those that say nothing have none, and no array. */
Test(description, details_that_say_nothing)
{
    const uint8_t equal_maps[] = {1, 0, 1, 1, 3, 0, 1, 1};
    const double ones[] = {1.0, 7.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0};
    const double weights[] = {4.0, 4.0, 4.0};
    const double heights[] = {(double)INFINITY, (double)INFINITY, (double)INFINITY};
    const cltomo_system_description grid = small_description();
    cltomo_system_description plain = grid;
    cltomo_system_description d = grid;
    d.valid_lenslets = NULL;
    d.valid_lenslets_per_wfs = equal_maps;
    d.lenslet_flux = ones;
    cr_assert_eq(hash_of(&d), hash_of(&plain));
    d.valid_lenslets_per_wfs = sensor_lenslets;
    cr_assert_neq(hash_of(&d), hash_of(&plain));
    d = plain;
    d.lenslet_flux = flux;
    cr_assert_neq(hash_of(&d), hash_of(&plain));
    plain.n_directions = 3;
    plain.direction_x = direction_x;
    plain.direction_y = direction_y;
    d = plain;
    d.direction_weight = weights;
    d.direction_height = heights;
    parsed p = create(&d);
    cr_assert_null(parsed_description(&p)->direction_weight);
    cr_assert_null(parsed_description(&p)->direction_height);
    parsed_clear(&p);
    cr_assert_eq(hash_of(&d), hash_of(&plain));
    cr_assert_neq(hash_of(&plain), hash_of(&grid));
    d.direction_weight = weight;
    cr_assert_neq(hash_of(&d), hash_of(&plain));
    d.direction_weight = NULL;
    d.direction_height = height;
    cr_assert_neq(hash_of(&d), hash_of(&plain));
}

Test(description, the_grid_is_not_read_beside_a_list)
{
    cltomo_system_description d = detailed_description();
    uint64_t hash = hash_of(&d);
    d.n_directions_across = 0;
    d.field_of_view = (double)NAN;
    cr_assert_eq(hash_of(&d), hash);
}

#define BAD_DETAIL(member, i, bad, key, value, message, allowed)                                   \
    do {                                                                                           \
        cltomo_system_description d = detailed_description();                                      \
        double array[8];                                                                           \
        memcpy(array, d.member, (i) < 3 ? 3 * sizeof *array : 8 * sizeof *array);                  \
        array[i] = bad;                                                                            \
        d.member = array;                                                                          \
        assert_bad(&d, key, value, message, allowed);                                              \
    } while (0)

Test(description, details_that_are_wrong)
{
    const uint8_t dark[] = {1, 0, 1, 1, 0, 0, 0, 0};
    const double none[] = {0.0, 0.0, 0.0};
    const double dark_flux[] = {0.5, 0.0, 2.0, 1.0, 9.0, 9.0, 3.0, 0.0};
    const double negative[] = {0.5, -1.0, 2.0, 1.0, 9.0, 9.0, 3.0, 1.0};
    const double not_finite[] = {0.5, 1.0, 2.0, 1.0, 9.0, 9.0, 3.0, (double)NAN};
    BAD_DETAIL(direction_x, 1, 10.0, "direction_x[1]", "10", "out of range", "<= x <=");
    BAD_DETAIL(direction_y, 2, (double)NAN, "direction_y[2]", "nan", "out of range", "<= x <=");
    BAD_DETAIL(direction_weight, 1, -0.5, "direction_weight[1]", "-0.5", "out of range",
        "0 <= x <= 1e+12");
    BAD_DETAIL(direction_weight, 1, (double)INFINITY, "direction_weight[1]", "inf", "out of range",
        "0 <= x <= 1e+12");
    BAD_DETAIL(direction_height, 0, 0.0, "direction_height[0]", "0", "out of range",
        "1 <= x <= 1e+12 m, or infinity");
    BAD_DETAIL(direction_height, 2, 4000.0, "direction_height[2]", "4000",
        "the source is not above every layer", "above the highest layer, at 4000 m");
    cltomo_system_description d = detailed_description();
    d.direction_weight = none;
    assert_bad(&d, "direction_weight", "", "every weight is 0", "at least one above 0");
    d = detailed_description();
    d.valid_lenslets_per_wfs = dark;
    assert_bad(&d, "valid_lenslets_per_wfs", "", "no lenslet of sensor 1 is valid", "at least one");
    d = detailed_description();
    d.lenslet_flux = dark_flux;
    assert_bad(&d, "lenslet_flux[7]", "0", "its flux is too low", "1e-06 <= x <= 1e+06");
    d.lenslet_flux = negative;
    assert_bad(&d, "lenslet_flux[1]", "-1", "out of range", "0 <= x <= 1e+06");
    d.lenslet_flux = not_finite;
    assert_bad(&d, "lenslet_flux[7]", "nan", "out of range", "0 <= x <= 1e+06");
    d = detailed_description();
    d.n_directions = 1025;
    assert_bad(&d, "n_directions", "1025", "out of range", "an integer from 1 to 1024");
    d = detailed_description();
    d.direction_x = NULL;
    assert_bad(&d, "direction_x", "", "must not be NULL", "");
    d = detailed_description();
    d.direction_y = NULL;
    assert_bad(&d, "direction_y", "", "must not be NULL", "");
}

Test(description, details_of_no_directions)
{
    const char *const keys[] = {
        "direction_x", "direction_y", "direction_weight", "direction_height"};
    cltomo_system_description d = detailed_description();
    d.n_directions = 0;
    parsed p = create(&d);
    cr_assert_eq(cltomo_diagnostics_count(p.diagnostics), 4);
    for (size_t i = 0; i < 4; ++i) {
        const cltomo_error *error = parsed_find(&p, CLTOMO_SEVERITY_ERROR, keys[i]);
        cr_assert_not_null(error);
        assert_holds(error->message, "given, but n_directions is 0");
    }
    parsed_clear(&p);
}
