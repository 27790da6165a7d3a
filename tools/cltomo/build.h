/* Between the parts of `cltomo build`. */
#ifndef CLTOMO_TOOL_BUILD_H
#define CLTOMO_TOOL_BUILD_H

#include <cltomo/file.h>
#include <cltomo/geometry.h>
#include <cltomo/reconstructor.h>

#include "tool.h"

enum { MAX_PRODUCTS = 32 }; /* bits of a product mask */

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
    cltomo_file_format format;
    written_file file[MAX_PRODUCTS];
    size_t n_files;
    double write_seconds;
} build_result;

extern const option_choice precision_choices[];
extern const option_choice slope_order_choices[];
extern const option_choice lenslet_order_choices[];
extern const option_choice format_choices[];
extern const option_choice backend_choices[];

/* Sizes of a product as a matrix. */
void product_shape(
    const cltomo_reconstructor *reconstructor, cltomo_product product, size_t *rows, size_t *cols);

void build_print(const session *s, const build_result *result);
void build_print_json(const session *s, const build_result *result);

#endif
