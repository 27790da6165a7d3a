#include "options.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "tool.h"

/* Of every command. */
static const option help_option = {'h', OPTION_FLAG, "help", 0, NULL, "this text", NULL, NULL};

int usage_error(const command *self, const char *format, ...)
{
    va_list arguments;
    (void)fprintf(stderr, "cltomo%s%s: ", self != NULL ? " " : "", self != NULL ? self->name : "");
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fprintf(stderr, "\nTry 'cltomo %s%s--help'.\n", self != NULL ? self->name : "",
        self != NULL ? " " : "");
    return STATUS_USAGE;
}

/* ---- looking up ---------------------------------------------------------------------------- */

static const option *find_name(const command *self, const char *name, size_t length)
{
    for (size_t i = 0; i < self->n_options; ++i) {
        const option *o = &self->options[i];
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0) {
            return o;
        }
    }
    bool is_help =
        length == strlen(help_option.name) && strncmp(help_option.name, name, length) == 0;
    return is_help ? &help_option : NULL;
}

static const option *find_letter(const command *self, char letter)
{
    for (size_t i = 0; i < self->n_options; ++i) {
        if (self->options[i].letter == letter) {
            return &self->options[i];
        }
    }
    return letter == help_option.letter ? &help_option : NULL;
}

static bool takes_value(const option *o)
{
    return o->kind != OPTION_FLAG && o->kind != OPTION_COUNT;
}

static bool takes_next_word(const command *self, const char *argument)
{
    if (argument[1] == '-') {
        const option *o = find_name(self, argument + 2, strlen(argument + 2));
        return o != NULL && takes_value(o);
    }
    for (const char *letter = argument + 1; *letter != '\0'; ++letter) {
        const option *o = find_letter(self, *letter);
        if (o == NULL || takes_value(o)) {
            return o != NULL && letter[1] == '\0';
        }
    }
    return false;
}

bool option_takes_next_word(const char *argument)
{
    for (size_t i = 0; commands[i] != NULL; ++i) {
        if (takes_next_word(commands[i], argument)) {
            return true;
        }
    }
    return false;
}

/* ---- setting fields ------------------------------------------------------------------------ */

/* Where a parse has got to. */
typedef struct parser {
    const command *self;
    void *arguments;
    char **argv;
    int argc;
    int next; /* word to look at */
    bool help;
} parser;

static bool is_in_range(const option_range *range, double value)
{
    return value >= range->min && value <= range->max &&
           !(range->without_min && !(value > range->min)) &&
           !(range->without_zero && fabs(value) <= 0.0);
}

static bool set_number(parser *p, const option *o, const char *value)
{
    void *field = (char *)p->arguments + o->offset;
    double real = 0.0;
    uint32_t integer = 0;
    bool is_number =
        o->kind == OPTION_REAL ? real_parse(&real, value) : integer_parse(&integer, value);
    if (!is_number || !is_in_range(o->range, o->kind == OPTION_REAL ? real : (double)integer)) {
        (void)usage_error(
            p->self, "--%s: '%s' is not allowed; give %s", o->name, value, o->range->text);
        return false;
    }
    if (o->kind == OPTION_REAL) {
        memcpy(field, &real, sizeof real);
    } else {
        memcpy(field, &integer, sizeof integer);
    }
    return true;
}

static bool set_size(parser *p, const option *o, const char *value)
{
    uint64_t bytes = 0;
    if (!size_parse(&bytes, value)) {
        (void)usage_error(p->self, "--%s: '%s' is not a size; give a number and its unit, as 1.5GB",
            o->name, value);
        return false;
    }
    memcpy((char *)p->arguments + o->offset, &bytes, sizeof bytes);
    return true;
}

static bool set_choice(parser *p, const option *o, const char *value)
{
    suggestion like = suggestion_begin(value);
    for (const option_choice *choice = o->choices; choice->name != NULL; ++choice) {
        if (strcmp(choice->name, value) == 0) {
            memcpy((char *)p->arguments + o->offset, &choice->value, sizeof choice->value);
            return true;
        }
        suggestion_offer(&like, choice->name);
    }
    if (like.nearest != NULL) {
        (void)usage_error(p->self, "--%s: '%s' is not one of %s; did you mean '%s'?", o->name,
            value, o->value, like.nearest);
    } else {
        (void)usage_error(p->self, "--%s: '%s' is not one of %s", o->name, value, o->value);
    }
    return false;
}

static bool add_to_list(parser *p, const option *o, const char *value)
{
    text_list *list = (text_list *)(void *)((char *)p->arguments + o->offset);
    if (list->n == sizeof list->item / sizeof *list->item) {
        (void)usage_error(p->self, "--%s: given more than %zu times", o->name, list->n);
        return false;
    }
    list->item[list->n++] = value;
    return true;
}

static bool set_value(parser *p, const option *o, const char *value)
{
    switch (o->kind) {
    case OPTION_REAL:
    case OPTION_INTEGER:
        return set_number(p, o, value);
    case OPTION_SIZE:
        return set_size(p, o, value);
    case OPTION_CHOICE:
        return set_choice(p, o, value);
    case OPTION_LIST:
        return add_to_list(p, o, value);
    case OPTION_TEXT:
        memcpy((char *)p->arguments + o->offset, &value, sizeof value);
        return true;
    case OPTION_FLAG:
    case OPTION_COUNT:
        break;
    }
    return false;
}

static void set_flag(parser *p, const option *o)
{
    void *field = (char *)p->arguments + o->offset;
    if (o == &help_option) {
        p->help = true;
    } else if (o->kind == OPTION_FLAG) {
        *(bool *)field = true;
    } else {
        uint32_t count;
        memcpy(&count, field, sizeof count);
        ++count;
        memcpy(field, &count, sizeof count);
    }
}

/* ---- reading words ------------------------------------------------------------------------- */

/* value is NULL if the option's word does not hold it. */
static bool apply(parser *p, const option *o, const char *value)
{
    if (!takes_value(o)) {
        if (value != NULL) {
            (void)usage_error(p->self, "--%s takes no value", o->name);
            return false;
        }
        set_flag(p, o);
        return true;
    }
    if (value == NULL) {
        if (p->next >= p->argc) {
            (void)usage_error(p->self, "--%s needs a value: %s", o->name, o->value);
            return false;
        }
        value = p->argv[p->next++];
    }
    return set_value(p, o, value);
}

static bool read_long(parser *p, const char *word)
{
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    const option *o = find_name(p->self, name, length);
    if (o != NULL) {
        return apply(p, o, name[length] == '=' ? name + length + 1 : NULL);
    }
    char bare[64];
    (void)snprintf(bare, sizeof bare, "%.*s", (int)(length < 63 ? length : 63), name);
    suggestion like = suggestion_begin(bare);
    for (size_t i = 0; i < p->self->n_options; ++i) {
        suggestion_offer(&like, p->self->options[i].name);
    }
    suggestion_offer(&like, help_option.name);
    if (like.nearest != NULL) {
        (void)usage_error(
            p->self, "unknown option '--%s'; did you mean '--%s'?", bare, like.nearest);
    } else {
        (void)usage_error(p->self, "unknown option '--%s'", bare);
    }
    return false;
}

/* Letters may share a word, "-qv"; the last may take a value, "-oDIR" or "-o DIR". */
static bool read_letters(parser *p, const char *word)
{
    for (const char *letter = word + 1; *letter != '\0'; ++letter) {
        const option *o = find_letter(p->self, *letter);
        if (o == NULL) {
            (void)usage_error(p->self, "unknown option '-%c'", *letter);
            return false;
        }
        if (takes_value(o)) {
            return apply(p, o, letter[1] != '\0' ? letter + 1 : NULL);
        }
        (void)apply(p, o, NULL);
    }
    return true;
}

static bool check_operands(const command *self, char **argv, size_t n)
{
    if (n < self->min_operands) {
        (void)usage_error(self, "%s is missing", self->operands);
        return false;
    }
    if (n > self->max_operands) {
        (void)usage_error(self, "'%s' is one argument too many", argv[self->max_operands]);
        return false;
    }
    return true;
}

bool arguments_parse(
    const command *self, int argc, char **argv, void *arguments, size_t *n_operands, int *status)
{
    parser p = {.self = self, .arguments = arguments, .argv = argv, .argc = argc, .next = 1};
    bool options_ended = false;
    size_t n = 0; /* operands so far: never ahead of the words already read */
    *n_operands = 0;
    *status = STATUS_USAGE;
    while (p.next < argc) {
        char *word = argv[p.next++];
        bool fine = true;
        if (options_ended || word[0] != '-' || word[1] == '\0') {
            argv[n++] = word;
        } else if (strcmp(word, "--") == 0) {
            options_ended = true;
        } else {
            fine = word[1] == '-' ? read_long(&p, word) : read_letters(&p, word);
        }
        if (!fine) {
            return false;
        }
    }
    if (p.help) {
        help_print_command(stdout, self);
        *status = STATUS_DONE;
        return false;
    }
    *n_operands = n;
    return check_operands(self, argv, n);
}
