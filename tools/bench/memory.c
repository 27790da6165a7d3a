#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* ---- what the library allocates ------------------------------------------------------------ */

/* In front of each block. */
typedef struct block_header {
    void *start; /* as allocated */
    uint64_t size;
} block_header;

static void *allocate(void *user, size_t alignment, size_t size)
{
    bench_allocations *allocations = user;
    size_t offset = alignment > sizeof(block_header) ? alignment : sizeof(block_header);
    void *start = NULL;
    if (size > SIZE_MAX - offset || posix_memalign(&start, alignment, offset + size) != 0) {
        return NULL;
    }
    unsigned char *block = (unsigned char *)start + offset;
    block_header header = {start, size};
    memcpy(block - sizeof header, &header, sizeof header);
    uint_least64_t live = atomic_fetch_add(&allocations->live, size) + size;
    uint_least64_t peak = atomic_load(&allocations->peak);
    while (live > peak && !atomic_compare_exchange_weak(&allocations->peak, &peak, live)) {
    }
    return block;
}

static void release(void *user, void *pointer)
{
    bench_allocations *allocations = user;
    block_header header;
    memcpy(&header, (unsigned char *)pointer - sizeof header, sizeof header);
    (void)atomic_fetch_sub(&allocations->live, header.size);
    free(header.start);
}

cltomo_allocator bench_counting_allocator(bench_allocations *allocations)
{
    return (cltomo_allocator){allocate, release, allocations};
}

void bench_allocations_restart(bench_allocations *allocations)
{
    atomic_store(&allocations->peak, atomic_load(&allocations->live));
}

/* ---- what the process uses ----------------------------------------------------------------- */

bool bench_process_restart_peak(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
    FILE *file = fopen("/proc/self/clear_refs", "we");
    if (file == NULL) {
        return false;
    }
    bool fine = fputs("5", file) != EOF;
    return fclose(file) == 0 && fine;
}

/* A line of /proc/self/status that counts kilobytes. */
static uint64_t read_status(const char *name)
{
    unsigned long long kilobytes = 0;
    char line[128];
    FILE *file = fopen("/proc/self/status", "re");
    if (file == NULL) {
        return 0;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) {
            kilobytes = strtoull(line + strlen(name), NULL, 10);
            break;
        }
    }
    (void)fclose(file);
    return (uint64_t)kilobytes * 1024;
}

uint64_t bench_process_memory(void)
{
    return read_status("VmRSS:");
}

uint64_t bench_process_peak(void)
{
    uint64_t peak = read_status("VmHWM:");
    struct rusage usage;
    if (peak == 0 && getrusage(RUSAGE_SELF, &usage) == 0) {
        peak = (uint64_t)usage.ru_maxrss * 1024;
    }
    return peak;
}
