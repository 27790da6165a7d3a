/* Systems with some of the sensors of another. */
#include <stdio.h>
#include <string.h>

#include "config/config.h"
#include "config/draft.h"

/* ---- arguments ----------------------------------------------------------------------------- */

static cltomo_status check_count(size_t n_sensors, uint32_t n_wfs, cltomo_error *error)
{
    char value[32];
    char allowed[32];
    if (n_sensors >= 1 && n_sensors <= n_wfs) {
        return CLTOMO_OK;
    }
    (void)snprintf(value, sizeof value, "%zu", n_sensors);
    (void)snprintf(allowed, sizeof allowed, "1 to %u", (unsigned)n_wfs);
    return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "n_sensors", value, allowed,
        "the system has %u sensor%s", (unsigned)n_wfs, n_wfs == 1 ? "" : "s");
}

static cltomo_status refuse(const uint32_t *sensors, size_t i, const char *allowed,
    const char *message, cltomo_error *error)
{
    char key[32];
    char value[16];
    (void)snprintf(key, sizeof key, "sensors[%zu]", i);
    (void)snprintf(value, sizeof value, "%u", (unsigned)sensors[i]);
    return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, key, value, allowed, "%s", message);
}

static cltomo_status check_sensors(
    const uint32_t *sensors, size_t n_sensors, uint32_t n_wfs, cltomo_error *error)
{
    char allowed[32];
    for (size_t i = 0; i < n_sensors; ++i) {
        if (sensors[i] >= n_wfs) {
            (void)snprintf(allowed, sizeof allowed, "0 to %u", (unsigned)n_wfs - 1);
            return refuse(sensors, i, allowed, "the system has no sensor of that number", error);
        }
        if (i > 0 && sensors[i] <= sensors[i - 1]) {
            (void)snprintf(allowed, sizeof allowed, "above %u", (unsigned)sensors[i - 1]);
            return refuse(
                sensors, i, allowed, "the sensors must be in ascending order, each once", error);
        }
    }
    return CLTOMO_OK;
}

/* ---- what is per sensor -------------------------------------------------------------------- */

/* Bytes that a field has for each sensor; 0: it is not per sensor. */
static size_t size_per_sensor(cltomo_field_id id, uint32_t n_lenslets)
{
    const size_t n_cells = (size_t)n_lenslets * n_lenslets;
    const cltomo_field *field = &cltomo_fields[id];
    if (field->name == NULL) {
        return 0;
    }
    if (field->shape == CLTOMO_SHAPE_MAPS) {
        return n_cells;
    }
    if (field->shape == CLTOMO_SHAPE_FLUX) {
        return n_cells * sizeof(double);
    }
    return cltomo_field_counter(id) == CLTOMO_FIELD_N_WFS ? sizeof(double) : 0;
}

static cltomo_status pick(const cltomo_context *context, cltomo_system_description *description,
    const cltomo_system_description *whole, const uint32_t *sensors, cltomo_error *error)
{
    for (cltomo_field_id id = 0; id < CLTOMO_N_FIELDS; ++id) {
        size_t size = size_per_sensor(id, whole->n_lenslets);
        const char *from = size > 0 ? cltomo_description_array(whole, &cltomo_fields[id]) : NULL;
        if (from == NULL) {
            continue;
        }
        char *picked = cltomo_allocate(context, description->n_wfs, size);
        if (picked == NULL) {
            return cltomo_fail_memory(error, "a subset of the sensors");
        }
        for (size_t i = 0; i < description->n_wfs; ++i) {
            memcpy(picked + i * size, from + sensors[i] * size, size);
        }
        cltomo_description_set_array(description, &cltomo_fields[id], picked);
    }
    return CLTOMO_OK;
}

/* Frees what is not the other system's. */
static void release_picked(const cltomo_context *context,
    const cltomo_system_description *description, const cltomo_system_description *whole)
{
    for (cltomo_field_id id = 0; id < CLTOMO_N_FIELDS; ++id) {
        const cltomo_field *field = &cltomo_fields[id];
        if (size_per_sensor(id, whole->n_lenslets) > 0 &&
            cltomo_description_array(description, field) !=
                cltomo_description_array(whole, field)) {
            cltomo_release(
                context, (void *)(uintptr_t)cltomo_description_array(description, field));
        }
    }
}

static cltomo_status create_subset(const cltomo_context *context, cltomo_system **subset,
    const cltomo_system *system, const uint32_t *sensors, uint32_t n_sensors, cltomo_error *error)
{
    const cltomo_system_description *whole = cltomo_system_get_description(system);
    cltomo_system_description description = *whole;
    description.n_wfs = n_sensors;
    cltomo_status status = pick(context, &description, whole, sensors, error);
    if (status == CLTOMO_OK) {
        status = cltomo_system_create(context, subset, NULL, &description, error);
    }
    release_picked(context, &description, whole);
    return status;
}

/* ---- where the sensors come from ----------------------------------------------------------- */

static cltomo_status set_origin(cltomo_system *subset, const cltomo_system *system,
    const uint32_t *sensors, size_t n_sensors, cltomo_error *error)
{
    const cltomo_system *whole = cltomo_system_whole(system);
    const uint32_t *numbers = cltomo_system_wfs_numbers(system);
    if (whole == NULL && n_sensors == cltomo_system_get_description(system)->n_wfs) {
        return CLTOMO_OK;
    }
    uint32_t *own =
        cltomo_duplicate(cltomo_system_context(subset), sensors, n_sensors, sizeof *own);
    if (own == NULL) {
        return cltomo_fail_memory(error, "the numbers of the sensors");
    }
    for (size_t i = 0; numbers != NULL && i < n_sensors; ++i) {
        own[i] = numbers[sensors[i]];
    }
    cltomo_system_set_whole(subset, whole != NULL ? whole : system, own);
    return CLTOMO_OK;
}

cltomo_status cltomo_system_subset(const cltomo_context *context, cltomo_system **subset,
    const cltomo_system *system, const uint32_t *sensors, size_t n_sensors, cltomo_error *error)
{
    if (subset != NULL) {
        *subset = NULL;
    }
    if (context == NULL || subset == NULL || system == NULL || sensors == NULL) {
        return cltomo_fail(error, CLTOMO_ERROR_ARGUMENT, "an argument must not be NULL");
    }
    const uint32_t n_wfs = cltomo_system_get_description(system)->n_wfs;
    cltomo_status status = check_count(n_sensors, n_wfs, error);
    if (status == CLTOMO_OK) {
        status = check_sensors(sensors, n_sensors, n_wfs, error);
    }
    if (status == CLTOMO_OK) {
        status = create_subset(context, subset, system, sensors, (uint32_t)n_sensors, error);
    }
    if (status == CLTOMO_OK) {
        status = set_origin(*subset, system, sensors, n_sensors, error);
    }
    if (status != CLTOMO_OK) {
        cltomo_system_destroy(*subset);
        *subset = NULL;
    }
    return status;
}
