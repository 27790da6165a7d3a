/* A program of somebody else's: it knows the installed headers and library only.
 *
 * consumer SYSTEM.yaml: builds R of the system. */
#include <cltomo/cltomo.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    cltomo_context_options options = CLTOMO_CONTEXT_OPTIONS_INIT;
    cltomo_context *context = NULL;
    cltomo_system *system = NULL;
    cltomo_reconstructor *reconstructor = NULL;
    cltomo_error error;
    int result = 1;

    if (argc != 2 || strcmp(cltomo_version(), CLTOMO_VERSION_STRING) != 0) {
        fprintf(stderr, "headers are %s, library is %s\n", CLTOMO_VERSION_STRING, cltomo_version());
        return 1;
    }
    options.backend = CLTOMO_BACKEND_CPU;
    if (cltomo_context_create(&context, &options, &error) == CLTOMO_OK &&
        cltomo_system_load(context, &system, NULL, argv[1], &error) == CLTOMO_OK &&
        cltomo_reconstructor_build(context, &reconstructor, system, NULL, &error) == CLTOMO_OK) {
        const cltomo_matrix *r = cltomo_reconstructor_matrix(reconstructor, CLTOMO_PRODUCT_R);
        printf("R is %zu x %zu\n", cltomo_matrix_rows(r), cltomo_matrix_cols(r));
        result = 0;
    } else {
        char text[1024];
        cltomo_error_format(text, sizeof text, &error);
        fprintf(stderr, "%s\n", text);
    }
    cltomo_reconstructor_destroy(reconstructor);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
    return result;
}
