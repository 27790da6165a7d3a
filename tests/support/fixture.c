#include "support/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check(cltomo_status status, const cltomo_error *error, const char *what)
{
    if (status != CLTOMO_OK) {
        char text[1024];
        (void)cltomo_error_format(text, sizeof text, error);
        (void)fprintf(stderr, "%s: %s\n", what, text);
        abort();
    }
}

cltomo_context *fixture_context(void)
{
    return fixture_threads(0);
}

cltomo_context *fixture_threads(uint32_t n_threads)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    cltomo_error error;
    options.backend = CLTOMO_BACKEND_CPU;
    options.n_threads = n_threads;
    check(cltomo_context_create(&context, &options, &error), &error, "context");
    return context;
}

cltomo_system *fixture_system(const cltomo_context *context, const char *name)
{
    char path[1024];
    cltomo_system *system = NULL;
    cltomo_error error;
    (void)snprintf(path, sizeof path, CLTOMO_TEST_DATA_DIR "/%s.yaml", name);
    if (access(path, R_OK) == 0) {
        check(cltomo_system_load(context, &system, NULL, path, &error), &error, name);
        return system;
    }
    const char *text = cltomo_example_text(name);
    if (text == NULL) {
        (void)fprintf(stderr, "no system %s\n", name);
        abort();
    }
    check(cltomo_system_parse(context, &system, NULL, text, strlen(text), name, &error), &error,
        name);
    return system;
}

cltomo_system *fixture_describe(
    const cltomo_context *context, const cltomo_system_description *description)
{
    cltomo_system *system = NULL;
    cltomo_error error;
    check(cltomo_system_create(context, &system, NULL, description, &error), &error, "description");
    return system;
}

golden_array fixture_golden(const char *system, const char *matrix)
{
    char path[1024];
    (void)snprintf(path, sizeof path, CLTOMO_TEST_DATA_DIR "/%s/%s.npy", system, matrix);
    return golden_load(path);
}

golden_view fixture_view(const cltomo_matrix *matrix)
{
    size_t rows = cltomo_matrix_rows(matrix);
    size_t cols = cltomo_matrix_cols(matrix);
    return cltomo_matrix_precision(matrix) == CLTOMO_PRECISION_DOUBLE
               ? golden_view_f64(cltomo_matrix_double(matrix), rows, cols)
               : golden_view_f32(cltomo_matrix_single(matrix), rows, cols);
}
