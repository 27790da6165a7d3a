#include <criterion/criterion.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/yaml_tree.h"

static cltomo_scalar read(const char *text, double *value)
{
    *value = 0.0;
    return cltomo_scalar_read(text, strlen(text), value);
}

static void assert_number(const char *text, cltomo_scalar kind, double expected)
{
    double value = 0.0;
    cr_assert_eq(read(text, &value), kind, "%s", text);
    cr_assert_eq(value, expected, "%s is read as %g", text, value);
}

static void assert_kind(const char *text, cltomo_scalar kind)
{
    double value = 0.0;
    cr_assert_eq(read(text, &value), kind, "%s", text);
}

Test(number, forms_of_the_core_schema)
{
    assert_number("0", CLTOMO_SCALAR_INTEGER, 0.0);
    assert_number("42", CLTOMO_SCALAR_INTEGER, 42.0);
    assert_number("+1", CLTOMO_SCALAR_INTEGER, 1.0);
    assert_number("-12", CLTOMO_SCALAR_INTEGER, -12.0);
    assert_number("1e14", CLTOMO_SCALAR_REAL, 1e14);
    assert_number("1E+14", CLTOMO_SCALAR_REAL, 1e14);
    assert_number("5.0e-7", CLTOMO_SCALAR_REAL, 5.0e-7);
    assert_number(".5", CLTOMO_SCALAR_REAL, 0.5);
    assert_number("-.5e1", CLTOMO_SCALAR_REAL, -5.0);
    assert_number("5.", CLTOMO_SCALAR_REAL, 5.0);
    assert_number("5.e2", CLTOMO_SCALAR_REAL, 500.0);
    assert_number("0.1", CLTOMO_SCALAR_REAL, 0.1);
    assert_number("00.5", CLTOMO_SCALAR_REAL, 0.5);
}

Test(number, minus_zero_keeps_its_sign)
{
    double value = 1.0;
    cr_assert_eq(read("-0", &value), CLTOMO_SCALAR_INTEGER);
    cr_assert(value == 0.0 && signbit(value));
    cr_assert_eq(read("-0.0", &value), CLTOMO_SCALAR_REAL);
    cr_assert(value == 0.0 && signbit(value));
}

Test(number, infinities_and_nan)
{
    assert_number(".inf", CLTOMO_SCALAR_INFINITE, (double)INFINITY);
    assert_number("+.Inf", CLTOMO_SCALAR_INFINITE, (double)INFINITY);
    assert_number("-.INF", CLTOMO_SCALAR_INFINITE, -(double)INFINITY);
    assert_kind(".nan", CLTOMO_SCALAR_NAN);
    assert_kind(".NaN", CLTOMO_SCALAR_NAN);
    assert_kind("inf", CLTOMO_SCALAR_TEXT);
    assert_kind("nan", CLTOMO_SCALAR_TEXT);
    assert_kind("infinity", CLTOMO_SCALAR_TEXT);
}

Test(number, huge_and_tiny)
{
    char digits[402];
    assert_kind("1e400", CLTOMO_SCALAR_TOO_LARGE);
    assert_kind("-1e400", CLTOMO_SCALAR_TOO_LARGE);
    assert_number("1e-400", CLTOMO_SCALAR_REAL, 0.0);
    assert_number("100000000000000000000", CLTOMO_SCALAR_INTEGER, 1e20);
    memset(digits, '9', sizeof digits);
    digits[400] = '\0';
    assert_kind(digits, CLTOMO_SCALAR_TOO_LARGE);
    digits[400] = '9';
    digits[401] = '\0';
    assert_kind(digits, CLTOMO_SCALAR_TEXT);
}

Test(number, other_bases_are_told_apart)
{
    const char *const based[] = {"0x1F", "0XAB", "-0x1f", "0o17", "017", "+007", "00"};
    for (size_t i = 0; i < sizeof based / sizeof based[0]; ++i) {
        assert_kind(based[i], CLTOMO_SCALAR_RADIX);
    }
    assert_kind("0x", CLTOMO_SCALAR_TEXT);
    assert_kind("0o8", CLTOMO_SCALAR_TEXT);
    assert_kind("0x1p3", CLTOMO_SCALAR_TEXT); /* strtod would take it */
}

Test(number, words)
{
    assert_kind("", CLTOMO_SCALAR_NULL);
    assert_kind("~", CLTOMO_SCALAR_NULL);
    assert_kind("null", CLTOMO_SCALAR_NULL);
    assert_kind("true", CLTOMO_SCALAR_TRUE);
    assert_kind("FALSE", CLTOMO_SCALAR_FALSE);
    assert_kind("yes", CLTOMO_SCALAR_TEXT); /* a boolean of YAML 1.1 only */
}

Test(number, text_that_starts_or_ends_like_a_number)
{
    const char *const words[] = {"1,5", "1_000", "1:30", "1.2.3", "12abc", "--1", "+-1", "+", "-",
        ".", "e5", "1e", "1e+", "1e5.0", " 1", "1 ", "0b11", "1d5", "\xc2\xbd"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        assert_kind(words[i], CLTOMO_SCALAR_TEXT);
    }
}

Test(number, the_guard_gives_a_decimal_point_back)
{
    cltomo_locale_guard guard;
    double value = 0.0;
    /* A comma where the C library knows such a locale; else the test shows little. */
    (void)(setlocale(LC_ALL, "de_DE.UTF-8") != NULL || setlocale(LC_ALL, "fr_FR.UTF-8") != NULL);
    char *before = strdup(localeconv()->decimal_point);
    cr_assert_eq(cltomo_c_locale_enter(&guard, NULL), CLTOMO_OK);
    cr_assert_str_eq(localeconv()->decimal_point, ".");
    cr_assert_eq(read("2.5", &value), CLTOMO_SCALAR_REAL);
    cr_assert_eq(value, 2.5);
    cltomo_c_locale_leave(&guard);
    cr_assert_str_eq(localeconv()->decimal_point, before);
    free(before);
}
