#include <criterion/criterion.h>
#include <string.h>

#include "config/draft.h"

Test(suggest, distances)
{
    cr_assert_eq(cltomo_edit_distance("", ""), 0);
    cr_assert_eq(cltomo_edit_distance("", "abc"), 3);
    cr_assert_eq(cltomo_edit_distance("abc", ""), 3);
    cr_assert_eq(cltomo_edit_distance("kitten", "sitting"), 3);
    cr_assert_eq(cltomo_edit_distance("sitting", "kitten"), 3);
    cr_assert_eq(cltomo_edit_distance("nlayer", "nLayer"), 0);
    cr_assert_eq(cltomo_edit_distance("altiutde", "altitude"), 1); /* neighbours swapped */
    cr_assert_eq(cltomo_edit_distance("flaw", "lawn"), 2);
}

Test(suggest, very_long_words_are_left_alone)
{
    char word[100] = {0};
    memset(word, 'a', sizeof word - 1);
    cr_assert_eq(cltomo_edit_distance(word, "D"), SIZE_MAX);
    cr_assert_eq(cltomo_edit_distance("D", word), SIZE_MAX);
}

static const char *suggest(const char *word, cltomo_section section)
{
    static char text[128];
    cltomo_suggest(text, sizeof text, word, section);
    return text;
}

Test(suggest, nearest_key_of_the_section)
{
    cr_assert_str_eq(
        suggest("fractionalR0", CLTOMO_SECTION_ATMOSPHERE), "; did you mean fractionnalR0?");
    cr_assert_str_eq(
        suggest("zenithAngle", CLTOMO_SECTION_ATMOSPHERE), "; did you mean zenithAngleInDeg?");
    cr_assert_str_eq(suggest("RO", CLTOMO_SECTION_ATMOSPHERE), "; did you mean r0?");
}

Test(suggest, key_of_another_section)
{
    cr_assert_str_eq(suggest("nLGS", CLTOMO_SECTION_WFS), "; did you mean lgs_asterism.nLGS?");
    cr_assert_str_eq(
        suggest("dmPitch", CLTOMO_N_SECTIONS), "; did you mean dm_parameters.dmPitch?");
}

Test(suggest, nearest_section)
{
    cr_assert_str_eq(suggest("atmosphere_parameter", CLTOMO_N_SECTIONS),
        "; did you mean atmosphere_parameters?");
    cr_assert_str_eq(
        suggest("lgs_asterism_parameters", CLTOMO_N_SECTIONS), "; did you mean lgs_asterism?");
}

Test(suggest, nothing_near)
{
    cr_assert_str_eq(suggest("somethingElseEntirely", CLTOMO_SECTION_WFS), "");
    cr_assert_str_eq(suggest("", CLTOMO_SECTION_WFS), "");
}
