#include "plot/name.h"

#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "suite.h"

static MunitResult test_cut(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *name;
        size_t letters;
        const char *expected;
    } cases[] = {
        { "", 5, "" },
        { "Lyon", 5, "Lyon" },
        { "Opéra Garnier", 12, "Opéra Garnier" }, // one letter more
        { "Opéra Garniers", 12, "Opéra Garniers" },
        { "Opéra Garniers.", 12, "Opéra Garnie…" },
        { "12 Avenue de la Grande Armée", 17, "12 Avenue de la…" }, // at a word's end
        { "6 Rue de Rivoli, 75004 Paris", 17, "6 Rue de Rivoli…" }, // without the comma
        { "éééééééé", 4, "éééé…" },
        { "🚚🚚🚚🚚🚚🚚🚚", 3, "🚚🚚🚚…" },
        { "         ", 4, " …" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *cut = plot_name_cut(cases[i].name, cases[i].letters);
        munit_assert_string_equal(cut, cases[i].expected);
        free(cut);
    }
    return MUNIT_OK;
}

static MunitResult test_width(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    munit_assert_double(plot_name_width("", 10), ==, 0);
    munit_assert_double(plot_name_width("iiii", 10), <, plot_name_width("nnnn", 10));
    munit_assert_double(plot_name_width("nnnn", 10), <, plot_name_width("MMMM", 10));
    munit_assert_double_equal(plot_name_width("nnnn", 20), 2 * plot_name_width("nnnn", 10), 9);
    munit_assert_double(plot_name_width("e\u0301", 10), ==, plot_name_width("e", 10));
    munit_assert_double(plot_name_width("巴黎", 10), >=, 20);
    munit_assert_double(plot_name_width("🚚", 10), >=, 10);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/cut", test_cut, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/width", test_width, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/plot/name", tests)
