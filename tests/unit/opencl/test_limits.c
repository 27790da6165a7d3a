/* Devices of limited means: refused where OpenCL is demanded, left aside where the choice is free.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/attempt.h"
#include "opencl/shim.h"

static void expect(cltomo_precision precision, cltomo_status expected, const char *message)
{
    attempt a = {0};
    cltomo_context *context = NULL;
    cr_assert_eq(attempt_context(&a, &context, CLTOMO_BACKEND_OPENCL, NULL, NULL), CLTOMO_OK);
    cr_expect_eq(attempt_build(&a, context, precision), expected, "%s", a.error.message);
    cr_expect_not_null(strstr(a.error.message, message), "%s", a.error.message);
    cltomo_context_destroy(context);

    memset(&a, 0, sizeof a);
    cr_assert_eq(attempt_context(&a, &context, CLTOMO_BACKEND_AUTO, "0:0", NULL), CLTOMO_OK);
    cr_expect_str_eq(cltomo_context_backend(context), "opencl");
    cr_expect_eq(attempt_build(&a, context, precision), CLTOMO_OK, "%s", a.error.message);
    cr_expect_not_null(strstr(a.heard, message), "%s", a.heard);
    cltomo_context_destroy(context);
    cr_expect_eq(shim_live(), 0);
}

Test(limits, no_double_precision)
{
    shim_limit(1, 0, 0);
    expect(CLTOMO_PRECISION_DOUBLE, CLTOMO_ERROR_UNSUPPORTED, "cl_khr_fp64");
    expect(CLTOMO_PRECISION_SINGLE, CLTOMO_OK, "");
}

Test(limits, too_little_memory)
{
    shim_limit(0, 100000, 0);
    expect(CLTOMO_PRECISION_DOUBLE, CLTOMO_ERROR_MEMORY, "the build needs 0 MB");
}

Test(limits, too_small_buffers)
{
    shim_limit(0, 0, 10000);
    expect(CLTOMO_PRECISION_SINGLE, CLTOMO_ERROR_MEMORY, "a part of the largest matrix needs 0 MB");
}

/* A build in single precision on CLBlast whose products are wrong; returns how it ended. */
static cltomo_status build_wrongly(attempt *a, const char *blas)
{
    cltomo_context *context = NULL;
    shim_pretend_gpu(1);
    cr_assert_eq(setenv("CLTOMO_BLAS", blas, 1), 0);
    cr_assert_eq(attempt_context(a, &context, CLTOMO_BACKEND_OPENCL, NULL, NULL), CLTOMO_OK);
    shim_scale_products(1.001);
    cltomo_status status = attempt_build(a, context, CLTOMO_PRECISION_SINGLE);
    shim_scale_products(1.0);
    cltomo_context_destroy(context);
    return status; /* what CLBlast keeps is not ours to release */
}

/* In one test, as CLBlast takes long to compile. */
Test(limits, a_wrong_clblast_leaves_the_work_to_the_host_or_is_an_error)
{
    static attempt a; /* zero */
    cr_expect_eq(build_wrongly(&a, ""), CLTOMO_OK, "%s", a.error.message);
    cr_expect_not_null(strstr(a.heard, "CLBlast multiplies wrongly"), "%s", a.heard);
    cr_expect_eq(build_wrongly(&a, "clblast"), CLTOMO_ERROR_DEVICE);
    cr_expect_not_null(
        strstr(a.error.message, "CLBlast multiplies wrongly"), "%s", a.error.message);
}
