#include <cltomo/version.h>

const char *cltomo_version(void)
{
    return CLTOMO_VERSION_STRING;
}
