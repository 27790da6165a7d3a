/* How the covariances of a build were evaluated, and why not more cheaply. */
#include "build.h"

#include <inttypes.h>
#include <string.h>

/* ---- for people ---------------------------------------------------------------------------- */

/* Reasons, each once. */
typedef struct reason_list {
    const char *text[4];
    size_t n;
} reason_list;

static void add_reason(reason_list *list, const char *reason)
{
    if (reason == NULL || list->n == sizeof list->text / sizeof list->text[0]) {
        return;
    }
    for (size_t i = 0; i < list->n; ++i) {
        if (strcmp(list->text[i], reason) == 0) {
            return;
        }
    }
    list->text[list->n++] = reason;
}

static void print_reasons(const reason_list *list)
{
    for (size_t i = 0; i < list->n; ++i) {
        (void)printf("%s%s", i == 0 ? "  " : "; ", list->text[i]);
    }
    if (list->n > 0) {
        (void)putchar('\n');
    }
}

static void print_pairs(const cltomo_reconstructor *r, size_t n_wfs)
{
    const cltomo_build_report *report = cltomo_reconstructor_report(r);
    uint32_t n_pairs = report->n_pairs_toeplitz + report->n_pairs_direct;
    reason_list reasons = {.n = 0};
    for (size_t i = 0; i < n_wfs; ++i) {
        for (size_t j = i; j < n_wfs; ++j) {
            const char *reason;
            (void)cltomo_reconstructor_pair_evaluator(r, i, j, &reason);
            add_reason(&reasons, reason);
        }
    }
    (void)printf("Covariance of slopes: %" PRIu32 " of %" PRIu32
                 " pair%s of sensors by tables of lags, %" PRIu32 " point by point\n",
        report->n_pairs_toeplitz, n_pairs, n_pairs == 1 ? "" : "s", report->n_pairs_direct);
    print_reasons(&reasons);
}

static void print_sensors(const cltomo_reconstructor *r, size_t n_wfs)
{
    const cltomo_build_report *report = cltomo_reconstructor_report(r);
    reason_list reasons = {.n = 0};
    uint32_t n_rotated = 0;
    for (size_t i = 0; i < n_wfs; ++i) {
        const char *reason;
        cltomo_evaluator evaluator = cltomo_reconstructor_sensor_evaluator(r, i, &reason);
        n_rotated += evaluator == CLTOMO_EVALUATOR_ROTATED;
        add_reason(&reasons, reason);
    }
    (void)printf("Covariance with the phase: %" PRIu32 " of %zu sensor%s by %" PRIu32 " Gaussians",
        report->n_sensors_separable, n_wfs, n_wfs == 1 ? "" : "s", report->n_gaussians);
    if (n_rotated > 0) {
        bool on_device = strcmp(report->backend, "cpu") != 0;
        (void)printf(
            ", %" PRIu32 " of them rotated%s", n_rotated, on_device ? " and on the host" : "");
    }
    (void)printf(", %" PRIu32 " point by point\n", report->n_sensors_direct);
    print_reasons(&reasons);
}

void build_print_evaluators(const cltomo_reconstructor *r)
{
    const cltomo_build_report *report = cltomo_reconstructor_report(r);
    size_t n_wfs = report->n_sensors_separable + report->n_sensors_direct;
    if (n_wfs > 0) {
        print_pairs(r, n_wfs);
        print_sensors(r, n_wfs);
    }
}

/* ---- for programs -------------------------------------------------------------------------- */

static void write_choice(json *j, cltomo_evaluator evaluator, const char *reason)
{
    json_text(j, "evaluator", cltomo_evaluator_name(evaluator));
    if (reason != NULL) {
        json_text(j, "reason", reason);
    }
    json_object_end(j);
}

static void write_pair(json *j, const cltomo_reconstructor *r, size_t first, size_t second)
{
    const char *reason;
    cltomo_evaluator evaluator = cltomo_reconstructor_pair_evaluator(r, first, second, &reason);
    json_object_begin(j, NULL);
    json_array_begin(j, "wfs");
    json_integer(j, NULL, first);
    json_integer(j, NULL, second);
    json_array_end(j);
    write_choice(j, evaluator, reason);
}

static void write_sensor(json *j, const cltomo_reconstructor *r, size_t wfs)
{
    const char *reason;
    cltomo_evaluator evaluator = cltomo_reconstructor_sensor_evaluator(r, wfs, &reason);
    json_object_begin(j, NULL);
    json_integer(j, "wfs", wfs);
    write_choice(j, evaluator, reason);
}

void build_write_evaluators(json *j, const cltomo_reconstructor *r)
{
    const cltomo_build_report *report = cltomo_reconstructor_report(r);
    size_t n_wfs = report->n_sensors_separable + report->n_sensors_direct;
    json_object_begin(j, "evaluators");
    json_integer(j, "n_pairs_toeplitz", report->n_pairs_toeplitz);
    json_integer(j, "n_pairs_direct", report->n_pairs_direct);
    json_integer(j, "n_sensors_separable", report->n_sensors_separable);
    json_integer(j, "n_sensors_direct", report->n_sensors_direct);
    json_integer(j, "n_gaussians", report->n_gaussians);
    json_array_begin(j, "pairs");
    for (size_t i = 0; i < n_wfs; ++i) {
        for (size_t k = i; k < n_wfs; ++k) {
            write_pair(j, r, i, k);
        }
    }
    json_array_end(j);
    json_array_begin(j, "sensors");
    for (size_t i = 0; i < n_wfs; ++i) {
        write_sensor(j, r, i);
    }
    json_array_end(j);
    json_object_end(j);
}
