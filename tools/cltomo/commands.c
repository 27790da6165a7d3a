#include <string.h>

#include "options.h"

const command *const commands[] = {
    &command_build,
    &command_reconstruct,
    &command_info,
    &command_devices,
    &command_bench,
    &command_bench_compare,
    &command_bench_rt,
    &command_examples,
    &command_help,
    NULL,
};

const command *command_find(const char *name)
{
    for (size_t i = 0; commands[i] != NULL; ++i) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

const command *command_find_longest(const char *name, const char *next, int *n_words)
{
    char both[64];
    (void)snprintf(both, sizeof both, "%s %s", name, next != NULL ? next : "");
    const command *found = command_find(both);
    *n_words = found != NULL ? 2 : 1;
    return found != NULL ? found : command_find(name);
}

int command_report_unknown(const char *name)
{
    suggestion like = suggestion_begin(name);
    for (size_t i = 0; commands[i] != NULL; ++i) {
        suggestion_offer(&like, commands[i]->name);
    }
    if (like.nearest != NULL) {
        return usage_error(
            NULL, "there is no command '%s'; did you mean '%s'?", name, like.nearest);
    }
    return usage_error(NULL, "there is no command '%s'", name);
}
