#include <string.h>

#include "reconstructor/reconstructor_internal.h"

static bool is_one_product(uint32_t product)
{
    return product != 0 && (product & (product - 1)) == 0 && product < (1U << CLTOMO_PRODUCT_COUNT);
}

cltomo_status cltomo_reconstructor_create(const cltomo_context *context,
    cltomo_reconstructor **reconstructor, const cltomo_system *system, cltomo_error *error)
{
    cltomo_reconstructor *created = cltomo_allocate_zero(context, 1, sizeof *created);
    *reconstructor = created;
    if (created == NULL) {
        return cltomo_fail_memory(error, "the reconstructor");
    }
    created->context = cltomo_context_retain(context);
    created->system = cltomo_system_retain(system);
    return CLTOMO_OK;
}

const cltomo_matrix *cltomo_reconstructor_matrix(
    const cltomo_reconstructor *reconstructor, cltomo_product product)
{
    return is_one_product(product) ? reconstructor->matrix[cltomo_product_bit(product)] : NULL;
}

const cltomo_sparse *cltomo_reconstructor_gradient(const cltomo_reconstructor *reconstructor)
{
    return reconstructor->gradient != NULL ? cltomo_gradient_matrix(reconstructor->gradient) : NULL;
}

const cltomo_system *cltomo_reconstructor_system(const cltomo_reconstructor *reconstructor)
{
    return reconstructor->system;
}

const cltomo_build_options *cltomo_reconstructor_options(const cltomo_reconstructor *reconstructor)
{
    return &reconstructor->options;
}

const cltomo_build_report *cltomo_reconstructor_report(const cltomo_reconstructor *reconstructor)
{
    return &reconstructor->report;
}

void cltomo_reconstructor_destroy(cltomo_reconstructor *reconstructor)
{
    if (reconstructor == NULL) {
        return;
    }
    const cltomo_context *context = reconstructor->context;
    for (size_t i = 0; i < CLTOMO_PRODUCT_COUNT; ++i) {
        cltomo_matrix_destroy(reconstructor->matrix[i]);
    }
    cltomo_gradient_destroy(reconstructor->gradient);
    cltomo_release(context, reconstructor->evaluators.pair);
    cltomo_release(context, reconstructor->evaluators.sensor);
    cltomo_system_release(reconstructor->system);
    cltomo_release(context, reconstructor);
    cltomo_context_release(context);
}
