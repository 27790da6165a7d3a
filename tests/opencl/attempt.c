#include "attempt.h"

#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fixture.h"

static void *allocate(void *user, size_t alignment, size_t size)
{
    attempt *self = user;
    void *pointer = NULL;
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
    cltomo_system *system = fixture_system(context, "small_asymmetric");
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
    return status;
}
