/* Operations on a caller's matrices, on OpenCL. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "opencl/attempt.h"
#include "opencl/shim.h"
#include "support/operations.h"

static void on_opencl(void (*expect)(const cltomo_context *context))
{
    attempt a = {0};
    cltomo_context *context = NULL;
    cr_assert_eq(attempt_context(&a, &context, CLTOMO_BACKEND_OPENCL, NULL, NULL), CLTOMO_OK, "%s",
        a.error.message);
    cr_assert_str_eq(cltomo_context_backend(context), "opencl");
    expect(context);
    cltomo_context_destroy(context);
    cr_expect_eq(atomic_load(&a.live), 0);
    cr_expect_eq(shim_live(), 0);
}

/* On a device that says it is a GPU there are other kernels, and nothing lies on the host. */
static void on_gpu(void (*expect)(const cltomo_context *context))
{
    cr_assert_eq(setenv("CLTOMO_BLAS", "host", 1), 0);
    shim_pretend_gpu(1);
    on_opencl(expect);
}

Test(apply, a_matrix_applies_to_vectors)
{
    on_opencl(operations_expect_matrix_apply);
}

Test(apply, a_matrix_applies_to_vectors_on_a_gpu)
{
    on_gpu(operations_expect_matrix_apply);
}

Test(apply, the_gradient_operator_and_its_transpose)
{
    on_opencl(operations_expect_gradient);
    on_gpu(operations_expect_gradient);
}

Test(apply, the_von_karman_functions)
{
    on_opencl(operations_expect_von_karman);
    on_gpu(operations_expect_von_karman);
}

Test(apply, the_updates_in_place)
{
    on_opencl(operations_expect_updates);
    on_gpu(operations_expect_updates);
}
