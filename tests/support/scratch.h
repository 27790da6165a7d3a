/* A directory of one test's own. Every function ends the program when it fails. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stddef.h>

typedef struct scratch {
    char directory[128];
    char path[1024]; /* scratch_path()'s answer */
} scratch;

/* Makes the directory, under TMPDIR or /tmp. */
void scratch_create(scratch *self);

/* The path of a file of that name; valid until the next call. */
const char *scratch_path(scratch *self, const char *name);

/* Makes a file of these bytes and returns its path as scratch_path() does. */
const char *scratch_write(scratch *self, const char *name, const void *data, size_t size);

/* The file's bytes, to free(), with a NUL after them; *size may be NULL. */
char *scratch_read(const char *path, size_t *size);

/* Files in the directory, hidden ones included. */
size_t scratch_count(const scratch *self);

/* Removes the directory with the files in it. */
void scratch_remove(scratch *self);

#endif
