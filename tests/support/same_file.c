#include "support/same_file.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support/scratch.h"

/* Blanks what tells the time in a FITS file, which else may differ from one second to the next. */
static void blank_times(char *bytes, size_t size)
{
    static const char *const names[] = {"DATE    ", "CHECKSUM", "DATASUM "};
    for (size_t i = 0; i + 80 <= size; i += 80) {
        for (size_t k = 0; k < 3; ++k) {
            if (memcmp(bytes + i, names[k], 8) == 0) {
                size_t from = k == 2 ? 31 : 10; /* the sum of the data is the same */
                memset(bytes + i + from, ' ', 80 - from);
            }
        }
    }
}

void assert_same_file(const char *expected, const char *path)
{
    size_t size[2];
    char *bytes[2] = {scratch_read(expected, &size[0]), scratch_read(path, &size[1])};
    cr_assert_eq(size[0], size[1]);
    for (size_t i = 0; i < 2 && memcmp(bytes[i], "SIMPLE", 6) == 0; ++i) {
        blank_times(bytes[i], size[i]);
    }
    cr_assert_eq(memcmp(bytes[0], bytes[1], size[0]), 0, "%s", path);
    free(bytes[0]);
    free(bytes[1]);
}
