#include <pthread.h>
#include <stdatomic.h>

#include "core/core.h"

typedef struct job {
    size_t n;
    size_t chunk;
    cltomo_parallel_function function;
    void *user;
    atomic_size_t next;    /* first item not yet handed out */
    atomic_size_t workers; /* numbers handed out */
} job;

static void *work(void *argument)
{
    job *shared = argument;
    size_t worker = atomic_fetch_add(&shared->workers, 1);
    for (;;) {
        size_t begin = atomic_fetch_add(&shared->next, shared->chunk);
        if (begin >= shared->n) {
            return NULL;
        }
        size_t end = shared->n - begin < shared->chunk ? shared->n : begin + shared->chunk;
        shared->function(shared->user, begin, end, worker);
    }
}

void cltomo_parallel_for(const cltomo_context *context, size_t n, size_t chunk,
    cltomo_parallel_function function, void *user)
{
    enum { max_helpers = 256 };
    job shared = {.n = n, .chunk = chunk > 0 ? chunk : 1, .function = function, .user = user};
    atomic_init(&shared.next, 0);
    atomic_init(&shared.workers, 0);

    size_t chunks = n / shared.chunk + (n % shared.chunk != 0);
    size_t wanted = cltomo_context_threads(context);
    wanted = wanted < chunks ? wanted : chunks;
    pthread_t helper[max_helpers];
    size_t helpers = 0;
    while (helpers + 1 < wanted && helpers < max_helpers &&
           pthread_create(&helper[helpers], NULL, work, &shared) == 0) {
        ++helpers;
    }
    (void)work(&shared);
    for (size_t i = 0; i < helpers; ++i) {
        (void)pthread_join(helper[i], NULL);
    }
}
