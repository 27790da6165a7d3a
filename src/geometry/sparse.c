#include "geometry/sparse.h"

#include <string.h>

void cltomo_sparse_release(const cltomo_context *context, cltomo_owned_sparse *owned)
{
    cltomo_release(context, owned->row_start);
    cltomo_release(context, owned->column);
    cltomo_release(context, owned->value);
    *owned = (cltomo_owned_sparse){.row_start = NULL};
}

/* Fills the rows of the transpose. Each row_start moves to its row's end, which is where the next
 * row starts. */
static void scatter(cltomo_owned_sparse *t, const cltomo_sparse *a)
{
    for (size_t i = 0; i < a->rows; ++i) {
        for (size_t k = a->row_start[i]; k < a->row_start[i + 1]; ++k) {
            size_t place = t->row_start[a->column[k]]++;
            t->column[place] = (uint32_t)i;
            t->value[place] = a->value[k];
        }
    }
    memmove(&t->row_start[1], t->row_start, a->cols * sizeof *t->row_start);
    t->row_start[0] = 0;
}

cltomo_status cltomo_sparse_transpose(const cltomo_context *context,
    cltomo_owned_sparse *transposed, const cltomo_sparse *a, cltomo_error *error)
{
    size_t n = a->row_start[a->rows];
    cltomo_owned_sparse t = {
        .row_start = cltomo_allocate_zero(context, a->cols + 1, sizeof(size_t)),
        .column = cltomo_allocate(context, n, sizeof(uint32_t)),
        .value = cltomo_allocate(context, n, sizeof(double))};
    if (t.row_start == NULL || t.column == NULL || t.value == NULL) {
        cltomo_sparse_release(context, &t);
        return cltomo_fail_memory(error, "the transpose of a sparse matrix");
    }
    for (size_t k = 0; k < n; ++k) {
        ++t.row_start[a->column[k] + 1];
    }
    for (size_t i = 0; i < a->cols; ++i) {
        t.row_start[i + 1] += t.row_start[i];
    }
    scatter(&t, a);
    t.matrix = (cltomo_sparse){.rows = a->cols,
        .cols = a->rows,
        .row_start = t.row_start,
        .column = t.column,
        .value = t.value};
    *transposed = t;
    return CLTOMO_OK;
}
