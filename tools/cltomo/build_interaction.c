/* cltomo build --interaction-matrix: R_IM from a matrix in a file. */
#include <stdlib.h>
#include <string.h>

#include "build.h"

static cltomo_interaction_options library_options(const build_arguments *arguments)
{
    cltomo_interaction_options options = cltomo_interaction_options_init();
    options.precision = (cltomo_precision)arguments->precision;
    options.alpha = arguments->alpha;
    options.slope_order = (cltomo_slope_order)arguments->slope_order;
    options.lenslet_order = (cltomo_lenslet_order)arguments->lenslet_order;
    options.grid = (cltomo_actuator_grid)arguments->grid;
    return options;
}

/* What is wrong with the matrix is wrong with its file. */
static cltomo_status blame_file(cltomo_status status, const char *path, cltomo_error *error)
{
    if (status == CLTOMO_OK || strcmp(error->key, "interaction_matrix") != 0) {
        return status;
    }
    (void)snprintf(error->file, sizeof error->file, "%s", path);
    error->key[0] = '\0';
    if (status == CLTOMO_ERROR_ARGUMENT) {
        error->status = CLTOMO_ERROR_PARSE;
    }
    return error->status;
}

static cltomo_status write_matrix(const build_arguments *arguments,
    const cltomo_reconstructor *reconstructor, cltomo_error *error)
{
    char *path = build_path(arguments, CLTOMO_PRODUCT_R_IM);
    if (path == NULL) {
        error->status = CLTOMO_ERROR_MEMORY;
        return CLTOMO_ERROR_MEMORY;
    }
    cltomo_status status = cltomo_reconstructor_write(
        reconstructor, CLTOMO_PRODUCT_R_IM, path, (cltomo_file_format)arguments->format, error);
    free(path);
    return status;
}

cltomo_status build_interaction(session *s, const build_arguments *arguments,
    cltomo_reconstructor **reconstructor, const cltomo_system *system, cltomo_error *error)
{
    cltomo_interaction_options options = library_options(arguments);
    cltomo_matrix *matrix = NULL;
    cltomo_status status =
        cltomo_matrix_read(s->context, &matrix, arguments->interaction_matrix, error);
    if (status == CLTOMO_OK) {
        build_warn_of_memory(
            s, cltomo_interaction_memory(system, &options), "single precision needs half");
        status = cltomo_reconstructor_build_interaction(
            s->context, reconstructor, system, matrix, &options, error);
    }
    cltomo_matrix_destroy(matrix);
    if (status == CLTOMO_OK && interrupted()) { /* which a short build does not notice */
        return CLTOMO_ERROR_CANCELLED;
    }
    if (status == CLTOMO_OK) {
        return write_matrix(arguments, *reconstructor, error);
    }
    return blame_file(status, arguments->interaction_matrix, error);
}
