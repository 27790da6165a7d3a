#include "backend/opencl/device.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void get_text(cl_device_id id, cl_device_info what, char *field, size_t size)
{
    char text[1024] = "";
    if (clGetDeviceInfo(id, what, sizeof text - 1, text, NULL) != CL_SUCCESS) {
        text[0] = '\0';
    }
    cltomo_copy_text(field, size, text);
}

static cltomo_device_type type_of(cl_device_type type)
{
    if ((type & CL_DEVICE_TYPE_GPU) != 0) {
        return CLTOMO_DEVICE_GPU;
    }
    if ((type & CL_DEVICE_TYPE_ACCELERATOR) != 0) {
        return CLTOMO_DEVICE_ACCELERATOR;
    }
    return (type & CL_DEVICE_TYPE_CPU) != 0 ? CLTOMO_DEVICE_CPU : CLTOMO_DEVICE_OTHER;
}

cl_int cltomo_describe_device(cltomo_device *info, cl_platform_id platform, cl_device_id id)
{
    cl_device_type type = 0;
    cl_bool unified = CL_FALSE;
    cl_uint units = 0;
    cl_ulong memory = 0;
    cl_ulong largest = 0;
    cl_device_fp_config doubles = 0;
    char platform_name[1024] = "";
    cl_int code = clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    if (code != CL_SUCCESS) {
        return code;
    }
    (void)clGetDeviceInfo(id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL);
    (void)clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    (void)clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    (void)clGetDeviceInfo(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL);
    (void)clGetDeviceInfo(id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, NULL);
    (void)clGetPlatformInfo(
        platform, CL_PLATFORM_NAME, sizeof platform_name - 1, platform_name, NULL);
    info->type = type_of(type);
    info->is_unified = unified != CL_FALSE;
    info->compute_units = units;
    info->memory = memory;
    info->largest_buffer = largest;
    info->has_double = doubles != 0;
    cltomo_copy_text(info->platform, sizeof info->platform, platform_name);
    get_text(id, CL_DEVICE_NAME, info->name, sizeof info->name);
    get_text(id, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    return CL_SUCCESS;
}

size_t cltomo_find_devices(cltomo_found_device *found, size_t n)
{
    enum { max_platforms = 16 };
    cl_platform_id platforms[max_platforms];
    cl_uint n_platforms = 0;
    size_t count = 0;
    if (clGetPlatformIDs(max_platforms, platforms, &n_platforms) != CL_SUCCESS) {
        return 0;
    }
    n_platforms = n_platforms < max_platforms ? n_platforms : max_platforms;
    for (cl_uint p = 0; p < n_platforms; ++p) {
        cl_device_id devices[cltomo_max_devices];
        cl_uint n_devices = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, cltomo_max_devices, devices,
                &n_devices) != CL_SUCCESS) {
            continue;
        }
        n_devices = n_devices < cltomo_max_devices ? n_devices : cltomo_max_devices;
        for (cl_uint d = 0; d < n_devices && count < n; ++d) {
            cltomo_found_device *device = &found[count];
            memset(device, 0, sizeof *device);
            device->platform = platforms[p];
            device->id = devices[d];
            device->info.platform_index = p;
            device->info.device_index = d;
            count += cltomo_describe_device(&device->info, platforms[p], devices[d]) == CL_SUCCESS;
        }
    }
    return count;
}

/* Whether text contains part, without regard to case. */
static bool contains(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text != '\0'; ++text) {
        size_t k = 0;
        while (k < length && text[k] != '\0' &&
               tolower((unsigned char)text[k]) == tolower((unsigned char)part[k])) {
            ++k;
        }
        if (k == length) {
            return true;
        }
    }
    return false;
}

static bool matches(const cltomo_device *info, const char *wanted)
{
    char place[32];
    (void)snprintf(
        place, sizeof place, "%u:%u", (unsigned)info->platform_index, (unsigned)info->device_index);
    return strcmp(place, wanted) == 0 || contains(info->name, wanted) ||
           contains(info->platform, wanted);
}

const cltomo_found_device *cltomo_choose_device(
    const cltomo_found_device *found, size_t n, const char *wanted, bool cpu_too)
{
    for (size_t i = 0; i < n && wanted != NULL; ++i) {
        if (matches(&found[i].info, wanted)) {
            return &found[i];
        }
    }
    if (wanted != NULL) {
        return NULL;
    }
    for (size_t i = 0; i < n; ++i) {
        if (found[i].info.type == CLTOMO_DEVICE_GPU ||
            found[i].info.type == CLTOMO_DEVICE_ACCELERATOR) {
            return &found[i];
        }
    }
    for (size_t i = 0; i < n && cpu_too; ++i) {
        if (found[i].info.type == CLTOMO_DEVICE_CPU) {
            return &found[i];
        }
    }
    return NULL;
}

size_t cltomo_devices_list(cltomo_device *devices, size_t n)
{
    cltomo_found_device found[cltomo_max_devices];
    size_t count = cltomo_find_devices(found, cltomo_max_devices);
    for (size_t i = 0; i < count && i < n; ++i) {
        devices[i] = found[i].info;
    }
    return count;
}

int cltomo_opencl_available(void)
{
    return cltomo_devices_list(NULL, 0) > 0;
}
