#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/draft.h"

/* The sum of the layers' fractions may miss 1 by MAX_SUM_ERROR, as published profiles do (the
 * addend lets 0.999 pass); beyond SUM_ROUNDING the user is told. Below SUM_EXACT the values are
 * left alone, so that a description taken from a system gives an equal system. */
#define MAX_SUM_ERROR (1e-3 + 1e-9)
#define SUM_ROUNDING 1e-9
#define SUM_EXACT 1e-12

/* ---- what is missing ----------------------------------------------------------------------- */

static void report_missing(cltomo_draft *draft, uint32_t node, cltomo_severity severity,
    const char *key, const char *allowed, const char *message)
{
    cltomo_problem problem = {.severity = severity,
        .line = draft->tree->node[node].line,
        .column = draft->tree->node[node].column,
        .key = key,
        .value = "",
        .allowed = allowed};
    cltomo_report_add(draft->report, &problem, "%s", message);
}

static bool is_required(const cltomo_draft *draft, cltomo_field_id id)
{
    if (id == CLTOMO_FIELD_RADIUS) {
        return draft->field[CLTOMO_FIELD_STAR_X].whole == 0;
    }
    if (id == CLTOMO_FIELD_N_DIRECTIONS || id == CLTOMO_FIELD_FIELD_OF_VIEW) {
        return draft->field[CLTOMO_FIELD_DIRECTION_X].whole == 0;
    }
    return (cltomo_fields[id].flags & CLTOMO_REQUIRED) != 0;
}

static void check_section(cltomo_draft *draft, cltomo_section section)
{
    for (cltomo_field_id id = 0; id < CLTOMO_N_FIELDS; ++id) {
        const cltomo_values *values = &draft->field[id];
        char key[128];
        char allowed[160] = "";
        if (cltomo_fields[id].section != section || values->whole != 0 || !is_required(draft, id)) {
            continue;
        }
        cltomo_draft_key(draft, id, key, sizeof key);
        if (cltomo_fields[id].shape != CLTOMO_SHAPE_MAP) {
            cltomo_field_range(allowed, sizeof allowed, &cltomo_fields[id], false);
        }
        report_missing(draft, values->key != 0 ? values->key : draft->section_key[section],
            CLTOMO_SEVERITY_ERROR, key, allowed,
            values->key != 0 ? "the key has no value" : "the key is missing");
    }
}

static void check_sections(cltomo_draft *draft)
{
    if (draft->tree->node[0].kind != CLTOMO_NODE_MAPPING) {
        return; /* reported: there are no sections at all */
    }
    for (cltomo_section section = 0; section < CLTOMO_N_SECTIONS; ++section) {
        if (draft->section[section] != 0) {
            check_section(draft, section);
        } else if (draft->section_key[section] != 0 || section == CLTOMO_SECTION_NOISE) {
            continue; /* reported: not a mapping; or nothing needs it */
        } else if (section == CLTOMO_SECTION_MIRROR) {
            report_missing(draft, 0, CLTOMO_SEVERITY_WARNING, cltomo_section_names[section], "",
                "the section is missing: without a deformable mirror only wavefront products can "
                "be built");
        } else {
            report_missing(draft, 0, CLTOMO_SEVERITY_ERROR, cltomo_section_names[section], "",
                "the section is missing");
        }
    }
}

/* ---- what does not fit together ------------------------------------------------------------ */

static void check_counts(cltomo_draft *draft)
{
    for (cltomo_field_id id = 0; id < CLTOMO_N_FIELDS; ++id) {
        const cltomo_values *values = &draft->field[id];
        cltomo_field_id counter = cltomo_field_counter(id);
        if (counter == CLTOMO_N_FIELDS || !cltomo_draft_has(draft, counter) ||
            (values->value == NULL && values->map == NULL) ||
            (double)values->count == cltomo_draft_get(draft, counter)) {
            continue;
        }
        bool is_map = values->map != NULL;
        cltomo_draft_problem(draft, id, CLTOMO_WHOLE, CLTOMO_SEVERITY_ERROR, NULL,
            "the %s has %zu %s%s, but %s is %.0f", is_map ? "map" : "list", values->count,
            is_map ? "row" : "element", values->count == 1 ? "" : "s",
            cltomo_draft_short_name(draft, counter), cltomo_draft_get(draft, counter));
    }
}

/* Layers without strength may be anywhere; whether the fractions are right as a whole does not
 * matter here. */
static void check_layers(cltomo_draft *draft)
{
    const cltomo_values *altitude = &draft->field[CLTOMO_FIELD_ALTITUDE];
    const cltomo_values *fraction = &draft->field[CLTOMO_FIELD_FRACTION];
    if (altitude->state != CLTOMO_VALID || !cltomo_draft_has(draft, CLTOMO_FIELD_STAR_HEIGHT)) {
        return;
    }
    double height = cltomo_draft_get(draft, CLTOMO_FIELD_STAR_HEIGHT);
    for (size_t i = 0; i < altitude->count; ++i) {
        bool has_strength =
            fraction->value == NULL || i >= fraction->count || fraction->value[i] != 0.0;
        if (has_strength && altitude->value[i] >= height * (1.0 - CLTOMO_HEIGHT_MARGIN)) {
            char allowed[128];
            (void)snprintf(allowed, sizeof allowed, "below the guide stars at %.10g %s",
                draft->tree != NULL ? height / 1000.0 : height, draft->tree != NULL ? "km" : "m");
            cltomo_draft_problem(draft, CLTOMO_FIELD_ALTITUDE, i, CLTOMO_SEVERITY_ERROR, allowed,
                "the layer is at or above the guide stars (%s)",
                cltomo_draft_short_name(draft, CLTOMO_FIELD_STAR_HEIGHT));
        }
    }
}

static void check_fractions(cltomo_draft *draft)
{
    const cltomo_values *fraction = &draft->field[CLTOMO_FIELD_FRACTION];
    double sum = 0.0;
    if (fraction->state != CLTOMO_VALID) {
        return;
    }
    for (size_t i = 0; i < fraction->count; ++i) {
        sum += fraction->value[i];
    }
    double miss = fabs(sum - 1.0);
    if (miss > MAX_SUM_ERROR) {
        cltomo_draft_problem(draft, CLTOMO_FIELD_FRACTION, CLTOMO_WHOLE, CLTOMO_SEVERITY_ERROR,
            "a sum of 1 within 0.001", "the fractions sum to %.6g", sum);
        return;
    }
    if (miss > SUM_ROUNDING) {
        cltomo_draft_problem(draft, CLTOMO_FIELD_FRACTION, CLTOMO_WHOLE, CLTOMO_SEVERITY_WARNING,
            NULL, "the fractions sum to %.10g, they are scaled to a sum of 1", sum);
    }
    for (size_t i = 0; miss > SUM_EXACT && i < fraction->count; ++i) {
        fraction->value[i] /= sum;
    }
}

static void check_stars(cltomo_draft *draft)
{
    if (draft->tree == NULL || draft->field[CLTOMO_FIELD_STAR_X].whole == 0) {
        return;
    }
    if (draft->field[CLTOMO_FIELD_AZIMUTH].whole != 0) {
        cltomo_draft_problem(draft, CLTOMO_FIELD_AZIMUTH, CLTOMO_WHOLE, CLTOMO_SEVERITY_ERROR, NULL,
            "an azimuth turns the regular polygon, which directions replace: leave out one");
    }
    if (draft->field[CLTOMO_FIELD_RADIUS].whole != 0) {
        cltomo_draft_problem(draft, CLTOMO_FIELD_RADIUS, CLTOMO_WHOLE, CLTOMO_SEVERITY_WARNING,
            NULL, "the radius has no effect, directions are given");
    }
}

/* ---- what nothing depends on --------------------------------------------------------------- */

static bool is_before(const cltomo_node *a, const cltomo_node *b)
{
    return a->line < b->line || (a->line == b->line && a->column < b->column);
}

/* The next descriptive key of the file after `after` (0: the first); CLTOMO_N_FIELDS at the end. */
static cltomo_field_id next_descriptive(const cltomo_draft *draft, uint32_t after)
{
    const cltomo_node *node = draft->tree->node;
    cltomo_field_id next = CLTOMO_N_FIELDS;
    for (cltomo_field_id id = 0; id < CLTOMO_N_FIELDS; ++id) {
        uint32_t key = draft->field[id].key;
        if ((cltomo_fields[id].flags & CLTOMO_DESCRIPTIVE) != 0 && key != 0 &&
            (after == 0 || is_before(&node[after], &node[key])) &&
            (next == CLTOMO_N_FIELDS || is_before(&node[key], &node[draft->field[next].key]))) {
            next = id;
        }
    }
    return next;
}

/* One warning for all of them: files written for pyTomoAO have eight. */
static void report_unused(cltomo_draft *draft)
{
    char list[400] = "";
    char key[128];
    size_t length = 0;
    size_t count = 0;
    cltomo_field_id first = next_descriptive(draft, 0);
    if (first == CLTOMO_N_FIELDS) {
        return;
    }
    for (cltomo_field_id id = first; id != CLTOMO_N_FIELDS;
         id = next_descriptive(draft, draft->field[id].key)) {
        int written =
            snprintf(list + length, sizeof list - length, "%s%s (line %u)", count > 0 ? ", " : "",
                cltomo_fields[id].key, (unsigned)draft->tree->node[draft->field[id].key].line);
        length += written > 0 && (size_t)written < sizeof list - length ? (size_t)written : 0;
        ++count;
    }
    cltomo_draft_key(draft, first, key, sizeof key);
    const cltomo_node *place = &draft->tree->node[draft->field[first].key];
    cltomo_problem problem = {.severity = CLTOMO_SEVERITY_WARNING,
        .line = place->line,
        .column = place->column,
        .key = key,
        .value = "",
        .allowed = ""};
    cltomo_report_add(
        draft->report, &problem, "checked, but no reconstructor depends on: %s", list);
}

void cltomo_draft_validate(cltomo_draft *draft)
{
    if (draft->tree != NULL) {
        check_sections(draft);
        report_unused(draft);
    }
    check_layers(draft); /* while the altitudes' state tells of their values alone */
    check_counts(draft);
    cltomo_draft_check_maps(draft);
    check_fractions(draft);
    cltomo_draft_check_directions(draft);
    check_stars(draft);
}
