/* A system description on its way from YAML or from the caller's struct to a validated system: the
 * table of fields, their values with the places they came from, and the report of problems. */
#ifndef CLTOMO_CONFIG_DRAFT_H
#define CLTOMO_CONFIG_DRAFT_H

#include <cltomo/system.h>

#include "config/yaml_tree.h"
#include "core/core.h"

/* ---- the table of fields ------------------------------------------------------------------- */

typedef enum cltomo_section {
    CLTOMO_SECTION_WFS,
    CLTOMO_SECTION_MIRROR,
    CLTOMO_SECTION_ATMOSPHERE,
    CLTOMO_SECTION_ASTERISM,
    CLTOMO_SECTION_NOISE,
    CLTOMO_SECTION_TOMOGRAPHY,
    CLTOMO_N_SECTIONS
} cltomo_section;

/* In the order in which they are read: counts before what they count. */
typedef enum cltomo_field_id {
    CLTOMO_FIELD_DIAMETER,
    CLTOMO_FIELD_N_LENSLETS,
    CLTOMO_FIELD_N_WFS,
    CLTOMO_FIELD_N_LAYERS,
    CLTOMO_FIELD_N_ACTUATORS,
    CLTOMO_FIELD_VALID_LENSLETS,
    CLTOMO_FIELD_WFS_LENSLETS, /* one map per sensor, under the same key */
    CLTOMO_FIELD_FLUX,
    CLTOMO_FIELD_ROTATION,
    CLTOMO_FIELD_OFFSET_X,
    CLTOMO_FIELD_OFFSET_Y,
    CLTOMO_FIELD_PIXELS,
    CLTOMO_FIELD_FIELD_STOP,
    CLTOMO_FIELD_RADIUS,
    CLTOMO_FIELD_AZIMUTH,
    CLTOMO_FIELD_STAR_X,
    CLTOMO_FIELD_STAR_Y,
    CLTOMO_FIELD_STAR_WAVELENGTH,
    CLTOMO_FIELD_STAR_HEIGHT,
    CLTOMO_FIELD_ZENITH_ANGLE,
    CLTOMO_FIELD_R0,
    CLTOMO_FIELD_OUTER_SCALE,
    CLTOMO_FIELD_WAVELENGTH,
    CLTOMO_FIELD_ALTITUDE,
    CLTOMO_FIELD_FRACTION,
    CLTOMO_FIELD_WIND_SPEED,
    CLTOMO_FIELD_WIND_DIRECTION,
    CLTOMO_FIELD_N_DIRECTIONS,
    CLTOMO_FIELD_FIELD_OF_VIEW,
    CLTOMO_FIELD_N_LISTED, /* directions; YAML: the length of the list */
    CLTOMO_FIELD_DIRECTION_X,
    CLTOMO_FIELD_DIRECTION_Y,
    CLTOMO_FIELD_DIRECTION_WEIGHT,
    CLTOMO_FIELD_DIRECTION_HEIGHT,
    CLTOMO_FIELD_VALID_ACTUATORS,
    CLTOMO_FIELD_PITCH,
    CLTOMO_FIELD_MIRROR_HEIGHT,
    CLTOMO_FIELD_COUPLING,
    CLTOMO_FIELD_NOISE,
    CLTOMO_N_FIELDS
} cltomo_field_id;

typedef enum cltomo_field_shape {
    CLTOMO_SHAPE_SCALAR,
    CLTOMO_SHAPE_MIRROR,     /* one value, in YAML also a list of one: a value per mirror */
    CLTOMO_SHAPE_STARS,      /* one value per guide star */
    CLTOMO_SHAPE_LAYERS,     /* one value per layer */
    CLTOMO_SHAPE_DIRECTIONS, /* one value per listed direction */
    CLTOMO_SHAPE_PAIRS_X,    /* per star or listed direction; in YAML a list of [x, y] */
    CLTOMO_SHAPE_PAIRS_Y,    /* its other half */
    CLTOMO_SHAPE_ROWS_X,     /* per guide star; in YAML a list of all x and a list of all y */
    CLTOMO_SHAPE_ROWS_Y,     /* its other half */
    CLTOMO_SHAPE_MAP,        /* a square map of zeros and ones */
    CLTOMO_SHAPE_MAPS,       /* one such map per sensor; in YAML it may stand in place of one map */
    CLTOMO_SHAPE_FLUX        /* a square map of numbers per sensor; in YAML also one for all */
} cltomo_field_shape;

typedef enum cltomo_unit {
    CLTOMO_UNIT_NONE,
    CLTOMO_UNIT_METRE,
    CLTOMO_UNIT_KILOMETRE,
    CLTOMO_UNIT_METRE_PER_SECOND,
    CLTOMO_UNIT_RADIAN,
    CLTOMO_UNIT_DEGREE,
    CLTOMO_UNIT_ARCSECOND,
    CLTOMO_UNIT_TANGENT /* arcsec in YAML, the tangent in a description */
} cltomo_unit;

/* Flags of a field. */
#define CLTOMO_REQUIRED 1u    /* within its section */
#define CLTOMO_DESCRIPTIVE 2u /* no reconstructor depends on it */
#define CLTOMO_INTEGER 4u
#define CLTOMO_OPEN_MIN 8u  /* min itself is not allowed */
#define CLTOMO_OPEN_MAX 16u /* max itself is not allowed */
#define CLTOMO_INFINITE 32u /* infinity is allowed */

typedef struct cltomo_field {
    const char *key;  /* in YAML; NULL: not there (the other half of a pair of lists) */
    const char *name; /* in cltomo_system_description; NULL: not there */
    size_t offset;    /* of that member */
    cltomo_section section;
    cltomo_field_shape shape;
    cltomo_unit unit;
    unsigned flags;
    double min; /* in the unit of YAML */
    double max;
} cltomo_field;

extern const cltomo_field cltomo_fields[CLTOMO_N_FIELDS];
extern const char *const cltomo_section_names[CLTOMO_N_SECTIONS];

double cltomo_unit_to_si(cltomo_unit unit, double value);

/* "0 <= x < 90 degrees"; in SI units for a description. */
void cltomo_field_range(char *text, size_t size, const cltomo_field *field, bool si);

/* The field with the length of a list, or the side of a map; CLTOMO_N_FIELDS if there is no single
 * one. */
cltomo_field_id cltomo_field_counter(cltomo_field_id id);

/* True if a value in SI units is allowed. */
bool cltomo_field_allows(const cltomo_field *field, double value);

/* ---- the report ---------------------------------------------------------------------------- */

/* Collects problems with one file or description. */
typedef struct cltomo_report {
    const char *file; /* "" for a description */
    cltomo_diagnostics *list;
    cltomo_error first; /* the error that stands first in the file */
    bool has_error;
    unsigned n_key_problems[2]; /* with keys rather than values, by severity */
} cltomo_report;

/* Where, what, and what instead; empty strings and 0 are left out. */
typedef struct cltomo_problem {
    cltomo_severity severity;
    uint32_t line;
    uint32_t column;
    const char *key;
    const char *value;
    const char *allowed;
} cltomo_problem;

void cltomo_report_add(cltomo_report *report, const cltomo_problem *problem, const char *format,
    ...) CLTOMO_PRINTF(3, 4);

/* Of a file that could not even be read as YAML. */
void cltomo_report_error(cltomo_report *report, const cltomo_error *error);

/* ---- the draft ----------------------------------------------------------------------------- */

typedef enum cltomo_state {
    CLTOMO_ABSENT,
    CLTOMO_INVALID, /* given, but wrong, which has been reported */
    CLTOMO_VALID    /* of the right type, each value within its range */
} cltomo_state;

typedef struct cltomo_values {
    cltomo_state state;
    size_t count;   /* values, or rows of a map; the number that was given, also if too large */
    size_t n_maps;  /* in the list of maps; 0: one map, not in a list */
    double *value;  /* in SI units: count, or count * count per map of numbers; &single for one */
    uint32_t *node; /* where each value, or each map of zeros and ones in a list, came from;
                       &single_node for one; NULL: from a description */
    uint8_t *map;   /* count * count cells per map, 0 or 1 */
    double single;
    uint32_t single_node;
    uint32_t key;        /* node of the key in the file; 0: none */
    uint32_t whole;      /* node of the value in the file; 0: none */
    unsigned n_problems; /* reported so far */
} cltomo_values;

typedef struct cltomo_draft {
    const cltomo_context *context;
    cltomo_report *report;
    const cltomo_yaml_tree *tree;            /* NULL: from a description */
    uint32_t section[CLTOMO_N_SECTIONS];     /* node of each section's mapping; 0: none */
    uint32_t section_key[CLTOMO_N_SECTIONS]; /* node of its name; 0: none */
    cltomo_values field[CLTOMO_N_FIELDS];
} cltomo_draft;

/* Frees what the draft still owns. */
void cltomo_draft_clear(cltomo_draft *draft);

/* Makes room for count values. */
cltomo_status cltomo_draft_reserve(
    cltomo_draft *draft, cltomo_field_id id, size_t count, cltomo_error *error);

/* Reports a problem with a field as a whole, or with element i, and marks the field as invalid if
 * it is an error. Beyond a handful of problems with one field nothing is added to the report.
 * allowed may be NULL. */
#define CLTOMO_WHOLE SIZE_MAX
void cltomo_draft_problem(cltomo_draft *draft, cltomo_field_id id, size_t i,
    cltomo_severity severity, const char *allowed, const char *format, ...) CLTOMO_PRINTF(6, 7);

/* The same for any node inside the field's value, with its own suffix to the key. */
void cltomo_draft_problem_at(cltomo_draft *draft, cltomo_field_id id, uint32_t node,
    const char *suffix, const char *allowed, const char *format, ...) CLTOMO_PRINTF(6, 7);

/* The number of elements that a field holds, and where element i stands below its key: "[3]",
 * "[1][3]"; "" for a scalar. */
size_t cltomo_draft_elements(const cltomo_draft *draft, cltomo_field_id id);
void cltomo_draft_index(
    const cltomo_draft *draft, cltomo_field_id id, size_t i, char *text, size_t size);

/* Sets element i in SI units if it is in range, else reports it. */
void cltomo_draft_set(cltomo_draft *draft, cltomo_field_id id, size_t i, double value);

/* A scalar's value; only if its state is CLTOMO_VALID. */
double cltomo_draft_get(const cltomo_draft *draft, cltomo_field_id id);

bool cltomo_draft_has(const cltomo_draft *draft, cltomo_field_id id);

/* Calls visit for each key of a mapping that is a key at all and not given twice, which is
 * reported. path is the mapping's own key. */
typedef void (*cltomo_key_visitor)(cltomo_draft *draft, void *user, uint32_t key, uint32_t value);
void cltomo_draft_visit(
    cltomo_draft *draft, uint32_t mapping, const char *path, cltomo_key_visitor visit, void *user);

/* Reports a problem with a key rather than with a value. Beyond a number of them nothing is added
 * to the report. */
void cltomo_draft_key_problem(cltomo_draft *draft, uint32_t key, const char *path,
    cltomo_severity severity, const char *format, ...) CLTOMO_PRINTF(5, 6);

/* Reads the number at a node in the unit of YAML; reports what is not one under the field's key
 * with that suffix. */
bool cltomo_draft_number(cltomo_draft *draft, cltomo_field_id id, uint32_t node, const char *suffix,
    const char *allowed, double *value);

/* Reads the number at a node as element i, and remembers the node. */
void cltomo_draft_read_element(cltomo_draft *draft, cltomo_field_id id, size_t i, uint32_t node);

/* What a field is called: "section.key", or the member's name. */
void cltomo_draft_key(const cltomo_draft *draft, cltomo_field_id id, char *text, size_t size);

/* The same without its section. */
const char *cltomo_draft_short_name(const cltomo_draft *draft, cltomo_field_id id);

/* What stands at a node, as written, fit to be shown in one line. */
void cltomo_draft_written(const cltomo_draft *draft, uint32_t node, char *text, size_t size);

/* Each fills the draft and reports problems. The status tells only of failures that are not the
 * input's (memory). */
cltomo_status cltomo_draft_read_yaml(cltomo_draft *draft, cltomo_error *error);
cltomo_status cltomo_draft_read_description(
    cltomo_draft *draft, const cltomo_system_description *description, cltomo_error *error);
cltomo_status cltomo_draft_read_map(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, cltomo_error *error);
cltomo_status cltomo_draft_read_flux(
    cltomo_draft *draft, cltomo_field_id id, uint32_t node, cltomo_error *error);

/* Reports what is missing and what does not fit together; normalises the fractions. */
void cltomo_draft_validate(cltomo_draft *draft);

/* A layer so close to a source that rounding puts it there. */
#define CLTOMO_HEIGHT_MARGIN 1e-9

/* The parts of it about maps and lenslets, and about directions. */
void cltomo_draft_check_maps(cltomo_draft *draft);
void cltomo_draft_check_directions(cltomo_draft *draft);

/* Of a draft without errors: turns the polygon of guide stars into directions; brings maps of
 * lenslets, flux and directions to the one form that a system has, however they were written. */
cltomo_status cltomo_draft_place_stars(cltomo_draft *draft, cltomo_error *error);
cltomo_status cltomo_draft_settle_lenslets(cltomo_draft *draft, cltomo_error *error);
void cltomo_draft_settle_directions(cltomo_draft *draft);

/* Forgets what was read of a field. */
void cltomo_draft_drop(cltomo_draft *draft, cltomo_field_id id);

/* Hands the values of a draft without errors to a description, which then owns them. */
cltomo_status cltomo_draft_finish(
    cltomo_draft *draft, cltomo_system_description *description, cltomo_error *error);

/* The array that the member of a field points to. */
const void *cltomo_description_array(
    const cltomo_system_description *description, const cltomo_field *field);
void cltomo_description_set_array(
    cltomo_system_description *description, const cltomo_field *field, const void *array);

/* Frees the arrays of a description that cltomo_draft_finish filled. */
void cltomo_description_clear(
    const cltomo_context *context, cltomo_system_description *description);

/* FNV-1a, 64 bits, over what a reconstructor depends on. */
uint64_t cltomo_description_hash(const cltomo_system_description *description);

/* ---- suggestions --------------------------------------------------------------------------- */

/* Edits (insert, delete, replace, swap neighbours) that turn a into b, upper and lower case alike;
 * SIZE_MAX for words too long to be worth it. */
size_t cltomo_edit_distance(const char *a, const char *b);

/* "; did you mean X?" for the known section or key nearest to an unknown one, or an empty string.
 * section is CLTOMO_N_SECTIONS for a word at the top level. */
void cltomo_suggest(char *text, size_t size, const char *word, cltomo_section section);

#endif
