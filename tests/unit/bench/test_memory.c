#include "bench.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

Test(memory, live_and_peak_are_counted)
{
    bench_allocations allocations = {0};
    cltomo_allocator a = bench_counting_allocator(&allocations);
    void *first = a.allocate(a.user, 64, 1000);
    void *second = a.allocate(a.user, 64, 500);
    cr_assert(first != NULL && second != NULL);
    memset(first, 1, 1000);
    memset(second, 2, 500);
    cr_expect_eq(atomic_load(&allocations.live), 1500);
    cr_expect_eq(atomic_load(&allocations.peak), 1500);
    a.release(a.user, first);
    cr_expect_eq(atomic_load(&allocations.live), 500);
    cr_expect_eq(atomic_load(&allocations.peak), 1500);
    bench_allocations_restart(&allocations);
    cr_expect_eq(atomic_load(&allocations.peak), 500);
    a.release(a.user, second);
    cr_expect_eq(atomic_load(&allocations.live), 0);
}

Test(memory, blocks_are_aligned)
{
    bench_allocations allocations = {0};
    cltomo_allocator a = bench_counting_allocator(&allocations);
    for (size_t alignment = sizeof(void *); alignment <= 4096; alignment *= 2) {
        void *block = a.allocate(a.user, alignment, 3);
        cr_assert(block != NULL);
        cr_expect_eq((uintptr_t)block % alignment, 0);
        a.release(a.user, block);
    }
}

Test(memory, too_much_is_refused, .description = "large")
{
#ifdef __SANITIZE_ADDRESS__
    cr_skip_test("AddressSanitizer reports such an allocation itself");
#endif
    bench_allocations allocations = {0};
    cltomo_allocator a = bench_counting_allocator(&allocations);
    cr_expect_null(a.allocate(a.user, 64, SIZE_MAX - 8));
    cr_expect_null(a.allocate(a.user, 64, SIZE_MAX / 2));
    cr_expect_eq(atomic_load(&allocations.live), 0);
    cr_expect_eq(atomic_load(&allocations.peak), 0);
}

Test(memory, peak_of_the_process_starts_anew, .description = "large")
{
#ifdef __SANITIZE_ADDRESS__
    cr_skip_test("AddressSanitizer keeps what was released");
#endif
    enum { size = 64 << 20 };
    unsigned char *block = malloc(size);
    cr_assert(block != NULL);
    for (size_t i = 0; i < size; i += 4096) {
        ((volatile unsigned char *)block)[i] = 1;
    }
    uint64_t with_block = bench_process_peak();
    cr_expect_geq(with_block, size);
    free(block);
    if (bench_process_restart_peak()) {
        cr_expect_lt(bench_process_peak(), with_block - size / 2);
        cr_expect_geq(bench_process_peak(), bench_process_memory() / 2);
    }
}
