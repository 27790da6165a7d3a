/* What the loop's thread does. [rt]: nothing in cltomo_controller_apply and what it calls
 * allocates, locks, logs, or asks the operating system for anything, on the C path. */
#include <math.h>
#include <string.h>

#include "realtime/realtime.h"

/* Counters have one writer, so a plain sum does. */
static void count(_Atomic uint64_t *counter, size_t n)
{
    uint64_t before = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, before + n, memory_order_relaxed);
}

static cltomo_command_filter current_filter(const cltomo_controller *controller)
{
    const cltomo_gain_word now = {
        .word = atomic_load_explicit(&controller->gain, memory_order_relaxed)};
    return (cltomo_command_filter){.keep = 1.0F - now.value.leak, .gain = now.value.gain};
}

static float *past_commands(const cltomo_controller *controller, size_t row)
{
    return controller->past + row * cltomo_vector_room(controller->n_commands);
}

static void take_slopes(cltomo_controller *controller, float *e, const float *slopes)
{
    size_t bad =
        controller->kernels->subtract_offset(e, slopes, controller->offset, controller->n_slopes);
    if (bad > 0) {
        count(&controller->nonfinite_slopes, bad);
    }
}

static void filter(cltomo_controller *controller, float *out, const float *before, const float *x,
    cltomo_command_filter how)
{
    cltomo_command_counts counts = controller->kernels->filter(
        out, before, x, controller->lower, controller->upper, controller->n_commands, how);
    if (counts.overflows > 0) {
        count(&controller->overflows, counts.overflows);
    }
    if (counts.clipped > 0) {
        count(&controller->clipped, counts.clipped);
    }
}

/* x = M p */
static cltomo_status multiply(cltomo_controller *controller, cltomo_error *error)
{
    const cltomo_plan_operations *operations = controller->operations;
    const cltomo_live_interaction *interaction = controller->live->interaction;
    if (interaction != NULL) {
        cltomo_status status = operations->execute(controller->plan, interaction->prepared,
            controller->added, past_commands(controller, controller->past_row), error);
        if (status != CLTOMO_OK) {
            return status;
        }
        controller->kernels->subtract(controller->e, controller->added, controller->n_slopes);
    }
    return operations->execute(
        controller->plan, controller->live->prepared, controller->x, controller->e, error);
}

cltomo_status cltomo_controller_apply(
    cltomo_controller *controller, float *commands, const float *slopes, cltomo_error *error)
{
    cltomo_controller_take_staged(controller);
    take_slopes(controller, controller->e, slopes);
    const float *before = past_commands(controller, controller->last_row);
    float *now = past_commands(controller, controller->past_row);
    cltomo_status status = multiply(controller, error);
    count(&controller->frames, 1);
    if (status != CLTOMO_OK) {
        memcpy(commands, before, controller->n_commands * sizeof *commands);
        return status;
    }
    filter(controller, now, before, controller->x, current_filter(controller));
    memcpy(commands, now, controller->n_commands * sizeof *commands);
    controller->last_row = controller->past_row;
    controller->past_row = (controller->past_row + 1) % controller->delay;
    return CLTOMO_OK;
}

void cltomo_controller_reset(cltomo_controller *controller, const float *commands)
{
    float *x = controller->x;
    const cltomo_command_filter as_is = {.keep = 0.0F, .gain = 1.0F};
    for (size_t i = 0; i < controller->n_commands; ++i) {
        x[i] = commands != NULL && isfinite(commands[i]) ? commands[i] : 0.0F;
    }
    for (size_t row = 0; row < controller->delay; ++row) {
        float *past = past_commands(controller, row);
        (void)controller->kernels->filter(
            past, past, x, controller->lower, controller->upper, controller->n_commands, as_is);
    }
}

/* e, x: room for the slopes and the products of all vectors. */
static cltomo_status apply_batch(cltomo_controller *controller, float *commands,
    const float *slopes, size_t n_vectors, float *e, float *x, cltomo_error *error)
{
    size_t room = cltomo_vector_room(controller->n_slopes);
    for (size_t i = 0; i < n_vectors; ++i) {
        take_slopes(controller, e + i * room, slopes + i * controller->n_slopes);
    }
    cltomo_status status = controller->operations->execute_many(
        controller->plan, controller->live->prepared, x, e, n_vectors, error);
    const cltomo_command_filter how = {.keep = 0.0F, .gain = current_filter(controller).gain};
    const float *before = past_commands(controller, 0); /* takes no part */
    for (size_t i = 0; i < n_vectors && status == CLTOMO_OK; ++i) {
        size_t place = i * controller->n_commands;
        filter(controller, commands + place, before, x + place, how);
    }
    return status;
}

cltomo_status cltomo_controller_apply_batch(cltomo_controller *controller, float *commands,
    const float *slopes, size_t n_vectors, cltomo_error *error)
{
    size_t room = cltomo_vector_room(controller->n_slopes);
    size_t widest = room > controller->n_commands ? room : controller->n_commands;
    float *e = NULL;
    float *x = NULL;
    cltomo_controller_take_staged(controller);
    if (n_vectors == 0) {
        return CLTOMO_OK;
    }
    if (n_vectors <= SIZE_MAX / widest) {
        e = cltomo_allocate_zero(controller->context, n_vectors * room, sizeof *e);
        x = cltomo_allocate(controller->context, n_vectors * controller->n_commands, sizeof *x);
    }
    cltomo_status status = CLTOMO_OK;
    if (e == NULL || x == NULL) {
        status = cltomo_fail_memory(error, "a batch of slopes");
    } else {
        status = apply_batch(controller, commands, slopes, n_vectors, e, x, error);
    }
    cltomo_release(controller->context, e);
    cltomo_release(controller->context, x);
    return status;
}
