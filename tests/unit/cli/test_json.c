#include "json.h"

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Writes one array with the members that write() adds, and compares. */
static void expect_array(void (*write)(json *), const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    cr_assert_not_null(stream);
    json j = json_begin(stream);
    json_array_begin(&j, NULL);
    write(&j);
    json_array_end(&j);
    fclose(stream);
    cr_expect_str_eq(text, expected);
    free(text);
}

static void write_nothing(json *j)
{
    (void)j;
}

static void write_nested(json *j)
{
    json_object_begin(j, NULL);
    json_integer(j, "n", UINT64_MAX);
    json_array_begin(j, "empty");
    json_array_end(j);
    json_bool(j, "flag", true);
    json_object_end(j);
    json_object_begin(j, NULL);
    json_object_end(j);
}

static void write_reals(json *j)
{
    json_real(j, NULL, 0.1);
    json_real(j, NULL, 1.0 / 3.0);
    json_real(j, NULL, 1.65e7);
    json_real(j, NULL, -5e-324);
    json_real(j, NULL, (double)NAN);
    json_real(j, NULL, (double)INFINITY);
}

static void write_texts(json *j)
{
    json_text(j, NULL, "a \"b\" \\ \n\x01");
    json_text(j, NULL, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\xad"); /* 2, 3 and 4 bytes */
    json_text(
        j, NULL, "\xff|\xc0\x80|\xe0\x80\x80|\xed\xa0\x80|\xf4\x90\x80\x80|\xc3"); /* not UTF-8 */
}

Test(json, groups_are_nested_and_separated)
{
    expect_array(write_nothing, "[]\n");
    expect_array(write_nested, "[\n  {\n    \"n\": 18446744073709551615,\n    \"empty\": [],\n"
                               "    \"flag\": true\n  },\n  {}\n]\n");
}

Test(json, numbers_read_back_as_they_were)
{
    expect_array(write_reals, "[\n  0.1,\n  0.3333333333333333,\n  16500000,\n"
                              "  -4.94065645841247e-324,\n  null,\n  null\n]\n");
}

Test(json, text_is_escaped_and_always_utf8)
{
    expect_array(write_texts,
        "[\n  \"a \\\"b\\\" \\\\ \\u000a\\u0001\",\n"
        "  \"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\xad\",\n"
        "  \"\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd|"
        "\\ufffd\\ufffd\\ufffd\\ufffd|\\ufffd\"\n]\n");
}
