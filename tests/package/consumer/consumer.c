/* A program of somebody else's: it knows the installed headers and library only. */
#include <cltomo/cltomo.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    if (strcmp(cltomo_version(), CLTOMO_VERSION_STRING) != 0) {
        fprintf(stderr, "headers are %s, library is %s\n", CLTOMO_VERSION_STRING, cltomo_version());
        return 1;
    }
    cltomo_context *context = NULL;
    cltomo_error error;
    if (cltomo_context_create(&context, NULL, &error) != CLTOMO_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("cltomo %s on %s\n", cltomo_version(), cltomo_context_backend(context));
    cltomo_context_destroy(context);
    return 0;
}
