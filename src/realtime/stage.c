/* Replaces the matrices of a running loop. One word holds the matrix that waits, and with it the
 * interaction matrix; others put it there and the loop takes it away, each by an exchange. What the
 * loop leaves behind goes to a list that it alone adds to, and that others only ever take as a
 * whole. So the loop waits for nobody. Others exclude each other for the moments in which they hand
 * over and release, so that each matrix goes with the newest interaction matrix. */
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

static cltomo_status prepare(cltomo_controller *controller, cltomo_prepared **prepared,
    const cltomo_matrix *matrix, cltomo_error *error)
{
    cltomo_status status = check_range(matrix, error);
    return status == CLTOMO_OK
               ? controller->operations->prepare(controller->plan, prepared, matrix, error)
               : status;
}

static cltomo_status create_matrix(cltomo_controller *controller, cltomo_live_matrix **live,
    const cltomo_matrix *matrix, cltomo_error *error)
{
    cltomo_live_matrix *created = cltomo_allocate_zero(controller->context, 1, sizeof *created);
    *live = NULL;
    if (created == NULL) {
        return cltomo_fail_memory(error, "a matrix of the real-time loop");
    }
    cltomo_status status = prepare(controller, &created->prepared, matrix, error);
    if (status != CLTOMO_OK) {
        cltomo_release(controller->context, created);
        return status;
    }
    *live = created;
    return CLTOMO_OK;
}

/* A matrix of NULL gives none. The caller is its first user. */
static cltomo_status create_interaction(cltomo_controller *controller,
    cltomo_live_interaction **interaction, const cltomo_matrix *matrix, cltomo_error *error)
{
    *interaction = NULL;
    if (matrix == NULL) {
        return CLTOMO_OK;
    }
    cltomo_live_interaction *created =
        cltomo_allocate_zero(controller->context, 1, sizeof *created);
    if (created == NULL) {
        return cltomo_fail_memory(error, "an interaction matrix of the real-time loop");
    }
    cltomo_status status = prepare(controller, &created->prepared, matrix, error);
    if (status != CLTOMO_OK) {
        cltomo_release(controller->context, created);
        return status;
    }
    created->n_users = 1;
    *interaction = created;
    return CLTOMO_OK;
}

static void drop_interaction(cltomo_controller *controller, cltomo_live_interaction *interaction)
{
    if (interaction != NULL && --interaction->n_users == 0) {
        controller->operations->release(controller->plan, interaction->prepared);
        cltomo_release(controller->context, interaction);
    }
}

static void use_newest_interaction(cltomo_controller *controller, cltomo_live_matrix *matrix)
{
    matrix->interaction = controller->newest;
    if (matrix->interaction != NULL) {
        ++matrix->interaction->n_users;
    }
}

/* A matrix and those after it in the list; accepts NULL. */
static void release_list(cltomo_controller *controller, cltomo_live_matrix *first)
{
    while (first != NULL) {
        cltomo_live_matrix *next = first->next;
        drop_interaction(controller, first->interaction);
        controller->operations->release(controller->plan, first->prepared);
        cltomo_release(controller->context, first);
        first = next;
    }
}

cltomo_status cltomo_controller_first_matrices(cltomo_controller *controller,
    const cltomo_matrix *matrix, const cltomo_matrix *interaction, cltomo_error *error)
{
    cltomo_status status = create_matrix(controller, &controller->live, matrix, error);
    if (status == CLTOMO_OK) {
        status = create_interaction(controller, &controller->newest, interaction, error);
    }
    if (status == CLTOMO_OK) {
        use_newest_interaction(controller, controller->live);
    }
    return status;
}

void cltomo_controller_release_matrices(cltomo_controller *controller)
{
    release_list(controller, controller->live);
    release_list(controller, atomic_load_explicit(&controller->staged, memory_order_acquire));
    release_list(controller, atomic_load_explicit(&controller->left, memory_order_acquire));
    drop_interaction(controller, controller->newest);
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

static cltomo_status check_shape(
    const cltomo_controller *controller, const cltomo_matrix *matrix, cltomo_error *error)
{
    if (matrix->rows != controller->n_commands || matrix->cols != controller->n_slopes) {
        return cltomo_fail(error, CLTOMO_ERROR_SHAPE,
            "a %zu x %zu matrix cannot replace one of %zu x %zu", matrix->rows, matrix->cols,
            controller->n_commands, controller->n_slopes);
    }
    return CLTOMO_OK;
}

static void release_left(cltomo_controller *controller)
{
    (void)pthread_mutex_lock(&controller->staging);
    release_list(
        controller, atomic_exchange_explicit(&controller->left, NULL, memory_order_acquire));
    (void)pthread_mutex_unlock(&controller->staging);
}

/* With *interaction as the newest from now on, or with the newest if interaction is NULL. */
static void hand_over(cltomo_controller *controller, cltomo_live_matrix *matrix,
    cltomo_live_interaction *const *interaction)
{
    (void)pthread_mutex_lock(&controller->staging);
    if (interaction != NULL) {
        drop_interaction(controller, controller->newest);
        controller->newest = *interaction;
    }
    use_newest_interaction(controller, matrix);
    release_list(
        controller, atomic_exchange_explicit(&controller->staged, matrix, memory_order_acq_rel));
    (void)pthread_mutex_unlock(&controller->staging);
}

cltomo_status cltomo_controller_stage(
    cltomo_controller *controller, const cltomo_matrix *matrix, cltomo_error *error)
{
    cltomo_live_matrix *created = NULL;
    cltomo_status status = check_shape(controller, matrix, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    release_left(controller);
    status = create_matrix(controller, &created, matrix, error);
    if (status == CLTOMO_OK) {
        hand_over(controller, created, NULL);
    }
    return status;
}

cltomo_status cltomo_controller_stage_with_interaction(cltomo_controller *controller,
    const cltomo_matrix *matrix, const cltomo_matrix *interaction, cltomo_error *error)
{
    cltomo_live_matrix *created = NULL;
    cltomo_live_interaction *d = NULL;
    cltomo_status status = check_shape(controller, matrix, error);
    if (status == CLTOMO_OK) {
        status = cltomo_controller_check_interaction(
            interaction, controller->n_slopes, controller->n_commands, error);
    }
    if (status != CLTOMO_OK) {
        return status;
    }
    release_left(controller);
    status = create_interaction(controller, &d, interaction, error);
    if (status == CLTOMO_OK) {
        status = create_matrix(controller, &created, matrix, error);
    }
    if (status != CLTOMO_OK) {
        drop_interaction(controller, d);
        return status;
    }
    hand_over(controller, created, &d);
    return CLTOMO_OK;
}
