/* Replaces the matrix of a running loop. One word holds the matrix that waits; others put it there
 * and the loop takes it away, each by an exchange. What the loop leaves behind goes to a list that
 * it alone adds to, and that others only ever take as a whole. So nobody waits for anybody. */
#include <float.h>
#include <math.h>

#include "realtime/realtime.h"

/* A double may overflow on its way to single precision. */
static cltomo_status check_range(const cltomo_matrix *matrix, cltomo_error *error)
{
    size_t n = matrix->rows * matrix->cols;
    for (size_t i = 0; matrix->precision == CLTOMO_PRECISION_DOUBLE && i < n; ++i) {
        if (!(fabs(matrix->data.f64[i]) <= (double)FLT_MAX)) {
            return cltomo_fail(error, CLTOMO_ERROR_NOT_FINITE,
                "element [%zu][%zu] of the matrix is too large for single precision",
                i / matrix->cols, i % matrix->cols);
        }
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_live_matrix_create(cltomo_controller *controller, cltomo_live_matrix **live,
    const cltomo_matrix *matrix, cltomo_error *error)
{
    *live = NULL;
    cltomo_status status = check_range(matrix, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    cltomo_live_matrix *created = cltomo_allocate_zero(controller->context, 1, sizeof *created);
    if (created == NULL) {
        return cltomo_fail_memory(error, "a matrix of the real-time loop");
    }
    status = controller->operations->prepare(controller->plan, &created->prepared, matrix, error);
    if (status != CLTOMO_OK) {
        cltomo_release(controller->context, created);
        return status;
    }
    *live = created;
    return CLTOMO_OK;
}

void cltomo_live_matrices_release(cltomo_controller *controller, cltomo_live_matrix *first)
{
    while (first != NULL) {
        cltomo_live_matrix *next = first->next;
        controller->operations->release(controller->plan, first->prepared);
        cltomo_release(controller->context, first);
        first = next;
    }
}

void cltomo_controller_take_staged(cltomo_controller *controller)
{
    if (atomic_load_explicit(&controller->staged, memory_order_relaxed) == NULL) {
        return;
    }
    cltomo_live_matrix *taken =
        atomic_exchange_explicit(&controller->staged, NULL, memory_order_acquire);
    if (taken == NULL) {
        return;
    }
    cltomo_live_matrix *old = controller->live;
    controller->live = taken;
    /* Once the list is taken away, nobody else touches the word until a list is there again. */
    old->next = atomic_exchange_explicit(&controller->left, NULL, memory_order_acquire);
    atomic_store_explicit(&controller->left, old, memory_order_release);
    uint64_t swaps = atomic_load_explicit(&controller->swaps, memory_order_relaxed);
    atomic_store_explicit(&controller->swaps, swaps + 1, memory_order_release);
}

cltomo_status cltomo_controller_stage(
    cltomo_controller *controller, const cltomo_matrix *matrix, cltomo_error *error)
{
    cltomo_live_matrix *created = NULL;
    if (matrix->rows != controller->n_commands || matrix->cols != controller->n_slopes) {
        return cltomo_fail(error, CLTOMO_ERROR_SHAPE,
            "a %zu x %zu matrix cannot replace one of %zu x %zu", matrix->rows, matrix->cols,
            controller->n_commands, controller->n_slopes);
    }
    cltomo_live_matrices_release(
        controller, atomic_exchange_explicit(&controller->left, NULL, memory_order_acquire));
    cltomo_status status = cltomo_live_matrix_create(controller, &created, matrix, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    cltomo_live_matrices_release(
        controller, atomic_exchange_explicit(&controller->staged, created, memory_order_acq_rel));
    return CLTOMO_OK;
}
