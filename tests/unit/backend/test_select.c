#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "core/context.h"
#include "support/fixture.h"

Test(select, the_c_path_is_always_there)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    options.backend = CLTOMO_BACKEND_CPU;
    cr_assert_eq(cltomo_context_create(&context, &options, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_backend_of(context), &cltomo_backend_cpu);
    cr_assert_str_eq(cltomo_context_backend(context), "cpu");
    cltomo_context_destroy(context);
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
    options.device = "no such device";
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

/* What a context resolves to with this choice of the caller and this environment. */
static cltomo_status resolve(cltomo_backend_kind kind, const char *environment, const char *device,
    const cltomo_backend **backend, cltomo_error *error)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    options.backend = kind;
    (void)setenv("CLTOMO_BACKEND", environment, 1);
    (void)setenv("CLTOMO_DEVICE", device, 1);
    cltomo_status status = cltomo_context_create(&context, &options, error);
    (void)unsetenv("CLTOMO_BACKEND");
    (void)unsetenv("CLTOMO_DEVICE");
    *backend = status == CLTOMO_OK ? cltomo_backend_of(context) : NULL;
    cr_assert_eq(context == NULL, status != CLTOMO_OK);
    cltomo_context_destroy(context);
    return status;
}

Test(select, the_environment_decides_what_the_caller_left_open)
{
    const cltomo_backend *backend = NULL;
    cltomo_error error = {0};
    cltomo_backend_kind automatic = CLTOMO_BACKEND_AUTO;
    cr_expect_eq(resolve(automatic, "cpu", "", &backend, NULL), CLTOMO_OK);
    cr_expect_eq(backend, &cltomo_backend_cpu);
    cr_expect_eq(resolve(automatic, "auto", "", &backend, NULL), CLTOMO_OK);
    cr_expect_eq(resolve(automatic, "", "", &backend, NULL), CLTOMO_OK);
    cr_expect_eq(
        resolve(automatic, "opencl", "no such device", &backend, &error), CLTOMO_ERROR_NO_DEVICE);
    cr_expect_eq(
        resolve(automatic, "", "no such device", &backend, &error), CLTOMO_ERROR_NO_DEVICE);
    cr_expect_neq(error.message[0], '\0');
    cr_expect_eq(resolve(automatic, "gpu", "", &backend, &error), CLTOMO_ERROR_ARGUMENT);
    cr_expect_str_eq(error.key, "CLTOMO_BACKEND");
    cr_expect_str_eq(error.value, "gpu");
}

Test(select, the_caller_comes_before_the_environment)
{
    const cltomo_backend *backend = NULL;
    static const char *const environments[] = {"opencl", "gpu", "cpu"};
    for (size_t i = 0; i < 3; ++i) {
        cr_expect_eq(resolve(CLTOMO_BACKEND_CPU, environments[i], "no such device", &backend, NULL),
            CLTOMO_OK);
        cr_expect_eq(backend, &cltomo_backend_cpu);
    }
}

static cltomo_status cannot(const cltomo_context *context, cltomo_precision precision,
    uint64_t bytes, uint64_t largest, cltomo_error *error)
{
    (void)context;
    (void)largest;
    if (precision == CLTOMO_PRECISION_DOUBLE || bytes > 1000) {
        return cltomo_fail(error, CLTOMO_ERROR_UNSUPPORTED, "only small single-precision builds");
    }
    return CLTOMO_OK;
}

static void hear(void *user, cltomo_log_level level, const char *text)
{
    char *heard = user;
    cr_expect_eq(level, CLTOMO_LOG_WARNING);
    strcpy(heard, text);
}

/* A backend of limited means, in the place of a device's. */
Test(select, the_c_path_takes_over_only_where_the_caller_left_the_choice)
{
    char heard[1024] = "";
    const cltomo_backend *backend = NULL;
    cltomo_backend limited = cltomo_backend_cpu;
    cltomo_context *context = fixture_context();
    cltomo_error error = {0};
    limited.check = cannot;
    context->backend = &limited;
    context->log = hear;
    context->log_user = heard;

    context->may_fall_back = true;
    cr_expect_eq(cltomo_backend_select(context, &backend, CLTOMO_PRECISION_SINGLE, 1000, 1, &error),
        CLTOMO_OK);
    cr_expect_eq(backend, &limited);
    cr_expect_str_empty(heard);
    cr_expect_eq(cltomo_backend_select(context, &backend, CLTOMO_PRECISION_SINGLE, 1001, 1, &error),
        CLTOMO_OK);
    cr_expect_eq(backend, &cltomo_backend_cpu);
    cr_expect_not_null(strstr(heard, "only small single-precision builds"));
    cr_expect_eq(error.status, CLTOMO_OK);

    context->may_fall_back = false;
    heard[0] = '\0';
    cr_expect_eq(cltomo_backend_select(context, &backend, CLTOMO_PRECISION_DOUBLE, 1, 1, &error),
        CLTOMO_ERROR_UNSUPPORTED);
    cr_expect_eq(error.status, CLTOMO_ERROR_UNSUPPORTED);
    cr_expect_eq(cltomo_backend_select(context, &backend, CLTOMO_PRECISION_DOUBLE, 1, 1, NULL),
        CLTOMO_ERROR_UNSUPPORTED);
    cr_expect_str_empty(heard);
    cltomo_context_destroy(context);
}
