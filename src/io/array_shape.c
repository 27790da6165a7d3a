/* The shape that a file says its array has. */
#include <inttypes.h>
#include <stdio.h>

#include "io/io.h"

static uint64_t multiply_saturated(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

uint64_t cltomo_array_elements(const cltomo_array_shape *shape)
{
    return multiply_saturated(multiply_saturated(shape->planes, shape->rows), shape->cols);
}

const char *cltomo_array_text(char text[CLTOMO_SHAPE_TEXT], const cltomo_array_shape *shape)
{
    const uint64_t axes[] = {shape->planes, shape->rows, shape->cols};
    int length = 0;
    for (size_t i = CLTOMO_MAX_DIMENSIONS - shape->n_dimensions; i < CLTOMO_MAX_DIMENSIONS; ++i) {
        length += snprintf(text + length, CLTOMO_SHAPE_TEXT - (size_t)length, "%s%" PRIu64,
            length > 0 ? " x " : "", axes[i]);
    }
    return text;
}

cltomo_status cltomo_array_shape_set(cltomo_array_shape *shape, cltomo_precision precision,
    size_t n_dimensions, const uint64_t *axes, const char *path, cltomo_error *error)
{
    char text[CLTOMO_SHAPE_TEXT];
    if (n_dimensions < 1 || n_dimensions > CLTOMO_MAX_DIMENSIONS) {
        return cltomo_fail_file(error, CLTOMO_ERROR_SHAPE, path,
            "the array has %zu dimensions, not 1 to %d", n_dimensions, CLTOMO_MAX_DIMENSIONS);
    }
    *shape = (cltomo_array_shape){.precision = precision,
        .n_dimensions = n_dimensions,
        .planes = n_dimensions > 2 ? axes[0] : 1,
        .rows = n_dimensions > 1 ? axes[n_dimensions - 2] : 1,
        .cols = axes[n_dimensions - 1]};
    if (cltomo_array_elements(shape) == 0) {
        return cltomo_fail_file(error, CLTOMO_ERROR_SHAPE, path, "the array is empty (%s)",
            cltomo_array_text(text, shape));
    }
    return CLTOMO_OK;
}
