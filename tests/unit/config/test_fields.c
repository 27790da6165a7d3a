#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "config/draft.h"

Test(fields, table_is_complete_and_consistent)
{
    for (size_t i = 0; i < CLTOMO_N_FIELDS; ++i) {
        const cltomo_field *field = &cltomo_fields[i];
        cr_assert(field->key != NULL || field->name != NULL, "field %zu is empty", i);
        cr_assert_lt(field->min, field->max, "field %zu", i);
        cr_assert_lt(field->section, CLTOMO_N_SECTIONS);
        if (field->key == NULL && i != CLTOMO_FIELD_N_LISTED) { /* its key is in the field before */
            cr_assert_eq(cltomo_fields[i - 1].shape + 1, field->shape);
        }
        for (size_t k = 0; k < i; ++k) {
            cr_assert(field->name == NULL || cltomo_fields[k].name == NULL ||
                          strcmp(field->name, cltomo_fields[k].name) != 0,
                "%s twice", field->name);
        }
    }
}

static const char *range(cltomo_field_id id, bool si)
{
    static char text[160];
    cltomo_field_range(text, sizeof text, &cltomo_fields[id], si);
    return text;
}

Test(fields, ranges_in_words)
{
    cr_assert_str_eq(range(CLTOMO_FIELD_ZENITH_ANGLE, false), "0 <= x < 90 degrees");
    cr_assert_str_eq(range(CLTOMO_FIELD_ZENITH_ANGLE, true), "0 <= x < 1.5708 rad");
    cr_assert_str_eq(range(CLTOMO_FIELD_FIELD_STOP, false), "0 < x <= 3600 arcsec");
    cr_assert_str_eq(range(CLTOMO_FIELD_ALTITUDE, false), "0 <= x <= 1000 km");
    cr_assert_str_eq(range(CLTOMO_FIELD_ALTITUDE, true), "0 <= x <= 1e+06 m");
    cr_assert_str_eq(range(CLTOMO_FIELD_N_WFS, true), "an integer from 1 to 64");
    cr_assert_str_eq(
        range(CLTOMO_FIELD_STAR_HEIGHT, false), "1 <= x <= 1e+12 m, or .inf for natural stars");
    cr_assert_str_eq(
        range(CLTOMO_FIELD_STAR_HEIGHT, true), "1 <= x <= 1e+12 m, or infinity for natural stars");
    cr_assert_str_eq(range(CLTOMO_FIELD_DIRECTION_HEIGHT, false), "1 <= x <= 1e+12 m, or .inf");
    cr_assert_str_eq(range(CLTOMO_FIELD_COUPLING, false), "0 <= x <= 1");
}

Test(fields, ends_of_ranges)
{
    const cltomo_field *zenith = &cltomo_fields[CLTOMO_FIELD_ZENITH_ANGLE];
    double right_angle = cltomo_unit_to_si(CLTOMO_UNIT_DEGREE, 90.0);
    cr_assert(cltomo_field_allows(zenith, 0.0));
    cr_assert(cltomo_field_allows(zenith, -0.0));
    cr_assert(cltomo_field_allows(zenith, nextafter(right_angle, 0.0)));
    cr_assert_not(cltomo_field_allows(zenith, right_angle));
    cr_assert_not(cltomo_field_allows(zenith, -1e-300));
    const cltomo_field *stop = &cltomo_fields[CLTOMO_FIELD_FIELD_STOP];
    cr_assert_not(cltomo_field_allows(stop, 0.0));
    cr_assert(cltomo_field_allows(stop, cltomo_unit_to_si(CLTOMO_UNIT_ARCSECOND, 3600.0)));
}

Test(fields, numbers_that_are_not_finite)
{
    for (size_t i = 0; i < CLTOMO_N_FIELDS; ++i) {
        cr_assert_not(cltomo_field_allows(&cltomo_fields[i], (double)NAN));
        cr_assert_not(cltomo_field_allows(&cltomo_fields[i], -(double)INFINITY));
        cr_assert_eq(cltomo_field_allows(&cltomo_fields[i], (double)INFINITY),
            i == CLTOMO_FIELD_STAR_HEIGHT || i == CLTOMO_FIELD_DIRECTION_HEIGHT);
    }
}

Test(fields, units)
{
    const double pi = 3.14159265358979323846;
    cr_assert_eq(cltomo_unit_to_si(CLTOMO_UNIT_KILOMETRE, 0.5), 500.0);
    cr_assert_float_eq(cltomo_unit_to_si(CLTOMO_UNIT_DEGREE, 180.0), pi, 1e-15);
    cr_assert_float_eq(cltomo_unit_to_si(CLTOMO_UNIT_ARCSECOND, 648000.0), pi, 1e-15);
    cr_assert_float_eq(cltomo_unit_to_si(CLTOMO_UNIT_TANGENT, 45.0 * 3600.0), 1.0, 1e-15);
    cr_assert_eq(cltomo_unit_to_si(CLTOMO_UNIT_METRE, 3.0), 3.0);
}
