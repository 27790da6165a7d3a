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

/* What a cache file begins with: drivers crash on programs that are not whole. */
typedef struct cache_header {
    char kind[8];
    uint64_t size; /* of what follows */
    uint64_t hash;
} cache_header;

static cache_header header_of(const unsigned char *data, size_t size)
{
    cache_header header = {.kind = "cltomo1", .size = size};
    header.hash = cltomo_hash(CLTOMO_HASH_START, data, size);
    return header;
}

uint64_t cltomo_hash(uint64_t state, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; ++i) {
        state = (state ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return state;
}

/* The program in an open file of that many bytes, or NULL. */
static unsigned char *read_program(const cltomo_context *context, int file, size_t size)
{
    cache_header header;
    if (read(file, &header, sizeof header) != (ssize_t)sizeof header ||
        header.size != size - sizeof header) {
        return NULL;
    }
    size -= sizeof header;
    unsigned char *data = cltomo_allocate(context, size, 1);
    if (data == NULL || read(file, data, size) != (ssize_t)size) {
        cltomo_release(context, data);
        return NULL;
    }
    cache_header expected = header_of(data, size);
    if (memcmp(&header, &expected, sizeof header) != 0) {
        cltomo_release(context, data);
        return NULL;
    }
    return data;
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
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
        return NULL;
    }
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
        info.st_size > (off_t)sizeof(cache_header) && info.st_size <= largest_file) {
        data = read_program(context, file, (size_t)info.st_size);
        *size = (size_t)info.st_size - sizeof(cache_header);
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
    cache_header header = header_of(data, size);
    bool written = write(file, &header, sizeof header) == (ssize_t)sizeof header &&
                   write(file, data, size) == (ssize_t)size;
    written = close(file) == 0 && written;
    if (!written || rename(temporary, path) != 0) {
        (void)unlink(temporary);
    }
}
