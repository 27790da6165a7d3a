#include "options.h"

#include <criterion/criterion.h>

#include <string.h>

/* Options before the command are skipped with the words that belong to them. That works only if an
 * option has a value in all commands or in none; for --scaling, which has one in build and none in
 * bench, a word that is a command's name is taken as the command. */
Test(options, of_one_name_are_of_one_kind_in_all_commands)
{
    for (size_t a = 0; commands[a] != NULL; ++a) {
        for (size_t i = 0; i < commands[a]->n_options; ++i) {
            const option *first = &commands[a]->options[i];
            for (size_t b = a + 1; commands[b] != NULL; ++b) {
                for (size_t k = 0; k < commands[b]->n_options; ++k) {
                    const option *other = &commands[b]->options[k];
                    if (strcmp(first->name, "scaling") == 0) {
                        continue;
                    }
                    if (strcmp(first->name, other->name) == 0) {
                        cr_expect_eq(first->kind, other->kind, "--%s", first->name);
                        cr_expect_eq(first->letter, other->letter, "--%s", first->name);
                    } else if (first->letter != '\0') {
                        cr_expect_neq(first->letter, other->letter, "-%c", first->letter);
                    }
                }
            }
        }
    }
}

Test(options, of_a_command_have_names_and_letters_of_their_own)
{
    for (size_t a = 0; commands[a] != NULL; ++a) {
        for (size_t i = 0; i < commands[a]->n_options; ++i) {
            const option *o = &commands[a]->options[i];
            cr_expect_str_neq(o->name, "help");
            cr_expect_eq(o->choices != NULL, o->kind == OPTION_CHOICE, "--%s", o->name);
            cr_expect_eq(o->range != NULL, o->kind == OPTION_REAL || o->kind == OPTION_INTEGER,
                "--%s", o->name);
            cr_expect_eq(o->value == NULL, o->kind == OPTION_FLAG || o->kind == OPTION_COUNT,
                "--%s", o->name);
            for (size_t k = 0; k < i; ++k) {
                const option *other = &commands[a]->options[k];
                cr_expect_str_neq(o->name, other->name);
                cr_expect(o->letter == '\0' || o->letter != other->letter, "-%c", o->letter);
            }
        }
    }
}

Test(options, know_which_words_belong_to_them)
{
    cr_expect(option_takes_next_word("--alpha"));
    cr_expect(option_takes_next_word("-o"));
    cr_expect(option_takes_next_word("-qo"));
    cr_expect_not(option_takes_next_word("--alpha=3"));
    cr_expect_not(option_takes_next_word("-oDIR"));
    cr_expect_not(option_takes_next_word("--json"));
    cr_expect_not(option_takes_next_word("-q"));
    cr_expect_not(option_takes_next_word("--nonesuch"));
    cr_expect_not(option_takes_next_word("--help"));
}
