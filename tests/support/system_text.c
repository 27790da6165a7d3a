#include "support/system_text.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

const char *const system_text = "lgs_wfs_parameters:\n"
                                "  D: 8.5\n"
                                "  nLenslet: 3\n"
                                "  nPx: 8\n"
                                "  fieldStopSize: 4\n"
                                "  validLLMap:\n"
                                "    - [0, 1, 1]\n"
                                "    - [1, 1, 1]\n"
                                "    - [1, 1, 0]\n"
                                "  wfsLensletsRotation: [0.1, -0.2]\n"
                                "  wfsLensletsOffset:\n"
                                "    - [0.01, 0.02]\n"
                                "    - [0.03, 0.04]\n"
                                "dm_parameters:\n"
                                "  dmHeights: [100.0]\n"
                                "  dmPitch: [2.5]\n"
                                "  dmCrossCoupling: 0.15\n"
                                "  nActuators: [4]\n"
                                "  validActuators:\n"
                                "    - [0, 1, 1, 0]\n"
                                "    - [1, 1, 1, 1]\n"
                                "    - [1, 1, 1, 1]\n"
                                "    - [0, 1, 1, 1]\n"
                                "atmosphere_parameters:\n"
                                "  nLayer: 2\n"
                                "  zenithAngleInDeg: 30.0\n"
                                "  altitude: [0, 5.5]\n"
                                "  L0: 25\n"
                                "  r0: 0.15\n"
                                "  fractionnalR0: [0.75, 0.25]\n"
                                "  wavelength: 5.0e-7\n"
                                "  windDirection: [190, 255]\n"
                                "  windSpeed: [5.6, 5.77]\n"
                                "lgs_asterism:\n"
                                "  radiusAst: 20\n"
                                "  LGSwavelength: 5.89e-7\n"
                                "  baseLGSHeight: 90000.0\n"
                                "  nLGS: 2\n"
                                "noise_parameters:\n"
                                "  iNoiseVar: 1e14\n"
                                "tomography_parameters:\n"
                                "  fovOptimization: 10\n"
                                "  nFitSrc: 3\n";

unsigned system_text_line(const char *text, const char *piece)
{
    const char *found = strstr(text, piece);
    cr_assert_not_null(found, "no \"%s\" in the text", piece);
    unsigned line = 1;
    for (const char *c = text; c < found; ++c) {
        line += *c == '\n';
    }
    return line;
}

static unsigned column_of(const char *text, const char *piece)
{
    const char *found = strstr(text, piece);
    const char *start = found;
    while (start > text && start[-1] != '\n') {
        --start;
    }
    return (unsigned)(found - start) + 1;
}

char *system_text_edit(const char *text, const char *from, const char *to)
{
    const char *found = strstr(text, from);
    cr_assert_not_null(found, "no \"%s\" in the text", from);
    cr_assert_null(strstr(found + 1, from), "more than one \"%s\" in the text", from);
    size_t before = (size_t)(found - text);
    char *edited = malloc(strlen(text) + strlen(to) + 1);
    cr_assert_not_null(edited);
    memcpy(edited, text, before);
    strcpy(edited + before, to);
    strcat(edited, found + strlen(from));
    return edited;
}

parsed parse_bytes(const char *text, size_t length)
{
    parsed p = {.context = NULL};
    cr_assert_eq(cltomo_context_create(&p.context, NULL, NULL), CLTOMO_OK);
    p.status = cltomo_system_parse(
        p.context, &p.system, &p.diagnostics, text, length, "small.yaml", &p.error);
    cr_assert_eq(p.system == NULL, p.status != CLTOMO_OK);
    return p;
}

parsed parse_text(const char *text)
{
    return parse_bytes(text, strlen(text));
}

parsed parse_edited(const char *from, const char *to)
{
    char *text = system_text_edit(system_text, from, to);
    parsed p = parse_text(text);
    free(text);
    return p;
}

void parsed_clear(parsed *p)
{
    cltomo_diagnostics_destroy(p->diagnostics);
    cltomo_system_destroy(p->system);
    cltomo_context_destroy(p->context);
}

const cltomo_system_description *parsed_description(const parsed *p)
{
    char text[1024] = "";
    if (p->status != CLTOMO_OK) {
        (void)cltomo_error_format(text, sizeof text, &p->error);
    }
    cr_assert_eq(p->status, CLTOMO_OK, "%s", text);
    return cltomo_system_get_description(p->system);
}

const cltomo_error *parsed_find(const parsed *p, cltomo_severity severity, const char *key)
{
    for (size_t i = 0; i < cltomo_diagnostics_count(p->diagnostics); ++i) {
        const cltomo_error *entry = cltomo_diagnostics_get(p->diagnostics, i);
        if (entry->severity == severity && strcmp(entry->key, key) == 0) {
            return entry;
        }
    }
    return NULL;
}

void assert_holds(const char *text, const char *piece)
{
    cr_assert_not_null(strstr(text, piece), "no \"%s\" in \"%s\"", piece, text);
}

void assert_refused(const char *from, const char *to, const char *key, const char *at,
    const char *value, const char *message, const char *allowed)
{
    char *text = system_text_edit(system_text, from, to);
    parsed p = parse_text(text);
    cr_assert_eq(p.status, CLTOMO_ERROR_CONFIG, "\"%s\" has status %d", to, (int)p.status);
    const cltomo_error *entry = parsed_find(&p, CLTOMO_SEVERITY_ERROR, key);
    cr_assert_not_null(
        entry, "\"%s\" gives no error for %s, but: %s: %s", to, key, p.error.key, p.error.message);
    cr_assert_str_eq(entry->file, "small.yaml");
    if (at != NULL) {
        cr_assert_eq(entry->line, system_text_line(text, at), "\"%s\": line %u", to, entry->line);
        cr_assert_eq(entry->column, column_of(text, at), "\"%s\": column %u", to, entry->column);
    }
    if (value != NULL) {
        cr_assert_str_eq(entry->value, value);
    }
    if (message != NULL) {
        assert_holds(entry->message, message);
    }
    if (allowed != NULL) {
        assert_holds(entry->allowed, allowed);
    }
    free(text);
    parsed_clear(&p);
}

void assert_warned(const char *from, const char *to, const char *key, const char *message)
{
    parsed p = parse_edited(from, to);
    (void)parsed_description(&p);
    const cltomo_error *entry = parsed_find(&p, CLTOMO_SEVERITY_WARNING, key);
    cr_assert_not_null(entry, "\"%s\" gives no warning for %s", to, key);
    cr_assert_gt(entry->line, 0);
    assert_holds(entry->message, message);
    parsed_clear(&p);
}
