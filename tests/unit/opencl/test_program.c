/* Where programs come from: the cache, the embedded kernels, or a folder. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opencl/attempt.h"
#include "opencl/shim.h"
#include "support/scratch.h"

/* A build in double precision on a new context; returns how many programs were compiled. */
static long compilations(const char *cache_dir)
{
    attempt a = {0};
    cltomo_context *context = NULL;
    shim_fail(shim_clFinish, -1, CL_SUCCESS);
    cr_assert_eq(attempt_context(&a, &context, CLTOMO_BACKEND_OPENCL, NULL, cache_dir), CLTOMO_OK);
    cr_assert_eq(
        attempt_build(&a, context, CLTOMO_PRECISION_DOUBLE), CLTOMO_OK, "%s", a.error.message);
    cltomo_context_destroy(context);
    cr_assert_eq(atomic_load(&a.live), 0);
    return shim_calls(shim_clCreateProgramWithSource);
}

/* The one file in the folder. */
static void cached_file(const char *directory, char *path, size_t size)
{
    DIR *folder = opendir(directory);
    int n = 0;
    cr_assert_not_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] != '.') {
            (void)snprintf(path, size, "%s/%s", directory, entry->d_name);
            ++n;
        }
    }
    (void)closedir(folder);
    cr_assert_eq(n, 1);
}

Test(program, is_compiled_once)
{
    scratch s;
    scratch_create(&s);
    cr_expect_eq(compilations(s.directory), 1);
    cr_expect_eq(compilations(s.directory), 0);
    scratch_remove(&s);
}

Test(program, is_compiled_again_if_the_cache_is_damaged)
{
    scratch s;
    char path[1024];
    scratch_create(&s);
    (void)compilations(s.directory);
    cached_file(s.directory, path, sizeof path);
    FILE *file = fopen(path, "r+b");
    cr_assert_not_null(file);
    cr_assert_eq(fseek(file, 1000, SEEK_SET), 0);
    cr_assert_gt(fprintf(file, "damaged"), 0);
    cr_assert_eq(fclose(file), 0);
    cr_expect_eq(compilations(s.directory), 1);
    cr_expect_eq(compilations(s.directory), 0);
    static const off_t sizes[] = {5000, 24, 10, 0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        cr_assert_eq(truncate(path, sizes[i]), 0);
        cr_expect_eq(compilations(s.directory), 1);
        cr_expect_eq(compilations(s.directory), 0);
    }
    scratch_remove(&s);
}

Test(program, needs_no_cache)
{
    cr_expect_eq(compilations("/dev/null/cltomo"), 1);
    cr_assert_eq(unsetenv("XDG_CACHE_HOME"), 0);
    cr_assert_eq(unsetenv("HOME"), 0);
    cr_expect_eq(compilations(NULL), 1);
}

static void expect_failure(const char *folder, cltomo_status expected, const char *message)
{
    attempt a = {0};
    cltomo_context *context = NULL;
    cr_assert_eq(setenv("CLTOMO_KERNEL_DIR", folder, 1), 0);
    cr_assert_eq(attempt_context(&a, &context, CLTOMO_BACKEND_OPENCL, NULL, NULL), CLTOMO_OK);
    cr_expect_eq(attempt_build(&a, context, CLTOMO_PRECISION_DOUBLE), expected);
    cr_expect_not_null(strstr(a.error.message, message), "%s", a.error.message);
    if (expected == CLTOMO_ERROR_DEVICE) {
        cr_expect_not_null(strstr(a.heard, "error"), "%s", a.heard);
    }
    cltomo_context_destroy(context);
    cr_expect_eq(atomic_load(&a.live), 0);
    cr_expect_eq(shim_live(), 0);
}

Test(program, kernels_from_a_folder)
{
    static const char *const names[] = {"von_karman_coefficients.h", "von_karman.h", "real.cl",
        "covariance.cl", "elementwise.cl", "gradient.cl", "influence.cl", "matrix_vector.cl",
        "separable.cl", "sparse.cl", "toeplitz.cl", "turbulence.cl"};
    scratch s;
    scratch_create(&s);
    expect_failure("/nonexistent", CLTOMO_ERROR_IO, "von_karman_coefficients");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        const char *text = i == 3 ? "nonsense;\n" : "/* nothing */\n";
        (void)scratch_write(&s, names[i], text, strlen(text));
    }
    expect_failure(s.directory, CLTOMO_ERROR_DEVICE, "do not build");
    (void)scratch_write(&s, names[3], "", 0);
    expect_failure(s.directory, CLTOMO_ERROR_IO, "covariance");
    scratch_remove(&s);
}
