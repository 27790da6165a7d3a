#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reconstructor/reconstructor_internal.h"

#define MODEL_BIT(product, bit, text, meaning) | (uint32_t)(product)
static const uint32_t model_products = 0U CLTOMO_MODEL_PRODUCT_LIST(MODEL_BIT);
#undef MODEL_BIT

uint32_t cltomo_product_from_name(const char *name)
{
#define CLTOMO_PRODUCT_MATCH(product, bit, text, meaning)                                          \
    if (strcmp(name, text) == 0) {                                                                 \
        return (uint32_t)(product);                                                                \
    }
    CLTOMO_PRODUCT_LIST(CLTOMO_PRODUCT_MATCH)
#undef CLTOMO_PRODUCT_MATCH
    return 0;
}

const char *cltomo_product_name(uint32_t product)
{
    switch (product) {
#define CLTOMO_PRODUCT_CASE(name, bit, text, meaning)                                              \
    case name:                                                                                     \
        return text;
        CLTOMO_PRODUCT_LIST(CLTOMO_PRODUCT_CASE)
#undef CLTOMO_PRODUCT_CASE
    default:
        return NULL;
    }
}

unsigned cltomo_product_bit(uint32_t product)
{
    unsigned bit = 0;
    while (product > 1U) {
        product >>= 1U;
        ++bit;
    }
    return bit;
}

cltomo_build_options cltomo_build_options_init(void)
{
    return (cltomo_build_options){.size = (uint32_t)sizeof(cltomo_build_options),
        .products = CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_FR,
        .precision = CLTOMO_PRECISION_DOUBLE,
        .alpha = 10.0,
        .slope_order = CLTOMO_SLOPES_XY,
        .lenslet_order = CLTOMO_LENSLETS_ROW,
        .scaling = 1.65e7,
        .stretch = 1.03};
}

cltomo_status cltomo_refuse(
    cltomo_error *error, const char *key, double value, const char *allowed, const char *message)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.17g", value);
    return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, key, text, allowed, "%s", message);
}

static cltomo_status check_values(const cltomo_build_options *o, cltomo_error *error)
{
    if (o->products == CLTOMO_PRODUCT_R_IM) {
        return cltomo_refuse(error, "products", o->products, "the other products",
            "R_IM comes from cltomo_reconstructor_build_interaction");
    }
    if (o->products == 0 || (o->products & ~model_products) != 0) {
        return cltomo_refuse(error, "products", o->products, "cltomo_product values or-ed together",
            "no known product is asked for");
    }
    if (o->precision != CLTOMO_PRECISION_DOUBLE && o->precision != CLTOMO_PRECISION_SINGLE) {
        return cltomo_refuse(
            error, "precision", (double)o->precision, "double or single", "unknown precision");
    }
    if (!(o->alpha >= 0.0 && o->alpha <= 1e15)) {
        return cltomo_refuse(
            error, "alpha", o->alpha, "0 to 1e15", "the noise level is out of range");
    }
    if (!(fabs(o->scaling) >= 1e-30 && fabs(o->scaling) <= 1e30)) {
        return cltomo_refuse(error, "scaling", o->scaling, "1e-30 to 1e30, either sign",
            "the scaling of commands is out of range");
    }
    if (!(o->stretch >= 0.01 && o->stretch <= 100.0)) {
        return cltomo_refuse(error, "stretch", o->stretch, "0.01 to 100",
            "the stretch of the actuator positions is out of range");
    }
    if (o->mirror_rotation > 3) {
        return cltomo_refuse(error, "mirror_rotation", o->mirror_rotation, "0 to 3",
            "the mirror turns by quarter turns");
    }
    if (o->evaluation != CLTOMO_EVALUATION_AUTO && o->evaluation != CLTOMO_EVALUATION_DIRECT) {
        return cltomo_refuse(error, "evaluation", (double)o->evaluation, "auto or direct",
            "unknown way to evaluate covariances");
    }
    if (o->accuracy != 0.0 && !(o->accuracy >= 1e-14 && o->accuracy <= 1e-2)) {
        return cltomo_refuse(error, "accuracy", o->accuracy, "1e-14 to 1e-2, or 0 for the default",
            "the accuracy of the covariances is out of range");
    }
    return cltomo_check_orders(o->slope_order, o->lenslet_order, error);
}

static cltomo_status check_actuators(
    const cltomo_build_options *o, const cltomo_dimensions *dimensions, cltomo_error *error)
{
    const uint32_t needs_mirror = CLTOMO_PRODUCT_FR | CLTOMO_PRODUCT_F | CLTOMO_PRODUCT_IF;
    if ((o->products & needs_mirror) != 0 && dimensions->n_actuators == 0) {
        return cltomo_fail_key(error, CLTOMO_ERROR_CONFIG, "dm_parameters", "",
            "a mirror with valid actuators",
            "the system has no mirror, so only wavefront products can be built");
    }
    if (o->n_masked_actuators > 0 && o->masked_actuators == NULL) {
        return cltomo_fail(error, CLTOMO_ERROR_ARGUMENT, "masked_actuators is NULL");
    }
    for (size_t i = 0; i < o->n_masked_actuators; ++i) {
        if (o->masked_actuators[i] >= dimensions->n_actuators) {
            char allowed[48];
            (void)snprintf(allowed, sizeof allowed, "0 to %zu", dimensions->n_actuators - 1);
            return cltomo_refuse(
                error, "masked_actuators", o->masked_actuators[i], allowed, "no such actuator");
        }
    }
    return CLTOMO_OK;
}

static cltomo_status check_gradient(
    const cltomo_build_options *o, const cltomo_dimensions *dimensions, cltomo_error *error)
{
    bool differ = dimensions->n_slopes != 2 * dimensions->n_lenslets * dimensions->n_wfs;
    if ((o->products & CLTOMO_PRODUCT_GAMMA) != 0 && differ) {
        return cltomo_fail_key(error, CLTOMO_ERROR_CONFIG, "lgs_wfs_parameters.validLLMap", "",
            "one map for all sensors",
            "the sensors use different lenslets, so they have no Gamma in common");
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_build_options_read(cltomo_build_options *own,
    const cltomo_build_options *options, const cltomo_dimensions *dimensions, cltomo_error *error)
{
    *own = cltomo_build_options_init();
    if (options != NULL) {
        if (options->size < sizeof options->size || options->size > sizeof *own) {
            return cltomo_refuse(error, "size", options->size, "sizeof(cltomo_build_options)",
                "initialise the options with cltomo_build_options_init");
        }
        memcpy(own, options, options->size);
        own->size = (uint32_t)sizeof *own;
    }
    cltomo_status status = check_values(own, error);
    if (status == CLTOMO_OK) {
        status = check_gradient(own, dimensions, error);
    }
    return status == CLTOMO_OK ? check_actuators(own, dimensions, error) : status;
}
