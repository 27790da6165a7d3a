#include <criterion/criterion.h>
#include <string.h>

#include "core/core.h"
#include "support/fault.h"

Test(allocate, memory_is_aligned_and_never_null_for_nothing)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    long live = atomic_load(&state.live);
    static const size_t counts[] = {0, 1, 3, 64, 1000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        unsigned char *pointer = cltomo_allocate(context, counts[i], 7);
        cr_assert_not_null(pointer);
        cr_assert_eq((uintptr_t)pointer % CLTOMO_ALIGNMENT, 0);
        memset(pointer, 1, counts[i] * 7);
        cltomo_release(context, pointer);
        void *empty = cltomo_allocate(context, counts[i], 0);
        cr_assert_not_null(empty);
        cltomo_release(context, empty);
    }
    cltomo_release(context, NULL);
    cr_assert_eq(atomic_load(&state.live), live);
    cltomo_context_destroy(context);
    cr_assert_eq(atomic_load(&state.live), 0);
}

Test(allocate, cleared_memory_is_zero)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    unsigned char *used = cltomo_allocate(context, 300, 1);
    memset(used, 0xAA, 300); /* what the allocator is likely to hand out again */
    cltomo_release(context, used);
    unsigned char *pointer = cltomo_allocate_zero(context, 100, 3);
    for (size_t i = 0; i < 300; ++i) {
        cr_assert_eq(pointer[i], 0);
    }
    cltomo_release(context, pointer);
    cltomo_context_destroy(context);
}

Test(allocate, a_duplicate_is_a_copy)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    const double original[3] = {1.5, -2.0, 1e300};
    double *copy = cltomo_duplicate(context, original, 3, sizeof *original);
    cr_assert_eq(memcmp(copy, original, sizeof original), 0);
    void *nothing = cltomo_duplicate(context, NULL, 0, 8);
    cr_assert_not_null(nothing);
    cltomo_release(context, nothing);
    cltomo_release(context, copy);
    cltomo_context_destroy(context);
}

Test(allocate, overflow_and_failure_give_null_without_asking_for_less)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    long left = atomic_load(&state.left);
    cr_assert_null(cltomo_allocate(context, SIZE_MAX, 8));
    cr_assert_null(cltomo_allocate(context, SIZE_MAX / 8 + 1, 8));
    cr_assert_null(cltomo_allocate(context, 8, SIZE_MAX / 8 + 1));
    cr_assert_null(cltomo_allocate_zero(context, SIZE_MAX / 2, 3));
    cr_assert_null(cltomo_duplicate(context, "x", SIZE_MAX / 2, 3));
    /* the sum of size and alignment must not overflow either */
    cr_assert_null(cltomo_allocate(context, SIZE_MAX, 1));
    cr_assert_null(cltomo_allocate(context, SIZE_MAX - CLTOMO_ALIGNMENT + 1, 1));
    cr_assert_eq(atomic_load(&state.left), left, "the allocator was asked");
    atomic_store(&state.left, 0);
    cr_assert_null(cltomo_allocate(context, 1, 1));
    cr_assert_null(cltomo_allocate_zero(context, 1, 1));
    cr_assert_null(cltomo_duplicate(context, "x", 1, 1));
    cltomo_context_destroy(context);
    cr_assert_eq(atomic_load(&state.live), 0);
}
