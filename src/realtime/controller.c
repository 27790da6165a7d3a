/* Makes and ends controllers. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/backend.h"
#include "realtime/realtime.h"

/* Bytes of the matrix for each thread below which another does not pay, and the most threads that
 * are used unasked: the memory is then the limit. */
enum { bytes_per_thread = 256 << 10, most_threads_unasked = 8 };

static uint32_t choose_threads(
    const cltomo_context *context, const cltomo_matrix *matrix, uint32_t wanted)
{
    uint32_t most = cltomo_context_threads(context);
    size_t worthwhile = matrix->rows * matrix->cols * sizeof(float) / bytes_per_thread;
    if (wanted > 0) {
        return wanted;
    }
    most = most < most_threads_unasked ? most : most_threads_unasked;
    return worthwhile < 1 ? 1 : worthwhile < most ? (uint32_t)worthwhile : most;
}

/* The copied limits, finite: an overflow stops at the largest number that there is. */
static void set_limits(cltomo_controller *controller, const cltomo_controller_options *options)
{
    for (size_t i = 0; i < controller->n_commands; ++i) {
        float low = options->minimum;
        float high = options->maximum;
        low = options->minimums != NULL ? fmaxf(low, options->minimums[i]) : low;
        high = options->maximums != NULL ? fminf(high, options->maximums[i]) : high;
        controller->lower[i] = fminf(fmaxf(low, -FLT_MAX), FLT_MAX);
        controller->upper[i] = fminf(fmaxf(high, -FLT_MAX), FLT_MAX);
    }
}

static float *vector(cltomo_controller *controller, size_t n, cltomo_status *status)
{
    float *created =
        cltomo_allocate_zero(controller->context, cltomo_vector_room(n), sizeof *created);
    if (created == NULL) {
        *status = CLTOMO_ERROR_MEMORY;
    }
    return created;
}

static cltomo_status create_vectors(
    cltomo_controller *controller, const cltomo_controller_options *options, cltomo_error *error)
{
    size_t n_slopes = controller->n_slopes;
    size_t n_commands = controller->n_commands;
    cltomo_status status = CLTOMO_OK;
    controller->offset = vector(controller, n_slopes, &status);
    controller->e = vector(controller, n_slopes, &status);
    controller->added = vector(controller, n_slopes, &status);
    controller->x = vector(controller, n_commands, &status);
    controller->lower = vector(controller, n_commands, &status);
    controller->upper = vector(controller, n_commands, &status);
    controller->past =
        vector(controller, controller->delay * cltomo_vector_room(n_commands), &status);
    if (status != CLTOMO_OK) {
        return cltomo_fail_memory(error, "the vectors of a real-time loop");
    }
    if (options->offset != NULL) {
        memcpy(controller->offset, options->offset, n_slopes * sizeof(float));
    }
    set_limits(controller, options);
    cltomo_controller_reset(controller, NULL);
    return CLTOMO_OK;
}

static cltomo_status create_plan(cltomo_controller *controller, const cltomo_matrix *matrix,
    const cltomo_controller_options *options, cltomo_error *error)
{
    const cltomo_backend *backend = NULL;
    const cltomo_plan_options plan = {
        .n_threads = choose_threads(controller->context, matrix, options->n_threads),
        .processors = options->processors,
        .n_processors = options->n_processors,
        .spin = options->spin};
    uint64_t bytes = (uint64_t)matrix->rows * matrix->cols * sizeof(float);
    uint64_t copies =
        options->interaction != NULL ? 6 : 3; /* live, staged, left behind; as many D */
    cltomo_status status = cltomo_backend_select(
        controller->context, &backend, CLTOMO_PRECISION_SINGLE, copies * bytes, bytes, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    controller->operations = backend->plan;
    return backend->plan->create(controller->context, &controller->plan, &plan, error);
}

static void set_gain(cltomo_controller *controller, float gain, float leak)
{
    const cltomo_gain_word word = {.value = {gain, leak}};
    atomic_store_explicit(&controller->gain, word.word, memory_order_relaxed);
}

cltomo_status cltomo_controller_create(const cltomo_context *context,
    cltomo_controller **controller, const cltomo_matrix *matrix,
    const cltomo_controller_options *options, cltomo_error *error)
{
    cltomo_controller_options own;
    *controller = NULL;
    cltomo_status status =
        cltomo_controller_read_options(&own, options, matrix->cols, matrix->rows, error);
    if (status != CLTOMO_OK) {
        return status;
    }
    cltomo_controller *created = cltomo_allocate_zero(context, 1, sizeof *created);
    if (created == NULL) {
        return cltomo_fail_memory(error, "a real-time controller");
    }
    (void)pthread_mutex_init(&created->staging, NULL);
    created->context = cltomo_context_retain(context);
    created->kernels = cltomo_loop_kernels_best();
    created->n_slopes = matrix->cols;
    created->n_commands = matrix->rows;
    created->delay = own.delay;
    set_gain(created, own.gain, own.leak);
    status = create_vectors(created, &own, error);
    if (status == CLTOMO_OK) {
        status = create_plan(created, matrix, &own, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_controller_first_matrices(created, matrix, own.interaction, error);
    }
    if (status != CLTOMO_OK) {
        cltomo_controller_destroy(created);
        return status;
    }
    *controller = created;
    return CLTOMO_OK;
}

size_t cltomo_controller_slopes(const cltomo_controller *controller)
{
    return controller->n_slopes;
}

size_t cltomo_controller_commands(const cltomo_controller *controller)
{
    return controller->n_commands;
}

uint32_t cltomo_controller_threads(const cltomo_controller *controller)
{
    return controller->operations->threads(controller->plan);
}

cltomo_status cltomo_controller_set_gain(
    cltomo_controller *controller, float gain, float leak, cltomo_error *error)
{
    cltomo_status status = cltomo_controller_check_gain(gain, leak, error);
    if (status == CLTOMO_OK) {
        set_gain(controller, gain, leak);
    }
    return status;
}

void cltomo_controller_get_counters(
    const cltomo_controller *controller, cltomo_controller_counters *counters)
{
    *counters = (cltomo_controller_counters){
        .swaps = atomic_load_explicit(&controller->swaps, memory_order_acquire),
        .frames = atomic_load_explicit(&controller->frames, memory_order_relaxed),
        .nonfinite_slopes =
            atomic_load_explicit(&controller->nonfinite_slopes, memory_order_relaxed),
        .overflows = atomic_load_explicit(&controller->overflows, memory_order_relaxed),
        .clipped = atomic_load_explicit(&controller->clipped, memory_order_relaxed)};
}

void cltomo_controller_destroy(cltomo_controller *controller)
{
    if (controller == NULL) {
        return;
    }
    const cltomo_context *context = controller->context;
    if (controller->plan != NULL) {
        cltomo_controller_release_matrices(controller);
        controller->operations->destroy(controller->plan);
    }
    (void)pthread_mutex_destroy(&controller->staging);
    cltomo_release(context, controller->offset);
    cltomo_release(context, controller->e);
    cltomo_release(context, controller->added);
    cltomo_release(context, controller->x);
    cltomo_release(context, controller->lower);
    cltomo_release(context, controller->upper);
    cltomo_release(context, controller->past);
    cltomo_release(context, controller);
    cltomo_context_release(context);
}
