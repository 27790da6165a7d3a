#include <criterion/criterion.h>
#include <stdio.h>

#include "core/core.h"
#include "support/fault.h"

static cltomo_error entry(cltomo_severity severity, uint32_t line, uint32_t column, int number)
{
    cltomo_error e = {.severity = severity, .line = line, .column = column};
    (void)snprintf(e.message, sizeof e.message, "%d", number);
    return e;
}

static void add(
    cltomo_diagnostics *list, cltomo_severity severity, uint32_t line, uint32_t column, int number)
{
    cltomo_error e = entry(severity, line, column, number);
    cltomo_diagnostics_add(list, &e);
}

Test(diagnostics, null_is_an_empty_list)
{
    cr_assert_eq(cltomo_diagnostics_count(NULL), 0);
    cr_assert_eq(cltomo_diagnostics_count_severity(NULL, CLTOMO_SEVERITY_ERROR), 0);
    cr_assert_null(cltomo_diagnostics_get(NULL, 0));
    cltomo_diagnostics_destroy(NULL);
}

Test(diagnostics, sorts_by_place_and_keeps_the_order_of_equals)
{
    static const struct {
        uint32_t line, column;
    } place[] = {{3, 1}, {0, 0}, {2, 9}, {3, 1}, {2, 4}, {3, 0}, {2, 9}, {0, 0}, {1, 100}};
    static const char *const sorted[] = {"1", "7", "8", "4", "2", "6", "5", "0", "3"};
    enum { n = 9 };
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_diagnostics *list = cltomo_diagnostics_create(context);
    cltomo_context_destroy(context); /* the list keeps it */
    for (int i = 0; i < n; ++i) {
        add(list, i % 3 == 0 ? CLTOMO_SEVERITY_WARNING : CLTOMO_SEVERITY_ERROR, place[i].line,
            place[i].column, i);
    }
    cltomo_diagnostics_sort(list);
    cr_assert_eq(cltomo_diagnostics_count(list), n);
    cr_assert_eq(cltomo_diagnostics_count_severity(list, CLTOMO_SEVERITY_WARNING), 3);
    cr_assert_eq(cltomo_diagnostics_count_severity(list, CLTOMO_SEVERITY_ERROR), 6);
    for (size_t i = 0; i < n; ++i) {
        cr_assert_str_eq(cltomo_diagnostics_get(list, i)->message, sorted[i]);
    }
    cr_assert_null(cltomo_diagnostics_get(list, n));
    cr_assert_null(cltomo_diagnostics_get(list, SIZE_MAX));
    cltomo_diagnostics_destroy(list);
    cr_assert_eq(atomic_load(&state.live), 0);
}

Test(diagnostics, a_full_list_still_counts)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    cltomo_diagnostics *list = cltomo_diagnostics_create(context);
    for (int i = 0; i < CLTOMO_MAX_DIAGNOSTICS + 50; ++i) {
        add(list, CLTOMO_SEVERITY_WARNING, 1, 1, i);
    }
    add(list, CLTOMO_SEVERITY_ERROR, 1, 1, 999);
    cr_assert_eq(cltomo_diagnostics_count(list), CLTOMO_MAX_DIAGNOSTICS);
    cr_assert_eq(cltomo_diagnostics_count_severity(list, CLTOMO_SEVERITY_WARNING),
        CLTOMO_MAX_DIAGNOSTICS + 50);
    cr_assert_eq(cltomo_diagnostics_count_severity(list, CLTOMO_SEVERITY_ERROR), 1);
    cr_assert_str_eq(cltomo_diagnostics_get(list, CLTOMO_MAX_DIAGNOSTICS - 1)->message, "199");
    cltomo_diagnostics_destroy(list);
    cltomo_context_destroy(context);
    cr_assert_eq(atomic_load(&state.live), 0);
}

Test(diagnostics, without_memory_an_error_still_counts)
{
    fault state;
    cltomo_context *context = fault_context(&state);
    atomic_store(&state.left, 0);
    cr_assert_null(cltomo_diagnostics_create(context));
    atomic_store(&state.left, 2);
    cltomo_diagnostics *list = cltomo_diagnostics_create(context);
    for (int i = 0; i < 20; ++i) { /* there is memory for the first eight only */
        add(list, CLTOMO_SEVERITY_ERROR, 1, 1, i);
    }
    size_t kept = cltomo_diagnostics_count(list);
    cr_assert_gt(kept, 0);
    cr_assert_lt(kept, 20);
    cr_assert_str_eq(cltomo_diagnostics_get(list, kept - 1)->message, kept == 8 ? "7" : "?");
    cr_assert_eq(cltomo_diagnostics_count_severity(list, CLTOMO_SEVERITY_ERROR), 20);
    cltomo_diagnostics_sort(list);
    cltomo_diagnostics_destroy(list);
    cltomo_context_destroy(context);
    cr_assert_eq(atomic_load(&state.live), 0);
}
