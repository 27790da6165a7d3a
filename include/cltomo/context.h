/* The context: allocator, callbacks, threads and backend that a piece of work runs with.
 *
 * A context is immutable after creation and may be shared by threads. Objects made with it keep it
 * alive (it is reference counted), so it may be destroyed before them. */
#ifndef CLTOMO_CONTEXT_H
#define CLTOMO_CONTEXT_H

#include <cltomo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cltomo_context cltomo_context;

typedef enum cltomo_backend_kind {
    CLTOMO_BACKEND_AUTO = 0,  /* the first OpenCL GPU or accelerator, else the C path */
    CLTOMO_BACKEND_CPU = 1,   /* the C reference path */
    CLTOMO_BACKEND_OPENCL = 2 /* as auto, then an OpenCL CPU device; never the C path */
} cltomo_backend_kind;

typedef enum cltomo_log_level {
    CLTOMO_LOG_WARNING = 1,
    CLTOMO_LOG_INFO = 2,
    CLTOMO_LOG_DEBUG = 3
} cltomo_log_level;

/* Receives one line of text without a newline, valid during the call. May be called from any
 * thread that works with the context. */
typedef void (*cltomo_log_function)(void *user, cltomo_log_level level, const char *text);

/* Called now and then during long work, on the thread that called the library, with the stage's
 * name and the fraction of it that is done (0 to 1). Return nonzero to cancel: the running function
 * then fails with CLTOMO_ERROR_CANCELLED. */
typedef int (*cltomo_progress_function)(void *user, const char *stage, double fraction);

/* Memory for everything the library itself allocates (libraries below it use their own). allocate
 * returns size bytes aligned to alignment (a power of two >= sizeof(void *)), or NULL; release
 * takes what allocate returned, never NULL. Both must be thread-safe. */
typedef struct cltomo_allocator {
    void *(*allocate)(void *user, size_t alignment, size_t size);
    void (*release)(void *user, void *pointer);
    void *user;
} cltomo_allocator;

typedef struct cltomo_context_options {
    uint32_t size; /* sizeof(cltomo_context_options); set by the initialiser, fields only grow */
    cltomo_backend_kind backend;
    uint32_t n_threads; /* CPU threads to work with; 0: all that the process may use */
    cltomo_log_function log;
    void *log_user;
    cltomo_progress_function progress;
    void *progress_user;
    const cltomo_allocator *allocator; /* copied; NULL: the C library's */
    const char *device;    /* OpenCL device: "PLATFORM:DEVICE" or part of a name; NULL: chosen */
    const char *cache_dir; /* for compiled kernels; NULL: cltomo in $XDG_CACHE_HOME or ~/.cache */
} cltomo_context_options;

#define CLTOMO_CONTEXT_OPTIONS_INIT                                                                \
    {                                                                                              \
        (uint32_t)sizeof(cltomo_context_options), CLTOMO_BACKEND_AUTO, 0, NULL, NULL, NULL, NULL,  \
            NULL, NULL, NULL                                                                       \
    }

/* options may be NULL for the defaults. Where they leave the choice, the environment may make it:
 * CLTOMO_BACKEND (cpu or opencl) for an automatic backend, CLTOMO_DEVICE for a device. */
CLTOMO_API CLTOMO_MUST_CHECK cltomo_status cltomo_context_create(
    cltomo_context **context, const cltomo_context_options *options, cltomo_error *error);

/* Drops the caller's reference. Accepts NULL. */
CLTOMO_API void cltomo_context_destroy(cltomo_context *context);

/* "cpu" or "opencl": what the context resolved to; fixed for its lifetime. */
CLTOMO_API const char *cltomo_context_backend(const cltomo_context *context);

/* Threads that the CPU path works with, at least 1. */
CLTOMO_API uint32_t cltomo_context_threads(const cltomo_context *context);

#ifdef __cplusplus
}
#endif

#endif
