#include "util/scan.h"

#include <string.h>

#include "suite.h"

static MunitResult test_lines(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct scan scan = { .rest = span_of(" one \ntwo\r\n\rfour\r\n\tfive words here") };
    static const char *const expected[] = { "one", "two", "", "four", "five words here" };
    struct span line;
    for (unsigned long i = 0; i < 5; i++) {
        munit_assert_true(scan_line(&scan, &line));
        munit_assert_uint64(scan.line, ==, i + 1);
        munit_assert_true(span_is(line, expected[i]));
    }
    munit_assert_false(scan_line(&scan, &line));
    struct span word;
    munit_assert_true(span_word(&line, &word));
    munit_assert_true(span_is(word, "FIVE"));
    munit_assert_true(span_word(&line, &word) && span_word(&line, &word));
    munit_assert_true(span_is(word, "here"));
    munit_assert_false(span_word(&line, &word));
    return MUNIT_OK;
}

static MunitResult test_integers(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    int64_t value;
    munit_assert_true(span_integer(span_of("-12"), &value));
    munit_assert_int64(value, ==, -12);
    munit_assert_true(span_integer(span_of("+9223372036854775807"), &value));
    munit_assert_int64(value, ==, INT64_MAX);
    static const char *const wrong[] = { "", "-", "9223372036854775808", "1.0", "1e3", "0x10", "12a", "1-2", " 1" };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        munit_assert_false(span_integer(span_of(wrong[i]), &value));
    return MUNIT_OK;
}

static MunitResult test_reals(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    double value;
    munit_assert_true(span_real(span_of("5.65e+02"), &value));
    munit_assert_double(value, ==, 565);
    munit_assert_true(span_real(span_of("-.5"), &value));
    munit_assert_double(value, ==, -0.5);
    // Only the span is read, whatever follows it in memory.
    munit_assert_true(span_real((struct span){ "12345", 2 }, &value));
    munit_assert_double(value, ==, 12);
    static const char *const wrong[] = { "", ".", "e5", "1e999", "-1e999", "inf", "nan", "0x1p3", "1,5", "1..2",
        "--1" };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        munit_assert_false(span_real(span_of(wrong[i]), &value));
    char digits[5000];
    memset(digits, '1', sizeof digits);
    munit_assert_false(span_real((struct span){ digits, sizeof digits }, &value));
    munit_assert_false(span_integer((struct span){ digits, sizeof digits }, &(int64_t){ 0 }));
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/lines", test_lines, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/integers", test_integers, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/reals", test_reals, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/util/scan", tests)
