/* cltomo examples: the systems compiled into the library. */
#include <string.h>

#include "tool.h"

/* The first comment line of the YAML text, without the mark. */
static void print_description(const char *text)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        if (text[0] == '#') {
            size_t skipped = strspn(text, "# ");
            skipped = skipped < length ? skipped : length;
            (void)printf("%.*s", (int)(length - skipped), text + skipped);
            return;
        }
        text += length + (text[length] == '\n');
    }
}

static void list_examples(void)
{
    for (size_t i = 0; i < cltomo_example_count(); ++i) {
        const char *name = cltomo_example_name(i);
        (void)printf("%-20s ", name);
        print_description(cltomo_example_text(name));
        (void)putchar('\n');
    }
}

static int report_unknown(const char *name)
{
    const char *nearest = nearest_example(name);
    if (nearest != NULL) {
        return usage_error(
            &command_examples, "there is no example '%s'; did you mean '%s'?", name, nearest);
    }
    return usage_error(
        &command_examples, "there is no example '%s'; 'cltomo examples' lists them", name);
}

static int run(const command *self, int argc, char **argv)
{
    size_t n_operands;
    int status;
    if (!arguments_parse(self, argc, argv, NULL, &n_operands, &status)) {
        return status;
    }
    if (n_operands == 0) {
        list_examples();
        return STATUS_DONE;
    }
    const char *text = cltomo_example_text(argv[0]);
    if (text == NULL) {
        return report_unknown(argv[0]);
    }
    (void)fputs(text, stdout);
    return STATUS_DONE;
}

const command command_examples = {
    .name = "examples",
    .operands = "[NAME]",
    .min_operands = 0,
    .max_operands = 1,
    .summary = "list the built-in examples, or print one",
    .description =
        "Lists the built-in examples, or prints the YAML text of one: the start of your\n"
        "own configuration.",
    .run = run,
};
