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
    cltomo_array *c_ss; /* becomes its Cholesky factor */
    cltomo_array *c_ps; /* becomes R */
    cltomo_array *command;
    cltomo_matrix *influence;
    cltomo_matrix *fitting;
    uint32_t *permutation; /* NULL: the slopes are in the wanted order already */
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

/* Times a stage: between the two calls, or from the start of the build or the last begin. */
void cltomo_builder_begin_stage(cltomo_builder *b);
void cltomo_builder_end_stage(cltomo_builder *b, const char *name);

/* The stages, in their order. Each also keeps the intermediates that were asked for. */
cltomo_status cltomo_builder_fit(cltomo_builder *b, cltomo_error *error);
cltomo_status cltomo_builder_slope_covariance(cltomo_builder *b, cltomo_error *error);
cltomo_status cltomo_builder_phase_covariance(cltomo_builder *b, cltomo_error *error);
cltomo_status cltomo_builder_solve(cltomo_builder *b, cltomo_error *error);

#endif
