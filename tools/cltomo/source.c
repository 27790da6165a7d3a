#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool.h"

static const size_t max_input = (size_t)16 << 20; /* bytes, as for files */

const char *const source_kind_name[] = {"file", "example", "stdin"};

/* ---- which one ----------------------------------------------------------------------------- */

/* Names of examples have neither, so a path can always be told apart: "./kapa". */
static bool looks_like_a_path(const char *operand)
{
    return strpbrk(operand, "/.") != NULL;
}

static bool is_file(const char *path)
{
    struct stat properties;
    return stat(path, &properties) == 0 && !S_ISDIR(properties.st_mode);
}

/* The example wins over a file of its name: what a command means must not depend on the directory
 * that it is given in. */
static source choose(session *s, const char *operand)
{
    if (strcmp(operand, "-") == 0) {
        return (source){SOURCE_STDIN, "<stdin>"};
    }
    if (!looks_like_a_path(operand) && cltomo_example_text(operand) != NULL) {
        if (is_file(operand)) {
            session_warning(s,
                "'%s' is the built-in example; for the file of that name give './%s'", operand,
                operand);
        }
        return (source){SOURCE_EXAMPLE, operand};
    }
    return (source){SOURCE_FILE, operand};
}

const char *nearest_example(const char *name)
{
    suggestion like = suggestion_begin(name);
    for (size_t i = 0; i < cltomo_example_count(); ++i) {
        suggestion_offer(&like, cltomo_example_name(i));
    }
    return like.nearest;
}

static int report_unknown(session *s, const char *operand)
{
    const char *nearest = nearest_example(operand);
    if (nearest != NULL) {
        return session_error(s, STATUS_BAD_INPUT,
            "'%s' is neither a file nor a built-in example; did you mean '%s'?", operand, nearest);
    }
    return session_error(s, STATUS_BAD_INPUT,
        "'%s' is neither a file nor a built-in example; 'cltomo examples' lists those", operand);
}

/* ---- reading ------------------------------------------------------------------------------- */

/* All of standard input, to be freed; NULL and an error reported otherwise. */
static char *read_stdin(session *s, size_t *length, int *status)
{
    size_t capacity = 1 << 16;
    char *text = malloc(capacity);
    *length = 0;
    while (text != NULL) {
        *length += fread(text + *length, 1, capacity - *length, stdin);
        if (*length < capacity || capacity > max_input) {
            break;
        }
        capacity *= 2;
        char *longer = realloc(text, capacity);
        if (longer == NULL) {
            free(text);
        }
        text = longer;
    }
    if (text == NULL) {
        *status = session_error(s, STATUS_RESOURCES, "no memory to read standard input");
        return NULL;
    }
    if (ferror(stdin)) {
        *status =
            session_error(s, STATUS_BAD_INPUT, "cannot read standard input: %s", strerror(errno));
        free(text);
        return NULL;
    }
    return text;
}

/* After the library tried: reports all it found. */
static int report(session *s, cltomo_status status, const cltomo_error *error)
{
    size_t n_errors = cltomo_diagnostics_count_severity(s->diagnostics, CLTOMO_SEVERITY_ERROR);
    size_t n_warnings = cltomo_diagnostics_count_severity(s->diagnostics, CLTOMO_SEVERITY_WARNING);
    for (size_t i = 0; i < cltomo_diagnostics_count(s->diagnostics); ++i) {
        const cltomo_error *entry = cltomo_diagnostics_get(s->diagnostics, i);
        if (entry->severity == CLTOMO_SEVERITY_ERROR || !s->output.quiet) {
            print_library_error(entry);
        }
    }
    if (n_errors > 0) {
        (void)fprintf(stderr, "%zu error%s, %zu warning%s\n", n_errors, n_errors == 1 ? "" : "s",
            n_warnings, n_warnings == 1 ? "" : "s");
    } else if (status != CLTOMO_OK) {
        (void)session_fail(s, error);
    }
    /* A configuration that cannot be read is bad input, whatever the reason. */
    return status == CLTOMO_ERROR_IO ? STATUS_BAD_INPUT : exit_status_of(status);
}

static cltomo_status load(session *s, const source *from, cltomo_system **system, const char *text,
    size_t length, cltomo_error *error)
{
    s->loading = true;
    cltomo_status status =
        text != NULL ? cltomo_system_parse(
                           s->context, system, &s->diagnostics, text, length, from->name, error)
                     : cltomo_system_load(s->context, system, &s->diagnostics, from->name, error);
    s->loading = false;
    return status;
}

static int load_whole(session *s, source *from, cltomo_system **system, const char *operand)
{
    cltomo_error error = {0};
    int exit_status = STATUS_DONE;
    *system = NULL;
    session_keep_diagnostics(s);
    *from = choose(s, operand);
    if (from->kind == SOURCE_STDIN) {
        size_t length;
        char *text = read_stdin(s, &length, &exit_status);
        if (text != NULL) {
            exit_status = report(s, load(s, from, system, text, length, &error), &error);
            free(text);
        }
        return exit_status;
    }
    if (from->kind == SOURCE_EXAMPLE) {
        const char *text = cltomo_example_text(operand);
        return report(s, load(s, from, system, text, strlen(text), &error), &error);
    }
    if (!looks_like_a_path(operand) && !is_file(operand)) {
        return report_unknown(s, operand);
    }
    return report(s, load(s, from, system, NULL, 0, &error), &error);
}

/* ---- some of the sensors ------------------------------------------------------------------- */

/* Replaces the system by the subset that --wfs names. */
static int take_sensors(
    session *s, const source *from, cltomo_system **system, const text_list *wfs)
{
    char name[160];
    cltomo_error error = {0};
    cltomo_system *subset = NULL;
    uint32_t *sensors = NULL;
    size_t n_sensors = 0;
    (void)snprintf(name, sizeof name, "--wfs for %s", from->name);
    int status = indices_read(
        s, name, wfs, cltomo_system_get_description(*system)->n_wfs, &sensors, &n_sensors);
    if (status == STATUS_DONE && cltomo_system_subset(s->context, &subset, *system, sensors,
                                     n_sensors, &error) != CLTOMO_OK) {
        status = session_fail(s, &error);
    }
    free(sensors);
    if (status == STATUS_DONE) {
        cltomo_system_destroy(*system);
        *system = subset;
    }
    return status;
}

int source_load(
    session *s, source *from, cltomo_system **system, const char *operand, const text_list *wfs)
{
    int status = load_whole(s, from, system, operand);
    return status == STATUS_DONE && wfs->n > 0 ? take_sensors(s, from, system, wfs) : status;
}

void source_print_sensors(const cltomo_system *system)
{
    const uint32_t *numbers = cltomo_system_wfs_numbers(system);
    uint32_t n = cltomo_system_get_description(system)->n_wfs;
    for (uint32_t i = 0; numbers != NULL && i < n; ++i) {
        (void)printf("%s%" PRIu32, i == 0 ? n > 1 ? ", sensors " : ", sensor " : ", ", numbers[i]);
    }
}
