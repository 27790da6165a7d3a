#include <stdio.h>
#include <string.h>

#include "config/draft.h"

static bool is_null(const cltomo_yaml_tree *tree, uint32_t node)
{
    double ignored = 0.0;
    const cltomo_node *scalar = &tree->node[node];
    return scalar->kind == CLTOMO_NODE_SCALAR && scalar->plain &&
           cltomo_scalar_read(tree->text + scalar->text, scalar->length, &ignored) ==
               CLTOMO_SCALAR_NULL;
}

/* ---- which node belongs to which field ----------------------------------------------------- */

static void visit_key(cltomo_draft *draft, void *user, uint32_t key, uint32_t value)
{
    char suggestion[128];
    cltomo_section section = *(const cltomo_section *)user;
    const char *word = cltomo_yaml_text(draft->tree, cltomo_yaml_resolve(draft->tree, key));
    for (size_t id = 0; id < CLTOMO_N_FIELDS; ++id) {
        const cltomo_field *field = &cltomo_fields[id];
        if (field->section == section && field->key != NULL && strcmp(field->key, word) == 0) {
            draft->field[id].key = key;
            draft->field[id].whole = is_null(draft->tree, value) ? 0 : value;
            return;
        }
    }
    cltomo_suggest(suggestion, sizeof suggestion, word, section);
    cltomo_draft_key_problem(draft, key, cltomo_section_names[section], CLTOMO_SEVERITY_WARNING,
        "unknown key, ignored%s", suggestion);
}

static void visit_section(cltomo_draft *draft, void *user, uint32_t key, uint32_t value)
{
    char suggestion[128];
    const char *word = cltomo_yaml_text(draft->tree, cltomo_yaml_resolve(draft->tree, key));
    (void)user;
    for (cltomo_section section = 0; section < CLTOMO_N_SECTIONS; ++section) {
        if (strcmp(cltomo_section_names[section], word) != 0) {
            continue;
        }
        if (draft->tree->node[value].kind == CLTOMO_NODE_MAPPING) {
            draft->section[section] = value;
            draft->section_key[section] = key;
            cltomo_draft_visit(draft, value, word, visit_key, &section);
        } else if (!is_null(draft->tree, value)) {
            draft->section_key[section] = key;
            cltomo_draft_key_problem(
                draft, key, "", CLTOMO_SEVERITY_ERROR, "a section must hold keys and values");
        }
        return;
    }
    cltomo_suggest(suggestion, sizeof suggestion, word, CLTOMO_N_SECTIONS);
    cltomo_draft_key_problem(
        draft, key, "", CLTOMO_SEVERITY_WARNING, "unknown section, ignored%s", suggestion);
}

/* ---- values -------------------------------------------------------------------------------- */

/* Why a scalar is not a number that this field can take; NULL if it can. */
static const char *number_complaint(cltomo_scalar scalar, const cltomo_field *field)
{
    switch (scalar) {
    case CLTOMO_SCALAR_INTEGER:
        return NULL;
    case CLTOMO_SCALAR_REAL:
        return (field->flags & CLTOMO_INTEGER) != 0 ? "not an integer" : NULL;
    case CLTOMO_SCALAR_INFINITE:
        return (field->flags & CLTOMO_INFINITE) != 0 ? NULL : "not a finite number";
    case CLTOMO_SCALAR_NAN:
        return "not a finite number";
    case CLTOMO_SCALAR_TOO_LARGE:
        return "the number is too large";
    case CLTOMO_SCALAR_RADIX:
        return "write the number in decimal, without leading zeros";
    case CLTOMO_SCALAR_NULL:
        return "a value is missing";
    case CLTOMO_SCALAR_FALSE:
    case CLTOMO_SCALAR_TRUE:
    case CLTOMO_SCALAR_TEXT:
        break;
    }
    return "not a number";
}

bool cltomo_draft_number(cltomo_draft *draft, cltomo_field_id id, uint32_t node, const char *suffix,
    const char *allowed, double *value)
{
    const cltomo_node *scalar = &draft->tree->node[node];
    const char *complaint = "not a single number";
    if (scalar->kind == CLTOMO_NODE_SCALAR && !scalar->plain) {
        complaint = "quoted text is not a number, leave out the quotes";
    } else if (scalar->kind == CLTOMO_NODE_SCALAR) {
        complaint = number_complaint(
            cltomo_scalar_read(draft->tree->text + scalar->text, scalar->length, value),
            &cltomo_fields[id]);
    }
    if (complaint != NULL) {
        cltomo_draft_problem_at(draft, id, node, suffix, allowed, "%s", complaint);
    }
    return complaint == NULL;
}

void cltomo_draft_read_element(cltomo_draft *draft, cltomo_field_id id, size_t i, uint32_t node)
{
    double value = 0.0;
    char suffix[64];
    char allowed[160];
    uint32_t resolved = cltomo_yaml_resolve(draft->tree, node);
    draft->field[id].node[i] = resolved;
    cltomo_draft_index(draft, id, i, suffix, sizeof suffix);
    cltomo_field_range(allowed, sizeof allowed, &cltomo_fields[id], false);
    if (cltomo_draft_number(draft, id, resolved, suffix, allowed, &value)) {
        cltomo_draft_set(draft, id, i, cltomo_unit_to_si(cltomo_fields[id].unit, value));
    }
}

/* True if the node is a list with a number of elements that could be right. */
static bool check_list(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, const char *suffix, const char *allowed)
{
    const cltomo_node *list = &draft->tree->node[node];
    double most = cltomo_fields[cltomo_field_counter(id)].max;
    if (list->kind != CLTOMO_NODE_SEQUENCE) {
        cltomo_draft_problem_at(draft, id, node, suffix, allowed, "not a list");
    } else if (list->n_child == 0) {
        cltomo_draft_problem_at(draft, id, node, suffix, allowed, "the list is empty");
    } else if (list->n_child > most) {
        cltomo_draft_problem_at(draft, id, node, suffix, allowed,
            "the list has %u elements, more than %.0f", (unsigned)list->n_child, most);
    } else {
        return true;
    }
    return false;
}

static cltomo_status read_list(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, cltomo_error *error)
{
    const cltomo_yaml_tree *tree = draft->tree;
    cltomo_status status = cltomo_draft_reserve(draft, id, tree->node[node].n_child, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    size_t i = 0;
    for (uint32_t child = tree->node[node].first; child != 0; child = tree->node[child].next) {
        cltomo_draft_read_element(draft, id, i++, child);
    }
    return CLTOMO_OK;
}

/* One value, or a list with one value per mirror. */
static cltomo_status read_single(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, cltomo_error *error)
{
    const cltomo_node *whole = &draft->tree->node[node];
    cltomo_status status = cltomo_draft_reserve(draft, id, 1, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    if (cltomo_fields[id].shape != CLTOMO_SHAPE_MIRROR || whole->kind != CLTOMO_NODE_SEQUENCE) {
        cltomo_draft_read_element(draft, id, 0, node);
    } else if (whole->n_child == 0) {
        cltomo_draft_problem_at(draft, id, node, "", "one value", "the list is empty");
    } else if (whole->n_child > 1) {
        cltomo_draft_problem_at(draft, id, node, "", "one value",
            "%u mirrors are described, only one is supported", (unsigned)whole->n_child);
    } else {
        cltomo_draft_read_element(draft, id, 0, whole->first);
    }
    return CLTOMO_OK;
}

/* [[x of all stars], [y of all stars]] */
static cltomo_status read_rows(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, cltomo_error *error)
{
    static const char *const suffix[2] = {"[0]", "[1]"};
    const char *allowed = "a list of nLGS x offsets and a list of nLGS y offsets";
    const cltomo_node *whole = &draft->tree->node[node];
    if (whole->kind != CLTOMO_NODE_SEQUENCE || whole->n_child != 2) {
        cltomo_draft_problem_at(draft, id, node, "", allowed, "not a list of two lists");
        return CLTOMO_OK;
    }
    uint32_t row = whole->first;
    for (cltomo_field_id half = 0; half < 2; ++half, row = draft->tree->node[row].next) {
        cltomo_status status = CLTOMO_OK;
        uint32_t list = cltomo_yaml_resolve(draft->tree, row);
        draft->field[id + half].whole = list;
        if (draft->field[id + half].state != CLTOMO_INVALID) {
            draft->field[id + half].state = CLTOMO_VALID;
        }
        if (check_list(draft, id + half, list, suffix[half], allowed)) {
            status = read_list(draft, id + half, list, error);
        }
        if (status != CLTOMO_OK) {
            return status;
        }
    }
    return CLTOMO_OK;
}

/* [[x, y] of each star or direction] */
static cltomo_status read_pairs(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, cltomo_error *error)
{
    const cltomo_yaml_tree *tree = draft->tree;
    bool of_stars = cltomo_field_counter(id) == CLTOMO_FIELD_N_WFS;
    const char *allowed =
        of_stars ? "a list of nLGS [x, y] pairs in arcsec" : "a list of [x, y] pairs in arcsec";
    if (!check_list(draft, id, node, "", allowed)) {
        return CLTOMO_OK;
    }
    size_t count = tree->node[node].n_child;
    cltomo_status status = cltomo_draft_reserve(draft, id, count, error);
    if (status == CLTOMO_OK) {
        status = cltomo_draft_reserve(draft, id + 1, count, error);
    }
    if (status == CLTOMO_OK && !of_stars) { /* the list is its own count */
        status = cltomo_draft_reserve(draft, CLTOMO_FIELD_N_LISTED, 1, error);
    }
    if (status != CLTOMO_OK) {
        return status;
    }
    if (!of_stars) {
        draft->field[CLTOMO_FIELD_N_LISTED].state = CLTOMO_VALID;
        draft->field[CLTOMO_FIELD_N_LISTED].single = (double)count;
    }
    draft->field[id + 1].whole = node;
    draft->field[id + 1].state = CLTOMO_VALID;
    size_t i = 0;
    for (uint32_t child = tree->node[node].first; child != 0; child = tree->node[child].next) {
        uint32_t resolved = cltomo_yaml_resolve(tree, child);
        const cltomo_node *pair = &tree->node[resolved];
        if (pair->kind == CLTOMO_NODE_SEQUENCE && pair->n_child == 2) {
            cltomo_draft_read_element(draft, id, i, pair->first);
            cltomo_draft_read_element(draft, id + 1, i, tree->node[pair->first].next);
        } else {
            char suffix[32];
            (void)snprintf(suffix, sizeof suffix, "[%zu]", i);
            cltomo_draft_problem_at(draft, id, resolved, suffix, allowed, "not an [x, y] pair");
        }
        ++i;
    }
    return CLTOMO_OK;
}

static cltomo_status read_field(cltomo_draft *draft, cltomo_field_id id, cltomo_error *error)
{
    cltomo_values *values = &draft->field[id];
    const cltomo_field *field = &cltomo_fields[id];
    if (values->whole == 0 || field->key == NULL) { /* absent, or read with its other half */
        return CLTOMO_OK;
    }
    values->state = CLTOMO_VALID;
    switch (field->shape) {
    case CLTOMO_SHAPE_SCALAR:
    case CLTOMO_SHAPE_MIRROR:
        return read_single(draft, id, values->whole, error);
    case CLTOMO_SHAPE_STARS:
    case CLTOMO_SHAPE_LAYERS:
    case CLTOMO_SHAPE_DIRECTIONS:
        return check_list(draft, id, values->whole, "", "a list of numbers")
                   ? read_list(draft, id, values->whole, error)
                   : CLTOMO_OK;
    case CLTOMO_SHAPE_ROWS_X:
        return read_rows(draft, id, values->whole, error);
    case CLTOMO_SHAPE_PAIRS_X:
        return read_pairs(draft, id, values->whole, error);
    case CLTOMO_SHAPE_MAP:
        return cltomo_draft_read_map(draft, id, values->whole, error);
    case CLTOMO_SHAPE_FLUX:
        return cltomo_draft_read_flux(draft, id, values->whole, error);
    case CLTOMO_SHAPE_ROWS_Y:
    case CLTOMO_SHAPE_PAIRS_Y:
    case CLTOMO_SHAPE_MAPS:
        break;
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_draft_read_yaml(cltomo_draft *draft, cltomo_error *error)
{
    const cltomo_node *root = &draft->tree->node[0];
    if (root->kind != CLTOMO_NODE_MAPPING) {
        cltomo_problem problem = {.severity = CLTOMO_SEVERITY_ERROR,
            .line = root->line,
            .column = root->column,
            .key = "",
            .value = "",
            .allowed = "lgs_wfs_parameters:, atmosphere_parameters:, ..."};
        cltomo_report_add(draft->report, &problem, "the file does not consist of sections");
        return CLTOMO_OK;
    }
    cltomo_draft_visit(draft, 0, "", visit_section, NULL);
    for (cltomo_field_id id = 0; id < CLTOMO_N_FIELDS; ++id) {
        cltomo_status status = read_field(draft, id, error);
        if (status != CLTOMO_OK) {
            return status;
        }
    }
    return CLTOMO_OK;
}
