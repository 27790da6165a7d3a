/* Texts of errors: complete where there is room, cut between characters where there is not. */
#include <criterion/criterion.h>
#include <limits.h>
#include <string.h>

#include "core/core.h"

Test(status, every_status_has_its_own_text)
{
    static const char *const names[] = {
#define STATUS_TEXT(name, value, text) [value] = text,
        CLTOMO_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    };
    size_t n = sizeof names / sizeof *names;
    cr_assert_eq(n, 14);
    for (size_t i = 0; i < n; ++i) {
        cr_assert_str_eq(cltomo_status_string((cltomo_status)i), names[i]);
        for (size_t j = 0; j < i; ++j) {
            cr_assert_str_neq(names[i], names[j]);
        }
    }
    static const unsigned strange[] = {14, 1000, CLTOMO_STATUS_MAX_, UINT_MAX};
    for (size_t i = 0; i < sizeof strange / sizeof *strange; ++i) {
        cr_assert_str_eq(cltomo_status_string((cltomo_status)strange[i]), "unknown status");
    }
}

static void expect_format(const cltomo_error *error, const char *expected)
{
    char text[1400];
    int length = cltomo_error_format(text, sizeof text, error);
    cr_expect_str_eq(text, expected);
    cr_expect_eq((size_t)length, strlen(expected));
    cr_expect_eq(cltomo_error_format(NULL, 0, error), length);
}

Test(status, format_leaves_out_what_is_unknown)
{
    cltomo_error error = {.status = CLTOMO_ERROR_CONFIG};
    expect_format(&error, "invalid system description");
    error.line = 7; /* without a file, a line has no meaning */
    expect_format(&error, "invalid system description");
    strcpy(error.message, "no such star");
    expect_format(&error, "no such star");
    strcpy(error.file, "a.yaml");
    expect_format(&error, "a.yaml:7: no such star");
    error.column = 3;
    expect_format(&error, "a.yaml:7:3: no such star");
    strcpy(error.key, "lgs_asterism.nLGS");
    expect_format(&error, "a.yaml:7:3: lgs_asterism.nLGS: no such star");
    strcpy(error.value, "-1");
    expect_format(&error, "a.yaml:7:3: lgs_asterism.nLGS: no such star (got -1)");
    strcpy(error.allowed, "1 to 64");
    expect_format(&error, "a.yaml:7:3: lgs_asterism.nLGS: no such star (got -1; allowed: 1 to 64)");
    error.value[0] = '\0';
    error.line = 0;
    expect_format(&error, "a.yaml: lgs_asterism.nLGS: no such star (allowed: 1 to 64)");
}

Test(status, format_holds_the_longest_fields_whole)
{
    cltomo_error error = {.line = UINT_MAX, .column = UINT_MAX};
    memset(error.file, 'f', sizeof error.file - 1);
    memset(error.key, 'k', sizeof error.key - 1);
    memset(error.value, 'v', sizeof error.value - 1);
    memset(error.allowed, 'a', sizeof error.allowed - 1);
    memset(error.message, 'm', sizeof error.message - 1);
    size_t length = sizeof error.file + sizeof error.key + sizeof error.value +
                    sizeof error.allowed + sizeof error.message - 5 +
                    strlen(":4294967295:4294967295: : (got ; allowed: )") + 1;
    char text[1400];
    cr_assert_eq((size_t)cltomo_error_format(text, sizeof text, &error), length);
    cr_assert_eq(strlen(text), length);
    cr_assert_eq(text[length - 1], ')');
    cr_assert_eq(text[length - 2], 'a');
}

Test(status, format_is_cut_at_the_array_s_end)
{
    cltomo_error error = {0};
    strcpy(error.message, "0123456789");
    char text[8] = "zzzzzzz";
    cr_assert_eq(cltomo_error_format(text, 4, &error), 10);
    cr_assert_str_eq(text, "012");
    cr_assert_eq(text[4], 'z');
}

Test(status, text_is_cut_between_characters)
{
    /* characters of 1, 2, 3 and 4 bytes: where each field size cuts */
    static const char text[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x94\xAD"
                               "b";
    static const size_t kept[] = {[1] = 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
    for (size_t size = 1; size < sizeof kept / sizeof *kept; ++size) {
        char field[16];
        memset(field, 'z', sizeof field);
        cltomo_copy_text(field, size, text);
        cr_expect_eq(strlen(field), kept[size], "size %zu: %zu", size, strlen(field));
        cr_expect_eq(memcmp(field, text, kept[size]), 0);
        cr_expect_eq(field[size], 'z');
    }
}

Test(status, bytes_that_are_no_characters_are_not_cut_to_nothing)
{
    char text[300];
    char field[128];
    memset(text, 0x80, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    cltomo_copy_text(field, sizeof field, text);
    cr_assert_eq(strlen(field), sizeof field - 4);
}

Test(status, failing_fills_the_error_from_scratch)
{
    cltomo_error error;
    memset(&error, 0x55, sizeof error);
    cr_assert_eq(cltomo_fail(&error, CLTOMO_ERROR_IO, "%s %d", "star", 4), CLTOMO_ERROR_IO);
    cr_assert_eq(error.status, CLTOMO_ERROR_IO);
    cr_assert_eq(error.severity, CLTOMO_SEVERITY_ERROR);
    cr_assert_eq(error.line, 0);
    cr_assert_eq(error.column, 0);
    cr_assert_str_eq(error.message, "star 4");
    cr_assert_str_eq(error.file, "");
    cr_assert_str_eq(error.key, "");
    cr_assert_str_eq(error.value, "");
    cr_assert_str_eq(error.allowed, "");

    cr_assert_eq(
        cltomo_fail_key(&error, CLTOMO_ERROR_ARGUMENT, "r0", "-1", "above 0", "bad %s", "r0"),
        CLTOMO_ERROR_ARGUMENT);
    cr_assert_str_eq(error.key, "r0");
    cr_assert_str_eq(error.value, "-1");
    cr_assert_str_eq(error.allowed, "above 0");
    cr_assert_str_eq(error.message, "bad r0");

    cr_assert_eq(
        cltomo_fail_file(&error, CLTOMO_ERROR_PARSE, "a.fits", "no header"), CLTOMO_ERROR_PARSE);
    cr_assert_str_eq(error.file, "a.fits");
    cr_assert_str_eq(error.key, "");

    cr_assert_eq(cltomo_fail_memory(&error, "stars"), CLTOMO_ERROR_MEMORY);
    cr_assert_str_eq(error.message, "no memory for stars");
}

Test(status, nobody_needs_to_take_the_error)
{
    cr_assert_eq(cltomo_fail(NULL, CLTOMO_ERROR_IO, "x"), CLTOMO_ERROR_IO);
    cr_assert_eq(cltomo_fail_key(NULL, CLTOMO_ERROR_IO, "k", "v", "a", "x"), CLTOMO_ERROR_IO);
    cr_assert_eq(cltomo_fail_file(NULL, CLTOMO_ERROR_IO, "f", "x"), CLTOMO_ERROR_IO);
}

Test(status, a_long_message_ends_between_characters)
{
    char text[2048];
    cltomo_error error;
    text[0] = 'a'; /* so that 511 bytes are not a whole number of two-byte characters */
    for (size_t i = 1; i + 2 < sizeof text; i += 2) {
        memcpy(&text[i], "\xC3\xA9", 3);
    }
    text[1] = 'b';
    text[2] = 'c';
    memmove(&text[2], &text[3], strlen(&text[3]) + 1);
    cltomo_set_error(&error, CLTOMO_ERROR_IO, "%s", text);
    cr_assert_eq(strlen(error.message), 510);
    cr_assert_eq(memcmp(error.message, text, 510), 0);
}
