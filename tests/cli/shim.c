/* To be preloaded: stands between the tool and the library, and plays what is hard to provoke.
 *
 *   SHIM_BUILD=interrupt        Ctrl-C as a build begins
 *   SHIM_BUILD=slow             a build that takes longer than the progress bar waits
 *   SHIM_BUILD=N                a build that fails with status N
 *   SHIM_WRITE=interrupt        Ctrl-C as a build has written its files
 *   SHIM_RECONSTRUCT=interrupt  Ctrl-C as slopes are about to be read
 *   SHIM_MEMORY=N               a build that is said to need N bytes without a limit,
 *   SHIM_LIMITED=N              and N bytes with one
 *   SHIM_CORE=NAME              OpenBLAS runs that processor's kernels, whatever it is told
 *   SHIM_CORE=obedient          it runs Prescott's unless OPENBLAS_CORETYPE says otherwise */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <cltomo/file.h>
#include <cltomo/reconstructor.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What the environment says instead of a build; CLTOMO_OK: the build. */
static cltomo_status play_build(cltomo_reconstructor **reconstructor, cltomo_error *error)
{
    const char *played = getenv("SHIM_BUILD");
    if (played != NULL && strcmp(played, "interrupt") == 0) {
        (void)unsetenv("SHIM_BUILD"); /* a second one kills, and one build calls the other */
        (void)raise(SIGINT);
    } else if (played != NULL && strcmp(played, "slow") == 0) {
        struct timespec longer = {.tv_sec = 1, .tv_nsec = 100000000};
        (void)nanosleep(&longer, NULL);
    } else if (played != NULL) {
        *reconstructor = NULL;
        memset(error, 0, sizeof *error);
        error->status = (cltomo_status)strtol(played, NULL, 10);
        (void)snprintf(error->message, sizeof error->message, "played by the test");
        return error->status;
    }
    return CLTOMO_OK;
}

typedef cltomo_status build_function(const cltomo_context *, cltomo_reconstructor **,
    const cltomo_system *, const cltomo_build_options *, cltomo_error *);

CLTOMO_MUST_CHECK cltomo_status cltomo_reconstructor_build(const cltomo_context *context,
    cltomo_reconstructor **reconstructor, const cltomo_system *system,
    const cltomo_build_options *options, cltomo_error *error)
{
    build_function *real;
    void *symbol = dlsym(RTLD_NEXT, "cltomo_reconstructor_build");
    cltomo_status status = play_build(reconstructor, error);
    memcpy(&real, &symbol, sizeof real);
    return status == CLTOMO_OK ? real(context, reconstructor, system, options, error) : status;
}

typedef cltomo_status build_files_function(const cltomo_context *, cltomo_reconstructor **,
    const cltomo_system *, const cltomo_build_options *, const char *, cltomo_file_format,
    cltomo_error *);

CLTOMO_MUST_CHECK cltomo_status cltomo_reconstructor_build_files(const cltomo_context *context,
    cltomo_reconstructor **reconstructor, const cltomo_system *system,
    const cltomo_build_options *options, const char *directory, cltomo_file_format format,
    cltomo_error *error)
{
    build_files_function *real;
    void *symbol = dlsym(RTLD_NEXT, "cltomo_reconstructor_build_files");
    cltomo_status status = play_build(reconstructor, error);
    memcpy(&real, &symbol, sizeof real);
    if (status == CLTOMO_OK) {
        status = real(context, reconstructor, system, options, directory, format, error);
    }
    if (getenv("SHIM_WRITE") != NULL) {
        (void)unsetenv("SHIM_WRITE");
        (void)raise(SIGINT);
    }
    return status;
}

typedef uint64_t memory_function(const cltomo_system *, const cltomo_build_options *);

uint64_t cltomo_build_files_memory(const cltomo_system *system, const cltomo_build_options *options)
{
    const char *played = getenv(options->max_memory > 0 ? "SHIM_LIMITED" : "SHIM_MEMORY");
    if (played != NULL) {
        return strtoull(played, NULL, 10);
    }
    memory_function *real;
    void *symbol = dlsym(RTLD_NEXT, "cltomo_build_files_memory");
    memcpy(&real, &symbol, sizeof real);
    return real(system, options);
}

typedef cltomo_status reconstruct_function(const cltomo_context *, const char *, const char *,
    const char *, cltomo_file_format, const cltomo_reconstruct_options *, cltomo_error *);

CLTOMO_MUST_CHECK cltomo_status cltomo_reconstruct_files(const cltomo_context *context,
    const char *reconstructor_path, const char *slopes_path, const char *path,
    cltomo_file_format format, const cltomo_reconstruct_options *options, cltomo_error *error)
{
    if (getenv("SHIM_RECONSTRUCT") != NULL) {
        (void)raise(SIGINT);
    }
    reconstruct_function *real;
    void *symbol = dlsym(RTLD_NEXT, "cltomo_reconstruct_files");
    memcpy(&real, &symbol, sizeof real);
    return real(context, reconstructor_path, slopes_path, path, format, options, error);
}

/* The declarations that OpenBLAS's cblas.h has. */
char *openblas_get_config(void);
char *openblas_get_corename(void);

static char *ask_openblas(const char *function)
{
    char *(*real)(void);
    void *symbol = dlsym(RTLD_NEXT, function);
    memcpy(&real, &symbol, sizeof real);
    return symbol != NULL ? real() : "";
}

char *openblas_get_config(void)
{
    return getenv("SHIM_CORE") != NULL ? "OpenBLAS 0.3.21 DYNAMIC_ARCH"
                                       : ask_openblas("openblas_get_config");
}

char *openblas_get_corename(void)
{
    char *core = getenv("SHIM_CORE");
    char *wanted = getenv("OPENBLAS_CORETYPE");
    if (core == NULL) {
        return ask_openblas("openblas_get_corename");
    }
    if (strcmp(core, "obedient") == 0) {
        return wanted != NULL ? wanted : "Prescott";
    }
    return core;
}
