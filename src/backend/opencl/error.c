#include "backend/opencl/opencl.h"

#define NAMES(X)                                                                                   \
    X(CL_DEVICE_NOT_FOUND)                                                                         \
    X(CL_DEVICE_NOT_AVAILABLE)                                                                     \
    X(CL_COMPILER_NOT_AVAILABLE)                                                                   \
    X(CL_MEM_OBJECT_ALLOCATION_FAILURE)                                                            \
    X(CL_OUT_OF_RESOURCES)                                                                         \
    X(CL_OUT_OF_HOST_MEMORY)                                                                       \
    X(CL_BUILD_PROGRAM_FAILURE)                                                                    \
    X(CL_MAP_FAILURE)                                                                              \
    X(CL_INVALID_VALUE)                                                                            \
    X(CL_INVALID_PLATFORM)                                                                         \
    X(CL_INVALID_DEVICE)                                                                           \
    X(CL_INVALID_CONTEXT)                                                                          \
    X(CL_INVALID_COMMAND_QUEUE)                                                                    \
    X(CL_INVALID_HOST_PTR)                                                                         \
    X(CL_INVALID_MEM_OBJECT)                                                                       \
    X(CL_INVALID_BINARY)                                                                           \
    X(CL_INVALID_BUILD_OPTIONS)                                                                    \
    X(CL_INVALID_PROGRAM)                                                                          \
    X(CL_INVALID_PROGRAM_EXECUTABLE)                                                               \
    X(CL_INVALID_KERNEL_NAME)                                                                      \
    X(CL_INVALID_KERNEL)                                                                           \
    X(CL_INVALID_ARG_INDEX)                                                                        \
    X(CL_INVALID_ARG_VALUE)                                                                        \
    X(CL_INVALID_ARG_SIZE)                                                                         \
    X(CL_INVALID_KERNEL_ARGS)                                                                      \
    X(CL_INVALID_WORK_DIMENSION)                                                                   \
    X(CL_INVALID_WORK_GROUP_SIZE)                                                                  \
    X(CL_INVALID_WORK_ITEM_SIZE)                                                                   \
    X(CL_INVALID_BUFFER_SIZE)

const char *cltomo_opencl_error_name(cl_int code)
{
    switch (code) {
#define NAME_CASE(name)                                                                            \
    case name:                                                                                     \
        return #name;
        NAMES(NAME_CASE)
#undef NAME_CASE
    case -1001: /* the loader's own: no driver is installed */
        return "CL_PLATFORM_NOT_FOUND_KHR";
    default:
        return "unknown error";
    }
}

cltomo_status cltomo_opencl_fail(cltomo_error *error, cl_int code, const char *what)
{
    bool is_memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY ||
                     code == CL_OUT_OF_RESOURCES || code == CL_INVALID_BUFFER_SIZE;
    return cltomo_fail(error, is_memory ? CLTOMO_ERROR_MEMORY : CLTOMO_ERROR_DEVICE,
        "OpenCL: %s: %s (%d)", what, cltomo_opencl_error_name(code), (int)code);
}
