/* Status codes and the error object.
 *
 * Every fallible function returns a cltomo_status and takes, as its last argument, an optional
 * cltomo_error that it fills when it fails. On failure output handles are NULL and output arrays
 * are untouched. */
#ifndef CLTOMO_STATUS_H
#define CLTOMO_STATUS_H

#include <cltomo/export.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* name, value, text. Values are frozen; new ones are only ever appended. */
#define CLTOMO_STATUS_LIST(X)                                                                      \
    X(CLTOMO_OK, 0, "success")                                                                     \
    X(CLTOMO_ERROR_ARGUMENT, 1, "invalid argument")                                                \
    X(CLTOMO_ERROR_CONFIG, 2, "invalid system description")                                        \
    X(CLTOMO_ERROR_PARSE, 3, "malformed file")                                                     \
    X(CLTOMO_ERROR_SHAPE, 4, "array shapes do not agree")                                          \
    X(CLTOMO_ERROR_MEMORY, 5, "out of memory")                                                     \
    X(CLTOMO_ERROR_IO, 6, "cannot read or write a file")                                           \
    X(CLTOMO_ERROR_NO_DEVICE, 7, "no usable device for this backend")                              \
    X(CLTOMO_ERROR_DEVICE, 8, "device or driver error")                                            \
    X(CLTOMO_ERROR_UNSUPPORTED, 9, "not supported by this backend")                                \
    X(CLTOMO_ERROR_NOT_POSITIVE_DEFINITE, 10, "matrix is not positive definite")                   \
    X(CLTOMO_ERROR_NOT_FINITE, 11, "result is not finite")                                         \
    X(CLTOMO_ERROR_CANCELLED, 12, "cancelled by the progress callback")                            \
    X(CLTOMO_ERROR_INTERNAL, 13, "internal error, please report it")

typedef enum cltomo_status {
#define CLTOMO_STATUS_ENUM(name, value, text) name = value,
    CLTOMO_STATUS_LIST(CLTOMO_STATUS_ENUM)
#undef CLTOMO_STATUS_ENUM
        CLTOMO_STATUS_MAX_ = 0x7fffffff /* fixes the width of the type */
} cltomo_status;

typedef enum cltomo_severity {
    CLTOMO_SEVERITY_ERROR = 0,
    CLTOMO_SEVERITY_WARNING = 1
} cltomo_severity;

/* What went wrong and where. Strings are NUL-terminated, cut at the array's end if need be, and
 * empty when they do not apply; line and column count from 1, 0 means unknown. */
typedef struct cltomo_error {
    cltomo_status status;
    cltomo_severity severity;
    uint32_t line;
    uint32_t column;
    char file[256];    /* the file or built-in example that was read or written */
    char key[128];     /* configuration key or argument, as "section.key" or "section.key[3]" */
    char value[128];   /* the offending value, as written */
    char allowed[192]; /* what is allowed instead */
    char message[512]; /* one sentence */
} cltomo_error;

/* Static English text for a status; never NULL, also for values that are not in the list. */
CLTOMO_API const char *cltomo_status_string(cltomo_status status);

/* Writes "file:line:column: key: message (got VALUE; allowed: ALLOWED)", leaving out what is
 * unknown, into text[size]. Returns the length of the whole text, as snprintf does, so a result
 * >= size means that it was cut. text may be NULL if size is 0. */
CLTOMO_API int cltomo_error_format(char *text, size_t size, const cltomo_error *error);

#ifdef __cplusplus
}
#endif

#endif
