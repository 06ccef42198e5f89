#include "util/spelling.h"

#include <string.h>

#include "suite.h"

static const char *nearest(const char *word)
{
    static const char *const words[] = { "solve", "train", "demand", "--decode", "--decoders", "-n" };
    struct spelling spelling = { .word = word, .length = strlen(word) };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        spelling_consider(&spelling, words[i]);
    return spelling.nearest ? spelling.nearest : "";
}

static MunitResult test_nearest(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char *const cases[][2] = {
        { "sovle", "solve" },   // swapped
        { "slve", "solve" },    // left out
        { "traiin", "train" },  // put in
        { "demamd", "demand" }, // replaced
        { "demands", "demand" },
        { "--decoder", "--decode" }, // the first of two that are as near
        { "--decodesr", "--decoders" },
        { "solve", "" },    // the word itself
        { "solution", "" }, // too far
        { "n", "" },        // too short: half of it differs
        { "", "" },
        { "a-word-that-is-longer-than-any-that-is-known", "" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        munit_assert_string_equal(nearest(cases[i][0]), cases[i][1]);
    return MUNIT_OK;
}

// The word may be part of a longer text.
static MunitResult test_part(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct spelling spelling = { .word = "--decdoe=beam", .length = 8 };
    spelling_consider(&spelling, "--decode");
    munit_assert_not_null(spelling.nearest);
    munit_assert_uint(spelling.distance, ==, 1);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/nearest", test_nearest, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/part", test_part, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/util/spelling", tests)
