#include "reconstructor/reconstructor_internal.h"

/* The products that a build has for each direction if per_direction says so. */
static const uint32_t outputs =
    CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_R_UNSCALED | CLTOMO_PRODUCT_FR | CLTOMO_PRODUCT_C_PS;

static cltomo_shape shape_of(const cltomo_dimensions *d, cltomo_product product)
{
    switch (product) {
    case CLTOMO_PRODUCT_R:
    case CLTOMO_PRODUCT_R_UNSCALED:
    case CLTOMO_PRODUCT_C_PS:
        return (cltomo_shape){0, d->n_phase, d->n_slopes};
    case CLTOMO_PRODUCT_FR:
    case CLTOMO_PRODUCT_R_IM:
        return (cltomo_shape){0, d->n_actuators, d->n_slopes};
    case CLTOMO_PRODUCT_F:
        return (cltomo_shape){0, d->n_actuators, d->n_phase};
    case CLTOMO_PRODUCT_IF:
        return (cltomo_shape){0, d->n_phase, d->n_actuators};
    case CLTOMO_PRODUCT_C_SS:
        return (cltomo_shape){0, d->n_slopes, d->n_slopes};
    case CLTOMO_PRODUCT_C_N:
        return (cltomo_shape){0, 1, d->n_slopes};
    case CLTOMO_PRODUCT_GRID_MASK:
        return (cltomo_shape){0, d->n_grid, d->n_grid};
    case CLTOMO_PRODUCT_GAMMA:
        return (cltomo_shape){0, d->n_slopes / d->n_wfs, d->n_phase};
    case CLTOMO_PRODUCT_MAX_:
        break;
    }
    return (cltomo_shape){0, 0, 0};
}

cltomo_shape cltomo_reconstructor_shape(
    const cltomo_reconstructor *reconstructor, cltomo_product product)
{
    cltomo_dimensions dimensions;
    cltomo_system_dimensions(reconstructor->system, &dimensions);
    cltomo_shape shape = shape_of(&dimensions, product);
    if (reconstructor->options.per_direction != 0 && ((uint32_t)product & outputs) != 0) {
        shape.planes = dimensions.n_directions;
    }
    return shape;
}
