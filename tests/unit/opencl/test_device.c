#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/shim.h" /* before OpenCL's headers: says which version */

#include "backend/opencl/device.h"
#include "opencl/attempt.h"
#include "support/scratch.h"

static cltomo_found_device found(
    uint32_t platform, uint32_t device, cltomo_device_type type, const char *name)
{
    cltomo_found_device made = {.info = {platform, device, type, 1, 0, 4, 1, 1, "", "", ""}};
    strcpy(made.info.name, name);
    strcpy(made.info.platform, platform == 0 ? "First" : "Second");
    return made;
}

Test(device, gpus_and_accelerators_come_before_cpus)
{
    cltomo_found_device list[] = {found(0, 0, CLTOMO_DEVICE_OTHER, "Tape"),
        found(0, 1, CLTOMO_DEVICE_CPU, "Abacus"), found(1, 0, CLTOMO_DEVICE_ACCELERATOR, "Loom"),
        found(1, 1, CLTOMO_DEVICE_GPU, "Slate")};
    cr_expect_eq(cltomo_choose_device(list, 4, NULL, false), &list[2]);
    cr_expect_eq(cltomo_choose_device(list, 4, NULL, true), &list[2]);
    cr_expect_null(cltomo_choose_device(list, 2, NULL, false));
    cr_expect_eq(cltomo_choose_device(list, 2, NULL, true), &list[1]);
    cr_expect_null(cltomo_choose_device(list, 1, NULL, true));
    cr_expect_null(cltomo_choose_device(list, 0, NULL, true));
}

Test(device, a_name_or_two_numbers_choose)
{
    cltomo_found_device list[] = {found(0, 0, CLTOMO_DEVICE_CPU, "Abacus"),
        found(1, 0, CLTOMO_DEVICE_GPU, "Slate"), found(1, 1, CLTOMO_DEVICE_GPU, "Slate II")};
    cr_expect_eq(cltomo_choose_device(list, 3, "1:1", false), &list[2]);
    cr_expect_eq(cltomo_choose_device(list, 3, "0:0", false), &list[0]);
    cr_expect_eq(cltomo_choose_device(list, 3, "slate i", false), &list[2]);
    cr_expect_eq(cltomo_choose_device(list, 3, "LATE", false), &list[1]);
    cr_expect_eq(cltomo_choose_device(list, 3, "second", false), &list[1]);
    cr_expect_null(cltomo_choose_device(list, 3, "2:0", true));
    cr_expect_null(cltomo_choose_device(list, 3, "slate iii", true));
}

/* What OpenCL's own loader makes of a folder. */
static void expect_nothing_in(const char *folder)
{
    cr_assert_eq(setenv("OCL_ICD_VENDORS", folder, 1), 0);
    attempt a = {0};
    cltomo_context *context = NULL;
    cr_expect_eq(cltomo_opencl_available(), 0);
    cr_expect_eq(
        attempt_context(&a, &context, CLTOMO_BACKEND_OPENCL, NULL, NULL), CLTOMO_ERROR_NO_DEVICE);
    cr_expect_null(context);
    cr_assert_eq(attempt_context(&a, &context, CLTOMO_BACKEND_AUTO, NULL, NULL), CLTOMO_OK);
    cr_expect_str_eq(cltomo_context_backend(context), "cpu");
    cr_expect_str_empty(a.heard);
    cltomo_context_destroy(context);
    cr_expect_eq(atomic_load(&a.live), 0);
}

Test(device, without_any_driver)
{
    expect_nothing_in("/nonexistent");
}

Test(device, an_empty_folder_of_drivers)
{
    scratch s;
    scratch_create(&s);
    expect_nothing_in(s.directory);
    scratch_remove(&s);
}

Test(device, a_driver_that_is_not_there)
{
    static const char text[] = "/nonexistent/libdriver.so\n";
    scratch s;
    scratch_create(&s);
    (void)scratch_write(&s, "lost.icd", text, strlen(text));
    expect_nothing_in(s.directory);
    scratch_remove(&s);
}

Test(device, forcing_does_not_hide_devices)
{
    attempt a = {0};
    cltomo_context *context = NULL;
    cr_assert_eq(setenv("CLTOMO_BACKEND", "cpu", 1), 0);
    cr_assert_eq(attempt_context(&a, &context, CLTOMO_BACKEND_AUTO, NULL, NULL), CLTOMO_OK);
    cr_expect_str_eq(cltomo_context_backend(context), "cpu");
    cr_expect_neq(cltomo_opencl_available(), 0);
    cltomo_context_destroy(context);
    cr_assert_eq(setenv("CLTOMO_BACKEND", "opencl", 1), 0);
    cr_assert_eq(setenv("CLTOMO_DEVICE", "0:0", 1), 0);
    cr_assert_eq(attempt_context(&a, &context, CLTOMO_BACKEND_AUTO, NULL, NULL), CLTOMO_OK);
    cr_expect_str_eq(cltomo_context_backend(context), "opencl");
    cltomo_context_destroy(context);
    cr_assert_eq(setenv("CLTOMO_DEVICE", "no such device", 1), 0);
    cr_expect_eq(
        attempt_context(&a, &context, CLTOMO_BACKEND_OPENCL, NULL, NULL), CLTOMO_ERROR_NO_DEVICE);
    cr_expect_eq(
        attempt_context(&a, &context, CLTOMO_BACKEND_AUTO, NULL, NULL), CLTOMO_ERROR_NO_DEVICE);
}
