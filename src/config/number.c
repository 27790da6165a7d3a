#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/yaml_tree.h"

/* Longer than any number that means something. */
#define MAX_NUMBER_LENGTH 400

cltomo_status cltomo_c_locale_enter(cltomo_locale_guard *guard, cltomo_error *error)
{
    guard->own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (guard->own == (locale_t)0) {
        return cltomo_fail_memory(error, "the C locale");
    }
    guard->callers = uselocale(guard->own);
    return CLTOMO_OK;
}

void cltomo_c_locale_leave(cltomo_locale_guard *guard)
{
    (void)uselocale(guard->callers);
    freelocale(guard->own);
}

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words != NULL; ++words) {
        if (strcmp(text, *words) == 0) {
            return true;
        }
    }
    return false;
}

static const char *skip_digits(const char *text)
{
    while (*text >= '0' && *text <= '9') {
        ++text;
    }
    return text;
}

static const char *skip_sign(const char *text)
{
    return *text == '+' || *text == '-' ? text + 1 : text;
}

/* 0x1F, 0o17, or 017, where YAML 1.1 and 1.2 disagree. */
static bool has_radix(const char *text)
{
    const char *digits = skip_sign(text);
    if (digits[0] != '0' || digits[1] == '\0') {
        return false;
    }
    if (digits[1] == 'x' || digits[1] == 'X') {
        return digits[2] != '\0' &&
               digits[2 + strspn(digits + 2, "0123456789abcdefABCDEF")] == '\0';
    }
    if (digits[1] == 'o') {
        return digits[2] != '\0' && digits[2 + strspn(digits + 2, "01234567")] == '\0';
    }
    return *skip_digits(digits) == '\0';
}

/* [-+]? ( "." digits | digits ( "." digits? )? ) ( [eE] [-+]? digits )? */
static cltomo_scalar number_form(const char *text)
{
    const char *start = skip_sign(text);
    const char *end = skip_digits(start);
    bool has_digits = end > start;
    cltomo_scalar form = CLTOMO_SCALAR_INTEGER;
    if (*end == '.') {
        const char *fraction = end + 1;
        form = CLTOMO_SCALAR_REAL;
        end = skip_digits(fraction);
        has_digits = has_digits || end > fraction;
    }
    if (!has_digits) {
        return CLTOMO_SCALAR_TEXT;
    }
    if (*end == 'e' || *end == 'E') {
        const char *exponent = skip_sign(end + 1);
        form = CLTOMO_SCALAR_REAL;
        end = skip_digits(exponent);
        if (end == exponent) {
            return CLTOMO_SCALAR_TEXT;
        }
    }
    return *end == '\0' ? form : CLTOMO_SCALAR_TEXT;
}

cltomo_scalar cltomo_scalar_read(const char *text, size_t length, double *value)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const trues[] = {"true", "True", "TRUE", NULL};
    static const char *const falses[] = {"false", "False", "FALSE", NULL};
    static const char *const infinities[] = {".inf", ".Inf", ".INF", NULL};
    static const char *const nans[] = {".nan", ".NaN", ".NAN", NULL};
    if (length > MAX_NUMBER_LENGTH) {
        return CLTOMO_SCALAR_TEXT;
    }
    if (is_one_of(text, nulls)) {
        return CLTOMO_SCALAR_NULL;
    }
    if (is_one_of(text, trues)) {
        return CLTOMO_SCALAR_TRUE;
    }
    if (is_one_of(text, falses)) {
        return CLTOMO_SCALAR_FALSE;
    }
    if (is_one_of(text, nans)) {
        return CLTOMO_SCALAR_NAN;
    }
    if (is_one_of(skip_sign(text), infinities)) {
        *value = text[0] == '-' ? -(double)INFINITY : (double)INFINITY;
        return CLTOMO_SCALAR_INFINITE;
    }
    if (has_radix(text)) {
        return CLTOMO_SCALAR_RADIX;
    }
    cltomo_scalar form = number_form(text);
    if (form != CLTOMO_SCALAR_TEXT) {
        *value = strtod(text, NULL);
        if (!isfinite(*value)) {
            return CLTOMO_SCALAR_TOO_LARGE;
        }
    }
    return form;
}
