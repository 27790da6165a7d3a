#include "tool.h"

int exit_status_of(cltomo_status status)
{
    switch (status) {
    case CLTOMO_OK:
        return STATUS_DONE;
    case CLTOMO_ERROR_ARGUMENT:
        return STATUS_USAGE;
    case CLTOMO_ERROR_CONFIG:
    case CLTOMO_ERROR_PARSE:
    case CLTOMO_ERROR_SHAPE:
        return STATUS_BAD_INPUT;
    case CLTOMO_ERROR_MEMORY:
    case CLTOMO_ERROR_IO:
    case CLTOMO_ERROR_NO_DEVICE:
    case CLTOMO_ERROR_DEVICE:
    case CLTOMO_ERROR_UNSUPPORTED:
        return STATUS_RESOURCES;
    case CLTOMO_ERROR_NOT_POSITIVE_DEFINITE:
    case CLTOMO_ERROR_NOT_FINITE:
        return STATUS_NUMERICAL;
    case CLTOMO_ERROR_CANCELLED:
        return STATUS_INTERRUPTED;
    case CLTOMO_ERROR_INTERNAL:
    case CLTOMO_STATUS_MAX_:
        break;
    }
    return STATUS_INTERNAL;
}
