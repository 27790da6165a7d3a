#include "backend/opencl/quirks.h"

#include <stdlib.h>
#include <string.h>

typedef struct device_class {
    cltomo_device_type type;
    bool unified; /* the device shares the host's memory */
    cltomo_quirks quirks;
} device_class;

/* The first class that fits. What one launch does is bounded to about half a second on a slow
 * device of its class, as systems with a display or a watchdog end longer ones. */
static const device_class classes[] = {
    /* A processor: vector types, since inner loops keep its compilers from vectorising over
     * work-items. Its host's BLAS is the best there is, and needs no copies. */
    {CLTOMO_DEVICE_CPU, true, {true, CLTOMO_BLAS_HOST, false, false, 8, 5e7, 5e10}},
    {CLTOMO_DEVICE_CPU, false, {false, CLTOMO_BLAS_HOST, false, false, 8, 5e7, 5e10}},
    /* An integrated GPU shares the host's memory, but its driver may copy at each mapping, and the
     * memory that it reads best is its own kind. Its arithmetic in double may be slow. */
    {CLTOMO_DEVICE_GPU, true, {false, CLTOMO_BLAS_CLBLAST, false, true, 1, 2e7, 2e10}},
    {CLTOMO_DEVICE_GPU, false, {false, CLTOMO_BLAS_CLBLAST, false, true, 1, 1e8, 1e11}},
    {CLTOMO_DEVICE_ACCELERATOR, false, {false, CLTOMO_BLAS_CLBLAST, false, true, 1, 2e7, 2e10}},
};
/* A device that is none of these: nothing is taken for granted. */
static const cltomo_quirks cautious = {false, CLTOMO_BLAS_HOST, false, false, 1, 2e7, 2e10};

static cltomo_quirks class_quirks(const cltomo_device *device)
{
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; ++i) {
        if (classes[i].type == device->type && classes[i].unified == (device->is_unified != 0)) {
            return classes[i].quirks;
        }
    }
    return cautious;
}

cltomo_quirks cltomo_opencl_quirks(const cltomo_device *device, const char **unknown_blas)
{
    cltomo_quirks quirks = class_quirks(device);
    const char *blas = getenv("CLTOMO_BLAS");
    *unknown_blas = NULL;
    if (blas == NULL || blas[0] == '\0') {
        return quirks;
    }
    quirks.blas_is_forced = true;
    if (strcmp(blas, "clblast") == 0) {
        quirks.blas = CLTOMO_BLAS_CLBLAST;
    } else if (strcmp(blas, "host") == 0) {
        quirks.blas = CLTOMO_BLAS_HOST;
    } else {
        *unknown_blas = blas;
    }
    return quirks;
}
