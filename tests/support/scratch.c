#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "support/scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void require(int holds, const char *what)
{
    if (!holds) {
        perror(what);
        abort();
    }
}

void scratch_create(scratch *self)
{
    const char *parent = getenv("TMPDIR");
    int length = snprintf(self->directory, sizeof self->directory, "%s/cltomo-test-XXXXXX",
        parent != NULL ? parent : "/tmp");
    require(length < (int)sizeof self->directory, "TMPDIR is too long");
    require(mkdtemp(self->directory) != NULL, "mkdtemp");
}

const char *scratch_path(scratch *self, const char *name)
{
    int length = snprintf(self->path, sizeof self->path, "%s/%s", self->directory, name);
    require(length < (int)sizeof self->path, "scratch_path");
    return self->path;
}

const char *scratch_write(scratch *self, const char *name, const void *data, size_t size)
{
    FILE *file = fopen(scratch_path(self, name), "wb");
    require(file != NULL, self->path);
    require(fwrite(data, 1, size, file) == size, self->path);
    require(fclose(file) == 0, self->path);
    return self->path;
}

char *scratch_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    require(file != NULL, path);
    require(fseek(file, 0, SEEK_END) == 0, path);
    long length = ftell(file);
    require(length >= 0 && fseek(file, 0, SEEK_SET) == 0, path);
    char *data = malloc((size_t)length + 1);
    require(data != NULL, path);
    require(fread(data, 1, (size_t)length, file) == (size_t)length, path);
    data[length] = '\0';
    (void)fclose(file);
    if (size != NULL) {
        *size = (size_t)length;
    }
    return data;
}

/* Calls remove() on the files if asked to, and returns their number. */
static size_t walk(const scratch *self, int is_removing)
{
    DIR *directory = opendir(self->directory);
    require(directory != NULL, self->directory);
    size_t n = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            ++n;
            if (is_removing) {
                require(unlinkat(dirfd(directory), entry->d_name, 0) == 0 ||
                            unlinkat(dirfd(directory), entry->d_name, AT_REMOVEDIR) == 0,
                    entry->d_name);
            }
        }
    }
    (void)closedir(directory);
    return n;
}

size_t scratch_count(const scratch *self)
{
    return walk(self, 0);
}

void scratch_remove(scratch *self)
{
    (void)walk(self, 1);
    require(rmdir(self->directory) == 0, self->directory);
}
