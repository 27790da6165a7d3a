/* Sparse matrices that a function makes for itself. */
#ifndef CLTOMO_GEOMETRY_SPARSE_H
#define CLTOMO_GEOMETRY_SPARSE_H

#include "core/core.h"

typedef struct cltomo_owned_sparse {
    cltomo_sparse matrix; /* points to the arrays below */
    size_t *row_start;
    uint32_t *column;
    double *value;
} cltomo_owned_sparse;

/* Release with cltomo_sparse_release. */
cltomo_status cltomo_sparse_transpose(const cltomo_context *context,
    cltomo_owned_sparse *transposed, const cltomo_sparse *a, cltomo_error *error);
void cltomo_sparse_release(const cltomo_context *context, cltomo_owned_sparse *owned);

#endif
