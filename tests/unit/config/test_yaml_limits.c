/* The limits of the reader of YAML; apart from its other tests because a sanitizer needs long. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/yaml_tree.h"

static void assert_status(const char *text, cltomo_status expected, const char *message)
{
    cltomo_context *context = NULL;
    cltomo_yaml_tree tree;
    cltomo_error error = {.status = CLTOMO_OK};
    cr_assert_eq(cltomo_context_create(&context, NULL, NULL), CLTOMO_OK);
    cltomo_status status =
        cltomo_yaml_read(context, &tree, text, strlen(text), "file.yaml", &error);
    cr_assert_eq(status, expected, "%s", error.message);
    cr_assert_not_null(strstr(error.message, message), "%s", error.message);
    cltomo_yaml_clear(&tree);
    cltomo_context_destroy(context);
}

static char *repeat(const char *piece, size_t n, const char *after)
{
    size_t length = strlen(piece);
    char *text = malloc(n * length + strlen(after) + 1);
    cr_assert_not_null(text);
    for (size_t i = 0; i < n; ++i) {
        memcpy(text + i * length, piece, length);
    }
    strcpy(text + n * length, after);
    return text;
}

static void assert_limit(const char *piece, size_t most, const char *message)
{
    char *text = repeat(piece, most, "");
    assert_status(text, CLTOMO_OK, "");
    free(text);
    text = repeat(piece, most + 1, "");
    assert_status(text, CLTOMO_ERROR_PARSE, message);
    free(text);
}

Test(yaml_limits, nesting, .description = "large")
{
    char *opening = repeat("[", CLTOMO_YAML_MAX_DEPTH, "");
    char *closing = repeat("]", CLTOMO_YAML_MAX_DEPTH, "");
    char *both = repeat(opening, 1, closing);
    assert_status(both, CLTOMO_OK, "");
    free(both);
    free(closing);
    free(opening);
    opening = repeat("[", 1000000, "");
    assert_status(opening, CLTOMO_ERROR_PARSE, "nested too deeply");
    free(opening);
    opening = repeat("- ", 1000000, "");
    assert_status(opening, CLTOMO_ERROR_PARSE, "nested too deeply");
    free(opening);
    opening = repeat("{a: ", 1000000, "");
    assert_status(opening, CLTOMO_ERROR_PARSE, "nested too deeply");
    free(opening);
}

Test(yaml_limits, bytes, .description = "large")
{
    char *text = repeat("#", CLTOMO_YAML_MAX_BYTES - 2, "\n1");
    assert_status(text, CLTOMO_OK, "");
    free(text);
    text = repeat("#", CLTOMO_YAML_MAX_BYTES - 1, "\n1");
    assert_status(text, CLTOMO_ERROR_PARSE, "larger than 16 MiB");
    free(text);
}

Test(yaml_limits, values, .description = "large")
{
    assert_limit("- \n", CLTOMO_YAML_MAX_NODES - 1, "more than 2500000 values");
}

Test(yaml_limits, anchors, .description = "large")
{
    assert_limit("- &a 1\n", CLTOMO_YAML_MAX_ANCHORS, "more than 100 anchors");
}

/* libyaml needs minutes for this. */
Test(yaml_limits, tag_directives)
{
    enum { n = 100000, length = 20 };
    char *text = malloc(n * length + 1);
    cr_assert_not_null(text);
    char *end = text;
    for (int i = 0; i < n; ++i) {
        end += sprintf(end, "%%TAG !a%d! b\n", i);
    }
    assert_status(text, CLTOMO_ERROR_PARSE, "more than 100 %TAG directives");
    free(text);
    assert_status("%TAG !a! b\n---\n1\n", CLTOMO_OK, "");
}
