/* The list of problems found while reading a system description: all of them, not only the first.
 */
#ifndef CLTOMO_DIAGNOSTICS_H
#define CLTOMO_DIAGNOSTICS_H

#include <cltomo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cltomo_diagnostics cltomo_diagnostics;

/* Number of entries (errors and warnings), in the order of their position in the file. NULL
 * counts as an empty list. */
CLTOMO_API size_t cltomo_diagnostics_count(const cltomo_diagnostics *diagnostics);

/* Number of entries of one severity. */
CLTOMO_API size_t cltomo_diagnostics_count_severity(
    const cltomo_diagnostics *diagnostics, cltomo_severity severity);

/* Entry i, owned by the list; NULL if i is out of range. */
CLTOMO_API const cltomo_error *cltomo_diagnostics_get(
    const cltomo_diagnostics *diagnostics, size_t i);

CLTOMO_API void cltomo_diagnostics_destroy(cltomo_diagnostics *diagnostics);

#ifdef __cplusplus
}
#endif

#endif
