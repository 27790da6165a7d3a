/* The self-test of `cltomo devices --check`: one small system, built on everything. */
#include <cltomo/reconstructor.h>
#include <math.h>
#include <string.h>

#include "bench.h"
#include "devices.h"

/* Largest relative difference of R. Those of a device are to the C path in the same way of
 * evaluating the covariances, that of the C path is to the covariances point by point. */
static const double double_limit = 1e-12;
static const double single_limit = 1e-5;
static const double evaluation_limit = 1e-10;

/* ---- the system ---------------------------------------------------------------------------- */

/* Nothing is symmetric, so that transposed or mirrored results show. Two sensors are turned alike
 * and one is not: every way to evaluate covariances has its part. */
static cltomo_status create_system(
    const cltomo_context *context, cltomo_system **system, cltomo_error *error)
{
    static const uint8_t lenslets[] = {
        0, 1, 1, 1, 0, 0, /* row by row */
        1, 1, 1, 1, 1, 0, /**/
        1, 1, 0, 1, 1, 1, /**/
        1, 1, 1, 1, 1, 1, /**/
        0, 1, 1, 1, 1, 0, /**/
        0, 0, 1, 0, 0, 0, /**/
    };
    static const double rotation[] = {0.0, 0.0, 0.15};
    static const double offset_x[] = {0.011, -0.006, 0.02};
    static const double offset_y[] = {-0.004, 0.013, 0.001};
    static const double star_x[] = {1.1e-4, -7e-5, -2e-5};
    static const double star_y[] = {3e-5, 8e-5, -1.2e-4};
    static const double altitude[] = {0.0, 4300.0, 11800.0};
    static const double fraction[] = {0.55, 0.27, 0.18};
    cltomo_system_description d = cltomo_system_description_init();
    d.telescope_diameter = 4.2;
    d.n_lenslets = 6;
    d.valid_lenslets = lenslets;
    d.n_wfs = 3;
    d.wfs_rotation = rotation;
    d.wfs_offset_x = offset_x;
    d.wfs_offset_y = offset_y;
    d.guide_star_x = star_x;
    d.guide_star_y = star_y;
    d.guide_star_wavelength = 589e-9;
    d.guide_star_height = 90e3;
    d.zenith_angle = 0.6;
    d.r0 = 0.14;
    d.L0 = 24.0;
    d.n_layers = 3;
    d.layer_altitude = altitude;
    d.layer_fraction = fraction;
    d.n_directions_across = 2;
    d.field_of_view = 1e-4;
    return cltomo_system_create(context, system, NULL, &d, error);
}

/* ---- comparing ----------------------------------------------------------------------------- */

static double difference(
    const cltomo_reconstructor *reconstructor, const cltomo_reconstructor *reference)
{
    return bench_relative_difference(cltomo_reconstructor_matrix(reconstructor, CLTOMO_PRODUCT_R),
        cltomo_reconstructor_matrix(reference, CLTOMO_PRODUCT_R));
}

static cltomo_status build(const cltomo_context *context, cltomo_reconstructor **reconstructor,
    const cltomo_system *system, cltomo_precision precision, cltomo_evaluation evaluation,
    cltomo_error *error)
{
    cltomo_build_options options = cltomo_build_options_init();
    options.products = CLTOMO_PRODUCT_R;
    options.precision = precision;
    options.evaluation = evaluation;
    return cltomo_reconstructor_build(context, reconstructor, system, &options, error);
}

/* Builds and compares; failing is a result as well. */
static void check_precision(devices_report *report, const cltomo_device *device,
    const cltomo_context *context, const cltomo_system *system,
    const cltomo_reconstructor *reference, cltomo_precision precision, double limit)
{
    device_check *check = &report->check[report->n_checks++];
    cltomo_reconstructor *reconstructor = NULL;
    cltomo_error error = {0};
    *check = (device_check){
        .device = device, .precision = precision, .difference = (double)NAN, .limit = limit};
    if (build(context, &reconstructor, system, precision, CLTOMO_EVALUATION_AUTO, &error) !=
        CLTOMO_OK) {
        (void)snprintf(check->message, sizeof check->message, "%s", error.message);
        return;
    }
    check->difference = difference(reconstructor, reference);
    check->passed = check->difference <= limit;
    cltomo_reconstructor_destroy(reconstructor);
}

static void check_device(devices_report *report, const cltomo_device *device,
    const cltomo_system *system, const cltomo_reconstructor *reference)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    cltomo_error error = {0};
    char number[32];
    (void)snprintf(number, sizeof number, "%u:%u", (unsigned)device->platform_index,
        (unsigned)device->device_index);
    options.backend = CLTOMO_BACKEND_OPENCL;
    options.device = number;
    if (cltomo_context_create(&context, &options, &error) != CLTOMO_OK) {
        device_check *check = &report->check[report->n_checks++];
        *check = (device_check){.device = device,
            .precision = CLTOMO_PRECISION_SINGLE,
            .difference = (double)NAN,
            .limit = single_limit};
        (void)snprintf(check->message, sizeof check->message, "%s", error.message);
        return;
    }
    if (device->has_double) {
        check_precision(
            report, device, context, system, reference, CLTOMO_PRECISION_DOUBLE, double_limit);
    }
    check_precision(
        report, device, context, system, reference, CLTOMO_PRECISION_SINGLE, single_limit);
    cltomo_context_destroy(context);
}

bool devices_check_all(devices_report *report, const cltomo_context *reference, cltomo_error *error)
{
    cltomo_system *system = NULL;
    cltomo_reconstructor *direct = NULL;
    cltomo_reconstructor *automatic = NULL;
    cltomo_status status = create_system(reference, &system, error);
    if (status == CLTOMO_OK) {
        status = build(
            reference, &direct, system, CLTOMO_PRECISION_DOUBLE, CLTOMO_EVALUATION_DIRECT, error);
    }
    if (status == CLTOMO_OK) {
        status = build(
            reference, &automatic, system, CLTOMO_PRECISION_DOUBLE, CLTOMO_EVALUATION_AUTO, error);
    }
    if (status == CLTOMO_OK) {
        check_precision(
            report, NULL, reference, system, direct, CLTOMO_PRECISION_DOUBLE, evaluation_limit);
        check_precision(
            report, NULL, reference, system, automatic, CLTOMO_PRECISION_SINGLE, single_limit);
        for (size_t i = 0; i < report->n_devices; ++i) {
            check_device(report, &report->device[i], system, automatic);
        }
    }
    cltomo_reconstructor_destroy(automatic);
    cltomo_reconstructor_destroy(direct);
    cltomo_system_destroy(system);
    return status == CLTOMO_OK;
}
