/* The context's fields; everything outside src/core goes through core.h. */
#ifndef CLTOMO_CORE_CONTEXT_H
#define CLTOMO_CORE_CONTEXT_H

#include <cltomo/context.h>
#include <stdatomic.h>

struct cltomo_context {
    atomic_size_t references;
    cltomo_allocator allocator;
    cltomo_log_function log;
    void *log_user;
    cltomo_progress_function progress;
    void *progress_user;
    uint32_t n_threads;
};

#endif
