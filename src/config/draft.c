#include "config/draft.h"

#include <stdarg.h>
#include <stdio.h>

/* Problems that are reported of one field: a map can have a million. */
#define MAX_PROBLEMS 5

void cltomo_draft_drop(cltomo_draft *draft, cltomo_field_id id)
{
    cltomo_values *values = &draft->field[id];
    if (values->value != &values->single) {
        cltomo_release(draft->context, values->value);
    }
    if (values->node != &values->single_node) {
        cltomo_release(draft->context, values->node);
    }
    cltomo_release(draft->context, values->map);
    values->value = NULL;
    values->node = NULL;
    values->map = NULL;
    values->state = CLTOMO_ABSENT;
}

void cltomo_draft_clear(cltomo_draft *draft)
{
    for (cltomo_field_id id = 0; id < CLTOMO_N_FIELDS; ++id) {
        cltomo_draft_drop(draft, id);
    }
}

static bool is_list(cltomo_field_shape shape)
{
    return shape != CLTOMO_SHAPE_SCALAR && shape != CLTOMO_SHAPE_MIRROR;
}

cltomo_status cltomo_draft_reserve(
    cltomo_draft *draft, cltomo_field_id id, size_t count, cltomo_error *error)
{
    cltomo_values *values = &draft->field[id];
    if (!is_list(cltomo_fields[id].shape)) {
        values->value = &values->single;
        values->node = draft->tree != NULL ? &values->single_node : NULL;
        values->count = 1;
        return CLTOMO_OK;
    }
    values->value = cltomo_allocate_zero(draft->context, count, sizeof *values->value);
    if (draft->tree != NULL) {
        values->node = cltomo_allocate_zero(draft->context, count, sizeof *values->node);
    }
    if (values->value == NULL || (draft->tree != NULL && values->node == NULL)) {
        return cltomo_fail_memory(error, "the system description");
    }
    values->count = count;
    return CLTOMO_OK;
}

void cltomo_draft_key(const cltomo_draft *draft, cltomo_field_id id, char *text, size_t size)
{
    const cltomo_field *field = &cltomo_fields[id];
    if (draft->tree == NULL) {
        (void)snprintf(text, size, "%s", field->name);
        return;
    }
    /* The second half of a pair has its key in the first half, just before it. */
    const char *key = field->key != NULL ? field->key : cltomo_fields[id - 1].key;
    (void)snprintf(text, size, "%s.%s", cltomo_section_names[field->section], key);
}

const char *cltomo_draft_short_name(const cltomo_draft *draft, cltomo_field_id id)
{
    if (draft->tree == NULL) {
        return cltomo_fields[id].name;
    }
    return id == CLTOMO_FIELD_N_LISTED ? "the number of directions" : cltomo_fields[id].key;
}

size_t cltomo_draft_elements(const cltomo_draft *draft, cltomo_field_id id)
{
    const cltomo_values *values = &draft->field[id];
    size_t n_maps = values->n_maps > 0 ? values->n_maps : 1;
    switch (cltomo_fields[id].shape) {
    case CLTOMO_SHAPE_FLUX:
        return n_maps * values->count * values->count;
    case CLTOMO_SHAPE_MAPS:
        return values->n_maps;
    default:
        return values->count;
    }
}

/* "[sensor][row][column]", or without the sensor if one map serves all. */
static void index_flux(const cltomo_values *values, size_t i, char *text, size_t size)
{
    size_t n = values->count;
    size_t row = i / n % n;
    if (values->n_maps > 0) {
        (void)snprintf(text, size, "[%zu][%zu][%zu]", i / (n * n), row, i % n);
    } else {
        (void)snprintf(text, size, "[%zu][%zu]", row, i % n);
    }
}

void cltomo_draft_index(
    const cltomo_draft *draft, cltomo_field_id id, size_t i, char *text, size_t size)
{
    cltomo_field_shape shape = cltomo_fields[id].shape;
    bool from_yaml = draft->tree != NULL;
    bool is_row = shape == CLTOMO_SHAPE_ROWS_X || shape == CLTOMO_SHAPE_ROWS_Y;
    bool is_pair = shape == CLTOMO_SHAPE_PAIRS_X || shape == CLTOMO_SHAPE_PAIRS_Y;
    int half = shape == CLTOMO_SHAPE_ROWS_Y || shape == CLTOMO_SHAPE_PAIRS_Y;
    text[0] = '\0';
    if (!is_list(shape) || (shape == CLTOMO_SHAPE_MAPS && !from_yaml)) {
        return;
    }
    if (i == CLTOMO_WHOLE) {
        if (from_yaml && is_row && draft->field[id].value != NULL) {
            (void)snprintf(text, size, "[%d]", half); /* a list of offsets is itself an element */
        }
    } else if (from_yaml && is_row) {
        (void)snprintf(text, size, "[%d][%zu]", half, i);
    } else if (from_yaml && is_pair) {
        (void)snprintf(text, size, "[%zu][%d]", i, half);
    } else if (from_yaml && shape == CLTOMO_SHAPE_FLUX) {
        index_flux(&draft->field[id], i, text, size);
    } else {
        (void)snprintf(text, size, "[%zu]", i);
    }
}

void cltomo_draft_written(const cltomo_draft *draft, uint32_t node, char *text, size_t size)
{
    uint32_t resolved = cltomo_yaml_resolve(draft->tree, node);
    const cltomo_node *shown = &draft->tree->node[resolved];
    if (shown->kind == CLTOMO_NODE_SEQUENCE) {
        (void)snprintf(text, size, "a list of %u", (unsigned)shown->n_child);
    } else if (shown->kind == CLTOMO_NODE_MAPPING) {
        (void)snprintf(text, size, "a mapping");
    } else if (shown->plain) {
        cltomo_copy_text(text, size, cltomo_yaml_text(draft->tree, resolved));
    } else {
        (void)snprintf(text, size, "\"%s\"", cltomo_yaml_text(draft->tree, resolved));
    }
}

static void add_problem(cltomo_draft *draft, cltomo_field_id id, cltomo_problem problem,
    const char *suffix, const char *format, va_list arguments)
{
    char name[128];
    char key[192];
    char message[512];
    cltomo_values *values = &draft->field[id];
    if (problem.severity == CLTOMO_SEVERITY_ERROR) {
        values->state = CLTOMO_INVALID;
    }
    if (values->n_problems++ >= MAX_PROBLEMS) {
        return;
    }
    cltomo_draft_key(draft, id, name, sizeof name);
    (void)snprintf(key, sizeof key, "%s%s", name, suffix);
    int length = vsnprintf(message, sizeof message, format, arguments);
    problem.key = key;
    problem.allowed = problem.allowed != NULL ? problem.allowed : "";
    cltomo_report_add(draft->report, &problem, "%s%s", length < 0 ? "" : message,
        values->n_problems == MAX_PROBLEMS ? " (further ones with this key are not listed)" : "");
}

/* Where a problem is and what stands there. */
static void locate(
    const cltomo_draft *draft, uint32_t node, cltomo_problem *problem, char *value, size_t size)
{
    const cltomo_node *place = &draft->tree->node[cltomo_yaml_resolve(draft->tree, node)];
    cltomo_draft_written(draft, node, value, size);
    problem->line = place->line;
    problem->column = place->column;
}

void cltomo_draft_problem(cltomo_draft *draft, cltomo_field_id id, size_t i,
    cltomo_severity severity, const char *allowed, const char *format, ...)
{
    char value[160] = "";
    char suffix[64];
    va_list arguments;
    const cltomo_values *values = &draft->field[id];
    size_t count = cltomo_draft_elements(draft, id);
    cltomo_problem problem = {.severity = severity, .value = value, .allowed = allowed};
    if (draft->tree != NULL) {
        uint32_t node = values->whole;
        if (i != CLTOMO_WHOLE && values->node != NULL && i < count) {
            node = values->node[i];
        }
        locate(draft, node, &problem, value, sizeof value);
    } else if (values->value != NULL && (i < count || count == 1)) {
        (void)snprintf(value, sizeof value, "%.10g", values->value[i < count ? i : 0]);
    }
    cltomo_draft_index(draft, id, i, suffix, sizeof suffix);
    va_start(arguments, format);
    add_problem(draft, id, problem, suffix, format, arguments);
    va_end(arguments);
}

void cltomo_draft_problem_at(cltomo_draft *draft, cltomo_field_id id, uint32_t node,
    const char *suffix, const char *allowed, const char *format, ...)
{
    char value[160] = "";
    va_list arguments;
    cltomo_problem problem = {
        .severity = CLTOMO_SEVERITY_ERROR, .value = value, .allowed = allowed};
    locate(draft, node, &problem, value, sizeof value);
    va_start(arguments, format);
    add_problem(draft, id, problem, suffix, format, arguments);
    va_end(arguments);
}

void cltomo_draft_set(cltomo_draft *draft, cltomo_field_id id, size_t i, double value)
{
    char allowed[160];
    draft->field[id].value[i] = value;
    if (!cltomo_field_allows(&cltomo_fields[id], value)) {
        cltomo_field_range(allowed, sizeof allowed, &cltomo_fields[id], draft->tree == NULL);
        cltomo_draft_problem(
            draft, id, i, CLTOMO_SEVERITY_ERROR, allowed, "the value is out of range");
    }
}

double cltomo_draft_get(const cltomo_draft *draft, cltomo_field_id id)
{
    return draft->field[id].value[0];
}

bool cltomo_draft_has(const cltomo_draft *draft, cltomo_field_id id)
{
    return draft->field[id].state == CLTOMO_VALID;
}
