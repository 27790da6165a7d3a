/* The context's fields; everything outside src/core goes through core.h. */
#ifndef CLTOMO_CORE_CONTEXT_H
#define CLTOMO_CORE_CONTEXT_H

#include <cltomo/context.h>
#include <stdatomic.h>
#include <stdbool.h>

struct cltomo_backend;

struct cltomo_context {
    atomic_size_t references;
    const struct cltomo_backend *backend;
    void (*release_backend)(cltomo_context *context); /* NULL: nothing to release */
    bool may_fall_back; /* to the C path, as the caller left the choice of the backend */
    cltomo_allocator allocator;
    cltomo_log_function log;
    void *log_user;
    cltomo_progress_function progress;
    void *progress_user;
    uint32_t n_threads;
    bool threads_requested; /* by the caller, so the BLAS is held to them too */
};

/* A context without a backend, from checked options. */
cltomo_status cltomo_context_allocate(
    cltomo_context **context, const cltomo_context_options *options, cltomo_error *error);

/* Copies what the caller's version of the options has and checks it; NULL gives the defaults. */
cltomo_status cltomo_context_read_options(
    cltomo_context_options *own, const cltomo_context_options *options, cltomo_error *error);

#endif
