#include <criterion/criterion.h>
#include <stdlib.h>

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
