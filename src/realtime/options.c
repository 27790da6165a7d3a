/* The controller's options: defaults and checks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "realtime/realtime.h"

cltomo_controller_options cltomo_controller_options_init(void)
{
    return (cltomo_controller_options){.size = (uint32_t)sizeof(cltomo_controller_options),
        .gain = 1.0F,
        .leak = 1.0F,
        .minimum = -INFINITY,
        .maximum = INFINITY,
        .delay = 1,
        .spin = 2.5e-3};
}

static cltomo_status refuse(
    cltomo_error *error, const char *key, double got, const char *allowed, const char *message)
{
    char value[32];
    (void)snprintf(value, sizeof value, "%g", got);
    return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, key, value, allowed, "%s", message);
}

cltomo_status cltomo_controller_check_gain(float gain, float leak, cltomo_error *error)
{
    if (!isfinite(gain)) {
        return refuse(error, "gain", (double)gain, "a finite number", "wrong gain");
    }
    if (!(leak >= 0.0F && leak <= 1.0F)) {
        return refuse(error, "leak", (double)leak, "0 to 1", "wrong leak");
    }
    return CLTOMO_OK;
}

static cltomo_status check_limits(
    const cltomo_controller_options *own, size_t n, cltomo_error *error)
{
    if (!(own->minimum <= own->maximum)) {
        return refuse(error, "minimum", (double)own->minimum, "up to maximum", "wrong limits");
    }
    for (size_t i = 0; i < n; ++i) {
        float low = own->minimums != NULL ? own->minimums[i] : -INFINITY;
        float high = own->maximums != NULL ? own->maximums[i] : INFINITY;
        if (!(low <= high && low <= own->maximum && high >= own->minimum)) {
            char key[32];
            (void)snprintf(key, sizeof key, "minimums[%zu]", i);
            return refuse(error, key, (double)low, "up to the maximum of that command",
                "no command is within its limits");
        }
    }
    return CLTOMO_OK;
}

static cltomo_status check_offset(const float *offset, size_t n, cltomo_error *error)
{
    for (size_t i = 0; offset != NULL && i < n; ++i) {
        if (!isfinite(offset[i])) {
            char key[32];
            (void)snprintf(key, sizeof key, "offset[%zu]", i);
            return refuse(error, key, (double)offset[i], "a finite number", "wrong slope offset");
        }
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_controller_check_interaction(
    const cltomo_matrix *interaction, size_t n_slopes, size_t n_commands, cltomo_error *error)
{
    if (interaction != NULL && (interaction->rows != n_slopes || interaction->cols != n_commands)) {
        return cltomo_fail(error, CLTOMO_ERROR_SHAPE,
            "the interaction matrix is %zu x %zu, but there are %zu slopes and %zu commands",
            interaction->rows, interaction->cols, n_slopes, n_commands);
    }
    return CLTOMO_OK;
}

static cltomo_status check_execution(const cltomo_controller_options *own, cltomo_error *error)
{
    if (own->delay < 1 || own->delay > CLTOMO_MAX_DELAY) {
        return refuse(error, "delay", own->delay, "1 to 16 frames", "wrong delay");
    }
    if (own->n_threads > 256) {
        return refuse(error, "n_threads", own->n_threads, "0 to 256", "too many threads");
    }
    if (!(own->spin >= 0.0)) {
        return refuse(error, "spin", own->spin, "seconds, 0 or more", "wrong time to spin");
    }
    if (own->n_processors > 0 && own->processors == NULL) {
        return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "processors", "NULL",
            "n_processors numbers", "no list of processors");
    }
    return CLTOMO_OK;
}

cltomo_status cltomo_controller_read_options(cltomo_controller_options *own,
    const cltomo_controller_options *options, size_t n_slopes, size_t n_commands,
    cltomo_error *error)
{
    *own = cltomo_controller_options_init();
    if (options != NULL) {
        if (options->size < sizeof options->size || options->size > sizeof *own) {
            return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "options.size", "",
                "sizeof(cltomo_controller_options)",
                "initialise with cltomo_controller_options_init()");
        }
        memcpy(own, options, options->size);
    }
    cltomo_status status = cltomo_controller_check_gain(own->gain, own->leak, error);
    if (status == CLTOMO_OK) {
        status = check_limits(own, n_commands, error);
    }
    if (status == CLTOMO_OK) {
        status = check_offset(own->offset, n_slopes, error);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_controller_check_interaction(own->interaction, n_slopes, n_commands, error);
    }
    return status == CLTOMO_OK ? check_execution(own, error) : status;
}
