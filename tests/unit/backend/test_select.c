#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "backend/backend.h"

Test(select, cpu_and_auto_give_the_c_path)
{
    static const cltomo_backend_kind kinds[] = {CLTOMO_BACKEND_AUTO, CLTOMO_BACKEND_CPU};
    for (size_t i = 0; i < 2; ++i) {
        cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
        cltomo_context *context = NULL;
        options.backend = kinds[i];
        cr_assert_eq(cltomo_context_create(&context, &options, NULL), CLTOMO_OK);
        cr_assert_eq(cltomo_backend_of(context), &cltomo_backend_cpu);
        cr_assert_str_eq(cltomo_context_backend(context), cltomo_backend_cpu.name);
        cltomo_context_destroy(context);
    }
}

static atomic_long live;

static void *allocate(void *user, size_t alignment, size_t size)
{
    void *pointer = NULL;
    (void)user;
    if (posix_memalign(&pointer, alignment, size) != 0) {
        return NULL;
    }
    atomic_fetch_add(&live, 1);
    return pointer;
}

static void release(void *user, void *pointer)
{
    (void)user;
    atomic_fetch_sub(&live, 1);
    free(pointer);
}

static void expect_none(cltomo_backend_kind kind, cltomo_status expected)
{
    const cltomo_allocator allocator = {allocate, release, NULL};
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = (cltomo_context *)(uintptr_t)1;
    cltomo_error error = {0};
    options.backend = kind;
    options.allocator = &allocator;
    cr_expect_eq(cltomo_context_create(&context, &options, &error), expected);
    cr_expect_eq(error.status, expected);
    cr_expect_null(context);
    cr_expect_eq(atomic_load(&live), 0);
}

Test(select, a_backend_that_is_not_there_is_an_error)
{
    expect_none(CLTOMO_BACKEND_OPENCL, CLTOMO_ERROR_NO_DEVICE);
    expect_none((cltomo_backend_kind)3, CLTOMO_ERROR_ARGUMENT);
    expect_none((cltomo_backend_kind)-1, CLTOMO_ERROR_ARGUMENT);
}
