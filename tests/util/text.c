#include "util/text.h"

#include <string.h>

#include "suite.h"

static MunitResult test_grow(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct text text = { 0 };
    for (int i = 0; i < 5000; i++)
        text_add(&text, "%d,", i % 10);
    munit_assert_size(text.size, ==, 10000);
    munit_assert_size(strlen(text.data), ==, 10000);
    munit_assert_int(text.data[9998], ==, '9');
    text_finish(&text);
    munit_assert_null(text.data);
    return MUNIT_OK;
}

static MunitResult test_numbers(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        double value;
        const char *real, *round;
    } cases[] = {
        { 0, "0", "0" },
        { -0.0, "-0.0", "-0" },
        { 0.1, "0.1", "0.1" },
        { 1.0 / 3, "0.3333333333333333", "0.333333" },
        { 7544.36590190409, "7544.36590190409", "7544.37" },
        { -1234567.5, "-1234567.5", "-1234568" },
        { 100, "100", "100" },
        { 1e-30, "1e-30", "1e-30" },
        { 1e30, "1e+30", "1e+30" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text real = { 0 }, round = { 0 };
        text_add_real(&real, cases[i].value);
        text_add_round(&round, cases[i].value);
        munit_assert_string_equal(real.data, cases[i].real);
        munit_assert_string_equal(round.data, cases[i].round);
        text_finish(&real);
        text_finish(&round);
    }
    return MUNIT_OK;
}

static MunitResult test_line(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct text text = { 0 };
    text_add(&text, "a\n");
    text_add_line(&text, "b\nc\x1b[0m\x7f \xc3\xbc");
    munit_assert_string_equal(text.data, "a\nb?c?[0m? \xc3\xbc");
    text_finish(&text);
    return MUNIT_OK;
}

static MunitResult test_xml(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct text text = { 0 };
    text_add_xml(&text, "<a> & \x02\xEF\xBF\xBFZ\xC3\xBCrich", 100);
    munit_assert_string_equal(text.data, "&lt;a> &amp; ??Z\xC3\xBCrich");
    text_finish(&text);
    text_add_xml(&text, "Z\xC3\xBCrich", 2);
    munit_assert_string_equal(text.data, "Z\xC3\xBC\u2026");
    text_finish(&text);
    text_add_xml(&text, "a\xC3 \xE2\x82\xAC \xE2\x82 \xF0\x9F\x98\x80\xFF\x80 \xC3", 100); // cut within characters
    munit_assert_string_equal(text.data, "a? \xE2\x82\xAC ? \xF0\x9F\x98\x80? ?");
    text_finish(&text);
    text_add_xml(&text, "\xC3\xBC", 1);
    munit_assert_string_equal(text.data, "\xC3\xBC");
    text_finish(&text);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/xml", test_xml, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/line", test_line, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/numbers", test_numbers, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/grow", test_grow, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/util/text", tests)
