#include "bench.h"

#include <criterion/criterion.h>

#include <string.h>

#include "support/scratch.h"

/* Reads text as a baseline. */
static bool read_text(bench_baseline *baseline, const char *text, char *why, size_t size)
{
    scratch directory;
    scratch_create(&directory);
    const char *path = scratch_write(&directory, "baseline.json", text, strlen(text));
    bool fine = bench_baseline_read(baseline, path, why, size);
    scratch_remove(&directory);
    return fine;
}

#define RESULT(name, precision, product, ratio)                                                    \
    "{\"ratio\":" ratio ",\"system\":{\"name\":\"" name "\",\"hash\":\"0123456789abcdef\"},"       \
    "\"stages\":[{\"name\":\"solve\",\"gflops\":null}],\"precision\":\"" precision                 \
    "\",\"product\":\"" product "\"}"

Test(baseline, entries_are_found)
{
    bench_baseline baseline;
    char why[256] = "";
    cr_assert(read_text(&baseline,
                  "{\"cltomo\": \"0.1.0\",\n\"results\": [" RESULT("kapa", "double", "R",
                      "1.25") ",\n  " RESULT("a \\\"b\\\".yaml", "single", "FR", "2.5e0") "]}\n",
                  why, sizeof why),
        "%s", why);
    cr_assert_eq(baseline.n, 2);
    const bench_baseline_entry *entry =
        bench_baseline_find(&baseline, "kapa", CLTOMO_PRECISION_DOUBLE, CLTOMO_PRODUCT_R);
    cr_assert_not_null(entry);
    cr_expect_eq(entry->ratio, 1.25);
    cr_expect_str_eq(entry->hash, "0123456789abcdef");
    entry =
        bench_baseline_find(&baseline, "a \"b\".yaml", CLTOMO_PRECISION_SINGLE, CLTOMO_PRODUCT_FR);
    cr_assert_not_null(entry);
    cr_expect_eq(entry->ratio, 2.5);
    cr_expect_null(
        bench_baseline_find(&baseline, "kapa", CLTOMO_PRECISION_SINGLE, CLTOMO_PRODUCT_R));
    cr_expect_null(
        bench_baseline_find(&baseline, "kapa", CLTOMO_PRECISION_DOUBLE, CLTOMO_PRODUCT_FR));
    cr_expect_null(
        bench_baseline_find(&baseline, "keck", CLTOMO_PRECISION_DOUBLE, CLTOMO_PRODUCT_R));
    bench_baseline_destroy(&baseline);
}

Test(baseline, what_is_malformed_is_refused)
{
    static const char *const malformed[] = {
        "",
        "{",
        "[]",
        "{\"results\": 3}",
        "{\"results\": []}",
        "{\"results\": [1]}",
        "{\"results\": [{}]}",
        "{\"results\": [" RESULT("", "double", "R", "1") "]}",
        "{\"results\": [" RESULT("kapa", "half", "R", "1") "]}",
        "{\"results\": [" RESULT("kapa", "double", "Q", "1") "]}",
        "{\"results\": [" RESULT("kapa", "double", "R", "-1") "]}",
        "{\"results\": [" RESULT("kapa", "double", "R", "0") "]}",
        "{\"results\": [" RESULT("kapa", "double", "R", "null") "]}",
        "{\"results\": [" RESULT("kapa", "double", "R", "\"nan\"") "]}",
        "{\"results\": [" RESULT("kapa", "double", "R", "1e999") "]}",
        "{\"results\": [" RESULT("kapa", "double", "R", "1") "]",
        "{\"results\": [" RESULT("kapa", "double", "R", "1") ", {\"system\": \"kapa\"}]}",
    };
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; ++i) {
        bench_baseline baseline;
        char why[256] = "";
        cr_expect_not(read_text(&baseline, malformed[i], why, sizeof why), "%s", malformed[i]);
        cr_expect(why[0] != '\0');
        cr_expect_null(baseline.entry);
    }
}

Test(baseline, a_missing_file_is_refused)
{
    bench_baseline baseline;
    char why[256] = "";
    cr_expect_not(bench_baseline_read(&baseline, "/nowhere/at/all", why, sizeof why));
    cr_expect(strstr(why, "No such file") != NULL);
}
