#include <stdio.h>
#include <string.h>

#include "config/draft.h"

/* What a map belongs to. */
static cltomo_field_id count_of(cltomo_field_id id)
{
    return id == CLTOMO_FIELD_VALID_LENSLETS ? CLTOMO_FIELD_N_LENSLETS : CLTOMO_FIELD_N_ACTUATORS;
}

static const char *const cell_values = "0 or 1";
static const char *const map_forms =
    "a list of rows, or {shape: annulus, outer: RADIUS, inner: RADIUS}";

static cltomo_status allocate_map(
    cltomo_draft *draft, cltomo_field_id id, size_t n, cltomo_error *error)
{
    cltomo_values *values = &draft->field[id];
    values->map = cltomo_allocate_zero(draft->context, n * n, 1);
    if (values->map == NULL) {
        return cltomo_fail_memory(error, "a map of valid cells");
    }
    values->count = n;
    return CLTOMO_OK;
}

/* ---- rows of zeros and ones ---------------------------------------------------------------- */

static bool read_cell(const cltomo_yaml_tree *tree, uint32_t node, uint8_t *cell)
{
    double value = 0.0;
    const cltomo_node *scalar = &tree->node[cltomo_yaml_resolve(tree, node)];
    if (scalar->kind != CLTOMO_NODE_SCALAR || !scalar->plain) {
        return false;
    }
    switch (cltomo_scalar_read(tree->text + scalar->text, scalar->length, &value)) {
    case CLTOMO_SCALAR_TRUE:
        value = 1.0;
        break;
    case CLTOMO_SCALAR_FALSE:
        value = 0.0;
        break;
    case CLTOMO_SCALAR_INTEGER:
    case CLTOMO_SCALAR_REAL:
        break;
    default:
        return false;
    }
    *cell = value == 1.0;
    return value == 0.0 || value == 1.0;
}

static void read_row(cltomo_draft *draft, cltomo_field_id id, size_t row, uint32_t node)
{
    const cltomo_yaml_tree *tree = draft->tree;
    cltomo_values *values = &draft->field[id];
    const cltomo_node *list = &tree->node[node];
    char suffix[64];
    (void)snprintf(suffix, sizeof suffix, "[%zu]", row);
    if (list->kind != CLTOMO_NODE_SEQUENCE) {
        cltomo_draft_problem_at(
            draft, id, node, suffix, "a list of zeros and ones", "not a row of the map");
        return;
    }
    if (list->n_child != values->count) {
        cltomo_draft_problem_at(draft, id, node, suffix, NULL,
            "the row has %u cells, but the map has %zu rows and must be square",
            (unsigned)list->n_child, values->count);
        return;
    }
    size_t col = 0;
    for (uint32_t child = list->first; child != 0; child = tree->node[child].next, ++col) {
        if (!read_cell(tree, child, &values->map[row * values->count + col])) {
            (void)snprintf(suffix, sizeof suffix, "[%zu][%zu]", row, col);
            cltomo_draft_problem_at(draft, id, child, suffix, cell_values, "not a cell of a map");
        }
    }
}

static cltomo_status read_rows(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, cltomo_error *error)
{
    const cltomo_yaml_tree *tree = draft->tree;
    size_t n = tree->node[node].n_child;
    double most = cltomo_fields[count_of(id)].max;
    if (n == 0) {
        cltomo_draft_problem_at(draft, id, node, "", map_forms, "the map is empty");
        return CLTOMO_OK;
    }
    if ((double)n > most) {
        cltomo_draft_problem_at(
            draft, id, node, "", map_forms, "the map has %zu rows, more than %.0f", n, most);
        return CLTOMO_OK;
    }
    cltomo_status status = allocate_map(draft, id, n, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    size_t row = 0;
    for (uint32_t child = tree->node[node].first; child != 0; child = tree->node[child].next) {
        read_row(draft, id, row++, cltomo_yaml_resolve(tree, child));
    }
    return CLTOMO_OK;
}

/* ---- annulus ------------------------------------------------------------------------------- */

typedef struct annulus {
    cltomo_field_id id;
    uint32_t shape; /* nodes; 0: not given */
    uint32_t outer;
    uint32_t inner;
} annulus;

static void visit_annulus_key(cltomo_draft *draft, void *user, uint32_t key, uint32_t value)
{
    annulus *a = user;
    const char *word = cltomo_yaml_text(draft->tree, cltomo_yaml_resolve(draft->tree, key));
    if (strcmp(word, "shape") == 0) {
        a->shape = value;
    } else if (strcmp(word, "outer") == 0) {
        a->outer = value;
    } else if (strcmp(word, "inner") == 0) {
        a->inner = value;
    } else {
        char path[128];
        cltomo_draft_key(draft, a->id, path, sizeof path);
        cltomo_draft_key_problem(draft, key, path, CLTOMO_SEVERITY_ERROR,
            "unknown key; an annulus has shape, outer and inner");
    }
}

static bool is_annulus(const cltomo_yaml_tree *tree, uint32_t node)
{
    return node != 0 && tree->node[node].kind == CLTOMO_NODE_SCALAR &&
           strcmp(cltomo_yaml_text(tree, node), "annulus") == 0;
}

static bool read_radius(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, const char *suffix, double *radius)
{
    const char *allowed = "0 <= x <= 1024 cells";
    if (!cltomo_draft_number(draft, id, node, suffix, allowed, radius)) {
        return false;
    }
    if (!(*radius >= 0.0 && *radius <= 1024.0)) {
        cltomo_draft_problem_at(draft, id, node, suffix, allowed, "the value is out of range");
        return false;
    }
    return true;
}

/* A cell belongs to it when its centre lies within the two circles about the map's centre. */
static void fill_annulus(uint8_t *map, size_t n, double outer, double inner)
{
    double centre = 0.5 * ((double)n - 1.0);
    for (size_t row = 0; row < n; ++row) {
        double y = (double)row - centre;
        for (size_t col = 0; col < n; ++col) {
            double x = (double)col - centre;
            double r2 = x * x + y * y;
            map[row * n + col] = r2 <= outer * outer && r2 >= inner * inner;
        }
    }
}

static cltomo_status read_annulus(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, cltomo_error *error)
{
    annulus a = {.id = id};
    char path[128];
    double outer = 0.0;
    double inner = 0.0;
    cltomo_draft_key(draft, id, path, sizeof path);
    cltomo_draft_visit(draft, node, path, visit_annulus_key, &a);
    if (!is_annulus(draft->tree, a.shape)) {
        cltomo_draft_problem_at(draft, id, a.shape != 0 ? a.shape : node, ".shape", "annulus",
            "the shape of the map is unknown");
    }
    if (a.outer == 0) {
        cltomo_draft_problem_at(
            draft, id, node, ".outer", map_forms, "the outer radius is missing");
    } else {
        (void)read_radius(draft, id, a.outer, ".outer", &outer);
    }
    if (a.inner != 0 && read_radius(draft, id, a.inner, ".inner", &inner) &&
        draft->field[id].state == CLTOMO_VALID && inner > outer) {
        cltomo_draft_problem_at(draft, id, a.inner, ".inner", NULL,
            "the inner radius is larger than the outer one, %g", outer);
    }
    if (draft->field[id].state != CLTOMO_VALID || !cltomo_draft_has(draft, count_of(id))) {
        return CLTOMO_OK;
    }
    size_t n = (size_t)cltomo_draft_get(draft, count_of(id));
    cltomo_status status = allocate_map(draft, id, n, error);
    if (status == CLTOMO_OK) {
        fill_annulus(draft->field[id].map, n, outer, inner);
    }
    return status;
}

cltomo_status cltomo_draft_read_map(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, cltomo_error *error)
{
    switch (draft->tree->node[node].kind) {
    case CLTOMO_NODE_SEQUENCE:
        return read_rows(draft, id, node, error);
    case CLTOMO_NODE_MAPPING:
        return read_annulus(draft, id, node, error);
    default:
        cltomo_draft_problem_at(draft, id, node, "", map_forms, "not a map");
        return CLTOMO_OK;
    }
}
