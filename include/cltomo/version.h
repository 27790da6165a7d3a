/* The version of the library. The build reads it from here, the only place to change. */
#ifndef CLTOMO_VERSION_H
#define CLTOMO_VERSION_H

#include <cltomo/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CLTOMO_VERSION_MAJOR 0
#define CLTOMO_VERSION_MINOR 1
#define CLTOMO_VERSION_PATCH 0
#define CLTOMO_VERSION_STRING "0.1.0"

/*
 * The version of the library that the program runs with, "MAJOR.MINOR.PATCH". Compare it with
 * CLTOMO_VERSION_STRING, the version of the headers that the program was compiled with. The string
 * is static.
 */
CLTOMO_API const char *cltomo_version(void);

#ifdef __cplusplus
}
#endif

#endif
