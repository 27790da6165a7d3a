/* The choice of a device. */
#ifndef CLTOMO_BACKEND_OPENCL_DEVICE_H
#define CLTOMO_BACKEND_OPENCL_DEVICE_H

#include <cltomo/device.h>

#include "backend/opencl/opencl.h"

typedef struct cltomo_found_device {
    cl_platform_id platform;
    cl_device_id id;
    cltomo_device info;
} cltomo_found_device;

enum { cltomo_max_devices = 64 };

/* All devices that can be asked for their properties; returns how many. */
size_t cltomo_find_devices(cltomo_found_device *found, size_t n);

/* Fills what is known of a device. */
cl_int cltomo_describe_device(cltomo_device *info, cl_platform_id platform, cl_device_id id);

/* The device to use: `wanted` ("PLATFORM:DEVICE", or part of a device's or platform's name; NULL
 * for any), else the first GPU or accelerator, else, if cpu_too, the first CPU. NULL if there is
 * none. */
const cltomo_found_device *cltomo_choose_device(
    const cltomo_found_device *found, size_t n, const char *wanted, bool cpu_too);

#endif
