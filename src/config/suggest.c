#include <stdio.h>
#include <string.h>

#include "config/draft.h"

#define MAX_WORD 40

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment, three rows of the table at a time. */
size_t cltomo_edit_distance(const char *a, const char *b)
{
    size_t table[3][MAX_WORD + 1];
    size_t n = strlen(a);
    size_t m = strlen(b);
    if (n > MAX_WORD || m > MAX_WORD) {
        return SIZE_MAX;
    }
    for (size_t j = 0; j <= m; ++j) {
        table[0][j] = j;
    }
    for (size_t i = 1; i <= n; ++i) {
        size_t *row = table[i % 3];
        const size_t *above = table[(i - 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; ++j) {
            size_t differs = lower(a[i - 1]) != lower(b[j - 1]);
            row[j] = smaller(above[j - 1] + differs, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) {
                row[j] = smaller(row[j], table[(i - 2) % 3][j - 2] + 1);
            }
        }
    }
    return table[n % 3][m];
}

/* The best candidate so far. */
typedef struct nearest {
    const char *section; /* NULL: the key alone says it */
    const char *key;
    size_t cost;
} nearest;

/* True if one is the other with something appended, as in lgs_asterism_parameters. */
static bool extends(const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] != '\0' && b[i] != '\0' && lower(a[i]) == lower(b[i])) {
        ++i;
    }
    return i >= 4 && (a[i] == '\0' || b[i] == '\0');
}

static void consider(
    nearest *best, const char *word, const char *section, const char *key, size_t penalty)
{
    size_t distance = cltomo_edit_distance(word, key);
    size_t length = strlen(key);
    bool is_near = distance < length && distance <= (length + 2) / 3;
    if ((is_near || extends(word, key)) && distance < best->cost - penalty) {
        *best = (nearest){.section = section, .key = key, .cost = distance + penalty};
    }
}

void cltomo_suggest(char *text, size_t size, const char *word, cltomo_section section)
{
    nearest best = {.cost = SIZE_MAX};
    for (size_t i = 0; section == CLTOMO_N_SECTIONS && i < CLTOMO_N_SECTIONS; ++i) {
        consider(&best, word, NULL, cltomo_section_names[i], 0);
    }
    for (size_t i = 0; i < CLTOMO_N_FIELDS; ++i) {
        const cltomo_field *field = &cltomo_fields[i];
        if (field->key != NULL) {
            bool here = field->section == section;
            consider(&best, word, here ? NULL : cltomo_section_names[field->section], field->key,
                here ? 0 : 1);
        }
    }
    text[0] = '\0';
    if (best.key != NULL) {
        (void)snprintf(text, size, "; did you mean %s%s%s?",
            best.section != NULL ? best.section : "", best.section != NULL ? "." : "", best.key);
    }
}
