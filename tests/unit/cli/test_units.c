#include "tool.h"

#include <criterion/criterion.h>

#include <math.h>

static void expect_bytes(double bytes, const char *expected)
{
    char text[16];
    format_bytes(text, sizeof text, bytes);
    cr_expect_str_eq(text, expected);
}

Test(units, bytes_have_the_prefix_that_fits)
{
    expect_bytes(0.0, "0 B");
    expect_bytes(512.0, "512 B");
    expect_bytes(999.0, "999 B");
    expect_bytes(1000.0, "1.0 kB");
    expect_bytes(999949.0, "999.9 kB");
    expect_bytes(999951.0, "1.0 MB");
    expect_bytes(25526272.0, "25.5 MB");
    expect_bytes(3.5e9, "3.5 GB");
    expect_bytes(2e15, "2000.0 TB");
}

Test(units, angles)
{
    cr_expect_float_eq(degrees(1.0), 57.29577951308232, 1e-13);
    cr_expect_float_eq(arcsec(4.84813681109536e-6), 1.0, 1e-13);
    cr_expect_float_eq(arcsec_of_tangent(1.0), 45.0 * 3600.0, 1e-9);
}
