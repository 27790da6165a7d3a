#include <criterion/criterion.h>
#include <string.h>

#include "config/yaml_tree.h"

typedef struct outcome {
    cltomo_context *context;
    cltomo_yaml_tree tree;
    cltomo_status status;
    cltomo_error error;
} outcome;

static outcome read_bytes(const char *text, size_t length)
{
    outcome o = {.status = CLTOMO_OK};
    cr_assert_eq(cltomo_context_create(&o.context, NULL, NULL), CLTOMO_OK);
    o.status = cltomo_yaml_read(o.context, &o.tree, text, length, "file.yaml", &o.error);
    return o;
}

static void clear(outcome *o)
{
    cltomo_yaml_clear(&o->tree);
    cltomo_context_destroy(o->context);
}

static uint32_t child(const cltomo_yaml_tree *tree, uint32_t node, size_t i)
{
    uint32_t found = tree->node[node].first;
    for (; i > 0; --i) {
        found = tree->node[found].next;
    }
    return found;
}

static void assert_scalar(
    const cltomo_yaml_tree *tree, uint32_t node, const char *text, unsigned line, unsigned column)
{
    cr_assert_neq(node, 0);
    cr_assert_eq(tree->node[node].kind, CLTOMO_NODE_SCALAR);
    cr_assert_str_eq(cltomo_yaml_text(tree, node), text);
    cr_assert_eq(tree->node[node].length, strlen(text));
    cr_assert_eq(tree->node[node].line, line);
    cr_assert_eq(tree->node[node].column, column);
}

static void assert_malformed(
    const char *text, size_t length, unsigned line, unsigned column, const char *message)
{
    outcome o = read_bytes(text, length);
    cr_assert_eq(o.status, CLTOMO_ERROR_PARSE, "%s", message);
    cr_assert_str_eq(o.error.file, "file.yaml");
    cr_assert_not_null(strstr(o.error.message, message), "%s", o.error.message);
    cr_assert_eq(o.error.line, line, "line %u: %s", o.error.line, o.error.message);
    cr_assert_eq(o.error.column, column, "column %u: %s", o.error.column, o.error.message);
    cr_assert_eq(o.tree.n_nodes, 0);
    clear(&o);
}

#define MALFORMED(text, line, column, message)                                                     \
    assert_malformed(text, sizeof(text) - 1, line, column, message)

Test(yaml_tree, nodes_know_their_places)
{
    const char text[] = "# first\n"
                        "a: 1\n"
                        "b:\n"
                        "  - \"2\"\n"
                        "  - [x, y]\n";
    outcome o = read_bytes(text, sizeof text - 1);
    const cltomo_yaml_tree *t = &o.tree;
    cr_assert_eq(o.status, CLTOMO_OK);
    cr_assert_eq(t->node[0].kind, CLTOMO_NODE_MAPPING);
    cr_assert_eq(t->node[0].n_child, 4);
    assert_scalar(t, child(t, 0, 0), "a", 2, 1);
    assert_scalar(t, child(t, 0, 1), "1", 2, 4);
    assert_scalar(t, child(t, 0, 2), "b", 3, 1);
    uint32_t list = child(t, 0, 3);
    cr_assert_eq(t->node[list].kind, CLTOMO_NODE_SEQUENCE);
    cr_assert_eq(t->node[list].n_child, 2);
    assert_scalar(t, child(t, list, 0), "2", 4, 5);
    cr_assert_not(t->node[child(t, list, 0)].plain);
    uint32_t inner = child(t, list, 1);
    cr_assert_eq(t->node[inner].line, 5);
    cr_assert_eq(t->node[inner].column, 5);
    assert_scalar(t, child(t, inner, 1), "y", 5, 9);
    cr_assert(t->node[child(t, inner, 1)].plain);
    cr_assert_eq(t->node[child(t, inner, 1)].next, 0);
    clear(&o);
}

Test(yaml_tree, aliases_stand_for_their_anchor)
{
    const char text[] = "[&a 1, *a, &b [2, *a], *b, &a 3, *a]";
    outcome o = read_bytes(text, sizeof text - 1);
    const cltomo_yaml_tree *t = &o.tree;
    cr_assert_eq(o.status, CLTOMO_OK);
    uint32_t alias = child(t, 0, 1);
    cr_assert_eq(t->node[alias].kind, CLTOMO_NODE_ALIAS);
    cr_assert_eq(t->node[alias].column, 8);
    cr_assert_eq(cltomo_yaml_resolve(t, alias), child(t, 0, 0));
    cr_assert_eq(cltomo_yaml_resolve(t, child(t, 0, 3)), child(t, 0, 2));
    cr_assert_eq(cltomo_yaml_resolve(t, child(t, 0, 5)), child(t, 0, 4)); /* the later one */
    cr_assert_eq(cltomo_yaml_resolve(t, child(t, 0, 0)), child(t, 0, 0));
    clear(&o);
}

Test(yaml_tree, aliases_that_lead_nowhere_or_to_themselves)
{
    MALFORMED("a: 1\nb: *c\n", 2, 4, "alias *c has no anchor");
    MALFORMED("a: &c [1, *c]\n", 1, 11, "alias *c has no anchor");
    MALFORMED("a: *b\nc: &b 1\n", 1, 4, "alias *b has no anchor");
}

Test(yaml_tree, nothing_in_it)
{
    MALFORMED("", 0, 0, "the file is empty");
    MALFORMED("\n\n  \n", 0, 0, "the file is empty");
    MALFORMED("# only\n# comments\n", 0, 0, "the file is empty");
    MALFORMED("\xef\xbb\xbf", 0, 0, "the file is empty");
}

Test(yaml_tree, several_documents)
{
    MALFORMED("a: 1\n---\nb: 2\n", 2, 1, "more than one YAML document");
    outcome o = read_bytes("---\na: 1\n...\n", 13); /* one, with its marks, is fine */
    cr_assert_eq(o.status, CLTOMO_OK);
    clear(&o);
}

Test(yaml_tree, tabs_as_indentation)
{
    MALFORMED("a:\n\tb: 1\n", 2, 1, "tabs");
    MALFORMED("a:\n  \tb: 1\n", 2, 3, "tabs");
    outcome o = read_bytes("a:\t1\t# tab\n", 11); /* elsewhere they are spaces */
    cr_assert_eq(o.status, CLTOMO_OK);
    clear(&o);
}

Test(yaml_tree, carriage_returns_and_byte_order_marks)
{
    const char text[] = "\xef\xbb\xbf"
                        "a: 1\r\nb: [2,\r\n  3]\r\n";
    outcome o = read_bytes(text, sizeof text - 1);
    cr_assert_eq(o.status, CLTOMO_OK);
    assert_scalar(&o.tree, child(&o.tree, 0, 1), "1", 1, 4);
    assert_scalar(&o.tree, child(&o.tree, child(&o.tree, 0, 3), 1), "3", 3, 3);
    clear(&o);
}

Test(yaml_tree, utf_16)
{
    const char text[] = "\xff\xfe"
                        "a\0:\0 \0001\0\n\0";
    outcome o = read_bytes(text, sizeof text - 1);
    cr_assert_eq(o.status, CLTOMO_OK);
    assert_scalar(&o.tree, child(&o.tree, 0, 1), "1", 1, 4);
    clear(&o);
    const char cut[] = "\xff\xfe"
                       "a\0:\0 ";
    o = read_bytes(cut, sizeof cut - 1);
    cr_assert_eq(o.status, CLTOMO_ERROR_PARSE);
    clear(&o);
}

Test(yaml_tree, bytes_that_are_not_text)
{
    MALFORMED("a: 1\nb: \xff\n", 2, 4, "not valid YAML");
    MALFORMED("a: 1\nbc: \0 2\n", 2, 5, "not valid YAML");
    MALFORMED("a: \x1b[2J\n", 1, 4, "not valid YAML");
}

Test(yaml_tree, broken_syntax)
{
    MALFORMED("a: [1, 2\nb: 3\n", 2, 2, "while parsing a flow sequence");
    MALFORMED("a: 1\n b: 2\n", 2, 3, "mapping values are not allowed");
    MALFORMED("a: \"1\n", 2, 1, "quoted scalar");
}

Test(yaml_tree, tags_are_refused)
{
    MALFORMED("a: !!float 1\n", 1, 4, "tags");
    MALFORMED("a: !!python/tuple [1]\n", 1, 4, "tags");
    MALFORMED("a: !b {c: 1}\n", 1, 4, "tags");
}
