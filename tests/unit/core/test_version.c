#include <cltomo/version.h>

#include <criterion/criterion.h>

#include <stdio.h>

Test(version, is_the_one_of_the_headers)
{
    cr_assert_str_eq(cltomo_version(), CLTOMO_VERSION_STRING);
}

Test(version, string_agrees_with_the_numbers)
{
    char expected[64];
    snprintf(expected, sizeof expected, "%d.%d.%d", CLTOMO_VERSION_MAJOR, CLTOMO_VERSION_MINOR,
        CLTOMO_VERSION_PATCH);
    cr_assert_str_eq(CLTOMO_VERSION_STRING, expected);
}
