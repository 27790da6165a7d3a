#include <cltomo/system.h>
#include <string.h>

#include "core/embedded.h"

/* Made from tools/examples by the build. */
extern const cltomo_embedded cltomo_embedded_examples[];
extern const size_t cltomo_n_embedded_examples;

size_t cltomo_example_count(void)
{
    return cltomo_n_embedded_examples;
}

const char *cltomo_example_name(size_t i)
{
    return i < cltomo_n_embedded_examples ? cltomo_embedded_examples[i].name : NULL;
}

const char *cltomo_example_text(const char *name)
{
    for (size_t i = 0; name != NULL && i < cltomo_n_embedded_examples; ++i) {
        if (strcmp(cltomo_embedded_examples[i].name, name) == 0) {
            return (const char *)cltomo_embedded_examples[i].data;
        }
    }
    return NULL;
}
