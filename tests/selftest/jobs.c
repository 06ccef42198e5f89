#include <math.h>

#include "selftest/selftest_internal.h"
#include "suite.h"

// Rounding of another device may change the route of one trajectory, which is the mean of one decoder.
static MunitResult test_agreeing(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    const double expected[CONFIG_M] = { 10, 7, 9, 8, 80 };
    double found[CONFIG_M];
    for (uint32_t wrong = 0; wrong <= CONFIG_M; wrong++) {
        for (uint32_t m = 0; m < CONFIG_M; m++)
            found[m] = expected[m] * (m < wrong ? 1 + 2e-4 : 1 - 5e-5);
        munit_assert_uint32(selftest_agreeing(found, expected), ==, CONFIG_M - wrong);
    }
    for (uint32_t m = 0; m < CONFIG_M; m++)
        found[m] = (double)NAN;
    munit_assert_uint32(selftest_agreeing(found, expected), ==, 0);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/agreeing", test_agreeing, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/selftest/jobs", tests)
