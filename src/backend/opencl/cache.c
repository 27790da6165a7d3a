#include "backend/opencl/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { path_size = 4096 };
static const off_t largest_file = 256 << 20;

char *cltomo_cache_dir(const cltomo_context *context, const char *wanted)
{
    char path[path_size];
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length = -1;
    if (wanted != NULL) {
        length = snprintf(path, sizeof path, "%s", wanted);
    } else if (cache != NULL && cache[0] == '/') {
        length = snprintf(path, sizeof path, "%s/cltomo", cache);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(path, sizeof path, "%s/.cache/cltomo", home);
    }
    if (length <= 0 || (size_t)length >= sizeof path) {
        return NULL;
    }
    return cltomo_duplicate(context, path, (size_t)length + 1, 1);
}

static bool file_name(char *path, const char *dir, uint64_t key, const char *suffix)
{
    int length = snprintf(path, path_size, "%s/%016" PRIx64 ".clbin%s", dir, key, suffix);
    return length > 0 && length < path_size;
}

unsigned char *cltomo_cache_read(
    const cltomo_context *context, const char *dir, uint64_t key, size_t *size)
{
    char path[path_size];
    struct stat info;
    unsigned char *data = NULL;
    if (!file_name(path, dir, key, "")) {
        return NULL;
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return NULL;
    }
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
        info.st_size <= largest_file) {
        *size = (size_t)info.st_size;
        data = cltomo_allocate(context, *size, 1);
    }
    if (data != NULL && read(file, data, *size) != (ssize_t)*size) {
        cltomo_release(context, data);
        data = NULL;
    }
    (void)close(file);
    return data;
}

/* Makes the folder and the ones above it. */
static void make_folders(const char *dir)
{
    char path[path_size];
    cltomo_copy_text(path, sizeof path, dir);
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    (void)mkdir(path, 0700);
}

void cltomo_cache_write(const cltomo_context *context, const char *dir, uint64_t key,
    const unsigned char *data, size_t size)
{
    char path[path_size];
    char temporary[path_size];
    if (!file_name(path, dir, key, "") || !file_name(temporary, dir, key, ".XXXXXX")) {
        return;
    }
    make_folders(dir);
    int file = mkstemp(temporary);
    if (file < 0) {
        cltomo_log(context, CLTOMO_LOG_DEBUG, "no program cache: %s: %s", dir, strerror(errno));
        return;
    }
    bool written = write(file, data, size) == (ssize_t)size;
    written = close(file) == 0 && written;
    if (!written || rename(temporary, path) != 0) {
        (void)unlink(temporary);
    }
}
