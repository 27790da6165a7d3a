/* Commands and their options, as tables: a new option is one entry, a new command one file. */
#ifndef CLTOMO_TOOL_OPTIONS_H
#define CLTOMO_TOOL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Kind of an option, and type of the field that it sets. */
typedef enum option_kind {
    OPTION_FLAG,    /* bool, set to true */
    OPTION_COUNT,   /* uint32_t, counted up */
    OPTION_TEXT,    /* const char * */
    OPTION_LIST,    /* text_list: every use adds one */
    OPTION_REAL,    /* double */
    OPTION_INTEGER, /* uint32_t */
    OPTION_SIZE,    /* uint64_t, bytes */
    OPTION_CHOICE   /* int */
} option_kind;

typedef struct text_list {
    const char *item[16];
    size_t n;
} text_list;

typedef struct option_choice {
    const char *name;
    int value;
} option_choice;

/* Numbers from min to max; text says so to the user. */
typedef struct option_range {
    double min;
    double max;
    bool without_min;
    bool without_zero;
    const char *text;
} option_range;

typedef struct option {
    char letter; /* '\0': none */
    option_kind kind;
    const char *name;             /* without the dashes */
    size_t offset;                /* of the field in the command's arguments */
    const char *value;            /* stands for the value in the help; choices have "a|b|c" */
    const char *help;             /* lines of at most 68 characters */
    const option_choice *choices; /* OPTION_CHOICE; the last has name NULL */
    const option_range *range;    /* OPTION_REAL, OPTION_INTEGER */
} option;

typedef struct command command;
struct command {
    const char *name;
    const char *operands; /* "CONFIG|EXAMPLE"; "" if there are none */
    size_t min_operands;
    size_t max_operands;
    const char *summary;     /* one line */
    const char *description; /* paragraphs for the help, above the options */
    const char *epilogue;    /* and below them; NULL: none */
    const option *options;
    size_t n_options;
    bool solves; /* linear algebra dominates its time */
    int (*run)(const command *self, int argc, char **argv);
};

extern const command command_bench;
extern const command command_bench_compare;
extern const command command_bench_rt;
extern const command command_build;
extern const command command_info;
extern const command command_reconstruct;
extern const command command_devices;
extern const command command_examples;
extern const command command_help;

/* All commands in the order of the help, ended by NULL. (commands.c) */
extern const command *const commands[];

/* NULL if there is none of that name. */
const command *command_find(const char *name);

/* The command whose name is both words, "bench compare", or else the first alone; next may be NULL.
 * NULL if there is neither. *n_words: of its name. */
const command *command_find_longest(const char *name, const char *next, int *n_words);

/* Says so, with the nearest name; returns STATUS_USAGE. */
int command_report_unknown(const char *name);

/* Reads argv[1...] into *arguments, which holds the defaults, and moves the operands to the front
 * of argv. Returns false if there is nothing more to do, because help was asked for or the usage
 * was wrong: *status is then the exit status. */
bool arguments_parse(
    const command *self, int argc, char **argv, void *arguments, size_t *n_operands, int *status);

/* Whether the word after the option `argument` belongs to it, in whichever command has it. */
bool option_takes_next_word(const char *argument);

/* Says on standard error what is wrong and where help is; returns STATUS_USAGE. self may be NULL.
 */
int usage_error(const command *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For the epilogue of commands with --backend and --device. */
#define COMPUTE_ENVIRONMENT                                                                        \
    "Environment:\n"                                                                               \
    "  CLTOMO_BACKEND           cpu or opencl, where --backend and --device are not given\n"       \
    "  CLTOMO_DEVICE            as --device, for whichever backend would use a device\n"

/* ---- help (help.c) ------------------------------------------------------------------------- */

void help_print(FILE *out);
void help_print_command(FILE *out, const command *self);
void version_print(FILE *out);

/* ---- values (values.c) --------------------------------------------------------------------- */

/* Decimal notation with a point, the whole text, finite; independent of the locale. */
bool real_parse(double *value, const char *text);

/* Decimal digits only. */
bool integer_parse(uint32_t *value, const char *text);

/* A number with one of the units B, kB, MB, GB, TB, KiB, MiB, GiB and TiB right behind it, "1.5GB";
 * at least one byte. */
bool size_parse(uint64_t *value, const char *text);

/* Numbers and ranges below n, as "3,10-14". Sets marked[i] for each; marked has n entries. On
 * failure why[size] says what is wrong. */
bool index_list_parse(bool *marked, uint32_t n, const char *text, char *why, size_t size);

/* ---- suggestions (suggest.c) --------------------------------------------------------------- */

/* Offer the candidates one by one; nearest is then the one most like the word, or NULL if none is
 * like it. */
typedef struct suggestion {
    const char *word;
    const char *nearest;
    size_t distance;
} suggestion;

suggestion suggestion_begin(const char *word);
void suggestion_offer(suggestion *s, const char *candidate);

#endif
