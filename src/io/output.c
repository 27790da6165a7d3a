#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "io/io.h"

cltomo_status cltomo_fail_errno(cltomo_error *error, int code, const char *path, const char *what)
{
    char reason[160] = "";
    if (strerror_r(code, reason, sizeof reason) != 0) {
        (void)snprintf(reason, sizeof reason, "error %d", code);
    }
    cltomo_status status = code == ENOMEM ? CLTOMO_ERROR_MEMORY : CLTOMO_ERROR_IO;
    return cltomo_fail_file(error, status, path, "%s: %s", what, reason);
}

/* Where the bytes end up: path itself, or what the symbolic link path names. *mode is that of the
 * file that is there already. */
static cltomo_status find_target(cltomo_output *output, mode_t *mode, cltomo_error *error)
{
    const char *path = output->path;
    struct stat info;
    char *resolved = NULL;
    *mode = 0;
    if (path[0] == '\0') {
        return cltomo_fail_key(error, CLTOMO_ERROR_ARGUMENT, "path", "\"\"", "a file name",
            "the path to write to is empty");
    }
    bool exists = lstat(path, &info) == 0;
    if (!exists && errno != ENOENT) {
        return cltomo_fail_errno(error, errno, path, "cannot write");
    }
    if (exists && S_ISLNK(info.st_mode)) {
        resolved = realpath(path, NULL);
        if (resolved == NULL || stat(resolved, &info) != 0) {
            int code = errno;
            free(resolved);
            return cltomo_fail_errno(error, code, path, "cannot follow the symbolic link");
        }
        path = resolved;
    }
    cltomo_status status = CLTOMO_OK;
    if (exists && S_ISDIR(info.st_mode)) {
        status = cltomo_fail_errno(error, EISDIR, output->path, "cannot write");
    } else if (exists && !S_ISREG(info.st_mode)) {
        status = cltomo_fail_file(
            error, CLTOMO_ERROR_IO, output->path, "cannot write: not a regular file");
    } else if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0) {
        status = cltomo_fail_errno(error, errno, output->path, "cannot replace");
    } else {
        *mode = exists ? info.st_mode : 0;
        output->target = cltomo_duplicate(output->context, path, strlen(path) + 1, 1);
        status = output->target == NULL ? cltomo_fail_memory(error, "a file name") : CLTOMO_OK;
    }
    free(resolved);
    return status;
}

/* Creates a file of a name not yet used in the target's directory. Its name doesn't contain the
 * target's, which may already be as long as names can be. */
static cltomo_status create_temporary(cltomo_output *output, cltomo_error *error)
{
    enum { attempts = 100, suffix = sizeof ".cltomo-0123456789abcdef.tmp" };
    const char *slash = strrchr(output->target, '/');
    size_t directory = slash == NULL ? 0 : (size_t)(slash - output->target) + 1;
    output->temporary = cltomo_allocate(output->context, directory + suffix, 1);
    if (output->temporary == NULL) {
        return cltomo_fail_memory(error, "a file name");
    }
    memcpy(output->temporary, output->target, directory);
    for (int i = 0; i < attempts; ++i) {
        struct timespec now = {0};
        (void)clock_gettime(CLOCK_REALTIME, &now);
        uint64_t tag = ((uint64_t)getpid() << 32) ^ (uint64_t)(uintptr_t)output ^
                       (uint64_t)now.tv_nsec ^ ((uint64_t)now.tv_sec << 24);
        tag = (tag + (uint64_t)i) * UINT64_C(0x9E3779B97F4A7C15); /* spreads the bits */
        (void)snprintf(
            output->temporary + directory, suffix, ".cltomo-%016llx.tmp", (unsigned long long)tag);
        output->descriptor =
            open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)0666);
        if (output->descriptor >= 0) {
            return CLTOMO_OK;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    return cltomo_fail_errno(error, errno, output->path, "cannot create a file in the directory");
}

cltomo_status cltomo_output_open(
    const cltomo_context *context, cltomo_output *output, const char *path, cltomo_error *error)
{
    mode_t mode = 0;
    *output = (cltomo_output){.context = context, .path = path, .descriptor = -1};
    cltomo_status status = find_target(output, &mode, error);
    if (status == CLTOMO_OK) {
        status = create_temporary(output, error);
    }
    if (status == CLTOMO_OK && mode != 0 && fchmod(output->descriptor, mode & 0777) != 0) {
        status = cltomo_fail_errno(error, errno, path, "cannot keep the permissions");
    }
    if (status != CLTOMO_OK) {
        cltomo_output_close(output);
    }
    return status;
}

cltomo_status cltomo_output_write(
    cltomo_output *output, const void *data, size_t size, cltomo_error *error)
{
    enum { largest = 1 << 30 }; /* the most that one write() is sure to accept */
    const char *next = data;
    while (size > 0) {
        ssize_t written = write(output->descriptor, next, size < largest ? size : largest);
        if (written < 0 && errno != EINTR) {
            return cltomo_fail_errno(error, errno, output->path, "cannot write");
        }
        if (written > 0) {
            next += written;
            size -= (size_t)written;
        }
    }
    return CLTOMO_OK;
}

/* The rename itself survives a power failure only once the directory is on the disk. File systems
 * that cannot do that have nothing better to offer, so failures do not count. */
static void flush_directory(const cltomo_output *output)
{
    const char *slash = strrchr(output->target, '/');
    char *directory = output->temporary; /* not needed any more */
    size_t length = slash == NULL ? 0 : (size_t)(slash - output->target) + 1;
    directory[length] = '\0';
    int descriptor = open(length > 0 ? directory : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        (void)close(descriptor);
    }
}

cltomo_status cltomo_output_commit(cltomo_output *output, cltomo_error *error)
{
    if (fsync(output->descriptor) != 0 && errno != EINVAL && errno != ENOTSUP) {
        return cltomo_fail_errno(error, errno, output->path, "cannot write");
    }
    int closed = close(output->descriptor);
    output->descriptor = -1;
    if (closed != 0 || rename(output->temporary, output->target) != 0) {
        int code = errno;
        (void)unlink(output->temporary);
        return cltomo_fail_errno(error, code, output->path, "cannot write");
    }
    flush_directory(output);
    return CLTOMO_OK;
}

void cltomo_output_close(cltomo_output *output)
{
    if (output->descriptor >= 0) {
        (void)close(output->descriptor);
        (void)unlink(output->temporary);
        output->descriptor = -1;
    }
    cltomo_release(output->context, output->temporary);
    cltomo_release(output->context, output->target);
    output->temporary = NULL;
    output->target = NULL;
}
