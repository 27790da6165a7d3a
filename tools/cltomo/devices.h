/* Between the parts of `cltomo devices`. */
#ifndef CLTOMO_TOOL_DEVICES_H
#define CLTOMO_TOOL_DEVICES_H

#include <cltomo/blas.h>
#include <cltomo/matrix.h>

#include "tool.h"

enum { MAX_DEVICES = 64, MAX_CHECKS = 2 * (MAX_DEVICES + 1) };

/* One build of the small system that is compared. */
typedef struct device_check {
    const cltomo_device *device; /* NULL: the C path */
    cltomo_precision precision;
    double difference; /* of R, relative, Frobenius norm; NaN if there is none */
    double limit;
    bool passed;
    char message[512]; /* why there is no R, or "" */
} device_check;

/* What `--backend auto` takes. */
typedef struct automatic_choice {
    bool fails;
    bool has_device;
    cltomo_device device;
    char reason[1024];
} automatic_choice;

typedef struct devices_report {
    cltomo_device device[MAX_DEVICES];
    size_t n_devices;
    automatic_choice automatic;
    cltomo_blas_info blas;
    device_check check[MAX_CHECKS];
    size_t n_checks; /* 0: not asked for */
} devices_report;

/* Builds the system on the C path and on each device in every precision that it has. Returns false
 * and fills *error if even the reference cannot be built. */
bool devices_check_all(
    devices_report *report, const cltomo_context *reference, cltomo_error *error);

void devices_print(const devices_report *report);
void devices_print_json(const session *s, const devices_report *report, int status);

#endif
