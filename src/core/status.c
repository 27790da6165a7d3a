#include <cltomo/status.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"

const char *cltomo_status_string(cltomo_status status)
{
    switch (status) {
#define CLTOMO_STATUS_CASE(name, value, text)                                                      \
    case name:                                                                                     \
        return text;
        CLTOMO_STATUS_LIST(CLTOMO_STATUS_CASE)
#undef CLTOMO_STATUS_CASE
    case CLTOMO_STATUS_MAX_:
        break;
    }
    return "unknown status";
}

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

void cltomo_copy_text(char *field, size_t size, const char *text)
{
    size_t length = strlen(text);
    if (length >= size) {
        length = size - 1;
        /* do not cut inside a UTF-8 sequence, which has at most 3 continuation bytes */
        for (size_t i = 0; i < 3 && length > 0 && is_continuation(text[length]); ++i) {
            --length;
        }
    }
    memcpy(field, text, length);
    field[length] = '\0';
}

static void set_message(cltomo_error *error, const char *format, va_list arguments)
{
    char text[1024];
    if (vsnprintf(text, sizeof text, format, arguments) < 0) {
        text[0] = '\0';
    }
    cltomo_copy_text(error->message, sizeof error->message, text);
}

static void reset(cltomo_error *error, cltomo_status status)
{
    memset(error, 0, sizeof *error);
    error->status = status;
    error->severity = CLTOMO_SEVERITY_ERROR;
}

void cltomo_set_error(cltomo_error *error, cltomo_status status, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        reset(error, status);
        va_start(arguments, format);
        set_message(error, format, arguments);
        va_end(arguments);
    }
}

void cltomo_set_error_key(cltomo_error *error, cltomo_status status, const char *key,
    const char *value, const char *allowed, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        reset(error, status);
        cltomo_copy_text(error->key, sizeof error->key, key);
        cltomo_copy_text(error->value, sizeof error->value, value);
        cltomo_copy_text(error->allowed, sizeof error->allowed, allowed);
        va_start(arguments, format);
        set_message(error, format, arguments);
        va_end(arguments);
    }
}

void cltomo_set_error_file(
    cltomo_error *error, cltomo_status status, const char *file, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        reset(error, status);
        cltomo_copy_text(error->file, sizeof error->file, file);
        va_start(arguments, format);
        set_message(error, format, arguments);
        va_end(arguments);
    }
}

int cltomo_error_format(char *text, size_t size, const cltomo_error *error)
{
    char place[320] = "";
    if (error->file[0] != '\0' && error->line > 0 && error->column == 0) {
        (void)snprintf(place, sizeof place, "%s:%u: ", error->file, (unsigned)error->line);
    } else if (error->file[0] != '\0' && error->line > 0) {
        (void)snprintf(place, sizeof place, "%s:%u:%u: ", error->file, (unsigned)error->line,
            (unsigned)error->column);
    } else if (error->file[0] != '\0') {
        (void)snprintf(place, sizeof place, "%s: ", error->file);
    }
    char detail[352] = "";
    if (error->value[0] != '\0' && error->allowed[0] != '\0') {
        (void)snprintf(
            detail, sizeof detail, " (got %s; allowed: %s)", error->value, error->allowed);
    } else if (error->value[0] != '\0') {
        (void)snprintf(detail, sizeof detail, " (got %s)", error->value);
    } else if (error->allowed[0] != '\0') {
        (void)snprintf(detail, sizeof detail, " (allowed: %s)", error->allowed);
    }
    const char *message =
        error->message[0] != '\0' ? error->message : cltomo_status_string(error->status);
    return snprintf(text, size, "%s%s%s%s%s", place, error->key, error->key[0] != '\0' ? ": " : "",
        message, detail);
}
