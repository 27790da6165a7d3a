#include <cltomo/system.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "config/config.h"
#include "config/draft.h"

struct cltomo_system {
    const cltomo_context *context;
    atomic_size_t references;
    cltomo_system_description description;
    uint64_t hash;
    const cltomo_system *whole; /* retained; NULL: it is no subset */
    uint32_t *wfs_numbers;      /* of the sensors in the whole; NULL likewise */
};

/* Where a system comes from: one of the three. */
typedef struct source {
    const char *path;
    const char *text;
    size_t length;
    const char *name; /* of the text */
    const cltomo_system_description *description;
} source;

/* ---- reading ------------------------------------------------------------------------------- */

static cltomo_status fail_errno(cltomo_error *error, const char *path, int number)
{
    char reason[128] = "unknown reason";
    (void)strerror_r(number, reason, sizeof reason);
    return cltomo_fail_file(error, CLTOMO_ERROR_IO, path, "cannot read the file: %s", reason);
}

/* All bytes of a stream, or one more than is allowed of a longer one. */
static cltomo_status read_stream(const cltomo_context *context, char **text, size_t *length,
    FILE *stream, const char *path, cltomo_error *error)
{
    size_t capacity = 0;
    *text = NULL;
    *length = 0;
    while (*length == capacity && *length <= CLTOMO_YAML_MAX_BYTES) {
        size_t grown = capacity == 0 ? 65536 : 2 * capacity;
        char *moved = cltomo_allocate(context, grown, 1);
        if (moved == NULL) {
            return cltomo_fail_memory(error, "the configuration file's text");
        }
        if (*length > 0) {
            memcpy(moved, *text, *length);
        }
        cltomo_release(context, *text);
        *text = moved;
        capacity = grown;
        *length += fread(*text + *length, 1, capacity - *length, stream);
        if (ferror(stream) != 0) {
            return fail_errno(error, path, errno);
        }
    }
    return CLTOMO_OK;
}

static cltomo_status read_file(const cltomo_context *context, char **text, size_t *length,
    const char *path, cltomo_error *error)
{
    FILE *stream = fopen(path, "rb");
    *text = NULL;
    if (stream == NULL) {
        return fail_errno(error, path, errno);
    }
    cltomo_status status = read_stream(context, text, length, stream, path, error);
    (void)fclose(stream);
    return status;
}

static cltomo_status read_yaml(
    const cltomo_context *context, cltomo_yaml_tree *tree, const source *from, cltomo_error *error)
{
    char *text = NULL;
    size_t length = 0;
    if (from->path == NULL) {
        return cltomo_yaml_read(context, tree, from->text, from->length, from->name, error);
    }
    cltomo_status status = read_file(context, &text, &length, from->path, error);
    if (status == CLTOMO_OK) {
        status = cltomo_yaml_read(context, tree, text, length, from->path, error);
    }
    cltomo_release(context, text);
    return status;
}

/* ---- creating ------------------------------------------------------------------------------ */

static cltomo_status create_system(
    const cltomo_context *context, cltomo_system **system, cltomo_draft *draft, cltomo_error *error)
{
    cltomo_system *created = cltomo_allocate_zero(context, 1, sizeof *created);
    if (created == NULL) {
        return cltomo_fail_memory(error, "the system description");
    }
    atomic_init(&created->references, 1);
    created->context = cltomo_context_retain(context);
    cltomo_status status = cltomo_draft_place_stars(draft, error);
    if (status == CLTOMO_OK) {
        status = cltomo_draft_settle_lenslets(draft, error);
    }
    if (status == CLTOMO_OK) {
        cltomo_draft_settle_directions(draft);
        status = cltomo_draft_finish(draft, &created->description, error);
    }
    if (status != CLTOMO_OK) {
        cltomo_system_release(created);
        return status;
    }
    created->hash = cltomo_description_hash(&created->description);
    *system = created;
    return CLTOMO_OK;
}

/* Fills the report; a status other than CLTOMO_OK tells of a problem that is not in it. */
static cltomo_status build(const cltomo_context *context, cltomo_system **system,
    cltomo_report *report, const source *from, cltomo_error *error)
{
    cltomo_yaml_tree tree = {.context = context};
    cltomo_draft draft = {.context = context, .report = report};
    cltomo_status status = CLTOMO_OK;
    if (from->description != NULL) {
        status = cltomo_draft_read_description(&draft, from->description, error);
    } else {
        status = read_yaml(context, &tree, from, error);
        if (status == CLTOMO_OK) {
            draft.tree = &tree;
            status = cltomo_draft_read_yaml(&draft, error);
        }
    }
    if (status != CLTOMO_OK) {
        goto done;
    }
    cltomo_draft_validate(&draft);
    if (!report->has_error) {
        status = create_system(context, system, &draft, error);
    }
done:
    cltomo_draft_clear(&draft);
    cltomo_yaml_clear(&tree);
    return status;
}

static void log_warnings(const cltomo_context *context, const cltomo_diagnostics *list)
{
    for (size_t i = 0; i < cltomo_diagnostics_count(list); ++i) {
        const cltomo_error *entry = cltomo_diagnostics_get(list, i);
        if (entry->severity == CLTOMO_SEVERITY_WARNING) {
            char text[1024];
            (void)cltomo_error_format(text, sizeof text, entry);
            cltomo_log(context, CLTOMO_LOG_WARNING, "%s", text);
        }
    }
}

/* True if entries were dropped because there was no memory for them. */
static bool is_incomplete(const cltomo_diagnostics *list)
{
    size_t added = cltomo_diagnostics_count_severity(list, CLTOMO_SEVERITY_ERROR) +
                   cltomo_diagnostics_count_severity(list, CLTOMO_SEVERITY_WARNING);
    size_t kept = cltomo_diagnostics_count(list);
    return kept < added && kept < CLTOMO_MAX_DIAGNOSTICS;
}

static cltomo_status run(const cltomo_context *context, cltomo_system **system,
    cltomo_diagnostics **diagnostics, const source *from, cltomo_error *error)
{
    cltomo_locale_guard locale;
    cltomo_error own = {.status = CLTOMO_OK};
    cltomo_report report = {.file = from->path != NULL ? from->path : from->name};
    report.list = cltomo_diagnostics_create(context);
    if (report.list == NULL) {
        return cltomo_fail_memory(error, "the list of problems");
    }
    cltomo_status status = cltomo_c_locale_enter(&locale, &own);
    if (status == CLTOMO_OK) {
        status = build(context, system, &report, from, &own);
        cltomo_c_locale_leave(&locale);
    }
    if (status == CLTOMO_OK && is_incomplete(report.list)) {
        status = cltomo_fail_memory(&own, "the list of problems");
    }
    if (status != CLTOMO_OK) {
        cltomo_diagnostics_add(report.list, &own);
    } else if (report.has_error) {
        own = report.first;
        status = own.status;
    }
    if (status != CLTOMO_OK) {
        cltomo_system_destroy(*system);
        *system = NULL;
        if (error != NULL) {
            *error = own;
        }
    }
    cltomo_diagnostics_sort(report.list);
    log_warnings(context, report.list);
    if (diagnostics != NULL && cltomo_diagnostics_count(report.list) > 0) {
        *diagnostics = report.list;
    } else {
        cltomo_diagnostics_destroy(report.list);
    }
    return status;
}

static cltomo_status check_arguments(const cltomo_context *context, cltomo_system **system,
    cltomo_diagnostics **diagnostics, bool has_source, cltomo_error *error)
{
    if (diagnostics != NULL) {
        *diagnostics = NULL;
    }
    if (system != NULL) {
        *system = NULL;
    }
    if (context == NULL || system == NULL || !has_source) {
        return cltomo_fail(error, CLTOMO_ERROR_ARGUMENT, "an argument must not be NULL");
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_system_load(const cltomo_context *context, cltomo_system **system,
    cltomo_diagnostics **diagnostics, const char *path, cltomo_error *error)
{
    source from = {.path = path};
    cltomo_status status = check_arguments(context, system, diagnostics, path != NULL, error);
    return status == CLTOMO_OK ? run(context, system, diagnostics, &from, error) : status;
}

cltomo_status cltomo_system_parse(const cltomo_context *context, cltomo_system **system,
    cltomo_diagnostics **diagnostics, const char *text, size_t length, const char *name,
    cltomo_error *error)
{
    source from = {.text = text, .length = length, .name = name != NULL ? name : "(text)"};
    cltomo_status status = check_arguments(context, system, diagnostics, text != NULL, error);
    return status == CLTOMO_OK ? run(context, system, diagnostics, &from, error) : status;
}

cltomo_status cltomo_system_create(const cltomo_context *context, cltomo_system **system,
    cltomo_diagnostics **diagnostics, const cltomo_system_description *description,
    cltomo_error *error)
{
    source from = {.name = "", .description = description};
    cltomo_status status =
        check_arguments(context, system, diagnostics, description != NULL, error);
    if (status == CLTOMO_OK && description->size != sizeof *description) {
        status = cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "size", "",
            "sizeof(cltomo_system_description)",
            "initialise the description with cltomo_system_description_init");
    }
    return status == CLTOMO_OK ? run(context, system, diagnostics, &from, error) : status;
}

/* ---- what a system is asked for ------------------------------------------------------------ */

const cltomo_system_description *cltomo_system_get_description(const cltomo_system *system)
{
    return &system->description;
}

uint64_t cltomo_system_hash(const cltomo_system *system)
{
    return system->hash;
}

const uint32_t *cltomo_system_wfs_numbers(const cltomo_system *system)
{
    return system->wfs_numbers;
}

const cltomo_system *cltomo_system_whole(const cltomo_system *system)
{
    return system->whole;
}

void cltomo_system_set_whole(
    cltomo_system *system, const cltomo_system *whole, uint32_t *wfs_numbers)
{
    system->whole = cltomo_system_retain(whole);
    system->wfs_numbers = wfs_numbers;
}

const cltomo_context *cltomo_system_context(const cltomo_system *system)
{
    return system->context;
}

const cltomo_system *cltomo_system_retain(const cltomo_system *system)
{
    /* The count is the one part of a shared, otherwise immutable system that changes. */
    (void)atomic_fetch_add(&((cltomo_system *)(uintptr_t)system)->references, 1);
    return system;
}

void cltomo_system_release(const cltomo_system *system)
{
    cltomo_system *own = (cltomo_system *)(uintptr_t)system;
    if (own != NULL && atomic_fetch_sub(&own->references, 1) == 1) {
        const cltomo_context *context = own->context;
        cltomo_description_clear(context, &own->description);
        cltomo_system_release(own->whole);
        cltomo_release(context, own->wfs_numbers);
        cltomo_release(context, own);
        cltomo_context_release(context);
    }
}

void cltomo_system_destroy(cltomo_system *system)
{
    cltomo_system_release(system);
}
