#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/system_text.h"

Test(keys, twice)
{
    assert_refused("  D: 8.5\n", "  D: 8.5\n  D: 8.5\n", "lgs_wfs_parameters.D", NULL, NULL,
        "given twice, first on line 2", NULL);
    parsed p = parse_edited("  D: 8.5\n", "  D: 8.5\n  'D': 9\n");
    cr_assert_eq(p.status, CLTOMO_ERROR_CONFIG);
    cr_assert_eq(p.error.line, 3);
    cr_assert_eq(p.error.column, 3);
    parsed_clear(&p);
}

Test(keys, section_twice)
{
    parsed p = parse_edited("noise_parameters:\n", "dm_parameters:\n");
    cr_assert_eq(p.status, CLTOMO_ERROR_CONFIG);
    const cltomo_error *entry = parsed_find(&p, CLTOMO_SEVERITY_ERROR, "dm_parameters");
    cr_assert_not_null(entry);
    assert_holds(entry->message, "given twice");
    cr_assert_eq(entry->line, system_text_line(system_text, "noise_parameters"));
    parsed_clear(&p);
}

Test(keys, twice_in_an_annulus)
{
    assert_refused("    - [0, 1, 1]\n    - [1, 1, 1]\n    - [1, 1, 0]\n",
        "    {shape: annulus, outer: 1, outer: 2}\n", "lgs_wfs_parameters.validLLMap.outer", NULL,
        NULL, "given twice", NULL);
}

Test(keys, merge_keys_are_refused)
{
    assert_refused("  D: 8.5\n", "  D: 8.5\n  <<: {nPx: 3}\n", "lgs_wfs_parameters.<<", "<<", NULL,
        "merge keys are not supported", NULL);
    assert_warned("  D: 8.5\n", "  D: 8.5\n  '<<': 3\n", "lgs_wfs_parameters.<<", "unknown key");
}

Test(keys, that_are_not_words)
{
    assert_refused("  D: 8.5\n", "  D: 8.5\n  ? [a, b]\n  : 3\n", "lgs_wfs_parameters.a list of 2",
        "[a, b]", NULL, "a key must be a single word", NULL);
}

Test(keys, unknown_ones_get_a_suggestion)
{
    assert_warned("  D: 8.5\n", "  D: 8.5\n  nLenslets: 3\n", "lgs_wfs_parameters.nLenslets",
        "did you mean nLenslet?");
    assert_warned("  D: 8.5\n", "  D: 8.5\n  r0: 3\n", "lgs_wfs_parameters.r0",
        "did you mean atmosphere_parameters.r0?");
    assert_warned("  D: 8.5\n", "  D: 8.5\n  qqqqqqqq: 3\n", "lgs_wfs_parameters.qqqqqqqq",
        "unknown key, ignored");
    assert_warned("noise_parameters:\n", "noize_parameters:\n", "noize_parameters",
        "unknown section, ignored; did you mean noise_parameters?");
    assert_warned(
        "noise_parameters:\n", "nLGS: 3\nnoise_parameters:\n", "nLGS", "lgs_asterism.nLGS?");
}

Test(keys, a_misspelt_key_is_also_missing)
{
    assert_refused("fractionnalR0", "fractionalR0", "atmosphere_parameters.fractionnalR0",
        "atmosphere_parameters", "", "the key is missing", "0 <= x");
    parsed p = parse_edited("fractionnalR0", "fractionalR0");
    const cltomo_error *warning =
        parsed_find(&p, CLTOMO_SEVERITY_WARNING, "atmosphere_parameters.fractionalR0");
    cr_assert_not_null(warning);
    assert_holds(warning->message, "did you mean fractionnalR0?");
    parsed_clear(&p);
}

Test(keys, the_order_is_free)
{
    const char *first = strstr(system_text, "atmosphere_parameters:");
    char *text = malloc(strlen(system_text) + 1);
    strcpy(text, first);
    strncat(text, system_text, (size_t)(first - system_text));
    parsed p = parse_text(text);
    parsed q = parse_text(system_text);
    (void)parsed_description(&p);
    cr_assert_eq(cltomo_system_hash(p.system), cltomo_system_hash(q.system));
    parsed_clear(&p);
    parsed_clear(&q);
    free(text);
    p = parse_edited("  nLayer: 2\n  zenithAngleInDeg: 30.0\n  altitude: [0, 5.5]\n",
        "  altitude: [0, 5.5]\n  zenithAngleInDeg: 30.0\n  nLayer: 2\n");
    (void)parsed_description(&p);
    parsed_clear(&p);
}

Test(keys, without_effect_are_named_in_one_warning)
{
    parsed p = parse_text(system_text);
    cr_assert_eq(p.status, CLTOMO_OK);
    cr_assert_eq(cltomo_diagnostics_count(p.diagnostics), 1);
    const cltomo_error *entry = cltomo_diagnostics_get(p.diagnostics, 0);
    cr_assert_eq(entry->severity, CLTOMO_SEVERITY_WARNING);
    cr_assert_str_eq(entry->key, "lgs_wfs_parameters.nPx");
    cr_assert_eq(entry->line, 4);
    cr_assert_eq(entry->column, 3);
    assert_holds(entry->message,
        "nPx (line 4), fieldStopSize (line 5), dmHeights (line 15), dmCrossCoupling (line 17), "
        "wavelength (line 31), windDirection (line 32), windSpeed (line 33), iNoiseVar (line 40)");
    parsed_clear(&p);
}

Test(keys, by_the_thousand_are_refused_or_listed_in_part)
{
    enum { n = 300 };
    char *text = malloc(n * 16 + 1);
    for (size_t i = 0; i < n; ++i) {
        sprintf(text + i * 10, "key%05zu:\n", i);
    }
    parsed p = parse_text(text);
    cr_assert_eq(p.status, CLTOMO_ERROR_CONFIG);
    assert_holds(p.error.message, "more than 256 keys");
    parsed_clear(&p);
    text[(size_t)200 * 10] = '\0';
    p = parse_text(text);
    cr_assert_eq(p.status, CLTOMO_ERROR_CONFIG);
    cr_assert_eq(cltomo_diagnostics_count_severity(p.diagnostics, CLTOMO_SEVERITY_WARNING), 41);
    cr_assert_eq(cltomo_diagnostics_count_severity(p.diagnostics, CLTOMO_SEVERITY_ERROR), 4);
    parsed_clear(&p);
    free(text);
}

Test(keys, with_control_characters_are_shown_without)
{
    parsed p = parse_edited("  D: 8.5\n", "  D: 8.5\n  \"a\\e[2J\\x9bb\\nc\": 3\n");
    (void)parsed_description(&p);
    const cltomo_error *entry = cltomo_diagnostics_get(p.diagnostics, 0);
    cr_assert_str_eq(entry->key, "lgs_wfs_parameters.a [2J  b c");
    parsed_clear(&p);
}
