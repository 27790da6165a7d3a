/* Any bytes as a system description: whatever they are, the library answers with a system whose
 * numbers are sound or with an error that says what is wrong. A target for libFuzzer, also driven
 * by mutate.c. */
#include <cltomo/system.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program, which is how a fuzzer learns of a finding. */
static void require(int condition)
{
    if (!condition) {
        abort();
    }
}

static void check_array(const double *values, size_t n)
{
    require(values != NULL);
    for (size_t i = 0; i < n; ++i) {
        require(isfinite(values[i]));
    }
}

static void check_map(const uint8_t *map, size_t n)
{
    size_t valid = 0;
    for (size_t i = 0; i < n * n; ++i) {
        require(map[i] <= 1);
        valid += map[i];
    }
    require(valid > 0);
}

static void check_system(const cltomo_context *context, const cltomo_system *system)
{
    const cltomo_system_description *d = cltomo_system_get_description(system);
    double sum = 0.0;
    check_array(&d->telescope_diameter, 1);
    check_array(&d->r0, 1);
    check_array(&d->L0, 1);
    check_array(d->guide_star_x, d->n_wfs);
    check_array(d->guide_star_y, d->n_wfs);
    check_array(d->wfs_rotation, d->n_wfs);
    check_array(d->wfs_offset_x, d->n_wfs);
    check_array(d->wfs_offset_y, d->n_wfs);
    check_array(d->layer_altitude, d->n_layers);
    check_array(d->layer_fraction, d->n_layers);
    check_map(d->valid_lenslets, d->n_lenslets);
    if (d->n_actuators > 0) {
        check_map(d->valid_actuators, d->n_actuators);
    }
    require(cos(d->zenith_angle) > 0.0);
    for (uint32_t i = 0; i < d->n_layers; ++i) {
        sum += d->layer_fraction[i];
        require(d->layer_fraction[i] == 0.0 || d->layer_altitude[i] < d->guide_star_height);
    }
    require(fabs(sum - 1.0) < 1e-11);

    /* What a system holds makes an equal system. */
    cltomo_system *again = NULL;
    require(cltomo_system_create(context, &again, NULL, d, NULL) == CLTOMO_OK);
    require(cltomo_system_hash(again) == cltomo_system_hash(system));
    cltomo_system_destroy(again);
}

static void check_refusal(
    cltomo_status status, const cltomo_diagnostics *diagnostics, const cltomo_error *error)
{
    char text[2048];
    require(status == CLTOMO_ERROR_CONFIG || status == CLTOMO_ERROR_PARSE);
    require(error->status == status && error->severity == CLTOMO_SEVERITY_ERROR);
    require(error->message[0] != '\0');
    require(cltomo_diagnostics_count_severity(diagnostics, CLTOMO_SEVERITY_ERROR) > 0);
    for (size_t i = 0; i < cltomo_diagnostics_count(diagnostics); ++i) {
        int length = cltomo_error_format(text, sizeof text, cltomo_diagnostics_get(diagnostics, i));
        require(length > 0 && (size_t)length < sizeof text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cltomo_context *context = NULL;
    cltomo_system *system = NULL;
    cltomo_diagnostics *diagnostics = NULL;
    cltomo_error error;
    require(cltomo_context_create(&context, NULL, NULL) == CLTOMO_OK);
    cltomo_status status = cltomo_system_parse(
        context, &system, &diagnostics, size > 0 ? (const char *)data : "", size, "input", &error);
    require((status == CLTOMO_OK) == (system != NULL));
    if (system != NULL) {
        check_system(context, system);
    } else {
        check_refusal(status, diagnostics, &error);
    }
    cltomo_system_destroy(system);
    cltomo_diagnostics_destroy(diagnostics);
    cltomo_context_destroy(context);
    return 0;
}
