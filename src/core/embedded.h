/* Files that the build compiles into the library (cmake/CltomoEmbed.cmake). */
#ifndef CLTOMO_CORE_EMBEDDED_H
#define CLTOMO_CORE_EMBEDDED_H

#include <stddef.h>

typedef struct cltomo_embedded {
    const char *name;          /* of the file, without its last extension */
    const unsigned char *data; /* followed by a NUL */
    size_t size;               /* without the NUL */
} cltomo_embedded;

#endif
