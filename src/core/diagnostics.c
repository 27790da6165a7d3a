#include <cltomo/diagnostics.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

struct cltomo_diagnostics {
    const cltomo_context *context;
    cltomo_error *entry;
    size_t n;
    size_t capacity;
    size_t n_severity[2]; /* all that were added, also those beyond the list's end */
};

cltomo_diagnostics *cltomo_diagnostics_create(const cltomo_context *context)
{
    cltomo_diagnostics *created = cltomo_allocate_zero(context, 1, sizeof *created);
    if (created != NULL) {
        created->context = cltomo_context_retain(context);
    }
    return created;
}

static bool grow(cltomo_diagnostics *diagnostics)
{
    size_t capacity = diagnostics->capacity == 0 ? 8 : 2 * diagnostics->capacity;
    capacity = capacity < CLTOMO_MAX_DIAGNOSTICS ? capacity : CLTOMO_MAX_DIAGNOSTICS;
    cltomo_error *entry = cltomo_allocate(diagnostics->context, capacity, sizeof *entry);
    if (entry == NULL) {
        return false;
    }
    if (diagnostics->n > 0) {
        memcpy(entry, diagnostics->entry, diagnostics->n * sizeof *entry);
    }
    cltomo_release(diagnostics->context, diagnostics->entry);
    diagnostics->entry = entry;
    diagnostics->capacity = capacity;
    return true;
}

void cltomo_diagnostics_add(cltomo_diagnostics *diagnostics, const cltomo_error *entry)
{
    ++diagnostics->n_severity[entry->severity == CLTOMO_SEVERITY_WARNING];
    if (diagnostics->n == CLTOMO_MAX_DIAGNOSTICS ||
        (diagnostics->n == diagnostics->capacity && !grow(diagnostics))) {
        return;
    }
    diagnostics->entry[diagnostics->n++] = *entry;
}

static bool is_after(const cltomo_error *a, const cltomo_error *b)
{
    return a->line > b->line || (a->line == b->line && a->column > b->column);
}

/* Insertion sort: the list is short and mostly sorted, and qsort is not stable. */
void cltomo_diagnostics_sort(cltomo_diagnostics *diagnostics)
{
    for (size_t i = 1; i < diagnostics->n; ++i) {
        cltomo_error moved = diagnostics->entry[i];
        size_t j = i;
        for (; j > 0 && is_after(&diagnostics->entry[j - 1], &moved); --j) {
            diagnostics->entry[j] = diagnostics->entry[j - 1];
        }
        diagnostics->entry[j] = moved;
    }
}

size_t cltomo_diagnostics_count(const cltomo_diagnostics *diagnostics)
{
    return diagnostics == NULL ? 0 : diagnostics->n;
}

size_t cltomo_diagnostics_count_severity(
    const cltomo_diagnostics *diagnostics, cltomo_severity severity)
{
    return diagnostics == NULL ? 0 : diagnostics->n_severity[severity == CLTOMO_SEVERITY_WARNING];
}

const cltomo_error *cltomo_diagnostics_get(const cltomo_diagnostics *diagnostics, size_t i)
{
    return i < cltomo_diagnostics_count(diagnostics) ? &diagnostics->entry[i] : NULL;
}

void cltomo_diagnostics_destroy(cltomo_diagnostics *diagnostics)
{
    if (diagnostics != NULL) {
        const cltomo_context *context = diagnostics->context;
        cltomo_release(context, diagnostics->entry);
        cltomo_release(context, diagnostics);
        cltomo_context_release(context);
    }
}
