#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

json json_begin(FILE *out)
{
    return (json){.out = out, .depth = 0, .has_items = false};
}

/* Length of the well-formed UTF-8 sequence at text; 0 if there is none. */
static size_t utf8_length(const unsigned char *text)
{
    size_t length = 0;
    if (text[0] < 0x80) {
        return 1;
    }
    if (text[0] >= 0xC2 && text[0] <= 0xDF) {
        length = 2;
    } else if ((text[0] & 0xF0) == 0xE0) {
        length = 3;
    } else if (text[0] >= 0xF0 && text[0] <= 0xF4) {
        length = 4;
    }
    for (size_t i = 1; i < length; ++i) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    /* Overlong forms, surrogates, beyond U+10FFFF. */
    if ((text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xED && text[1] > 0x9F) ||
        (text[0] == 0xF0 && text[1] < 0x90) || (text[0] == 0xF4 && text[1] > 0x8F)) {
        return 0;
    }
    return length;
}

static void write_text(FILE *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    (void)fputc('"', out);
    while (*at != '\0') {
        size_t length = utf8_length(at);
        if (length == 0) {
            (void)fputs("\\ufffd", out);
            length = 1;
        } else if (*at < 0x20 || *at == 0x7f) {
            (void)fprintf(out, "\\u%04x", *at);
        } else {
            if (*at == '"' || *at == '\\') {
                (void)fputc('\\', out);
            }
            (void)fwrite(at, 1, length, out);
        }
        at += length;
    }
    (void)fputc('"', out);
}

static void begin_line(json *j)
{
    (void)fputc('\n', j->out);
    for (unsigned i = 0; i < j->depth; ++i) {
        (void)fputs("  ", j->out);
    }
}

static void begin_member(json *j, const char *key)
{
    if (j->has_items) {
        (void)fputc(',', j->out);
    }
    if (j->depth > 0) {
        begin_line(j);
    }
    if (key != NULL) {
        write_text(j->out, key);
        (void)fputs(": ", j->out);
    }
    j->has_items = true;
}

static void begin_group(json *j, const char *key, char bracket)
{
    begin_member(j, key);
    (void)fputc(bracket, j->out);
    ++j->depth;
    j->has_items = false;
}

static void end_group(json *j, char bracket)
{
    --j->depth;
    if (j->has_items) {
        begin_line(j);
    }
    (void)fputc(bracket, j->out);
    if (j->depth == 0) {
        (void)fputc('\n', j->out);
    }
    j->has_items = true;
}

void json_object_begin(json *j, const char *key)
{
    begin_group(j, key, '{');
}

void json_object_end(json *j)
{
    end_group(j, '}');
}

void json_array_begin(json *j, const char *key)
{
    begin_group(j, key, '[');
}

void json_array_end(json *j)
{
    end_group(j, ']');
}

void json_text(json *j, const char *key, const char *value)
{
    begin_member(j, key);
    write_text(j->out, value);
}

void json_integer(json *j, const char *key, uint64_t value)
{
    begin_member(j, key);
    (void)fprintf(j->out, "%" PRIu64, value);
}

/* The fewest digits that give back the same number. */
static void write_shortest(char *digits, size_t size, double value)
{
    for (int precision = 15; precision <= 17; ++precision) {
        (void)snprintf(digits, size, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) {
            return;
        }
    }
}

void json_real(json *j, const char *key, double value)
{
    begin_member(j, key);
    if (isfinite(value)) {
        char digits[32];
        write_shortest(digits, sizeof digits, value);
        (void)fputs(digits, j->out);
    } else {
        (void)fputs("null", j->out);
    }
}

void json_bool(json *j, const char *key, bool value)
{
    begin_member(j, key);
    (void)fputs(value ? "true" : "false", j->out);
}
