#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

static const char *skip_digits(const char *text)
{
    while (isdigit((unsigned char)*text)) {
        ++text;
    }
    return text;
}

/* [+-] digits [. digits] [e [+-] digits], with a digit before or after the point. */
static bool is_decimal(const char *text)
{
    text += *text == '+' || *text == '-';
    const char *whole_end = skip_digits(text);
    bool has_digits = whole_end > text;
    text = whole_end;
    if (*text == '.') {
        const char *fraction_end = skip_digits(text + 1);
        has_digits = has_digits || fraction_end > text + 1;
        text = fraction_end;
    }
    if (has_digits && (*text == 'e' || *text == 'E')) {
        ++text;
        text += *text == '+' || *text == '-';
        const char *exponent_end = skip_digits(text);
        has_digits = exponent_end > text;
        text = exponent_end;
    }
    return has_digits && *text == '\0';
}

/* cltomo never calls setlocale, so strtod takes a point whatever the user's locale. */
bool real_parse(double *value, const char *text)
{
    if (!is_decimal(text)) {
        return false;
    }
    double parsed = strtod(text, NULL);
    if (!isfinite(parsed)) {
        return false;
    }
    *value = parsed;
    return true;
}

bool integer_parse(uint32_t *value, const char *text)
{
    if (*text == '\0' || *skip_digits(text) != '\0') {
        return false;
    }
    errno = 0;
    unsigned long long parsed = strtoull(text, NULL, 10);
    if (errno != 0 || parsed > UINT32_MAX) {
        return false;
    }
    *value = (uint32_t)parsed;
    return true;
}

bool size_parse(uint64_t *value, const char *text)
{
    static const struct {
        const char *name;
        double bytes;
    } units[] = {{"B", 1.0}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"KiB", 0x1p10},
        {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
    char number[32];
    size_t length = strspn(text, "0123456789.");
    const char *unit = text + length;
    double parsed = 0.0;
    double bytes = 0.0;
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
        bytes = strcmp(unit, units[i].name) == 0 ? units[i].bytes : bytes;
    }
    if (length >= sizeof number || bytes <= 0.0) {
        return false;
    }
    memcpy(number, text, length);
    number[length] = '\0';
    if (!real_parse(&parsed, number) || !(parsed * bytes >= 1.0 && parsed * bytes < 0x1p63)) {
        return false;
    }
    *value = (uint64_t)(parsed * bytes);
    return true;
}

/* Reads one number at *text and steps over it. */
static bool take_index(uint32_t *value, const char **text)
{
    char digits[16];
    const char *end = skip_digits(*text);
    size_t length = (size_t)(end - *text);
    if (length == 0 || length >= sizeof digits) {
        return false;
    }
    memcpy(digits, *text, length);
    digits[length] = '\0';
    *text = end;
    return integer_parse(value, digits);
}

__attribute__((format(printf, 3, 4))) static bool refuse(
    char *why, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(why, size, format, arguments);
    va_end(arguments);
    return false;
}

bool index_list_parse(bool *marked, uint32_t n, const char *text, char *why, size_t size)
{
    const char *at = text;
    do {
        uint32_t first;
        at += at != text; /* the comma */
        if (!take_index(&first, &at)) {
            return refuse(why, size, "'%s' is not a list of numbers and ranges like 3,10-14", text);
        }
        uint32_t last = first;
        if (*at == '-') {
            ++at;
            if (!take_index(&last, &at)) {
                return refuse(
                    why, size, "'%s' is not a list of numbers and ranges like 3,10-14", text);
            }
        }
        if (last < first) {
            return refuse(why, size, "the range %u-%u runs backwards", first, last);
        }
        if (last >= n) {
            return refuse(why, size, "%u is out of range; allowed: 0 to %u", last, n - 1);
        }
        for (uint32_t i = first; i <= last; ++i) {
            marked[i] = true;
        }
    } while (*at == ',');
    if (*at != '\0') {
        return refuse(why, size, "'%s' is not a list of numbers and ranges like 3,10-14", text);
    }
    return true;
}
