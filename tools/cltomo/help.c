/* cltomo help, and the texts that other commands print on --help. */
#include <cltomo/version.h>
#include <string.h>

#include "tool.h"

void version_print(FILE *out)
{
    (void)fprintf(out, "cltomo %s\n", cltomo_version());
}

void help_print(FILE *out)
{
    (void)fputs("Tomographic reconstructors for laser-guide-star adaptive optics.\n"
                "\n"
                "Usage: cltomo COMMAND [ARGUMENTS] [OPTIONS]\n"
                "\n"
                "Commands:\n",
        out);
    for (size_t i = 0; commands[i] != NULL; ++i) {
        char usage[48];
        (void)snprintf(usage, sizeof usage, "%s %s", commands[i]->name, commands[i]->operands);
        (void)fprintf(out, "  %-28s %s\n", usage, commands[i]->summary);
    }
    (void)fputs("\n"
                "  -h, --help               this text; after a command, that command's\n"
                "  --version                the version\n"
                "\n"
                "Options may stand anywhere; '--' ends them. To begin with:\n"
                "  cltomo build kapa -o /tmp/kapa\n"
                "\n"
                "Exit status:\n"
                "  0 done                   3 bad input: a configuration that is missing,\n"
                "  2 wrong usage              malformed or not allowed\n"
                "                           4 resources: memory, files, devices\n"
                "                           5 numerical failure: not positive definite or\n"
                "                             not finite\n"
                "                           6 bench: slower than the baseline\n"
                "  130 interrupted          1 a defect of cltomo; please report it\n",
        out);
}

/* The options' column, and the help text that starts beside or below it. */
static void print_option(
    FILE *out, char letter, const char *name, const char *value, const char *text)
{
    enum { indent = 27 };
    char left[64];
    int width = snprintf(left, sizeof left, "  %c%c%s--%s%s%s", letter != '\0' ? '-' : ' ',
        letter != '\0' ? letter : ' ', letter != '\0' ? ", " : "  ", name, value != NULL ? " " : "",
        value != NULL ? value : "");
    (void)fputs(left, out);
    if (width > indent - 2) {
        (void)fprintf(out, "\n%*s", indent, "");
    } else {
        (void)fprintf(out, "%*s", indent - width, "");
    }
    for (; *text != '\0'; ++text) {
        (void)fputc(*text, out);
        if (*text == '\n') {
            (void)fprintf(out, "%*s", indent, "");
        }
    }
    (void)fputc('\n', out);
}

void help_print_command(FILE *out, const command *self)
{
    (void)fprintf(out, "Usage: cltomo %s %s%s%s\n\n%s\n\nOptions:\n", self->name, self->operands,
        self->operands[0] != '\0' ? " " : "", self->n_options > 0 ? "[OPTIONS]" : "",
        self->description);
    for (size_t i = 0; i < self->n_options; ++i) {
        const option *o = &self->options[i];
        print_option(out, o->letter, o->name, o->value, o->help);
    }
    print_option(out, 'h', "help", NULL, "this text");
    if (self->epilogue != NULL) {
        (void)fprintf(out, "\n%s", self->epilogue);
    }
}

static int run(const command *self, int argc, char **argv)
{
    size_t n_operands;
    int status;
    if (!arguments_parse(self, argc, argv, NULL, &n_operands, &status)) {
        return status;
    }
    if (n_operands == 0) {
        help_print(stdout);
        return STATUS_DONE;
    }
    int n_words;
    const command *wanted =
        command_find_longest(argv[0], n_operands > 1 ? argv[1] : NULL, &n_words);
    if (wanted == NULL) {
        return command_report_unknown(argv[0]);
    }
    if (n_operands > (size_t)n_words) {
        return usage_error(self, "'%s' is one argument too many", argv[n_words]);
    }
    help_print_command(stdout, wanted);
    return STATUS_DONE;
}

const command command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .min_operands = 0,
    .max_operands = 2,
    .summary = "explain cltomo, or one command",
    .description = "Explains cltomo, or one command, as --help does.",
    .run = run,
};
