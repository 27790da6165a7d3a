#include <math.h>
#include <string.h>

#include "config/draft.h"

cltomo_system_description cltomo_system_description_init(void)
{
    return (cltomo_system_description){
        .size = (uint32_t)sizeof(cltomo_system_description), .n_directions_across = 1};
}

const void *cltomo_description_array(
    const cltomo_system_description *description, const cltomo_field *field)
{
    const void *pointer = NULL;
    memcpy(&pointer, (const char *)description + field->offset, sizeof pointer);
    return pointer;
}

void cltomo_description_set_array(
    cltomo_system_description *description, const cltomo_field *field, const void *array)
{
    memcpy((char *)description + field->offset, &array, sizeof array);
}

static double get_scalar(const cltomo_system_description *description, const cltomo_field *field)
{
    double real = 0.0;
    uint32_t integer = 0;
    const char *member = (const char *)description + field->offset;
    if ((field->flags & CLTOMO_INTEGER) != 0) {
        memcpy(&integer, member, sizeof integer);
        return integer;
    }
    memcpy(&real, member, sizeof real);
    return real;
}

static void set_scalar(
    cltomo_system_description *description, const cltomo_field *field, double value)
{
    char *member = (char *)description + field->offset;
    uint32_t integer = 0;
    if ((field->flags & CLTOMO_INTEGER) != 0) {
        integer = (uint32_t)value;
        memcpy(member, &integer, sizeof integer);
    } else {
        memcpy(member, &value, sizeof value);
    }
}

static bool is_scalar(const cltomo_field *field)
{
    return field->shape == CLTOMO_SHAPE_SCALAR || field->shape == CLTOMO_SHAPE_MIRROR;
}

static bool is_map(const cltomo_field *field)
{
    return field->shape == CLTOMO_SHAPE_MAP || field->shape == CLTOMO_SHAPE_MAPS;
}

/* ---- from the caller's struct -------------------------------------------------------------- */

static bool is_given(const cltomo_system_description *description, cltomo_field_id id)
{
    const cltomo_field *field = &cltomo_fields[id];
    if (field->name == NULL) {
        return false;
    }
    if (field->section == CLTOMO_SECTION_MIRROR && description->n_actuators == 0) {
        return false;
    }
    switch (id) { /* some fields are not read when others take their place */
    case CLTOMO_FIELD_VALID_LENSLETS:
        return description->valid_lenslets_per_wfs == NULL;
    case CLTOMO_FIELD_N_DIRECTIONS:
    case CLTOMO_FIELD_FIELD_OF_VIEW:
        return description->n_directions == 0;
    case CLTOMO_FIELD_N_LISTED:
        return description->n_directions != 0;
    default:
        break;
    }
    bool zero_means_absent = (field->flags & CLTOMO_DESCRIPTIVE) != 0 && is_scalar(field);
    return !(zero_means_absent && get_scalar(description, field) == 0.0);
}

static cltomo_status read_map(cltomo_draft *draft, cltomo_field_id id, const uint8_t *map, size_t n,
    size_t n_maps, cltomo_error *error)
{
    cltomo_values *values = &draft->field[id];
    size_t n_cells = n_maps * n * n;
    values->map = cltomo_allocate(draft->context, n_cells, 1);
    if (values->map == NULL) {
        return cltomo_fail_memory(error, "a map of valid cells");
    }
    for (size_t i = 0; i < n_cells; ++i) {
        values->map[i] = map[i] != 0;
    }
    values->count = n;
    return CLTOMO_OK;
}

static cltomo_status read_reals(
    cltomo_draft *draft, cltomo_field_id id, const double *array, size_t count, cltomo_error *error)
{
    cltomo_status status = cltomo_draft_reserve(draft, id, count, error);
    for (size_t i = 0; status == CLTOMO_OK && i < count; ++i) {
        cltomo_draft_set(draft, id, i, array[i]);
    }
    return status;
}

/* Maps for each sensor. */
static cltomo_status read_sensors(
    cltomo_draft *draft, cltomo_field_id id, const void *array, cltomo_error *error)
{
    cltomo_values *values = &draft->field[id];
    if (!cltomo_draft_has(draft, CLTOMO_FIELD_N_WFS) ||
        !cltomo_draft_has(draft, CLTOMO_FIELD_N_LENSLETS)) {
        values->state = CLTOMO_INVALID; /* their number or size has been reported */
        return CLTOMO_OK;
    }
    size_t n = (size_t)cltomo_draft_get(draft, CLTOMO_FIELD_N_LENSLETS);
    size_t n_maps = (size_t)cltomo_draft_get(draft, CLTOMO_FIELD_N_WFS);
    cltomo_status status = cltomo_fields[id].shape == CLTOMO_SHAPE_MAPS
                               ? read_map(draft, id, array, n, n_maps, error)
                               : read_reals(draft, id, array, n_maps * n * n, error);
    values->count = n;
    values->n_maps = n_maps;
    return status;
}

static cltomo_status read_array(cltomo_draft *draft, cltomo_field_id id,
    const cltomo_system_description *description, cltomo_error *error)
{
    const cltomo_field *field = &cltomo_fields[id];
    const void *array = cltomo_description_array(description, field);
    if (array == NULL) {
        bool is_star = id == CLTOMO_FIELD_STAR_X || id == CLTOMO_FIELD_STAR_Y;
        bool is_listed = (id == CLTOMO_FIELD_DIRECTION_X || id == CLTOMO_FIELD_DIRECTION_Y) &&
                         description->n_directions > 0;
        if (is_star || is_listed || (field->flags & CLTOMO_REQUIRED) != 0) {
            cltomo_draft_problem(
                draft, id, CLTOMO_WHOLE, CLTOMO_SEVERITY_ERROR, NULL, "must not be NULL");
        } else {
            draft->field[id].state = CLTOMO_ABSENT;
        }
        return CLTOMO_OK;
    }
    cltomo_field_id counter = cltomo_field_counter(id);
    if (counter == CLTOMO_N_FIELDS) {
        return read_sensors(draft, id, array, error);
    }
    if (!cltomo_draft_has(draft, counter)) {
        if (draft->field[counter].state == CLTOMO_ABSENT) {
            cltomo_draft_problem(draft, id, CLTOMO_WHOLE, CLTOMO_SEVERITY_ERROR, "NULL",
                "given, but %s is 0", cltomo_fields[counter].name);
        }
        draft->field[id].state = CLTOMO_INVALID; /* its length has been reported */
        return CLTOMO_OK;
    }
    size_t count = (size_t)cltomo_draft_get(draft, counter);
    return field->shape == CLTOMO_SHAPE_MAP ? read_map(draft, id, array, count, 1, error)
                                            : read_reals(draft, id, array, count, error);
}

cltomo_status cltomo_draft_read_description(
    cltomo_draft *draft, const cltomo_system_description *description, cltomo_error *error)
{
    cltomo_status status = CLTOMO_OK;
    for (cltomo_field_id id = 0; status == CLTOMO_OK && id < CLTOMO_N_FIELDS; ++id) {
        if (!is_given(description, id)) {
            continue;
        }
        draft->field[id].state = CLTOMO_VALID;
        if (!is_scalar(&cltomo_fields[id])) {
            status = read_array(draft, id, description, error);
            continue;
        }
        status = cltomo_draft_reserve(draft, id, 1, error);
        if (status == CLTOMO_OK) {
            cltomo_draft_set(draft, id, 0, get_scalar(description, &cltomo_fields[id]));
        }
    }
    return status;
}

/* ---- guide stars --------------------------------------------------------------------------- */

/* Star i of n at azimuth 360 i / n degrees plus the offset, on a circle of radius r:
 * direction (tan r cos az, tan r sin az). */
cltomo_status cltomo_draft_place_stars(cltomo_draft *draft, cltomo_error *error)
{
    cltomo_values *x = &draft->field[CLTOMO_FIELD_STAR_X];
    cltomo_values *y = &draft->field[CLTOMO_FIELD_STAR_Y];
    if (x->state != CLTOMO_ABSENT) {
        return CLTOMO_OK;
    }
    double n = cltomo_draft_get(draft, CLTOMO_FIELD_N_WFS);
    double radius = tan(cltomo_draft_get(draft, CLTOMO_FIELD_RADIUS));
    double offset = cltomo_draft_has(draft, CLTOMO_FIELD_AZIMUTH)
                        ? cltomo_draft_get(draft, CLTOMO_FIELD_AZIMUTH)
                        : 0.0;
    cltomo_status status = cltomo_draft_reserve(draft, CLTOMO_FIELD_STAR_X, (size_t)n, error);
    if (status == CLTOMO_OK) {
        status = cltomo_draft_reserve(draft, CLTOMO_FIELD_STAR_Y, (size_t)n, error);
    }
    for (size_t i = 0; status == CLTOMO_OK && i < x->count; ++i) {
        double azimuth = cltomo_unit_to_si(CLTOMO_UNIT_DEGREE, 360.0 * (double)i / n) + offset;
        x->value[i] = radius * cos(azimuth);
        y->value[i] = radius * sin(azimuth);
    }
    return status;
}

/* ---- to a description of our own ----------------------------------------------------------- */

/* Rotations and offsets that were not given. */
static cltomo_status add_zeros(cltomo_draft *draft, cltomo_field_id id, cltomo_error *error)
{
    cltomo_field_shape shape = cltomo_fields[id].shape;
    bool per_star =
        shape == CLTOMO_SHAPE_STARS || shape == CLTOMO_SHAPE_ROWS_X || shape == CLTOMO_SHAPE_ROWS_Y;
    if (!per_star || draft->field[id].state != CLTOMO_ABSENT) {
        return CLTOMO_OK;
    }
    size_t n = (size_t)cltomo_draft_get(draft, CLTOMO_FIELD_N_WFS);
    return cltomo_draft_reserve(draft, id, n, error);
}

cltomo_status cltomo_draft_finish(
    cltomo_draft *draft, cltomo_system_description *description, cltomo_error *error)
{
    *description = cltomo_system_description_init();
    for (cltomo_field_id id = 0; id < CLTOMO_N_FIELDS; ++id) {
        const cltomo_field *field = &cltomo_fields[id];
        cltomo_values *values = &draft->field[id];
        cltomo_status status = add_zeros(draft, id, error);
        if (status != CLTOMO_OK) {
            return status;
        }
        if (field->name == NULL) {
            continue;
        }
        if (is_map(field)) {
            cltomo_description_set_array(description, field, values->map);
            values->map = NULL;
        } else if (!is_scalar(field)) {
            cltomo_description_set_array(description, field, values->value);
            values->value = NULL;
        } else if (values->state == CLTOMO_VALID) {
            set_scalar(description, field, values->value[0]);
        }
    }
    return CLTOMO_OK;
}

void cltomo_description_clear(const cltomo_context *context, cltomo_system_description *description)
{
    for (cltomo_field_id id = 0; id < CLTOMO_N_FIELDS; ++id) {
        const cltomo_field *field = &cltomo_fields[id];
        if (field->name != NULL && !is_scalar(field)) {
            cltomo_release(
                context, (void *)(uintptr_t)cltomo_description_array(description, field));
            cltomo_description_set_array(description, field, NULL);
        }
    }
}
