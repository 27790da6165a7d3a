/* YAML text as a tree of nodes that know where they stand, and what a plain scalar means. */
#ifndef CLTOMO_CONFIG_YAML_TREE_H
#define CLTOMO_CONFIG_YAML_TREE_H

#include <locale.h>

#include "core/core.h"

/* Limits that keep hostile input from taking forever. The largest legal file has two maps of
 * 1024 x 1024 cells. libyaml compares every %TAG directive with all others, and aliases are looked
 * for among all anchors. */
#define CLTOMO_YAML_MAX_BYTES ((size_t)16 << 20)
#define CLTOMO_YAML_MAX_NODES ((size_t)2500000)
#define CLTOMO_YAML_MAX_DEPTH 32
#define CLTOMO_YAML_MAX_ANCHORS 100
#define CLTOMO_YAML_MAX_TAG_DIRECTIVES 100
#define CLTOMO_YAML_MAX_KEYS 256 /* of one mapping: duplicates are looked for pair by pair */

typedef enum cltomo_node_kind {
    CLTOMO_NODE_SCALAR,
    CLTOMO_NODE_SEQUENCE,
    CLTOMO_NODE_MAPPING,
    CLTOMO_NODE_ALIAS
} cltomo_node_kind;

/* Nodes are numbered in the order of the file; 0 is the root, which is nobody's child or sibling,
 * so that 0 also means none. A mapping's children are its keys and values in turn. */
typedef struct cltomo_node {
    cltomo_node_kind kind;
    bool plain;       /* scalar without quotes */
    uint32_t line;    /* from 1 */
    uint32_t column;  /* from 1 */
    uint32_t text;    /* scalar: where its NUL-terminated text starts */
    uint32_t length;  /* scalar: bytes of text */
    uint32_t first;   /* collection: first child; alias: the node it stands for */
    uint32_t next;    /* next sibling */
    uint32_t n_child; /* collection */
} cltomo_node;

typedef struct cltomo_yaml_tree {
    const cltomo_context *context;
    cltomo_node *node;
    size_t n_nodes;
    size_t node_capacity;
    char *text;
    size_t text_length;
    size_t text_capacity;
} cltomo_yaml_tree;

/* Reads one document. An alias may only name an anchor whose node is complete, so the tree has no
 * cycles. file is the name for messages. On failure the tree is empty. */
cltomo_status cltomo_yaml_read(const cltomo_context *context, cltomo_yaml_tree *tree,
    const char *text, size_t length, const char *file, cltomo_error *error);

/* Frees what the tree holds. */
void cltomo_yaml_clear(cltomo_yaml_tree *tree);

/* The node, or the one it is an alias of. */
uint32_t cltomo_yaml_resolve(const cltomo_yaml_tree *tree, uint32_t node);

/* The text of a scalar. */
const char *cltomo_yaml_text(const cltomo_yaml_tree *tree, uint32_t node);

/* What a plain scalar is in the core schema of YAML 1.2. */
typedef enum cltomo_scalar {
    CLTOMO_SCALAR_NULL,
    CLTOMO_SCALAR_FALSE,
    CLTOMO_SCALAR_TRUE,
    CLTOMO_SCALAR_INTEGER,
    CLTOMO_SCALAR_REAL,
    CLTOMO_SCALAR_INFINITE,  /* .inf */
    CLTOMO_SCALAR_NAN,       /* .nan */
    CLTOMO_SCALAR_TOO_LARGE, /* a number beyond the range of double */
    CLTOMO_SCALAR_RADIX,     /* hexadecimal or octal, or a decimal with leading zeros, which YAML
                                1.1 reads as octal */
    CLTOMO_SCALAR_TEXT
} cltomo_scalar;

/* value is set for integers, reals and .inf. Reads numbers in the current locale: call it between
 * cltomo_c_locale_enter and _leave. */
cltomo_scalar cltomo_scalar_read(const char *text, size_t length, double *value);

/* The calling thread works in the C locale between the two, whatever the program has set: numbers
 * are read and written with a decimal point. */
typedef struct cltomo_locale_guard {
    locale_t own;
    locale_t callers;
} cltomo_locale_guard;

cltomo_status cltomo_c_locale_enter(cltomo_locale_guard *guard, cltomo_error *error);
void cltomo_c_locale_leave(cltomo_locale_guard *guard);

#endif
