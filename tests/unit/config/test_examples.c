#include <cltomo/system.h>
#include <criterion/criterion.h>

#include <string.h>

Test(examples, all_load_without_a_word)
{
    cltomo_context *context = NULL;
    cr_assert_eq(cltomo_context_create(&context, NULL, NULL), CLTOMO_OK);
    cr_assert_eq(cltomo_example_count(), 4);
    for (size_t i = 0; i < cltomo_example_count(); ++i) {
        cltomo_system *system = NULL;
        cltomo_diagnostics *diagnostics = NULL;
        const char *text = cltomo_example_text(cltomo_example_name(i));
        cr_assert_eq(cltomo_system_parse(context, &system, &diagnostics, text, strlen(text), NULL,
                         NULL),
            CLTOMO_OK);
        cr_assert_null(diagnostics);
        cltomo_system_destroy(system);
    }
    cltomo_context_destroy(context);
}
