/* Makes and ends the OpenCL backend of a context. */
#ifndef CLTOMO_BACKEND_OPENCL_BACKEND_H
#define CLTOMO_BACKEND_OPENCL_BACKEND_H

#include "backend/backend.h"
#include "core/context.h"

/* Gives the context the OpenCL device that `device` names (NULL: the first GPU or accelerator, or a
 * CPU if cpu_too). CLTOMO_ERROR_NO_DEVICE if there is none. */
cltomo_status cltomo_opencl_attach(cltomo_context *context, const char *device,
    const char *cache_dir, bool cpu_too, cltomo_error *error);

#endif
