#include "train/baseline.h"

#include "expect.h"
#include "suite.h"
#include "tests/train/support.h"

static MunitResult test_shared(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    double value[12];
    // Two decoders, two instances, three samples: a mean for each decoder and instance.
    float several[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15 };
    baseline_shared(value, several, 2, 2, 3);
    double expected[] = { 2, 2, 2, 5, 5, 5, 8, 8, 8, 12, 12, 12 };
    munit_assert_memory_equal(sizeof expected, value, expected);
    // Three decoders, two instances, one sample: a mean over the decoders.
    float single[] = { 1, 10, 2, 20, 6, 60 };
    baseline_shared(value, single, 3, 2, 1);
    double means[] = { 3, 30, 3, 30, 3, 30 };
    munit_assert_memory_equal(sizeof means, value, means);
    return MUNIT_OK;
}

static MunitResult test_average(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct train_state state = { 0 };
    munit_assert_double(baseline_average(&state, 5), ==, 5);
    munit_assert_double_equal(baseline_average(&state, 10), 6, 12);
    munit_assert_double_equal(baseline_average(&state, 1), 5, 12);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/shared", test_shared),
    TEST("/average", test_average),
    TEST_END,
};
SUITE("/train/baseline", tests)
