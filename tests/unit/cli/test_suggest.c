#include "options.h"

#include <criterion/criterion.h>

#include <string.h>

static const char *const names[] = {"alpha", "precision", "slope-order", "scaling", "stretch", "R"};

static const char *nearest(const char *word)
{
    suggestion s = suggestion_begin(word);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        suggestion_offer(&s, names[i]);
    }
    return s.nearest;
}

static void expect(const char *word, const char *name)
{
    const char *found = nearest(word);
    cr_assert_not_null(found, "%s", word);
    cr_expect_str_eq(found, name, "%s", word);
}

Test(suggest, finds_one_slip)
{
    expect("alhpa", "alpha");   /* swapped */
    expect("alpa", "alpha");    /* left out */
    expect("alpphha", "alpha"); /* doubled twice: 2 of 7 letters */
    expect("ALPHA", "alpha");   /* case */
    expect("percision", "precision");
    expect("slopeorder", "slope-order");
    expect("streach", "stretch");
}

Test(suggest, completes_abbreviations)
{
    expect("prec", "precision");
    expect("sl", "slope-order");
}

Test(suggest, stays_silent_when_nothing_is_like_it)
{
    cr_expect_null(nearest("frobnicate"));
    cr_expect_null(nearest("x"));
    cr_expect_null(nearest(""));
    cr_expect_null(nearest("gamma"));
    char longest[200];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    cr_expect_null(nearest(longest));
}
