/* What the library says of OpenCL when it was built without it. */
#include <cltomo/device.h>

int cltomo_opencl_available(void)
{
    return 0;
}

size_t cltomo_devices_list(cltomo_device *devices, size_t n)
{
    (void)devices;
    (void)n;
    return 0;
}

int cltomo_context_device(const cltomo_context *context, cltomo_device *device)
{
    (void)context;
    (void)device;
    return 0;
}
