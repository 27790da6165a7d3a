/* Options that are lists of numbers. */
#include <stdlib.h>

#include "tool.h"

static int mark(session *s, const char *name, const text_list *lists, bool *marked, size_t n)
{
    char why[256];
    for (size_t i = 0; i < lists->n; ++i) {
        if (!index_list_parse(marked, (uint32_t)n, lists->item[i], why, sizeof why)) {
            return session_error(s, STATUS_USAGE, "%s: %s", name, why);
        }
    }
    return STATUS_DONE;
}

int indices_read(session *s, const char *name, const text_list *lists, size_t n, uint32_t **indices,
    size_t *n_indices)
{
    bool *marked = calloc(n, sizeof *marked);
    int status = STATUS_DONE;
    *n_indices = 0;
    *indices = calloc(n, sizeof **indices);
    if (marked == NULL || *indices == NULL) {
        status = session_error(s, STATUS_RESOURCES, "%s: no memory for %zu numbers", name, n);
        goto done;
    }
    status = mark(s, name, lists, marked, n);
    for (size_t i = 0; i < n && status == STATUS_DONE; ++i) {
        if (marked[i]) {
            (*indices)[(*n_indices)++] = (uint32_t)i;
        }
    }
done:
    free(marked);
    return status;
}
