#include <stdarg.h>
#include <stdio.h>

#include "config/draft.h"

/* Control characters could do mischief in a terminal or a log. */
static void make_printable(char *text)
{
    for (; *text != '\0'; ++text) {
        unsigned char next = (unsigned char)text[1];
        bool is_c1 = (unsigned char)text[0] == 0xC2 && next >= 0x80 && next < 0xA0;
        if ((unsigned char)text[0] < ' ' || text[0] == '\x7f') {
            text[0] = ' ';
        } else if (is_c1) { /* the second set of them, in UTF-8 */
            text[0] = ' ';
            text[1] = ' ';
        }
    }
}

void cltomo_report_error(cltomo_report *report, const cltomo_error *error)
{
    cltomo_diagnostics_add(report->list, error);
    if (error->severity != CLTOMO_SEVERITY_ERROR) {
        return;
    }
    bool earlier = error->line < report->first.line ||
                   (error->line == report->first.line && error->column < report->first.column);
    if (!report->has_error || earlier) {
        report->first = *error;
        report->has_error = true;
    }
}

void cltomo_report_add(
    cltomo_report *report, const cltomo_problem *problem, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    cltomo_error entry = {.status = CLTOMO_ERROR_CONFIG,
        .severity = problem->severity,
        .line = problem->line,
        .column = problem->column};
    if (problem->severity == CLTOMO_SEVERITY_WARNING) {
        entry.status = CLTOMO_OK;
    }
    cltomo_copy_text(entry.file, sizeof entry.file, report->file);
    cltomo_copy_text(entry.key, sizeof entry.key, problem->key);
    cltomo_copy_text(entry.value, sizeof entry.value, problem->value);
    cltomo_copy_text(entry.allowed, sizeof entry.allowed, problem->allowed);
    cltomo_copy_text(entry.message, sizeof entry.message, length < 0 ? "" : message);
    make_printable(entry.key);
    make_printable(entry.value);
    make_printable(entry.message);
    cltomo_report_error(report, &entry);
}
