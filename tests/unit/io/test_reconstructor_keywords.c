#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/io.h"
#include "support/fixture.h"
#include "support/interaction.h"

static cltomo_reconstructor *build(const char *name, const cltomo_build_options *options)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, name);
    cltomo_reconstructor *reconstructor = NULL;
    cr_assert_eq(
        cltomo_reconstructor_build(context, &reconstructor, system, options, NULL), CLTOMO_OK);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
    return reconstructor;
}

/* The keyword of that name, NULL if there is none. */
static const cltomo_fits_keyword *find(const cltomo_keywords *keywords, const char *name)
{
    const cltomo_fits_keyword *found = NULL;
    for (size_t i = 0; i < keywords->n; ++i) {
        if (strcmp(keywords->keyword[i].name, name) == 0) {
            cr_assert_null(found, "%s stands twice", name);
            found = &keywords->keyword[i];
        }
    }
    return found;
}

static void assert_text(const cltomo_keywords *keywords, const char *name, const char *value)
{
    const cltomo_fits_keyword *keyword = find(keywords, name);
    cr_assert_not_null(keyword, "%s", name);
    cr_assert_eq(keyword->type, CLTOMO_FITS_TEXT);
    cr_assert_str_eq(keyword->value.text, value);
}

static void assert_real(const cltomo_keywords *keywords, const char *name, double value)
{
    const cltomo_fits_keyword *keyword = find(keywords, name);
    cr_assert_not_null(keyword, "%s", name);
    cr_assert_eq(keyword->type, CLTOMO_FITS_REAL);
    cr_assert_float_eq(
        keyword->value.real, value, 1e-12 * fabs(value), "%s: %.17g", name, keyword->value.real);
}

static void assert_integer(const cltomo_keywords *keywords, const char *name, int64_t value)
{
    const cltomo_fits_keyword *keyword = find(keywords, name);
    cr_assert_not_null(keyword, "%s", name);
    cr_assert_eq(keyword->value.integer, value, "%s", name);
}

Test(reconstructor_keywords, tell_how_a_command_matrix_was_made)
{
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_keywords keywords;
    options.products = CLTOMO_PRODUCT_FR;
    options.precision = CLTOMO_PRECISION_SINGLE;
    options.alpha = 7.5;
    options.scaling = -3.0;
    options.stretch = 1.25;
    options.mirror_rotation = 3;
    options.mirror_flip = 2;
    options.slope_order = CLTOMO_SLOPES_YX;
    options.lenslet_order = CLTOMO_LENSLETS_COLUMN;
    cltomo_reconstructor *reconstructor = build("small_asymmetric", &options);
    cltomo_keywords_fill(&keywords, reconstructor, CLTOMO_PRODUCT_FR);
    assert_text(&keywords, "PRODUCT", "FR");
    assert_text(&keywords, "BUNIT", "pixel-1");
    assert_text(&keywords, "ROWTABLE", "ACTUATORS");
    assert_text(&keywords, "COLTABLE", "SLOPES");
    assert_text(&keywords, "SLOPEORD", "yx");
    assert_text(&keywords, "LENSORD", "column");
    assert_text(&keywords, "PRECISN", "single");
    assert_text(&keywords, "BACKEND", "cpu");
    assert_integer(&keywords, "SIGN", -1);
    assert_integer(&keywords, "MIRROT", 3);
    assert_integer(&keywords, "MIRFLIP", 1);
    assert_integer(&keywords, "NLENSLET", 5);
    assert_integer(&keywords, "NWFS", 3);
    assert_integer(&keywords, "NLAYER", 3);
    assert_integer(&keywords, "NDIR", 4);
    assert_integer(&keywords, "NGRID", 19);
    assert_integer(&keywords, "NACTUAT", 6);
    assert_real(&keywords, "SCALING", -3.0);
    assert_real(&keywords, "STRETCH", 1.25);
    assert_real(&keywords, "ALPHA", 7.5);
    assert_real(&keywords, "DMPITCH", 0.74);
    assert_real(&keywords, "TELDIAM", 3.7);
    assert_real(&keywords, "R0ZENITH", 0.14);
    assert_real(&keywords, "L0", 24.0);
    assert_real(&keywords, "ZENITH", 37.0);
    assert_real(&keywords, "AIRMASS", 1.2521356581562257); /* 1 / cos(37 degrees) */
    assert_real(&keywords, "FOV", 31.0);
    assert_real(&keywords, "GSWAVEL", 5.89e-7);
    assert_real(&keywords, "GSHEIGHT", 90000.0 * 1.2521356581562257);
    assert_real(&keywords, "GRIDSTEP", 0.37);
    const cltomo_build_report *report = cltomo_reconstructor_report(reconstructor);
    assert_real(&keywords, "NOISEVAR", report->noise_variance);
    char hash[32];
    (void)snprintf(hash, sizeof hash, "%016llx",
        (unsigned long long)cltomo_system_hash(cltomo_reconstructor_system(reconstructor)));
    assert_text(&keywords, "SYSHASH", hash);
    cltomo_reconstructor_destroy(reconstructor);
}

static cltomo_reconstructor *build_interaction(const cltomo_interaction_options *options)
{
    cltomo_context *context = fixture_context();
    cltomo_system *system = fixture_system(context, "small_asymmetric");
    cltomo_matrix *matrix = interaction_matrix(context, "small_asymmetric", "im");
    cltomo_reconstructor *reconstructor = NULL;
    cr_assert_eq(cltomo_reconstructor_build_interaction(
                     context, &reconstructor, system, matrix, options, NULL),
        CLTOMO_OK);
    cltomo_matrix_destroy(matrix);
    cltomo_system_destroy(system);
    cltomo_context_destroy(context);
    return reconstructor;
}

Test(reconstructor_keywords, tell_how_an_interaction_matrix_was_inverted)
{
    cltomo_interaction_options options = interaction_options();
    cltomo_keywords keywords;
    options.alpha = 2.5;
    options.slope_order = CLTOMO_SLOPES_YX;
    options.grid = CLTOMO_ACTUATORS_PYTOMOAO;
    cltomo_reconstructor *reconstructor = build_interaction(&options);
    cltomo_keywords_fill(&keywords, reconstructor, CLTOMO_PRODUCT_R_IM);
    assert_text(&keywords, "PRODUCT", "R_IM");
    assert_text(&keywords, "ROWTABLE", "ACTUATORS");
    assert_text(&keywords, "COLTABLE", "SLOPES");
    assert_text(&keywords, "SLOPEORD", "yx");
    assert_integer(&keywords, "SIGN", 1);
    assert_real(&keywords, "NOISEVAR", 2.5);
    assert_real(
        &keywords, "SLOPEVAR", cltomo_reconstructor_report(reconstructor)->mean_slope_variance);
    assert_real(&keywords, "DMPITCH", 0.74);
    assert_real(&keywords, "ACTSTEP", 3.7 * 9.0 / 5.0 / 5.0);
    static const char *const none[] = {
        "BUNIT", "SLOPUNIT", "ALPHA", "SCALING", "STRETCH", "MIRROT"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; ++i) {
        cr_expect_null(find(&keywords, none[i]), "%s", none[i]);
    }
    cltomo_reconstructor_destroy(reconstructor);
}

/* ---- subsets of the sensors ---------------------------------------------------------------- */

/* A system of 64 sensors with one lenslet each. */
static cltomo_system *many_sensors(const cltomo_context *context)
{
    static const uint8_t valid = 1;
    static const double altitude = 0.0;
    static const double fraction = 1.0;
    static double star[64];
    cltomo_system_description d = cltomo_system_description_init();
    d.telescope_diameter = 1.0;
    d.n_lenslets = 1;
    d.valid_lenslets = &valid;
    d.n_wfs = 64;
    d.guide_star_x = star;
    d.guide_star_y = star;
    d.guide_star_wavelength = 5e-7;
    d.guide_star_height = 9e4;
    d.r0 = 0.15;
    d.L0 = 25.0;
    d.n_layers = 1;
    d.layer_altitude = &altitude;
    d.layer_fraction = &fraction;
    return fixture_describe(context, &d);
}

/* WFSLIST for the sensors of which bits are set. */
static void assert_list(uint64_t bits, const char *list)
{
    cltomo_context *context = fixture_context();
    cltomo_system *whole = many_sensors(context);
    cltomo_system *subset = NULL;
    cltomo_reconstructor *reconstructor = NULL;
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_keywords keywords;
    uint32_t sensors[64];
    size_t n = 0;
    for (uint32_t i = 0; i < 64; ++i) {
        if ((bits >> i & 1U) != 0) {
            sensors[n++] = i;
        }
    }
    options.products = CLTOMO_PRODUCT_GRID_MASK;
    cr_assert_eq(cltomo_system_subset(context, &subset, whole, sensors, n, NULL), CLTOMO_OK);
    cr_assert_eq(
        cltomo_reconstructor_build(context, &reconstructor, subset, &options, NULL), CLTOMO_OK);
    cltomo_keywords_fill(&keywords, reconstructor, CLTOMO_PRODUCT_GRID_MASK);
    assert_integer(&keywords, "NWFS", (int64_t)n);
    if (list != NULL) {
        assert_text(&keywords, "WFSLIST", list);
    } else {
        cr_expect_null(find(&keywords, "WFSLIST"));
    }
    cltomo_reconstructor_destroy(reconstructor);
    cltomo_system_destroy(subset);
    cltomo_system_destroy(whole);
    cltomo_context_destroy(context);
}

Test(reconstructor_keywords, list_the_sensors_of_a_subset)
{
    assert_list(5, "0,2");
    assert_list(UINT64_C(1) << 63, "63");
    assert_list(0xf, "0-3");
    assert_list(0xc3, "0,1,6,7");
    assert_list(0x3f7, "0-2,4-9");
    assert_list(UINT64_MAX - 1, "1-63");
    assert_list(UINT64_MAX, NULL);
    /* the longest: pairs */
    assert_list(UINT64_C(0xdb6db6db6db6db6d),
        "0,2,3,5,6,8,9,11,12,14,15,17,18,20,21,23,24,26,27,29,30,32,33,35,36,38,39,41,42,44,45,47,"
        "48,50,51,53,54,56,57,59,60,62,63");
}

Test(reconstructor_keywords, speak_only_of_what_the_product_depends_on)
{
    cltomo_build_options options = cltomo_build_options_init();
    cltomo_keywords keywords;
    options.products = CLTOMO_PRODUCT_R | CLTOMO_PRODUCT_F | CLTOMO_PRODUCT_GRID_MASK;
    cltomo_reconstructor *reconstructor = build("small_single", &options);

    cltomo_keywords_fill(&keywords, reconstructor, CLTOMO_PRODUCT_R);
    assert_text(&keywords, "BUNIT", "m pixel-1");
    assert_text(&keywords, "ROWTABLE", "GRID");
    cr_assert_null(find(&keywords, "SCALING"));
    cr_assert_null(find(&keywords, "STRETCH"));

    cltomo_keywords_fill(&keywords, reconstructor, CLTOMO_PRODUCT_F);
    assert_text(&keywords, "COLTABLE", "GRID");
    cr_assert_not_null(find(&keywords, "STRETCH"));
    cr_assert_null(find(&keywords, "SIGN"));
    cr_assert_null(find(&keywords, "ALPHA"));
    cr_assert_null(find(&keywords, "BUNIT"));

    cltomo_keywords_fill(&keywords, reconstructor, CLTOMO_PRODUCT_GRID_MASK);
    cr_assert_null(find(&keywords, "ROWTABLE"));
    cr_assert_null(find(&keywords, "COLTABLE"));
    cr_assert_not_null(find(&keywords, "SYSHASH"));
    cltomo_reconstructor_destroy(reconstructor);
}

/* A FITS card has 80 columns: 8 for the name, a value up to column 30 or longer, and the comment.
 */
Test(reconstructor_keywords, names_and_comments_fit_a_card)
{
    cltomo_build_options options = cltomo_build_options_init();
    options.products = (1U << 10) - 1U;
    options.slope_order = CLTOMO_SLOPES_INTERLEAVED;
    cltomo_reconstructor *reconstructor = build("small_asymmetric", &options);
    const cltomo_interaction_options interaction = interaction_options();
    cltomo_reconstructor *from_interaction = build_interaction(&interaction);
    for (uint32_t bit = 0; bit < 11; ++bit) {
        cltomo_keywords keywords;
        cltomo_keywords_fill(
            &keywords, bit < 10 ? reconstructor : from_interaction, (cltomo_product)(1U << bit));
        cr_assert_leq(keywords.n, CLTOMO_MAX_KEYWORDS);
        for (size_t i = 0; i < keywords.n; ++i) {
            const cltomo_fits_keyword *keyword = &keywords.keyword[i];
            cr_assert_leq(strlen(keyword->name), 8, "%s", keyword->name);
            cr_assert_leq(strlen(keyword->comment), 47, "%s", keyword->name);
            cr_assert_eq(find(&keywords, keyword->name), keyword);
        }
    }
    cltomo_reconstructor_destroy(from_interaction);
    cltomo_reconstructor_destroy(reconstructor);
}
