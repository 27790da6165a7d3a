#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

static bool is_directory(const char *path)
{
    struct stat properties;
    return stat(path, &properties) == 0 && S_ISDIR(properties.st_mode);
}

/* Cuts path down to its parent; false if it has none. */
static bool to_parent(char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        --length;
    }
    while (length > 0 && path[length - 1] != '/') {
        --length;
    }
    while (length > 1 && path[length - 1] == '/') {
        --length;
    }
    if (length == 0) {
        bool was_here = strcmp(path, ".") == 0;
        memcpy(path, ".", 2);
        return !was_here;
    }
    bool was_root = strcmp(path, "/") == 0;
    path[length] = '\0';
    return !was_root;
}

bool directory_is_usable(const char *path)
{
    struct stat properties;
    char *existing = strdup(path[0] != '\0' ? path : ".");
    if (existing == NULL) {
        return false;
    }
    bool usable = false;
    while (stat(existing, &properties) != 0 && errno == ENOENT && to_parent(existing)) {
    }
    if (!is_directory(existing)) {
        errno = ENOTDIR;
    } else {
        usable = access(existing, W_OK | X_OK) == 0;
    }
    int cause = errno;
    free(existing);
    errno = cause;
    return usable;
}

static bool create_one(const char *path)
{
    return mkdir(path, 0777) == 0 || is_directory(path);
}

bool directory_create(const char *path, size_t *n_existing)
{
    size_t length = strlen(path);
    char *partial = strdup(path);
    bool exists = true;
    bool created = partial != NULL;
    *n_existing = 0;
    for (size_t i = 1; created && i <= length; ++i) {
        if (path[i] != '/' && path[i] != '\0') {
            continue;
        }
        partial[i] = '\0';
        exists = exists && is_directory(partial);
        *n_existing = exists ? i : *n_existing;
        created = create_one(partial);
        partial[i] = path[i];
    }
    int cause = errno;
    free(partial);
    errno = cause;
    return created;
}

void directory_remove(const char *path, size_t n_existing)
{
    char *partial = strdup(path);
    for (size_t i = strlen(path); partial != NULL && i > n_existing; --i) {
        if (path[i] == '/' || path[i] == '\0') {
            partial[i] = '\0';
            (void)rmdir(partial);
        }
    }
    free(partial);
}

char *path_join(const char *directory, const char *name, const char *extension)
{
    size_t length = strlen(directory);
    bool here = length == 0 || strcmp(directory, ".") == 0;
    const char *separator = here || directory[length - 1] == '/' ? "" : "/";
    size_t size = length + strlen(name) + strlen(extension) + 3;
    char *path = malloc(size);
    if (path != NULL) {
        (void)snprintf(path, size, "%s%s%s.%s", here ? "" : directory, separator, name, extension);
    }
    return path;
}

uint64_t size_of_file(const char *path)
{
    struct stat properties;
    return stat(path, &properties) == 0 ? (uint64_t)properties.st_size : 0;
}
