#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "backend/opencl/opencl.h"
#include "opencl/shim.h"
#include "support/loop.h"

static cltomo_context *create_context(void)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    cltomo_error error = {0};
    options.backend = CLTOMO_BACKEND_OPENCL;
    cr_assert_eq(cltomo_context_create(&context, &options, &error), CLTOMO_OK, "%s", error.message);
    return context;
}

Test(plan, follows_the_law)
{
    static const size_t shapes[][2] = {{37, 53}, {1, 97}, {97, 1}, {130, 140}};
    cltomo_context *context = create_context();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        loop_truth *truth = loop_truth_create(shapes[i][0], shapes[i][1], (unsigned)i);
        truth->gain = 0.25;
        truth->leak = 0.25;
        truth->has_interaction = 1;
        truth->delay = 2;
        loop_expect(context, truth, 0, 10);
        free(truth);
    }
    cltomo_context_destroy(context);
}

Test(plan, takes_a_staged_matrix)
{
    static const double one[] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    static const double two[] = {2.0, 2.0, 2.0, 2.0, 2.0, 2.0};
    static const float slopes[] = {1.0F, 1.0F, 1.0F, 2.0F, 2.0F, 2.0F};
    float commands[4];
    cltomo_context *context = create_context();
    cltomo_controller *controller = NULL;
    cltomo_matrix *first = loop_matrix(context, one, 2, 3, CLTOMO_PRECISION_DOUBLE);
    cltomo_matrix *next = loop_matrix(context, two, 2, 3, CLTOMO_PRECISION_SINGLE);
    cr_assert_eq(cltomo_controller_create(context, &controller, first, NULL, NULL), CLTOMO_OK);
    for (int i = 0; i < 5; ++i) {
        cr_assert_eq(
            cltomo_controller_stage(controller, i % 2 == 0 ? next : first, NULL), CLTOMO_OK);
        cr_assert_eq(cltomo_controller_apply(controller, commands, slopes, NULL), CLTOMO_OK);
        cr_assert(commands[0] == (i % 2 == 0 ? 6.0F : 3.0F) && commands[1] == commands[0]);
    }
    cr_assert_eq(cltomo_controller_apply_batch(controller, commands, slopes, 2, NULL), CLTOMO_OK);
    cr_assert(commands[0] == 6.0F && commands[1] == 6.0F && commands[2] == 12.0F);
    cltomo_controller_destroy(controller);
    cltomo_matrix_destroy(first);
    cltomo_matrix_destroy(next);
    cltomo_context_destroy(context);
}

/* ---- batches --------------------------------------------------------------------------------- */

enum { n_vectors = 40, n_commands = 61, n_slopes = 97 };

/* Returns how many kernels the batch launched. */
static long expect_batch_as_frames(const cltomo_context *context)
{
    static float slopes[n_vectors * n_slopes];
    static float batch[n_vectors * n_commands];
    float frame[n_commands];
    cltomo_error error = {0};
    loop_truth *truth = loop_truth_create(n_commands, n_slopes, 5);
    cltomo_controller *controller = NULL;
    cltomo_matrix *m =
        loop_matrix(context, truth->matrix, n_commands, n_slopes, CLTOMO_PRECISION_DOUBLE);
    cltomo_status status = cltomo_controller_create(context, &controller, m, NULL, &error);
    cr_assert_eq(status, CLTOMO_OK, "%s", error.message);
    for (size_t i = 0; i < sizeof slopes / sizeof *slopes; ++i) {
        slopes[i] = (float)loop_number(3, i);
    }
    shim_fail(shim_clEnqueueNDRangeKernel, -1, CL_SUCCESS); /* counts from here */
    cr_assert_eq(
        cltomo_controller_apply_batch(controller, batch, slopes, n_vectors, NULL), CLTOMO_OK);
    long launches = shim_calls(shim_clEnqueueNDRangeKernel);
    for (size_t i = 0; i < n_vectors; ++i) {
        const float *of_frame = slopes + i * n_slopes;
        cr_assert_eq(cltomo_controller_apply(controller, frame, of_frame, NULL), CLTOMO_OK);
        for (size_t k = 0; k < n_commands; ++k) {
            cr_assert_float_eq((double)batch[i * n_commands + k], (double)frame[k], 1e-6,
                "vector %zu, command %zu", i, k);
        }
    }
    cltomo_controller_destroy(controller);
    cltomo_matrix_destroy(m);
    free(truth);
    return launches;
}

/* A device that does not share the host's memory is played by the one at hand. */
static long launches_of_batch(cltomo_opencl_blas blas, bool host_memory)
{
    cltomo_context *context = create_context();
    cltomo_quirks *quirks = &cltomo_opencl_of(context)->quirks;
    quirks->host_memory = host_memory;
    quirks->blas = blas;
    quirks->blas_is_forced = true;
    long launches = expect_batch_as_frames(context);
    cltomo_context_destroy(context);
    return launches;
}

Test(plan, a_batch_is_one_product_of_the_host)
{
    cr_assert_eq(launches_of_batch(CLTOMO_BLAS_HOST, true), 0);
    cr_assert_eq(launches_of_batch(CLTOMO_BLAS_HOST, false), 0);
}

/* In one test, as CLBlast takes long to compile; while it proves itself it launches kernels too. */
Test(plan, a_batch_is_a_product_of_clblast)
{
    cr_assert_gt(launches_of_batch(CLTOMO_BLAS_CLBLAST, true), 0);
    cr_assert_gt(launches_of_batch(CLTOMO_BLAS_CLBLAST, false), 0);
}

Test(plan, a_matrix_that_needs_several_buffers_is_refused)
{
    cltomo_context *context = create_context();
    cltomo_error error = {0};
    cltomo_controller *controller = NULL;
    loop_truth *truth = loop_truth_create(150, 150, 1);
    cltomo_matrix *m = loop_matrix(context, truth->matrix, 150, 150, CLTOMO_PRECISION_DOUBLE);
    cr_assert_eq(cltomo_controller_create(context, &controller, m, NULL, NULL), CLTOMO_OK);
    cltomo_opencl_of(context)->largest_buffer = sizeof(float) * 149 * 150;
    cr_assert_eq(cltomo_controller_stage(controller, m, &error), CLTOMO_ERROR_MEMORY);
    cr_assert_not_null(strstr(error.message, "needs one buffer"), "%s", error.message);
    cltomo_controller_destroy(controller);
    cltomo_matrix_destroy(m);
    free(truth);
    cltomo_context_destroy(context);
}
