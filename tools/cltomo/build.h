/* Between the parts of `cltomo build`. */
#ifndef CLTOMO_TOOL_BUILD_H
#define CLTOMO_TOOL_BUILD_H

#include <cltomo/file.h>
#include <cltomo/geometry.h>
#include <cltomo/interaction.h>
#include <cltomo/reconstructor.h>

#include "json.h"
#include "tool.h"

enum { MAX_PRODUCTS = 32 }; /* bits of a product mask */

/* The options as given, or their defaults. */
typedef struct build_arguments {
    const char *directory;
    int format;
    int products;
    text_list dump;
    int precision;
    double alpha;
    int slope_order;
    int lenslet_order;
    double scaling;
    double stretch;
    uint32_t mirror_rotation;
    bool mirror_flip;
    text_list mask;
    int evaluation;
    double accuracy;                /* 0: the library's choice */
    const char *interaction_matrix; /* file; NULL: none, R and FR come from the model */
    int grid;
    text_list wfs;
    bool per_direction;
    uint64_t max_memory; /* bytes; 0: what there is */
    compute_settings compute;
    output_settings output;
} build_arguments;

typedef struct written_file {
    cltomo_product product;
    char *path;
    uint64_t bytes;
} written_file;

typedef struct build_result {
    source from;
    cltomo_dimensions dimensions;
    const cltomo_reconstructor *reconstructor;
    const uint32_t *masked_actuators;
    size_t n_masked_actuators;
    const char *interaction_matrix; /* as in the arguments */
    int grid;
    cltomo_file_format format;
    written_file file[MAX_PRODUCTS];
    size_t n_files;
    double write_seconds; /* after the build, which writes rows that are ready */
} build_result;

extern const option_choice precision_choices[];
extern const option_choice slope_order_choices[];
extern const option_choice lenslet_order_choices[];
extern const option_choice format_choices[];
extern const option_choice evaluation_choices[];
extern const option_choice grid_choices[];

void build_set_defaults(build_arguments *arguments);

/* Checks what the table of options cannot, and adds the products of --dump. On wrong usage says so
 * and returns false. */
bool build_finish_arguments(build_arguments *arguments);

/* Warns if a build needs more memory than there is; advice says how to need less. */
void build_warn_of_memory(session *s, uint64_t needed, const char *advice);

/* The path of the file of a product, to be freed; NULL without memory. */
char *build_path(const build_arguments *arguments, cltomo_product product);

/* Builds R_IM from the file of --interaction-matrix and writes it. *error tells what went wrong in
 * the library; the status is the library's. */
cltomo_status build_interaction(session *s, const build_arguments *arguments,
    cltomo_reconstructor **reconstructor, const cltomo_system *system, cltomo_error *error);

/* How the covariances were evaluated, and why not more cheaply: as text, and as the member
 * "evaluators". */
void build_print_evaluators(const cltomo_reconstructor *reconstructor);
void build_write_evaluators(json *j, const cltomo_reconstructor *reconstructor);

int build_run(const command *self, int argc, char **argv);

void build_print(const session *s, const build_result *result);
void build_print_json(const session *s, const build_result *result);

#endif
