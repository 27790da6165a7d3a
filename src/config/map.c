#include <stdio.h>
#include <string.h>

#include "config/draft.h"

static const char *const cell_values = "0 or 1";
static const char *const map_forms =
    "a list of rows, or {shape: annulus, outer: RADIUS, inner: RADIUS}";
static const char *const flux_forms =
    "nLenslet rows of nLenslet numbers, or a list of nLGS such maps";

/* One map on its way to its place. */
typedef struct target {
    cltomo_field_id id;
    const char *prefix; /* of where its cells stand below the key: "", or "[3]" in a list */
    size_t n;           /* rows */
    uint8_t *cell;      /* n * n zeros or ones */
    size_t first;       /* or numbers: the element of the field that the first of them is */
} target;

static cltomo_status allocate_maps(
    cltomo_draft *draft, cltomo_field_id id, size_t n, size_t n_maps, cltomo_error *error)
{
    cltomo_values *values = &draft->field[id];
    values->map = cltomo_allocate_zero(draft->context, n_maps * n * n, 1);
    if (values->map == NULL) {
        return cltomo_fail_memory(error, "a map of valid cells");
    }
    values->count = n;
    return CLTOMO_OK;
}

/* ---- rows ---------------------------------------------------------------------------------- */

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

/* True if a row has one cell for each of the map's rows. */
static bool check_row(cltomo_draft *draft, const target *to, size_t row, uint32_t node)
{
    const cltomo_node *list = &draft->tree->node[node];
    char suffix[64];
    (void)snprintf(suffix, sizeof suffix, "%s[%zu]", to->prefix, row);
    if (list->kind != CLTOMO_NODE_SEQUENCE) {
        cltomo_draft_problem_at(draft, to->id, node, suffix,
            to->cell != NULL ? "a list of zeros and ones" : "a list of numbers",
            "not a row of the map");
    } else if (list->n_child != to->n) {
        cltomo_draft_problem_at(draft, to->id, node, suffix, NULL,
            "the row has %u cells, but the map has %zu rows and must be square",
            (unsigned)list->n_child, to->n);
    } else {
        return true;
    }
    return false;
}

static void read_row(cltomo_draft *draft, const target *to, size_t row, uint32_t node)
{
    const cltomo_yaml_tree *tree = draft->tree;
    size_t i = row * to->n;
    if (!check_row(draft, to, row, node)) {
        return;
    }
    for (uint32_t child = tree->node[node].first; child != 0; child = tree->node[child].next) {
        if (to->cell == NULL) {
            cltomo_draft_read_element(draft, to->id, to->first + i, child);
        } else if (!read_cell(tree, child, &to->cell[i])) {
            char suffix[96];
            (void)snprintf(suffix, sizeof suffix, "%s[%zu][%zu]", to->prefix, row, i % to->n);
            cltomo_draft_problem_at(
                draft, to->id, child, suffix, cell_values, "not a cell of a map");
        }
        ++i;
    }
}

static void read_rows(cltomo_draft *draft, const target *to, uint32_t node)
{
    const cltomo_yaml_tree *tree = draft->tree;
    size_t row = 0;
    for (uint32_t child = tree->node[node].first; child != 0; child = tree->node[child].next) {
        read_row(draft, to, row++, cltomo_yaml_resolve(tree, child));
    }
}

/* ---- annulus ------------------------------------------------------------------------------- */

typedef struct annulus {
    const target *to;
    uint32_t shape; /* nodes; 0: not given */
    uint32_t outer;
    uint32_t inner;
} annulus;

static void annulus_path(const cltomo_draft *draft, const target *to, char *text, size_t size)
{
    char key[128];
    cltomo_draft_key(draft, to->id, key, sizeof key);
    (void)snprintf(text, size, "%s%s", key, to->prefix);
}

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
        char path[160];
        annulus_path(draft, a->to, path, sizeof path);
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
    cltomo_draft *draft, const target *to, uint32_t node, const char *name, double *radius)
{
    const char *allowed = "0 <= x <= 1024 cells";
    char suffix[64];
    (void)snprintf(suffix, sizeof suffix, "%s%s", to->prefix, name);
    if (!cltomo_draft_number(draft, to->id, node, suffix, allowed, radius)) {
        return false;
    }
    if (!(*radius >= 0.0 && *radius <= 1024.0)) {
        cltomo_draft_problem_at(draft, to->id, node, suffix, allowed, "the value is out of range");
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

/* True if the mapping is an annulus without problems. */
static bool read_annulus(
    cltomo_draft *draft, const target *to, uint32_t node, double *outer, double *inner)
{
    annulus a = {.to = to};
    char path[160];
    char suffix[64];
    annulus_path(draft, to, path, sizeof path);
    cltomo_draft_visit(draft, node, path, visit_annulus_key, &a);
    if (!is_annulus(draft->tree, a.shape)) {
        (void)snprintf(suffix, sizeof suffix, "%s.shape", to->prefix);
        cltomo_draft_problem_at(draft, to->id, a.shape != 0 ? a.shape : node, suffix, "annulus",
            "the shape of the map is unknown");
    }
    if (a.outer == 0) {
        (void)snprintf(suffix, sizeof suffix, "%s.outer", to->prefix);
        cltomo_draft_problem_at(
            draft, to->id, node, suffix, map_forms, "the outer radius is missing");
    } else {
        (void)read_radius(draft, to, a.outer, ".outer", outer);
    }
    if (a.inner != 0 && read_radius(draft, to, a.inner, ".inner", inner) &&
        draft->field[to->id].state == CLTOMO_VALID && *inner > *outer) {
        (void)snprintf(suffix, sizeof suffix, "%s.inner", to->prefix);
        cltomo_draft_problem_at(draft, to->id, a.inner, suffix, NULL,
            "the inner radius is larger than the outer one, %g", *outer);
    }
    return draft->field[to->id].state == CLTOMO_VALID;
}

/* ---- one map for all ----------------------------------------------------------------------- */

static cltomo_status read_only_rows(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, cltomo_error *error)
{
    size_t n = draft->tree->node[node].n_child;
    double most = cltomo_fields[cltomo_field_counter(id)].max;
    if (n == 0) {
        cltomo_draft_problem_at(draft, id, node, "", map_forms, "the map is empty");
        return CLTOMO_OK;
    }
    if ((double)n > most) {
        cltomo_draft_problem_at(
            draft, id, node, "", map_forms, "the map has %zu rows, more than %.0f", n, most);
        return CLTOMO_OK;
    }
    cltomo_status status = allocate_maps(draft, id, n, 1, error);
    if (status == CLTOMO_OK) {
        target to = {.id = id, .prefix = "", .n = n, .cell = draft->field[id].map};
        read_rows(draft, &to, node);
    }
    return status;
}

static cltomo_status read_only_annulus(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, cltomo_error *error)
{
    double outer = 0.0;
    double inner = 0.0;
    cltomo_field_id counter = cltomo_field_counter(id);
    target to = {.id = id, .prefix = ""};
    if (!read_annulus(draft, &to, node, &outer, &inner) || !cltomo_draft_has(draft, counter)) {
        return CLTOMO_OK;
    }
    size_t n = (size_t)cltomo_draft_get(draft, counter);
    cltomo_status status = allocate_maps(draft, id, n, 1, error);
    if (status == CLTOMO_OK) {
        fill_annulus(draft->field[id].map, n, outer, inner);
    }
    return status;
}

/* ---- a map for each sensor ----------------------------------------------------------------- */

/* A list with a mapping, or with a list of lists, among its elements. */
static bool is_list_of_maps(const cltomo_yaml_tree *tree, uint32_t node)
{
    for (uint32_t child = tree->node[node].first; child != 0; child = tree->node[child].next) {
        const cltomo_node *element = &tree->node[cltomo_yaml_resolve(tree, child)];
        bool has_elements = element->kind == CLTOMO_NODE_SEQUENCE && element->n_child > 0;
        if (element->kind == CLTOMO_NODE_MAPPING ||
            (has_elements && tree->node[cltomo_yaml_resolve(tree, element->first)].kind ==
                                 CLTOMO_NODE_SEQUENCE)) {
            return true;
        }
    }
    return false;
}

/* Finds how many sensors and lenslets across there are, and sees to it that there are no more cells
 * than a file could hold: aliases and annuli need only a few bytes. */
static bool check_extent(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, size_t *n_wfs, size_t *n)
{
    if (!cltomo_draft_has(draft, CLTOMO_FIELD_N_WFS) ||
        !cltomo_draft_has(draft, CLTOMO_FIELD_N_LENSLETS)) {
        draft->field[id].state = CLTOMO_INVALID; /* which has been reported of them */
        return false;
    }
    *n_wfs = (size_t)cltomo_draft_get(draft, CLTOMO_FIELD_N_WFS);
    *n = (size_t)cltomo_draft_get(draft, CLTOMO_FIELD_N_LENSLETS);
    if (*n_wfs * *n * *n > CLTOMO_YAML_MAX_NODES) {
        cltomo_draft_problem_at(draft, id, node, "", NULL,
            "maps for %zu sensors of %zu x %zu lenslets have more than %zu cells", *n_wfs, *n, *n,
            CLTOMO_YAML_MAX_NODES);
        return false;
    }
    return true;
}

static bool check_number(cltomo_draft *draft, cltomo_field_id id, uint32_t node, size_t n_wfs)
{
    size_t n_maps = draft->tree->node[node].n_child;
    if (n_maps == n_wfs) {
        return true;
    }
    cltomo_draft_problem_at(draft, id, node, "", NULL, "the list has %zu map%s, but nLGS is %zu",
        n_maps, n_maps == 1 ? "" : "s", n_wfs);
    return false;
}

/* True if a map in a list is a list of the right number of rows. */
static bool check_rows(cltomo_draft *draft, const target *to, uint32_t node, const char *forms)
{
    const cltomo_node *map = &draft->tree->node[node];
    if (map->kind != CLTOMO_NODE_SEQUENCE) {
        cltomo_draft_problem_at(draft, to->id, node, to->prefix, forms, "not a map");
    } else if (map->n_child != to->n) {
        cltomo_draft_problem_at(draft, to->id, node, to->prefix, NULL,
            "the map has %u row%s, but nLenslet is %zu", (unsigned)map->n_child,
            map->n_child == 1 ? "" : "s", to->n);
    } else {
        return true;
    }
    return false;
}

static void read_map_of_list(cltomo_draft *draft, const target *to, uint32_t node)
{
    double outer = 0.0;
    double inner = 0.0;
    if (draft->tree->node[node].kind == CLTOMO_NODE_MAPPING) {
        if (read_annulus(draft, to, node, &outer, &inner)) {
            fill_annulus(to->cell, to->n, outer, inner);
        }
    } else if (check_rows(draft, to, node, map_forms)) {
        read_rows(draft, to, node);
    }
}

static cltomo_status read_maps(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, cltomo_error *error)
{
    const cltomo_yaml_tree *tree = draft->tree;
    cltomo_values *values = &draft->field[id];
    size_t n_wfs = 0;
    size_t n = 0;
    values->whole = node;
    values->state = CLTOMO_VALID;
    if (!check_extent(draft, id, node, &n_wfs, &n) || !check_number(draft, id, node, n_wfs)) {
        return CLTOMO_OK;
    }
    cltomo_status status = allocate_maps(draft, id, n, n_wfs, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    values->n_maps = n_wfs;
    values->node = cltomo_allocate_zero(draft->context, n_wfs, sizeof *values->node);
    if (values->node == NULL) {
        return cltomo_fail_memory(error, "the system description");
    }
    size_t wfs = 0;
    for (uint32_t child = tree->node[node].first; child != 0; child = tree->node[child].next) {
        char prefix[32];
        (void)snprintf(prefix, sizeof prefix, "[%zu]", wfs);
        target to = {.id = id, .prefix = prefix, .n = n, .cell = values->map + wfs * n * n};
        values->node[wfs] = cltomo_yaml_resolve(tree, child);
        read_map_of_list(draft, &to, values->node[wfs]);
        ++wfs;
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_draft_read_map(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, cltomo_error *error)
{
    switch (draft->tree->node[node].kind) {
    case CLTOMO_NODE_SEQUENCE:
        if (id == CLTOMO_FIELD_VALID_LENSLETS && is_list_of_maps(draft->tree, node)) {
            return read_maps(draft, CLTOMO_FIELD_WFS_LENSLETS, node, error);
        }
        return read_only_rows(draft, id, node, error);
    case CLTOMO_NODE_MAPPING:
        return read_only_annulus(draft, id, node, error);
    default:
        cltomo_draft_problem_at(draft, id, node, "", map_forms, "not a map");
        return CLTOMO_OK;
    }
}

/* ---- maps of numbers ----------------------------------------------------------------------- */

/* Checks the lists that a map of numbers consists of, or reads the numbers. */
static void visit_flux(cltomo_draft *draft, const target *to, uint32_t node, bool read)
{
    const cltomo_yaml_tree *tree = draft->tree;
    size_t row = 0;
    if (read) {
        read_rows(draft, to, node);
    } else if (check_rows(draft, to, node, flux_forms)) {
        for (uint32_t child = tree->node[node].first; child != 0; child = tree->node[child].next) {
            (void)check_row(draft, to, row++, cltomo_yaml_resolve(tree, child));
        }
    }
}

static void visit_fluxes(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, size_t n, bool is_list, bool read)
{
    const cltomo_yaml_tree *tree = draft->tree;
    target to = {.id = id, .prefix = "", .n = n};
    if (!is_list) {
        visit_flux(draft, &to, node, read);
        return;
    }
    size_t wfs = 0;
    for (uint32_t child = tree->node[node].first; child != 0; child = tree->node[child].next) {
        char prefix[32];
        (void)snprintf(prefix, sizeof prefix, "[%zu]", wfs);
        to.prefix = prefix;
        to.first = wfs * n * n;
        visit_flux(draft, &to, cltomo_yaml_resolve(tree, child), read);
        ++wfs;
    }
}

cltomo_status cltomo_draft_read_flux(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, cltomo_error *error)
{
    cltomo_values *values = &draft->field[id];
    bool is_list = is_list_of_maps(draft->tree, node);
    size_t n_wfs = 0;
    size_t n = 0;
    if (!check_extent(draft, id, node, &n_wfs, &n) ||
        (is_list && !check_number(draft, id, node, n_wfs))) {
        return CLTOMO_OK;
    }
    visit_fluxes(draft, id, node, n, is_list, false);
    if (values->state != CLTOMO_VALID) {
        return CLTOMO_OK;
    }
    cltomo_status status = cltomo_draft_reserve(draft, id, (is_list ? n_wfs : 1) * n * n, error);
    if (status == CLTOMO_OK) {
        values->count = n;
        values->n_maps = is_list ? n_wfs : 0;
        visit_fluxes(draft, id, node, n, is_list, true);
    }
    return status;
}
