/* The options --backend, --device and --threads. */
#include "tool.h"

const option_choice backend_choices[] = {
    {"auto", CLTOMO_BACKEND_AUTO},
    {"cpu", CLTOMO_BACKEND_CPU},
    {"opencl", CLTOMO_BACKEND_OPENCL},
    {NULL, 0},
};

const option_range thread_counts = {1.0, 1024.0, false, false, "a number from 1 to 1024"};

const compute_settings compute_nothing = {.backend = CLTOMO_BACKEND_CPU, .threads = 1};

bool compute_finish(const command *self, compute_settings *compute)
{
    if (compute->device == NULL) {
        return true;
    }
    if (compute->device[0] == '\0') {
        (void)usage_error(self, "--device: give PLATFORM:DEVICE or part of a name");
        return false;
    }
    if (compute->backend == CLTOMO_BACKEND_CPU) {
        (void)usage_error(self, "--device names an OpenCL device, --backend cpu uses none");
        return false;
    }
    compute->backend = CLTOMO_BACKEND_OPENCL;
    return true;
}
