#include "util/statistics.h"

#include <math.h>

#include "expect.h"
#include "suite.h"

// Quantiles of Student's t from printed tables, which give four digits; for two degrees of freedom there is a formula.
static MunitResult test_student(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    munit_assert_double_equal(student_below(0, 7), 0.5, 12);
    munit_assert_double_equal(student_below(-6.3138, 1), 0.05, 5);
    munit_assert_double_equal(student_below(-1.8125, 10), 0.05, 5);
    munit_assert_double_equal(student_below(2.7638, 10), 0.99, 5);
    munit_assert_double_equal(student_below(-1.9840, 100), 0.025, 5);
    munit_assert_double_equal(student_below(-1.6450, 9999), 0.05, 4);
    for (double t = -30; t <= 30; t += 0.37)
        munit_assert_double_equal(student_below(t, 2), 0.5 + t / (2 * sqrt(2 + t * t)), 12);
    munit_assert_double(student_below(-40, 9999), <, 1e-300);
    return MUNIT_OK;
}

static MunitResult test_paired(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    // Differences -1, -3, -2, -2: mean -2, standard error 0.40825, t = -4.89898 with 3 degrees of freedom.
    double a[] = { 1, 2, 3, 4 }, b[] = { 2, 5, 5, 6 };
    munit_assert_double_equal(paired_test(a, b, 4), student_below(-2 / sqrt(1.0 / 6), 3), 12);
    munit_assert_double(paired_test(a, b, 4), <, 0.05);
    munit_assert_double_equal(paired_test(b, a, 4), 1 - paired_test(a, b, 4), 12);
    munit_assert_double(paired_test(a, a, 4), ==, 1);
    munit_assert_double(paired_test(a, b, 1), ==, 1);
    double c[] = { 0, 1, 2, 3 };
    munit_assert_double(paired_test(c, a, 4), ==, 0); // lower by the same everywhere
    return MUNIT_OK;
}

static MunitResult test_error(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    double values[] = { 1, 2, 3, 4, 5 };
    munit_assert_double_equal(mean_of(values, 5), 3, 12);
    munit_assert_double_equal(standard_error(values, 5), sqrt(2.5 / 5), 12);
    munit_assert_double(standard_error(values, 1), ==, 0);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/student", test_student),
    TEST("/paired", test_paired),
    TEST("/error", test_error),
    TEST_END,
};
SUITE("/util/statistics", tests)
