/* A small valid system as YAML text, and what parsing an edited copy of it says. For tests only:
 * whatever goes wrong on the way is a failed assertion. */
#ifndef SYSTEM_TEXT_H
#define SYSTEM_TEXT_H

#include <cltomo/system.h>

/* Two sensors of 3 x 3 lenslets, two layers, 4 x 4 actuators; every key is in it. */
extern const char *const system_text;

/* The number of the line, from 1, that holds the first occurrence of a piece of text. */
unsigned system_text_line(const char *text, const char *piece);

/* A copy with the only occurrence of `from` replaced by `to`; release it with free(). */
char *system_text_edit(const char *text, const char *from, const char *to);

typedef struct parsed {
    cltomo_context *context;
    cltomo_status status;
    cltomo_system *system;
    cltomo_diagnostics *diagnostics;
    cltomo_error error;
} parsed;

parsed parse_bytes(const char *text, size_t length);
parsed parse_text(const char *text);
parsed parse_edited(const char *from, const char *to); /* system_text with one edit */
void parsed_clear(parsed *p);

/* The description; asserts that there is one. */
const cltomo_system_description *parsed_description(const parsed *p);

/* The first entry of that severity with that key, NULL if there is none. */
const cltomo_error *parsed_find(const parsed *p, cltomo_severity severity, const char *key);

/* Asserts that system_text with that edit is refused, with an error for that key at the line and
 * column of `at` in the edited text (NULL: not checked), that shows `value` as written (NULL: not
 * checked) and whose message and allowed values hold those pieces of text (NULL: not checked). */
void assert_refused(const char *from, const char *to, const char *key, const char *at,
    const char *value, const char *message, const char *allowed);

/* Asserts that system_text with that edit loads, with a warning for that key whose message holds
 * that piece of text. */
void assert_warned(const char *from, const char *to, const char *key, const char *message);

/* Asserts that a piece of text occurs in another. */
void assert_holds(const char *text, const char *piece);

#endif
