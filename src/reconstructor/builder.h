/* The working state of a build, and its stages. */
#ifndef CLTOMO_RECONSTRUCTOR_BUILDER_H
#define CLTOMO_RECONSTRUCTOR_BUILDER_H

#include "reconstructor/reconstructor_internal.h"

/* Everything that a build works with; released at its end, except for what became a product. */
typedef struct cltomo_builder {
    const cltomo_context *context;
    const cltomo_backend *backend;
    cltomo_geometry *geometry;
    cltomo_covariance covariance;
    cltomo_direction *directions; /* looked in one by one; NULL: the grid at once */
    size_t n_directions;
    size_t n_outputs;      /* wavefronts to reconstruct: 1, or one for each direction */
    size_t panel_rows;     /* of C_ps and R at a time */
    double *noise;         /* the diagonal of C_n */
    size_t n_noise;        /* rows of C_ss */
    cltomo_array *c_ss;    /* becomes its Cholesky factor */
    cltomo_array *c_ps;    /* a panel; becomes R */
    cltomo_array *command; /* of one output */
    cltomo_matrix *influence;
    cltomo_matrix *fitting;
    size_t n_wanted_slopes; /* as many as the system has; the geometry may have more */
    uint32_t *permutation;  /* of the wanted ones; NULL: they are the geometry's, in its order */
    cltomo_reconstructor *out;
    double stage_start;
} cltomo_builder;

static inline bool cltomo_builder_wants(const cltomo_builder *b, uint32_t products)
{
    return (b->out->options.products & products) != 0;
}

static inline bool cltomo_builder_wants_wavefront(const cltomo_builder *b)
{
    return cltomo_builder_wants(b, CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_R_UNSCALED);
}

/* The products that need C_ss and C_ps. */
static inline bool cltomo_builder_wants_solution(const cltomo_builder *b)
{
    return cltomo_builder_wants_wavefront(b) || cltomo_builder_wants(b, CLTOMO_PRODUCT_FR);
}

/* Times a stage: between the two calls, or from the start of the build or the last begin. The times
 * of stages of one name add up. */
void cltomo_builder_begin_stage(cltomo_builder *b);
void cltomo_builder_end_stage(cltomo_builder *b, const char *name);

/* Logs a warning where the slopes vary by so little that the phase's own variance swamps them; a
 * slope sums that many times the phase, squared, on average. */
void cltomo_builder_warn_of_cancellation(const cltomo_builder *b, double sensitivity);

/* Releases what did not become a product, but not the reconstructor. */
void cltomo_builder_release(cltomo_builder *b);

/* The stages, in their order. Each also keeps the intermediates that were asked for. */
cltomo_status cltomo_builder_fit(cltomo_builder *b, cltomo_error *error);
cltomo_status cltomo_builder_slope_covariance(cltomo_builder *b, cltomo_error *error);
cltomo_status cltomo_builder_factorise(cltomo_builder *b, cltomo_error *error);

/* The rows of C_ps, R and FR, output by output and panel by panel. */
cltomo_status cltomo_builder_rows(cltomo_builder *b, cltomo_error *error);

/* Rows first_row ... of a product come into the wanted order of slopes and go to the reconstructor
 * or to the row sink. emit ends the array's life; emit_copy does not. */
cltomo_status cltomo_builder_emit(cltomo_builder *b, cltomo_array **array, cltomo_product product,
    size_t first_row, cltomo_error *error);
cltomo_status cltomo_builder_emit_copy(cltomo_builder *b, const cltomo_array *array,
    cltomo_product product, size_t first_row, cltomo_error *error);

#endif
