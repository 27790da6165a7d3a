#include <criterion/criterion.h>
#include <string.h>

#include "config/draft.h"

static void add(cltomo_report *report, cltomo_severity severity, uint32_t line, uint32_t column,
    const char *key)
{
    cltomo_problem problem = {.severity = severity,
        .line = line,
        .column = column,
        .key = key,
        .value = "v\x1b[1m",
        .allowed = "something else"};
    cltomo_report_add(report, &problem, "message %d", (int)line);
}

Test(report, the_first_error_is_the_one_that_stands_first)
{
    cltomo_context *context = NULL;
    cr_assert_eq(cltomo_context_create(&context, NULL, NULL), CLTOMO_OK);
    cltomo_report report = {.file = "f.yaml", .list = cltomo_diagnostics_create(context)};
    add(&report, CLTOMO_SEVERITY_WARNING, 1, 1, "warning");
    cr_assert_not(report.has_error);
    add(&report, CLTOMO_SEVERITY_ERROR, 5, 3, "later");
    add(&report, CLTOMO_SEVERITY_ERROR, 5, 2, "first");
    add(&report, CLTOMO_SEVERITY_ERROR, 5, 2, "as early");
    add(&report, CLTOMO_SEVERITY_ERROR, 6, 1, "last");
    cr_assert(report.has_error);
    cr_assert_str_eq(report.first.key, "first");
    cr_assert_eq(report.first.status, CLTOMO_ERROR_CONFIG);
    cr_assert_str_eq(report.first.message, "message 5");
    cr_assert_str_eq(report.first.file, "f.yaml");
    cr_assert_str_eq(report.first.value, "v [1m");
    cr_assert_str_eq(report.first.allowed, "something else");
    cr_assert_eq(cltomo_diagnostics_count(report.list), 5);
    cltomo_diagnostics_destroy(report.list);
    cltomo_context_destroy(context);
}

/* The list has an end; the first error is known all the same. */
Test(report, an_error_after_too_many_warnings_is_not_lost)
{
    cltomo_context *context = NULL;
    cr_assert_eq(cltomo_context_create(&context, NULL, NULL), CLTOMO_OK);
    cltomo_report report = {.file = "f.yaml", .list = cltomo_diagnostics_create(context)};
    for (uint32_t i = 1; i <= CLTOMO_MAX_DIAGNOSTICS + 50; ++i) {
        add(&report, CLTOMO_SEVERITY_WARNING, i, 1, "warning");
    }
    add(&report, CLTOMO_SEVERITY_ERROR, 1, 1, "error");
    cr_assert(report.has_error);
    cr_assert_str_eq(report.first.key, "error");
    cr_assert_eq(cltomo_diagnostics_count_severity(report.list, CLTOMO_SEVERITY_ERROR), 1);
    cltomo_diagnostics_destroy(report.list);
    cltomo_context_destroy(context);
}
