/* What `cltomo devices` says. */
#include <inttypes.h>
#include <string.h>

#include "devices.h"

/* "0:0", or "C path" without a device. */
static void format_number(char *text, size_t size, const cltomo_device *device)
{
    if (device == NULL) {
        (void)snprintf(text, size, "C path");
    } else {
        (void)snprintf(
            text, size, "%" PRIu32 ":%" PRIu32, device->platform_index, device->device_index);
    }
}

static const char *precision_name(cltomo_precision precision)
{
    return precision == CLTOMO_PRECISION_DOUBLE ? "double" : "single";
}

static const char *plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

/* ---- for people ---------------------------------------------------------------------------- */

static void print_device(const cltomo_device *device)
{
    char number[32];
    char memory[16];
    char largest[16];
    format_number(number, sizeof number, device);
    format_bytes(memory, sizeof memory, (double)device->memory);
    format_bytes(largest, sizeof largest, (double)device->largest_buffer);
    (void)printf("  %-6s %s\n", number, device->name);
    (void)printf("         %s, %s, driver %s\n", device_type_name(device->type), device->platform,
        device->driver);
    (void)printf("         %s precision, %" PRIu32 " compute unit%s\n",
        device->has_double ? "double and single" : "only single", device->compute_units,
        plural(device->compute_units));
    (void)printf("         %s of memory%s, %s in one buffer\n", memory,
        device->is_unified ? " shared with the host" : "", largest);
}

static void print_devices(const devices_report *report)
{
    if (report->n_devices == 0) {
        (void)printf("There is no OpenCL device: no driver is installed, or the library was built\n"
                     "without OpenCL.\n");
        return;
    }
    (void)printf("OpenCL devices:\n");
    for (size_t i = 0; i < report->n_devices; ++i) {
        print_device(&report->device[i]);
    }
}

static void print_automatic(const automatic_choice *choice)
{
    char number[32];
    format_number(number, sizeof number, choice->has_device ? &choice->device : NULL);
    (void)printf("\nauto %s%s%s: %s\n", choice->fails ? "fails" : "takes ",
        choice->fails || choice->has_device ? "" : "the ", choice->fails ? "" : number,
        choice->reason);
}

static void print_blas(const cltomo_blas_info *blas)
{
    if (blas->library[0] == '\0') {
        (void)printf("\nBLAS of the C path: not OpenBLAS; nothing is known of it\n");
        return;
    }
    (void)printf("\nBLAS of the C path: %s\n", blas->library);
    (void)printf("         %s kernels, %" PRIu32 " thread%s\n", blas->core, blas->n_threads,
        plural(blas->n_threads));
    if (blas->slow && blas->preferred_core != NULL) {
        (void)printf("         slow: they leave this processor's vector units idle; set\n"
                     "         OPENBLAS_CORETYPE=%s (cltomo itself restarts with it to build)\n",
            blas->preferred_core);
    } else if (blas->slow) {
        (void)printf("         slow: they leave this processor's vector units idle; install an\n"
                     "         OpenBLAS built with DYNAMIC_ARCH\n");
    }
}

static void print_checks(const devices_report *report)
{
    if (report->n_checks == 0) {
        return;
    }
    (void)printf("\nCheck, by the relative difference of R: of the C path to covariances point by\n"
                 "point, of all others to the C path in double precision\n");
    for (size_t i = 0; i < report->n_checks; ++i) {
        const device_check *check = &report->check[i];
        char number[32];
        format_number(number, sizeof number, check->device);
        (void)printf("  %-6s %s  ", number, precision_name(check->precision));
        if (check->message[0] != '\0') {
            int first_line = (int)strcspn(check->message, "\n"); /* of a compiler's many */
            (void)printf("FAILED  %.*s\n", first_line, check->message);
        } else {
            (void)printf("%8.1e  %s (at most %.0e)\n", check->difference,
                check->passed ? "ok" : "FAILED", check->limit);
        }
    }
}

void devices_print(const devices_report *report)
{
    print_devices(report);
    print_automatic(&report->automatic);
    print_blas(&report->blas);
    print_checks(report);
}

/* ---- for programs -------------------------------------------------------------------------- */

static void write_automatic(json *j, const automatic_choice *choice)
{
    json_object_begin(j, "auto");
    if (!choice->fails) {
        json_text(j, "backend", choice->has_device ? "opencl" : "cpu");
    }
    if (choice->has_device) {
        char number[32];
        format_number(number, sizeof number, &choice->device);
        json_text(j, "device", number);
    }
    json_text(j, choice->fails ? "error" : "reason", choice->reason);
    json_object_end(j);
}

static void write_checks(json *j, const devices_report *report)
{
    if (report->n_checks == 0) {
        return;
    }
    json_array_begin(j, "checks");
    for (size_t i = 0; i < report->n_checks; ++i) {
        const device_check *check = &report->check[i];
        json_object_begin(j, NULL);
        json_text(j, "backend", check->device != NULL ? "opencl" : "cpu");
        if (check->device != NULL) {
            char number[32];
            format_number(number, sizeof number, check->device);
            json_text(j, "device", number);
        }
        json_text(j, "precision", precision_name(check->precision));
        json_real(j, "difference", check->difference);
        json_real(j, "limit", check->limit);
        json_bool(j, "passed", check->passed);
        if (check->message[0] != '\0') {
            json_text(j, "message", check->message);
        }
        json_object_end(j);
    }
    json_array_end(j);
}

void devices_print_json(const session *s, const devices_report *report, int status)
{
    json j = json_begin(stdout);
    json_begin_report(&j, status);
    json_array_begin(&j, "devices");
    for (size_t i = 0; i < report->n_devices; ++i) {
        json_device(&j, NULL, &report->device[i]);
    }
    json_array_end(&j);
    write_automatic(&j, &report->automatic);
    json_blas(&j);
    write_checks(&j, report);
    json_warnings(&j, s);
    json_object_end(&j);
}
