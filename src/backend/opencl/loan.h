/* Arrays lent to the host: mapped where they lie over host memory, else copied there and back. */
#ifndef CLTOMO_BACKEND_OPENCL_LOAN_H
#define CLTOMO_BACKEND_OPENCL_LOAN_H

#include "backend/opencl/opencl.h"

typedef struct cltomo_cl_loan {
    cltomo_array *array;   /* NULL: none */
    cltomo_matrix *matrix; /* what the host works on, until it is given back */
    bool is_output;        /* else the host does not write to it */
} cltomo_cl_loan;

cltomo_status cltomo_opencl_borrow(const cltomo_context *context, cltomo_cl_loan *loan,
    const cltomo_array *array, bool is_output, cltomo_error *error);

/* Ends a loan, also an empty one; outputs are copied back if all went well so far. Returns status,
 * or the failure of giving back, for which alone *error is filled. */
cltomo_status cltomo_opencl_give_back(
    const cltomo_context *context, cltomo_cl_loan *loan, cltomo_status status, cltomo_error *error);

#endif
