/* Operations on a caller's matrices, on the C path. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "support/fault.h"
#include "support/fixture.h"
#include "support/operations.h"

Test(apply, a_matrix_applies_to_vectors)
{
    static const uint32_t thread_counts[] = {1, 2, 5};
    for (size_t t = 0; t < sizeof thread_counts / sizeof thread_counts[0]; ++t) {
        cltomo_context *context = fixture_threads(thread_counts[t]);
        operations_expect_matrix_apply(context);
        cltomo_context_destroy(context);
    }
}

Test(apply, the_gradient_operator_and_its_transpose)
{
    cltomo_context *context = fixture_threads(3);
    operations_expect_gradient(context);
    cltomo_context_destroy(context);
}

Test(apply, the_von_karman_functions)
{
    cltomo_context *context = fixture_threads(2);
    operations_expect_von_karman(context);
    cltomo_context_destroy(context);
}

static double one(size_t i, size_t j)
{
    (void)i;
    (void)j;
    return 1.0;
}

static double huge(size_t i, size_t j)
{
    (void)i;
    (void)j;
    return 1e200;
}

Test(apply, what_does_not_fit_is_an_error)
{
    cltomo_context *context = fixture_context();
    cltomo_matrix *matrix = operations_matrix(context, CLTOMO_PRECISION_DOUBLE, 4, 3, one);
    cltomo_matrix *vectors = operations_matrix(context, CLTOMO_PRECISION_DOUBLE, 3, 4, one);
    cltomo_matrix *results = matrix;
    cltomo_error error = {0};
    cr_expect_eq(
        cltomo_matrix_apply(context, &results, matrix, vectors, &error), CLTOMO_ERROR_SHAPE);
    cr_expect_null(results);
    cr_expect_not_null(strstr(error.message, "4 x 3"), "%s", error.message);
    cltomo_matrix_destroy(matrix);
    cltomo_matrix_destroy(vectors);
    cltomo_context_destroy(context);
}

Test(apply, what_overflows_is_an_error)
{
    cltomo_context *context = fixture_context();
    cltomo_matrix *matrix = operations_matrix(context, CLTOMO_PRECISION_DOUBLE, 2, 3, huge);
    cltomo_matrix *results = matrix;
    cr_expect_eq(
        cltomo_matrix_apply(context, &results, matrix, matrix, NULL), CLTOMO_ERROR_NOT_FINITE);
    cr_expect_null(results);
    cltomo_matrix_destroy(matrix);
    cltomo_context_destroy(context);
}

typedef struct operands {
    cltomo_matrix *matrix;
    cltomo_matrix *vectors;
    cltomo_gradient *gradient; /* of a single lenslet: 2 x 9 */
    cltomo_matrix *slopes;
} operands;

static cltomo_status attempt(const cltomo_context *context, void *user, cltomo_error *error)
{
    const operands *o = user;
    cltomo_matrix *results = o->matrix;
    cltomo_status status = cltomo_matrix_apply(context, &results, o->matrix, o->vectors, error);
    cr_assert_eq(status == CLTOMO_OK, results != NULL);
    cltomo_matrix_destroy(results);
    return status;
}

static cltomo_status attempt_gradient(
    const cltomo_context *context, void *user, cltomo_error *error)
{
    const operands *o = user;
    cltomo_matrix *phase = o->matrix;
    cltomo_matrix *slopes = o->matrix;
    cltomo_status status =
        cltomo_gradient_apply_transposed(context, &phase, o->gradient, o->slopes, error);
    cr_assert_eq(status == CLTOMO_OK, phase != NULL);
    if (status == CLTOMO_OK) {
        status = cltomo_gradient_apply(context, &slopes, o->gradient, phase, error);
        cr_assert_eq(status == CLTOMO_OK, slopes != NULL);
        cltomo_matrix_destroy(slopes);
    }
    cltomo_matrix_destroy(phase);
    return status;
}

Test(apply, survives_failing_allocations)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    operands o = {.matrix = operations_matrix(context, CLTOMO_PRECISION_SINGLE, 4, 3, one),
        .vectors = operations_matrix(context, CLTOMO_PRECISION_DOUBLE, 2, 3, one),
        .slopes = operations_matrix(context, CLTOMO_PRECISION_SINGLE, 5, 2, one)};
    cr_assert_eq(cltomo_gradient_create(context, &o.gradient, (const uint8_t[]){1}, 1, NULL, 3,
                     CLTOMO_SLOPES_XY, CLTOMO_LENSLETS_ROW, NULL),
        CLTOMO_OK);
    cr_assert_gt(fault_each(&state, context, attempt, &o), 0);
    cr_assert_gt(fault_each(&state, context, attempt_gradient, &o), 0);
    cltomo_gradient_destroy(o.gradient);
    cltomo_matrix_destroy(o.slopes);
    cltomo_matrix_destroy(o.matrix);
    cltomo_matrix_destroy(o.vectors);
    cltomo_context_destroy(context);
    cr_assert_eq(atomic_load(&state.live), 0);
}
