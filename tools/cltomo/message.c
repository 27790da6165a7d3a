#include <stdarg.h>
#include <stdio.h>

#include "tool.h"

/* Text from files and arguments must not steer the terminal. */
static void print_harmless(char *text)
{
    for (char *c = text; *c != '\0'; ++c) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            *c = '?';
        }
    }
    (void)fputs(text, stderr);
}

static void print_message(const char *prefix, const char *format, va_list arguments)
{
    char text[2048];
    if (vsnprintf(text, sizeof text, format, arguments) < 0) {
        text[0] = '\0';
    }
    (void)fprintf(stderr, "cltomo: %s", prefix);
    print_harmless(text);
    (void)fputc('\n', stderr);
}

void print_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message("error: ", format, arguments);
    va_end(arguments);
}

void print_warning(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message("warning: ", format, arguments);
    va_end(arguments);
}

void print_library_error(const cltomo_error *error)
{
    char place[320];
    if (error->file[0] == '\0') {
        (void)snprintf(place, sizeof place, "cltomo: ");
    } else if (error->line > 0) {
        (void)snprintf(place, sizeof place, "%s:%u:%u: ", error->file, (unsigned)error->line,
            (unsigned)error->column);
    } else {
        (void)snprintf(place, sizeof place, "%s: ", error->file);
    }
    cltomo_error without_place = *error;
    without_place.file[0] = '\0';
    char text[1536];
    (void)cltomo_error_format(text, sizeof text, &without_place);
    print_harmless(place);
    (void)fputs(error->severity == CLTOMO_SEVERITY_ERROR ? "error: " : "warning: ", stderr);
    print_harmless(text);
    (void)fputc('\n', stderr);
}
