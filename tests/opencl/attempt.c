#include "attempt.h"

#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fixture.h"
#include "support/interaction.h"

static void *allocate(void *user, size_t alignment, size_t size)
{
    attempt *self = user;
    void *pointer = NULL;
    long number = atomic_fetch_add(&self->made, 1) + 1;
    if (self->refused > 0 && number >= self->refused) {
        return NULL;
    }
    if (posix_memalign(&pointer, alignment, size) != 0) {
        return NULL;
    }
    atomic_fetch_add(&self->live, 1);
    return pointer;
}

static void release(void *user, void *pointer)
{
    attempt *self = user;
    atomic_fetch_sub(&self->live, 1);
    free(pointer);
}

static pthread_mutex_t hearing = PTHREAD_MUTEX_INITIALIZER;

static void hear(void *user, cltomo_log_level level, const char *text)
{
    attempt *self = user;
    (void)level;
    (void)pthread_mutex_lock(&hearing);
    size_t length = strlen(self->heard);
    (void)snprintf(self->heard + length, sizeof self->heard - length, "%s\n", text);
    (void)pthread_mutex_unlock(&hearing);
    cr_expect_null(strchr(text, '\n'), "more than a line: %s", text);
}

cltomo_status attempt_context(attempt *self, cltomo_context **context, cltomo_backend_kind backend,
    const char *device, const char *cache_dir)
{
    const cltomo_allocator allocator = {allocate, release, self};
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    options.backend = backend;
    options.device = device;
    options.cache_dir = cache_dir;
    options.allocator = &allocator;
    options.log = hear;
    options.log_user = self;
    memset(&self->error, 0, sizeof self->error);
    return cltomo_context_create(context, &options, &self->error);
}

static double element(const cltomo_matrix *m, size_t i)
{
    return cltomo_matrix_precision(m) == CLTOMO_PRECISION_DOUBLE
               ? cltomo_matrix_double(m)[i]
               : (double)cltomo_matrix_single(m)[i];
}

double attempt_distance(const cltomo_matrix *a, const cltomo_matrix *reference)
{
    double difference = 0.0;
    double norm = 0.0;
    size_t n = cltomo_matrix_rows(reference) * cltomo_matrix_cols(reference);
    cr_assert_eq(cltomo_matrix_rows(a) * cltomo_matrix_cols(a), n);
    for (size_t i = 0; i < n; ++i) {
        double d = element(a, i) - element(reference, i);
        difference += d * d;
        norm += element(reference, i) * element(reference, i);
    }
    return sqrt(difference / norm);
}

static void compare(const cltomo_reconstructor *found, const cltomo_build_options *options)
{
    cltomo_context *cpu = fixture_context();
    cltomo_system *system = fixture_system(cpu, "small_asymmetric");
    cltomo_reconstructor *expected = NULL;
    cr_assert_eq(cltomo_reconstructor_build(cpu, &expected, system, options, NULL), CLTOMO_OK);
    double distance = attempt_distance(cltomo_reconstructor_matrix(found, CLTOMO_PRODUCT_FR),
        cltomo_reconstructor_matrix(expected, CLTOMO_PRODUCT_FR));
    /* the backends may differ in their evaluators, which agree to the accuracy asked for */
    cr_assert_lt(distance, options->precision == CLTOMO_PRECISION_DOUBLE ? 1e-12 : 1e-5);
    cltomo_reconstructor_destroy(expected);
    cltomo_system_destroy(system);
    cltomo_context_destroy(cpu);
}

cltomo_status attempt_build(
    attempt *self, const cltomo_context *context, cltomo_precision precision)
{
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_context *own = fixture_context(); /* what is not under test does not fail */
    cltomo_system *system = fixture_system(own, "small_asymmetric");
    cltomo_reconstructor *found = NULL;
    options.precision = precision;
    memset(&self->error, 0, sizeof self->error);
    cltomo_status status =
        cltomo_reconstructor_build(context, &found, system, &options, &self->error);
    cr_assert_eq(status == CLTOMO_OK, found != NULL);
    if (status == CLTOMO_OK) {
        compare(found, &options);
    } else {
        cr_assert_eq(self->error.status, status);
        cr_assert_neq(self->error.message[0], '\0');
    }
    cltomo_reconstructor_destroy(found);
    cltomo_system_destroy(system);
    cltomo_context_destroy(own);
    return status;
}

cltomo_status attempt_interaction(
    attempt *self, const cltomo_context *context, cltomo_precision precision)
{
    cltomo_interaction_options options = interaction_options();
    cltomo_context *own = fixture_context();
    cltomo_system *system = fixture_system(own, "small_asymmetric");
    cltomo_matrix *matrix = interaction_matrix(own, "small_asymmetric", "im");
    cltomo_reconstructor *found = NULL;
    options.precision = precision;
    memset(&self->error, 0, sizeof self->error);
    cltomo_status status = cltomo_reconstructor_build_interaction(
        context, &found, system, matrix, &options, &self->error);
    cr_assert_eq(status == CLTOMO_OK, found != NULL);
    cr_assert_eq(self->error.status, status);
    if (status == CLTOMO_OK) {
        golden_array expected = fixture_golden("small_asymmetric", "r_im");
        golden_view view = fixture_view(cltomo_reconstructor_matrix(found, CLTOMO_PRODUCT_R_IM));
        cr_assert_lt(golden_difference(view, &expected),
            precision == CLTOMO_PRECISION_DOUBLE ? 1e-12 : 1e-3);
        golden_destroy(&expected);
    }
    cltomo_reconstructor_destroy(found);
    cltomo_matrix_destroy(matrix);
    cltomo_system_destroy(system);
    cltomo_context_destroy(own);
    return status;
}

/* What the operations take; made on the C path, where nothing fails. */
typedef struct operands {
    cltomo_context *context;
    cltomo_gradient *gradient; /* of one lenslet: 2 x 9 */
    cltomo_matrix *vector;     /* 1 x 2 */
    cltomo_matrix *matrix;     /* 2 x 2 */
} operands;

static operands make_operands(cltomo_precision precision)
{
    const double f64[] = {1.0, -2.0, 0.5, 4.0};
    const float f32[] = {1.0F, -2.0F, 0.5F, 4.0F};
    const void *data = precision == CLTOMO_PRECISION_DOUBLE ? (const void *)f64 : f32;
    operands o = {.context = fixture_context()};
    cr_assert_eq(cltomo_gradient_create(o.context, &o.gradient, (const uint8_t[]){1}, 1, NULL, 3,
                     CLTOMO_SLOPES_XY, CLTOMO_LENSLETS_ROW, NULL),
        CLTOMO_OK);
    cr_assert_eq(
        cltomo_matrix_create(o.context, &o.vector, precision, 1, 2, data, NULL), CLTOMO_OK);
    cr_assert_eq(
        cltomo_matrix_create(o.context, &o.matrix, precision, 2, 2, data, NULL), CLTOMO_OK);
    return o;
}

cltomo_status attempt_operations(
    attempt *self, const cltomo_context *context, cltomo_precision precision)
{
    operands o = make_operands(precision);
    cltomo_matrix *product = NULL;
    cltomo_matrix *phase = NULL;
    double structure[] = {0.0, 1.5};
    memset(&self->error, 0, sizeof self->error);
    cltomo_status status = cltomo_matrix_apply(context, &product, o.matrix, o.vector, &self->error);
    cr_assert_eq(status == CLTOMO_OK, product != NULL);
    if (status == CLTOMO_OK) {
        cr_assert(element(product, 0) == 5.0 && element(product, 1) == -7.5);
        status =
            cltomo_gradient_apply_transposed(context, &phase, o.gradient, o.vector, &self->error);
        cr_assert_eq(status == CLTOMO_OK, phase != NULL);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_von_karman_structure_function_on(
            context, structure, structure, 2, 0.15, 25.0, &self->error);
    }
    cr_assert_eq(self->error.status, status);
    cltomo_matrix_destroy(phase);
    cltomo_matrix_destroy(product);
    cltomo_matrix_destroy(o.matrix);
    cltomo_matrix_destroy(o.vector);
    cltomo_gradient_destroy(o.gradient);
    cltomo_context_destroy(o.context);
    return status;
}

/* ---- the real-time loop ---------------------------------------------------------------------- */

/* All elements of M (2 x 3) are m, of D (3 x 2) d. */
typedef struct loop_matrices {
    cltomo_matrix *m;
    cltomo_matrix *d;
} loop_matrices;

static loop_matrices make_matrices(const cltomo_context *own, float m, float d)
{
    const float of_m[] = {m, m, m, m, m, m};
    const float of_d[] = {d, d, d, d, d, d};
    loop_matrices made = {NULL, NULL};
    cr_assert_eq(
        cltomo_matrix_create(own, &made.m, CLTOMO_PRECISION_SINGLE, 2, 3, of_m, NULL), CLTOMO_OK);
    cr_assert_eq(
        cltomo_matrix_create(own, &made.d, CLTOMO_PRECISION_SINGLE, 3, 2, of_d, NULL), CLTOMO_OK);
    return made;
}

static void release_matrices(loop_matrices made)
{
    cltomo_matrix_destroy(made.m);
    cltomo_matrix_destroy(made.d);
}

static const float ones[] = {1.0F, 1.0F, 1.0F, 2.0F, 2.0F, 2.0F};

/* A frame of slopes 1, with m and d; *last are both commands, before and after. */
static cltomo_status attempt_frame(
    attempt *self, cltomo_controller *controller, float m, float d, float *last)
{
    float commands[2];
    cltomo_status status = cltomo_controller_apply(controller, commands, ones, &self->error);
    *last = status == CLTOMO_OK ? 3.0F * m * (1.0F - 2.0F * d * *last) : *last;
    cr_assert(commands[0] == *last && commands[1] == *last, "%g, should be %g", (double)commands[0],
        (double)*last);
    return status;
}

static cltomo_status attempt_batch(attempt *self, cltomo_controller *controller, float m)
{
    float commands[4];
    cltomo_status status =
        cltomo_controller_apply_batch(controller, commands, ones, 2, &self->error);
    if (status == CLTOMO_OK) {
        cr_assert(commands[0] == 3.0F * m && commands[1] == commands[0]);
        cr_assert(commands[2] == 6.0F * m && commands[3] == commands[2]);
    }
    return status;
}

static cltomo_status attempt_loop(
    attempt *self, cltomo_controller *controller, loop_matrices next, float m, float d)
{
    float last = 0.0F;
    cltomo_status status = attempt_frame(self, controller, 1.0F, 0.5F, &last);
    if (status == CLTOMO_OK) {
        status = attempt_frame(self, controller, 1.0F, 0.5F, &last);
    }
    if (status == CLTOMO_OK) {
        status = cltomo_controller_stage_with_interaction(controller, next.m, next.d, &self->error);
    }
    if (status == CLTOMO_OK) {
        status = attempt_frame(self, controller, m, d, &last);
    }
    return status == CLTOMO_OK ? attempt_batch(self, controller, m) : status;
}

cltomo_status attempt_controller(
    attempt *self, const cltomo_context *context, cltomo_precision unused)
{
    cltomo_context *own = fixture_context();
    loop_matrices first = make_matrices(own, 1.0F, 0.5F);
    loop_matrices next = make_matrices(own, 2.0F, -0.25F);
    cltomo_controller_options options = cltomo_controller_options_init();
    cltomo_controller *controller = NULL;
    (void)unused;
    options.interaction = first.d;
    memset(&self->error, 0, sizeof self->error);
    cltomo_status status =
        cltomo_controller_create(context, &controller, first.m, &options, &self->error);
    cr_assert_eq(status == CLTOMO_OK, controller != NULL);
    if (status == CLTOMO_OK) {
        status = attempt_loop(self, controller, next, 2.0F, -0.25F);
    }
    cr_assert_eq(self->error.status, status);
    cltomo_controller_destroy(controller);
    release_matrices(first);
    release_matrices(next);
    cltomo_context_destroy(own);
    return status;
}
