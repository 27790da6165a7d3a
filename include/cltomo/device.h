/* OpenCL devices: what there is. */
#ifndef CLTOMO_DEVICE_H
#define CLTOMO_DEVICE_H

#include <cltomo/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cltomo_device_type {
    CLTOMO_DEVICE_CPU = 0,
    CLTOMO_DEVICE_GPU = 1,
    CLTOMO_DEVICE_ACCELERATOR = 2,
    CLTOMO_DEVICE_OTHER = 3
} cltomo_device_type;

/* Strings are NUL-terminated, cut at the array's end if need be. */
typedef struct cltomo_device {
    uint32_t platform_index; /* the two numbers of "PLATFORM:DEVICE" */
    uint32_t device_index;
    cltomo_device_type type;
    uint32_t has_double; /* nonzero: cl_khr_fp64 */
    uint32_t is_unified; /* nonzero: shares the host's memory */
    uint32_t compute_units;
    uint64_t memory;         /* bytes */
    uint64_t largest_buffer; /* bytes, of a single allocation */
    char platform[128];
    char name[128];
    char driver[128];
} cltomo_device;

/* Nonzero if any OpenCL device can be reached, whatever backend is forced. 0 as well if the library
 * was built without OpenCL. */
CLTOMO_API int cltomo_opencl_available(void);

/* Lists the devices of all platforms: up to n of them into devices (which may be NULL if n is 0).
 * Returns how many there are. */
CLTOMO_API size_t cltomo_devices_list(cltomo_device *devices, size_t n);

/* Describes the OpenCL device that a context works on; with a caller's own queue, both indices are
 * UINT32_MAX. Returns 0, and leaves *device alone, if the context works without OpenCL. */
CLTOMO_API int cltomo_context_device(const cltomo_context *context, cltomo_device *device);

#ifdef __cplusplus
}
#endif

#endif
