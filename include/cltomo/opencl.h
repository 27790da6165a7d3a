/* For programs that use OpenCL themselves. The only header that needs OpenCL's; cltomo.h does not
 * include it. */
#ifndef CLTOMO_OPENCL_H
#define CLTOMO_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <cltomo/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A context on the caller's own OpenCL objects, which are retained and never changed. The queue
 * must be in order, and belong to the context and the device. options may be NULL; their backend
 * and device are ignored. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_context_create_opencl(cltomo_context **context,
    cl_context opencl_context, cl_device_id device, cl_command_queue queue,
    const cltomo_context_options *options, cltomo_error *error);

#ifdef __cplusplus
}
#endif

#endif
