#include "config/yaml_tree.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

/* A collection that is being read. */
typedef struct open_node {
    uint32_t node;
    uint32_t last;   /* its last child so far */
    uint32_t anchor; /* 1 + where its anchor's name starts in the text; 0: none */
} open_node;

typedef struct anchor {
    uint32_t name; /* where it starts in the text */
    uint32_t node;
} anchor;

typedef struct reader {
    cltomo_yaml_tree *tree;
    const char *file;
    cltomo_error *error;
    yaml_parser_t parser;
    open_node open[CLTOMO_YAML_MAX_DEPTH];
    size_t depth;
    anchor *anchors;
    size_t n_anchors;
    size_t anchor_capacity;
    bool has_document;
} reader;

/* Makes room for one more element than n; *capacity counts elements. */
static bool reserve(const cltomo_context *context, void **array, size_t n, size_t *capacity,
    size_t wanted, size_t element_size)
{
    if (wanted <= *capacity) {
        return true;
    }
    size_t grown = *capacity < 64 ? 64 : 2 * *capacity;
    grown = grown < wanted ? wanted : grown;
    void *moved = cltomo_allocate(context, grown, element_size);
    if (moved == NULL) {
        return false;
    }
    if (n > 0) {
        memcpy(moved, *array, n * element_size);
    }
    cltomo_release(context, *array);
    *array = moved;
    *capacity = grown;
    return true;
}

static cltomo_status fail_at(
    reader *r, cltomo_status status, const yaml_mark_t *mark, const char *message)
{
    (void)cltomo_fail_file(r->error, status, r->file, "%s", message);
    if (r->error != NULL) {
        r->error->line = (uint32_t)mark->line + 1;
        r->error->column = (uint32_t)mark->column + 1;
    }
    return status;
}

static cltomo_status fail_memory(reader *r)
{
    return cltomo_fail_memory(r->error, "the configuration file's text");
}

/* Appends length bytes and a NUL to the tree's text. */
static cltomo_status add_text(reader *r, uint32_t *start, const char *text, size_t length)
{
    cltomo_yaml_tree *tree = r->tree;
    void *array = tree->text;
    if (length > UINT32_MAX / 2 - tree->text_length ||
        !reserve(tree->context, &array, tree->text_length, &tree->text_capacity,
            tree->text_length + length + 1, 1)) {
        return fail_memory(r);
    }
    tree->text = array;
    if (length > 0) {
        memcpy(tree->text + tree->text_length, text, length);
    }
    tree->text[tree->text_length + length] = '\0';
    *start = (uint32_t)tree->text_length;
    tree->text_length += length + 1;
    return CLTOMO_OK;
}

/* Appends a node and links it to the collection that is open. */
static cltomo_status add_node(
    reader *r, uint32_t *index, cltomo_node_kind kind, const yaml_mark_t *mark)
{
    cltomo_yaml_tree *tree = r->tree;
    if (tree->n_nodes == CLTOMO_YAML_MAX_NODES) {
        return fail_at(r, CLTOMO_ERROR_PARSE, mark, "the file has more than 2500000 values");
    }
    void *array = tree->node;
    if (!reserve(tree->context, &array, tree->n_nodes, &tree->node_capacity, tree->n_nodes + 1,
            sizeof *tree->node)) {
        return fail_memory(r);
    }
    tree->node = array;
    uint32_t added = (uint32_t)tree->n_nodes++;
    tree->node[added] = (cltomo_node){
        .kind = kind, .line = (uint32_t)mark->line + 1, .column = (uint32_t)mark->column + 1};
    if (r->depth > 0) {
        open_node *parent = &r->open[r->depth - 1];
        if (parent->last == 0) {
            tree->node[parent->node].first = added;
        } else {
            tree->node[parent->last].next = added;
        }
        parent->last = added;
        ++tree->node[parent->node].n_child;
    }
    *index = added;
    return CLTOMO_OK;
}

static cltomo_status add_anchor(reader *r, uint32_t name, uint32_t node)
{
    if (r->n_anchors == CLTOMO_YAML_MAX_ANCHORS) {
        return fail_at(
            r, CLTOMO_ERROR_PARSE, &r->parser.mark, "the file has more than 100 anchors");
    }
    void *array = r->anchors;
    if (!reserve(r->tree->context, &array, r->n_anchors, &r->anchor_capacity, r->n_anchors + 1,
            sizeof *r->anchors)) {
        return fail_memory(r);
    }
    r->anchors = array;
    r->anchors[r->n_anchors++] = (anchor){.name = name, .node = node};
    return CLTOMO_OK;
}

static cltomo_status read_scalar(reader *r, const yaml_event_t *event)
{
    uint32_t node = 0;
    uint32_t text = 0;
    cltomo_status status = add_node(r, &node, CLTOMO_NODE_SCALAR, &event->start_mark);
    if (status != CLTOMO_OK) {
        return status;
    }
    status = add_text(r, &text, (const char *)event->data.scalar.value, event->data.scalar.length);
    if (status != CLTOMO_OK) {
        return status;
    }
    r->tree->node[node].text = text;
    r->tree->node[node].length = (uint32_t)event->data.scalar.length;
    r->tree->node[node].plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    const char *name = (const char *)event->data.scalar.anchor;
    if (name != NULL) {
        status = add_text(r, &text, name, strlen(name));
        return status == CLTOMO_OK ? add_anchor(r, text, node) : status;
    }
    return CLTOMO_OK;
}

static cltomo_status open_collection(
    reader *r, cltomo_node_kind kind, const yaml_mark_t *mark, const yaml_char_t *anchor_name)
{
    uint32_t node = 0;
    uint32_t name = 0;
    if (r->depth == CLTOMO_YAML_MAX_DEPTH) {
        return fail_at(r, CLTOMO_ERROR_PARSE, mark, "lists and mappings are nested too deeply");
    }
    cltomo_status status = add_node(r, &node, kind, mark);
    if (status == CLTOMO_OK && anchor_name != NULL) {
        status = add_text(r, &name, (const char *)anchor_name, strlen((const char *)anchor_name));
        ++name;
    }
    if (status == CLTOMO_OK) {
        r->open[r->depth++] = (open_node){.node = node, .anchor = name};
    }
    return status;
}

static cltomo_status close_collection(reader *r)
{
    const open_node *closed = &r->open[--r->depth];
    return closed->anchor > 0 ? add_anchor(r, closed->anchor - 1, closed->node) : CLTOMO_OK;
}

static cltomo_status read_alias(reader *r, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    uint32_t node = 0;
    for (size_t i = r->n_anchors; i-- > 0;) { /* a name that is used again means the later node */
        if (strcmp(r->tree->text + r->anchors[i].name, name) == 0) {
            cltomo_status status = add_node(r, &node, CLTOMO_NODE_ALIAS, &event->start_mark);
            if (status == CLTOMO_OK) {
                r->tree->node[node].first = r->anchors[i].node;
            }
            return status;
        }
    }
    char message[256];
    (void)snprintf(
        message, sizeof message, "alias *%.100s has no anchor &%.100s before it", name, name);
    return fail_at(r, CLTOMO_ERROR_PARSE, &event->start_mark, message);
}

static cltomo_status fail_tag(reader *r, const yaml_event_t *event)
{
    return fail_at(r, CLTOMO_ERROR_PARSE, &event->start_mark,
        "tags (words that start with !) are not supported");
}

static cltomo_status read_event(reader *r, const yaml_event_t *event)
{
    const yaml_mark_t *mark = &event->start_mark;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (r->has_document) {
            return fail_at(r, CLTOMO_ERROR_PARSE, mark, "the file has more than one YAML document");
        }
        r->has_document = true;
        return CLTOMO_OK;
    case YAML_SCALAR_EVENT:
        return event->data.scalar.tag != NULL ? fail_tag(r, event) : read_scalar(r, event);
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.tag != NULL
                   ? fail_tag(r, event)
                   : open_collection(
                         r, CLTOMO_NODE_SEQUENCE, mark, event->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.tag != NULL ? fail_tag(r, event)
                                                     : open_collection(r, CLTOMO_NODE_MAPPING, mark,
                                                           event->data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_collection(r);
    case YAML_ALIAS_EVENT:
        return read_alias(r, event);
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        break;
    }
    return CLTOMO_OK;
}

/* True if white space that starts line number `line` (from 0) has a tab in it. */
static bool is_indented_by_tab(const char *text, size_t length, size_t line)
{
    const char *end = text + length;
    for (; line > 0 && text < end; --line) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        text = newline == NULL ? end : newline + 1;
    }
    while (text < end && *text == ' ') {
        ++text;
    }
    return text < end && *text == '\t';
}

/* Line and column of a byte, which is all that libyaml tells about bytes that are not text. */
static yaml_mark_t mark_of_byte(const char *text, size_t length, size_t offset)
{
    yaml_mark_t mark = {.index = offset};
    for (size_t i = 0; i < offset && i < length; ++i) {
        ++mark.column;
        if (text[i] == '\n') {
            ++mark.line;
            mark.column = 0;
        }
    }
    return mark;
}

/* Passes libyaml's complaint on. */
static cltomo_status fail_parser(reader *r, const char *text, size_t length)
{
    const yaml_parser_t *parser = &r->parser;
    char message[400];
    if (parser->error == YAML_MEMORY_ERROR) {
        return fail_memory(r);
    }
    const char *problem = parser->problem != NULL ? parser->problem : "malformed text";
    if (parser->error == YAML_READER_ERROR) {
        yaml_mark_t mark = mark_of_byte(text, length, parser->problem_offset);
        (void)snprintf(message, sizeof message, "not valid YAML: %.200s", problem);
        return fail_at(r, CLTOMO_ERROR_PARSE, &mark, message);
    }
    const char *context = parser->context != NULL ? parser->context : "";
    const char *hint = is_indented_by_tab(text, length, parser->problem_mark.line)
                           ? "; indent with spaces, YAML does not allow tabs there"
                           : "";
    (void)snprintf(message, sizeof message, "not valid YAML: %s%s%.150s%s", context,
        context[0] != '\0' ? ", " : "", problem, hint);
    return fail_at(r, CLTOMO_ERROR_PARSE, &parser->problem_mark, message);
}

/* Counts "%TAG" wherever it stands and in any encoding: a file that has it a hundred times outside
 * of directives is none of ours either. */
static bool has_too_many_tag_directives(const char *text, size_t length)
{
    static const char word[] = "%TAG";
    size_t count = 0;
    size_t matched = 0;
    for (size_t i = 0; i < length; ++i) {
        if (text[i] == '\0') {
            continue; /* the other half of a character in UTF-16 */
        }
        if (text[i] != word[matched]) {
            matched = 0;
        }
        matched += text[i] == word[matched];
        if (word[matched] == '\0') {
            matched = 0;
            ++count;
        }
    }
    return count > CLTOMO_YAML_MAX_TAG_DIRECTIVES;
}

static cltomo_status read_events(reader *r, const char *text, size_t length)
{
    bool done = false;
    while (!done) {
        yaml_event_t event;
        if (yaml_parser_parse(&r->parser, &event) == 0) {
            return fail_parser(r, text, length);
        }
        done = event.type == YAML_STREAM_END_EVENT;
        cltomo_status status = read_event(r, &event);
        yaml_event_delete(&event);
        if (status != CLTOMO_OK) {
            return status;
        }
    }
    if (r->tree->n_nodes == 0) {
        return cltomo_fail_file(
            r->error, CLTOMO_ERROR_PARSE, r->file, "the file is empty or holds only comments");
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_yaml_read(const cltomo_context *context, cltomo_yaml_tree *tree,
    const char *text, size_t length, const char *file, cltomo_error *error)
{
    reader r = {.tree = tree, .file = file, .error = error};
    *tree = (cltomo_yaml_tree){.context = context};
    if (length > CLTOMO_YAML_MAX_BYTES) {
        return cltomo_fail_file(error, CLTOMO_ERROR_PARSE, file, "the file is larger than 16 MiB");
    }
    if (has_too_many_tag_directives(text, length)) {
        return cltomo_fail_file(
            error, CLTOMO_ERROR_PARSE, file, "the file has more than 100 %%TAG directives");
    }
    if (yaml_parser_initialize(&r.parser) == 0) {
        return fail_memory(&r);
    }
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, length);
    cltomo_status status = read_events(&r, text, length);
    yaml_parser_delete(&r.parser);
    cltomo_release(context, r.anchors);
    if (status != CLTOMO_OK) {
        cltomo_yaml_clear(tree);
    }
    return status;
}

void cltomo_yaml_clear(cltomo_yaml_tree *tree)
{
    cltomo_release(tree->context, tree->node);
    cltomo_release(tree->context, tree->text);
    *tree = (cltomo_yaml_tree){.context = tree->context};
}

uint32_t cltomo_yaml_resolve(const cltomo_yaml_tree *tree, uint32_t node)
{
    return tree->node[node].kind == CLTOMO_NODE_ALIAS ? tree->node[node].first : node;
}

const char *cltomo_yaml_text(const cltomo_yaml_tree *tree, uint32_t node)
{
    return tree->text + tree->node[node].text;
}
