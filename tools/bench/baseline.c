/* Reads the ratios back from the JSON of an earlier run. JSON is YAML, for which there is a parser.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "bench.h"

__attribute__((format(printf, 3, 4))) static bool refuse(
    char *why, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(why, size, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- values in the document ---------------------------------------------------------------- */

/* The member of an object; NULL if there is none or the node is no object. */
static yaml_node_t *member(yaml_document_t *document, const yaml_node_t *node, const char *key)
{
    if (node == NULL || node->type != YAML_MAPPING_NODE) {
        return NULL;
    }
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; ++pair) {
        const yaml_node_t *name = yaml_document_get_node(document, pair->key);
        if (name != NULL && name->type == YAML_SCALAR_NODE &&
            strcmp((const char *)name->data.scalar.value, key) == 0) {
            return yaml_document_get_node(document, pair->value);
        }
    }
    return NULL;
}

/* "" if there is no such text. */
static const char *text(yaml_document_t *document, const yaml_node_t *node, const char *key)
{
    const yaml_node_t *found = member(document, node, key);
    return found != NULL && found->type == YAML_SCALAR_NODE ? (const char *)found->data.scalar.value
                                                            : "";
}

/* ---- entries ------------------------------------------------------------------------------- */

static bool read_entry(
    bench_baseline_entry *entry, yaml_document_t *document, const yaml_node_t *node)
{
    const yaml_node_t *system = member(document, node, "system");
    const char *precision = text(document, node, "precision");
    const char *ratio = text(document, node, "ratio");
    char *end;
    (void)snprintf(entry->name, sizeof entry->name, "%s", text(document, system, "name"));
    (void)snprintf(entry->hash, sizeof entry->hash, "%s", text(document, system, "hash"));
    entry->product = (cltomo_product)cltomo_product_from_name(text(document, node, "product"));
    entry->precision =
        strcmp(precision, "single") == 0 ? CLTOMO_PRECISION_SINGLE : CLTOMO_PRECISION_DOUBLE;
    entry->ratio = strtod(ratio, &end);
    return entry->name[0] != '\0' && entry->product != 0 &&
           (entry->precision == CLTOMO_PRECISION_SINGLE || strcmp(precision, "double") == 0) &&
           *ratio != '\0' && *end == '\0' && isfinite(entry->ratio) && entry->ratio > 0.0;
}

static bool read_entries(
    bench_baseline *baseline, yaml_document_t *document, char *why, size_t size)
{
    const yaml_node_t *results = member(document, yaml_document_get_root_node(document), "results");
    if (results == NULL || results->type != YAML_SEQUENCE_NODE ||
        results->data.sequence.items.start == results->data.sequence.items.top) {
        return refuse(why, size, "it holds no results; 'cltomo bench --json' writes such files");
    }
    const yaml_node_item_t *first = results->data.sequence.items.start;
    size_t n = (size_t)(results->data.sequence.items.top - first);
    baseline->entry = calloc(n, sizeof *baseline->entry);
    if (baseline->entry == NULL) {
        return refuse(why, size, "no memory for %zu results", n);
    }
    for (size_t i = 0; i < n; ++i) {
        if (!read_entry(
                &baseline->entry[i], document, yaml_document_get_node(document, first[i]))) {
            return refuse(why, size,
                "result %zu lacks a system's name, precision, product or ratio, or they are "
                "malformed",
                i);
        }
    }
    baseline->n = n;
    return true;
}

static bool read_file(bench_baseline *baseline, FILE *file, char *why, size_t size)
{
    yaml_parser_t parser;
    yaml_document_t document;
    if (yaml_parser_initialize(&parser) == 0) {
        return refuse(why, size, "no memory to read it");
    }
    yaml_parser_set_input_file(&parser, file);
    bool fine;
    if (yaml_parser_load(&parser, &document) == 0) {
        fine = refuse(why, size, "it is no JSON: %s in line %zu",
            parser.problem != NULL ? parser.problem : "malformed", parser.problem_mark.line + 1);
    } else {
        fine = read_entries(baseline, &document, why, size);
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
    return fine;
}

bool bench_baseline_read(bench_baseline *baseline, const char *path, char *why, size_t size)
{
    memset(baseline, 0, sizeof *baseline);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return refuse(why, size, "%s", strerror(errno));
    }
    bool fine = read_file(baseline, file, why, size);
    (void)fclose(file);
    if (!fine) {
        bench_baseline_destroy(baseline);
    }
    return fine;
}

void bench_baseline_destroy(bench_baseline *baseline)
{
    free(baseline->entry);
    memset(baseline, 0, sizeof *baseline);
}

const bench_baseline_entry *bench_baseline_find(const bench_baseline *baseline, const char *name,
    cltomo_precision precision, cltomo_product product)
{
    for (size_t i = 0; i < baseline->n; ++i) {
        const bench_baseline_entry *entry = &baseline->entry[i];
        if (strcmp(entry->name, name) == 0 && entry->precision == precision &&
            entry->product == product) {
            return entry;
        }
    }
    return NULL;
}
