#include "util/text.h"

#include <string.h>

#include "tests/util/suites.h"

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

MunitTest util_text_tests[] = {
    { "/grow", test_grow, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
