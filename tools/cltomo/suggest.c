#include <ctype.h>
#include <string.h>

#include "options.h"

enum { max_length = 63 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a);
    size_t m = strlen(b);
    size_t cost[3][max_length + 1];
    size_t *before = cost[0]; /* row i - 2 */
    size_t *above = cost[1];
    size_t *row = cost[2];
    for (size_t j = 0; j <= m; ++j) {
        before[j] = 0;
        above[j] = j;
    }
    for (size_t i = 1; i <= n; ++i) {
        row[0] = i;
        for (size_t j = 1; j <= m; ++j) {
            size_t replaced = above[j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
            row[j] = smaller(replaced, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1])) {
                row[j] = smaller(row[j], before[j - 2] + 1);
            }
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[m];
}

/* An abbreviation counts as one edit. */
static size_t distance_to(const char *word, const char *candidate)
{
    size_t length = strlen(word);
    if (length >= 2 && strncmp(word, candidate, length) == 0) {
        return 1;
    }
    return edit_distance(word, candidate);
}

suggestion suggestion_begin(const char *word)
{
    size_t length = strlen(word);
    size_t farthest = length / 3 > 1 ? length / 3 : 1;
    return (suggestion){.word = word, .nearest = NULL, .distance = farthest + 1};
}

void suggestion_offer(suggestion *s, const char *candidate)
{
    if (strlen(s->word) < 2 || strlen(s->word) > max_length || strlen(candidate) > max_length) {
        return;
    }
    size_t distance = distance_to(s->word, candidate);
    if (distance < s->distance) {
        s->distance = distance;
        s->nearest = candidate;
    }
}
