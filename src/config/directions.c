/* The directions that a reconstructor is optimised for: a grid, or a list that replaces it. */
#include <math.h>
#include <stdio.h>

#include "config/draft.h"

/* Weights whose sum is this close to 1 are left alone, so that a description taken from a system
 * gives an equal system. */
#define SUM_EXACT 1e-12

/* ---- checks -------------------------------------------------------------------------------- */

static void check_grid(cltomo_draft *draft)
{
    if (!cltomo_draft_has(draft, CLTOMO_FIELD_N_DIRECTIONS) ||
        !cltomo_draft_has(draft, CLTOMO_FIELD_FIELD_OF_VIEW)) {
        return;
    }
    bool several = cltomo_draft_get(draft, CLTOMO_FIELD_N_DIRECTIONS) > 1.0;
    bool wide = cltomo_draft_get(draft, CLTOMO_FIELD_FIELD_OF_VIEW) > 0.0;
    const char *counter = cltomo_draft_short_name(draft, CLTOMO_FIELD_N_DIRECTIONS);
    if (several && !wide) {
        cltomo_draft_problem(draft, CLTOMO_FIELD_FIELD_OF_VIEW, CLTOMO_WHOLE, CLTOMO_SEVERITY_ERROR,
            "above 0", "%s asks for several directions, but the field is a point", counter);
    } else if (!several && wide) {
        cltomo_draft_problem(draft, CLTOMO_FIELD_FIELD_OF_VIEW, CLTOMO_WHOLE,
            CLTOMO_SEVERITY_WARNING, NULL, "the field has no effect, %s is 1: on axis", counter);
    }
}

/* Files for pyTomoAO always have both keys. */
static void warn_of_grid(cltomo_draft *draft)
{
    const cltomo_field_id grid[] = {CLTOMO_FIELD_N_DIRECTIONS, CLTOMO_FIELD_FIELD_OF_VIEW};
    for (size_t i = 0; i < sizeof grid / sizeof grid[0]; ++i) {
        if (draft->field[grid[i]].whole != 0) {
            cltomo_draft_problem(draft, grid[i], CLTOMO_WHOLE, CLTOMO_SEVERITY_WARNING, NULL,
                "no effect, directions are given");
        }
    }
}

/* In a file; read_array sees to descriptions. */
static void check_belongs(cltomo_draft *draft, cltomo_field_id id)
{
    if (draft->tree != NULL && draft->field[id].whole != 0 &&
        draft->field[CLTOMO_FIELD_DIRECTION_X].whole == 0) {
        cltomo_draft_problem(draft, id, CLTOMO_WHOLE, CLTOMO_SEVERITY_ERROR, NULL,
            "goes with directions, which are not given");
    }
}

static double sum_of(const cltomo_values *values)
{
    double sum = 0.0;
    for (size_t i = 0; i < values->count; ++i) {
        sum += values->value[i];
    }
    return sum;
}

static void check_weights(cltomo_draft *draft)
{
    const cltomo_values *weight = &draft->field[CLTOMO_FIELD_DIRECTION_WEIGHT];
    if (weight->state == CLTOMO_VALID && !(sum_of(weight) > 0.0)) {
        cltomo_draft_problem(draft, CLTOMO_FIELD_DIRECTION_WEIGHT, CLTOMO_WHOLE,
            CLTOMO_SEVERITY_ERROR, "at least one above 0", "every weight is 0");
    }
}

/* The highest layer of nonzero strength, m at zenith; -1 if the layers are not known. */
static double highest_layer(const cltomo_draft *draft)
{
    const cltomo_values *altitude = &draft->field[CLTOMO_FIELD_ALTITUDE];
    const cltomo_values *fraction = &draft->field[CLTOMO_FIELD_FRACTION];
    double highest = -1.0;
    if (altitude->state != CLTOMO_VALID || fraction->state != CLTOMO_VALID) {
        return highest;
    }
    for (size_t i = 0; i < altitude->count; ++i) {
        if (fraction->value[i] > 0.0) {
            highest = fmax(highest, altitude->value[i]);
        }
    }
    return highest;
}

static void check_heights(cltomo_draft *draft)
{
    const cltomo_values *height = &draft->field[CLTOMO_FIELD_DIRECTION_HEIGHT];
    double layer = highest_layer(draft);
    if (height->state != CLTOMO_VALID) {
        return;
    }
    for (size_t i = 0; i < height->count; ++i) {
        if (layer >= height->value[i] * (1.0 - CLTOMO_HEIGHT_MARGIN)) {
            char allowed[128];
            (void)snprintf(allowed, sizeof allowed, "above the highest layer, at %.10g m", layer);
            cltomo_draft_problem(draft, CLTOMO_FIELD_DIRECTION_HEIGHT, i, CLTOMO_SEVERITY_ERROR,
                allowed, "the source is not above every layer");
        }
    }
}

void cltomo_draft_check_directions(cltomo_draft *draft)
{
    check_belongs(draft, CLTOMO_FIELD_DIRECTION_WEIGHT);
    check_belongs(draft, CLTOMO_FIELD_DIRECTION_HEIGHT);
    check_weights(draft);
    check_heights(draft);
    if (draft->field[CLTOMO_FIELD_DIRECTION_X].state != CLTOMO_ABSENT) {
        warn_of_grid(draft);
    } else {
        check_grid(draft);
    }
}

/* ---- the one form -------------------------------------------------------------------------- */

static bool all_equal(const cltomo_values *values)
{
    for (size_t i = 1; i < values->count; ++i) {
        if (values->value[i] != values->value[0]) {
            return false;
        }
    }
    return true;
}

static void settle_weights(cltomo_draft *draft)
{
    cltomo_values *weight = &draft->field[CLTOMO_FIELD_DIRECTION_WEIGHT];
    if (!cltomo_draft_has(draft, CLTOMO_FIELD_DIRECTION_WEIGHT)) {
        return;
    }
    if (all_equal(weight)) {
        cltomo_draft_drop(draft, CLTOMO_FIELD_DIRECTION_WEIGHT);
        return;
    }
    double sum = sum_of(weight);
    for (size_t i = 0; fabs(sum - 1.0) > SUM_EXACT && i < weight->count; ++i) {
        weight->value[i] /= sum;
    }
}

static void settle_heights(cltomo_draft *draft)
{
    const cltomo_values *height = &draft->field[CLTOMO_FIELD_DIRECTION_HEIGHT];
    if (cltomo_draft_has(draft, CLTOMO_FIELD_DIRECTION_HEIGHT) && all_equal(height) &&
        isinf(height->value[0])) {
        cltomo_draft_drop(draft, CLTOMO_FIELD_DIRECTION_HEIGHT);
    }
}

void cltomo_draft_settle_directions(cltomo_draft *draft)
{
    if (!cltomo_draft_has(draft, CLTOMO_FIELD_N_LISTED)) {
        return;
    }
    cltomo_draft_drop(draft, CLTOMO_FIELD_N_DIRECTIONS);
    cltomo_draft_drop(draft, CLTOMO_FIELD_FIELD_OF_VIEW);
    settle_weights(draft);
    settle_heights(draft);
}
