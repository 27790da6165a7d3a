#include <string.h>

#include "core/context.h"
#include "core/core.h"

void *cltomo_allocate(const cltomo_context *context, size_t count, size_t element_size)
{
    if (element_size != 0 && count > (SIZE_MAX - CLTOMO_ALIGNMENT) / element_size) {
        return NULL;
    }
    size_t size = count * element_size;
    if (size == 0) {
        size = 1; /* NULL must mean failure */
    }
    const cltomo_allocator *allocator = &context->allocator;
    return allocator->allocate(allocator->user, CLTOMO_ALIGNMENT, size);
}

void *cltomo_allocate_zero(const cltomo_context *context, size_t count, size_t element_size)
{
    void *pointer = cltomo_allocate(context, count, element_size);
    if (pointer != NULL) {
        memset(pointer, 0, count * element_size);
    }
    return pointer;
}

void *cltomo_duplicate(
    const cltomo_context *context, const void *data, size_t count, size_t element_size)
{
    void *pointer = cltomo_allocate(context, count, element_size);
    if (pointer != NULL && count * element_size > 0) {
        memcpy(pointer, data, count * element_size);
    }
    return pointer;
}

void cltomo_release(const cltomo_context *context, void *pointer)
{
    if (pointer != NULL) {
        context->allocator.release(context->allocator.user, pointer);
    }
}
