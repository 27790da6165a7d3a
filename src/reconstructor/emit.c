/* From the backend's arrays to products. */
#include <string.h>

#include "reconstructor/builder.h"

static cltomo_status order(
    const cltomo_builder *b, cltomo_matrix **matrix, bool square, cltomo_error *error)
{
    if (b->permutation == NULL) {
        return CLTOMO_OK;
    }
    return b->n_wanted_slopes < b->geometry->n_slopes
               ? cltomo_pick_slopes(matrix, b->permutation, b->n_wanted_slopes, square, error)
               : cltomo_order_slopes(*matrix, b->permutation, square, error);
}

static void mask_actuators(const cltomo_builder *b, cltomo_matrix *command)
{
    size_t row_size = command->cols * cltomo_precision_size(command->precision);
    unsigned char *data = command->data.raw;
    for (size_t i = 0; i < b->out->options.n_masked_actuators; ++i) {
        memset(&data[b->out->options.masked_actuators[i] * row_size], 0, row_size);
    }
}

/* Makes rows a product, or copies them into the product, which is there after the first ones. */
static cltomo_status keep(cltomo_builder *b, cltomo_matrix **rows, cltomo_product product,
    size_t first_row, cltomo_error *error)
{
    cltomo_matrix **whole = &b->out->matrix[cltomo_product_bit(product)];
    const cltomo_matrix *part = *rows;
    const cltomo_shape shape = cltomo_reconstructor_shape(b->out, product);
    size_t n_rows = shape.planes > 0 ? shape.planes * shape.rows : shape.rows;
    if (part->rows == n_rows) {
        *whole = *rows;
        *rows = NULL;
        return CLTOMO_OK;
    }
    cltomo_status status = CLTOMO_OK;
    if (*whole == NULL) {
        status =
            cltomo_matrix_allocate(b->context, whole, part->precision, n_rows, part->cols, error);
    }
    if (status == CLTOMO_OK) {
        size_t row_size = part->cols * cltomo_precision_size(part->precision);
        unsigned char *to = (*whole)->data.raw;
        memcpy(&to[first_row * row_size], part->data.raw, part->rows * row_size);
    }
    return status;
}

static cltomo_status hand_over(cltomo_builder *b, const cltomo_matrix *rows, cltomo_product product,
    size_t first_row, cltomo_error *error)
{
    const cltomo_build_options *o = &b->out->options;
    cltomo_builder_begin_stage(b);
    cltomo_status status = o->row_sink(o->row_sink_user, b->out, product, first_row, rows, error);
    cltomo_builder_end_stage(b, "writing rows");
    return status;
}

cltomo_status cltomo_builder_emit(cltomo_builder *b, cltomo_array **array, cltomo_product product,
    size_t first_row, cltomo_error *error)
{
    bool is_square = product == CLTOMO_PRODUCT_C_SS;
    bool is_kept = is_square || b->out->options.row_sink == NULL;
    cltomo_matrix *rows = NULL;
    cltomo_builder_begin_stage(b);
    cltomo_status status = b->backend->download(b->context, &rows, array, error);
    if (status == CLTOMO_OK) {
        status = order(b, &rows, is_square, error);
    }
    if (status == CLTOMO_OK && product == CLTOMO_PRODUCT_FR) {
        mask_actuators(b, rows);
    }
    if (status == CLTOMO_OK && is_kept) {
        status = keep(b, &rows, product, first_row, error);
    }
    cltomo_builder_end_stage(b, "ordering and checks");
    if (status == CLTOMO_OK && !is_kept) {
        status = hand_over(b, rows, product, first_row, error);
    }
    cltomo_matrix_destroy(rows);
    return status;
}

cltomo_status cltomo_builder_emit_copy(cltomo_builder *b, const cltomo_array *array,
    cltomo_product product, size_t first_row, cltomo_error *error)
{
    cltomo_array *copy = NULL;
    cltomo_status status = b->backend->array_copy(b->context, &copy, array, error);
    return status == CLTOMO_OK ? cltomo_builder_emit(b, &copy, product, first_row, error) : status;
}
