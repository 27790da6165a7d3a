#include "options.h"

#include <criterion/criterion.h>

#include <float.h>
#include <string.h>

Test(values, real_takes_decimal_notation_only)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {
        {"1", 1.0},
        {"-1.5", -1.5},
        {"+2", 2.0},
        {".5", 0.5},
        {"5.", 5.0},
        {"1e3", 1000.0},
        {"1.65E+7", 1.65e7},
        {"1e-400", 0.0},
        {"1.7976931348623157e308", DBL_MAX},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        double value = -7.0;
        cr_expect(real_parse(&value, good[i].text), "%s", good[i].text);
        cr_expect_eq(value, good[i].value, "%s", good[i].text);
    }
    static const char *const bad[] = {"", " ", ".", "-", "e3", "1e", "1e+", "1e999", "-1e999",
        "0x1", "1p3", "inf", "nan", "INFINITY", " 1", "1 ", "1,5", "1d3", "--1", "1.2.3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        double value = -7.0;
        cr_expect_not(real_parse(&value, bad[i]), "'%s'", bad[i]);
        cr_expect_eq(value, -7.0, "'%s'", bad[i]);
    }
}

Test(values, integer_takes_digits_only)
{
    uint32_t value = 7;
    cr_expect(integer_parse(&value, "0") && value == 0);
    cr_expect(integer_parse(&value, "007") && value == 7);
    cr_expect(integer_parse(&value, "4294967295") && value == UINT32_MAX);
    static const char *const bad[] = {
        "", "-1", "+1", "1.0", " 1", "1 ", "4294967296", "18446744073709551616", "1e3", "0x1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        cr_expect_not(integer_parse(&value, bad[i]), "'%s'", bad[i]);
    }
}

Test(values, size_takes_a_number_and_its_unit)
{
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {
        {"1B", 1},
        {"1500kB", 1500000},
        {"1.5GB", 1500000000},
        {".25TB", 250000000000},
        {"3KiB", 3072},
        {"0.5MiB", 524288},
        {"2GiB", UINT64_C(1) << 31},
        {"4TiB", UINT64_C(1) << 42},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        uint64_t value = 7;
        cr_expect(size_parse(&value, good[i].text), "%s", good[i].text);
        cr_expect_eq(value, good[i].value, "%s", good[i].text);
    }
    static const char *const bad[] = {"", "GB", "1", "1 GB", "1gb", "1G", "-1GB", "+1GB", "0B",
        "0.5B", "1e3MB", "1..5GB", "1GBs", "9999999999999999999999TB",
        "0000000000000000000000000000000000000001GB"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        uint64_t value = 7;
        cr_expect_not(size_parse(&value, bad[i]), "'%s'", bad[i]);
        cr_expect_eq(value, 7, "'%s'", bad[i]);
    }
}

Test(values, index_list_marks_numbers_and_ranges)
{
    bool marked[15] = {false};
    char why[128];
    cr_assert(index_list_parse(marked, 15, "3,10-14,0,3,5-5", why, sizeof why));
    for (size_t i = 0; i < 15; ++i) {
        cr_expect_eq(marked[i], i == 0 || i == 3 || i == 5 || i >= 10, "%zu", i);
    }
}

Test(values, index_list_says_what_is_wrong)
{
    static const struct {
        const char *text;
        const char *why;
    } bad[] = {
        {"15", "15 is out of range; allowed: 0 to 14"},
        {"0-4294967295", "4294967295 is out of range; allowed: 0 to 14"},
        {"99999999999999999999", "not a list"},
        {"4294967296", "not a list"},
        {"5-4", "the range 5-4 runs backwards"},
        {"", "not a list"},
        {",", "not a list"},
        {"1,", "not a list"},
        {"1-", "not a list"},
        {"-1", "not a list"},
        {"1 2", "not a list"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        bool marked[15] = {false};
        char why[128] = "";
        cr_expect_not(index_list_parse(marked, 15, bad[i].text, why, sizeof why));
        cr_expect_not_null(strstr(why, bad[i].why), "'%s': %s", bad[i].text, why);
    }
}
