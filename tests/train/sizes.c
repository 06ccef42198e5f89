#include "train/sizes.h"

#include <math.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "suite.h"
#include "tests/train/support.h"

// Parts cover every size once; none has much padding.
static MunitResult test_ranges(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct train_settings settings = small_settings("cvrp");
    settings.drawn.n_min = 1;
    settings.drawn.n_max = 250;
    struct size_range *ranges = sizes_ranges(&settings);
    uint32_t next = 1;
    for (size_t i = 0; i < arrlenu(ranges); i++) {
        const struct distribution *d = &ranges[i].distribution;
        munit_assert_uint32(d->n_min, ==, next);
        munit_assert_uint32(d->n_max, <=, d->n_min + d->n_min / 5);
        munit_assert_uint32(ranges[i].N, ==, d->n_max + 1);
        next = d->n_max + 1;
    }
    munit_assert_uint32(next, ==, 251);
    arrfree(ranges);
    settings.drawn.n_min = 250;
    ranges = sizes_ranges(&settings);
    munit_assert_size(arrlenu(ranges), ==, 1);
    arrfree(ranges);
    return MUNIT_OK;
}

// Each size is as likely as any other, in training and in sets.
static MunitResult test_shares(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    enum { STEPS = 20000 };
    struct train_settings settings = small_settings("tsp");
    settings.drawn.n_min = 10;
    settings.drawn.n_max = 49;
    struct size_range *ranges = sizes_ranges(&settings);
    size_t count = arrlenu(ranges), drawn[64] = { 0 };
    for (uint64_t step = 0; step < STEPS; step++)
        drawn[sizes_of_step(&settings, ranges, step)]++;
    munit_assert_uint32(sizes_before(&settings, ranges, 0, 1000), ==, 0);
    munit_assert_uint32(sizes_before(&settings, ranges, (uint32_t)count, 1000), ==, 1000);
    for (uint32_t i = 0; i < count; i++) {
        double share = (ranges[i].distribution.n_max - ranges[i].distribution.n_min + 1) / 40.0;
        uint32_t own = sizes_before(&settings, ranges, i + 1, 1000) - sizes_before(&settings, ranges, i, 1000);
        // Five standard deviations of a binomial distribution: the draws are fixed, so this holds or does not.
        munit_assert_double(fabs((double)drawn[i] - STEPS * share), <, 5 * sqrt(STEPS * share));
        munit_assert_double(fabs(own - 1000 * share), <=, 1);
    }
    arrfree(ranges);
    return MUNIT_OK;
}

static MunitResult test_seeds(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (int i = 0; i < DRAWS; i++) {
        munit_assert_uint64(sizes_seed(1, (enum train_draws)i), !=, sizes_seed(2, (enum train_draws)i));
        for (int k = 0; k < i; k++)
            munit_assert_uint64(sizes_seed(1, (enum train_draws)i), !=, sizes_seed(1, (enum train_draws)k));
    }
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/ranges", test_ranges),
    TEST("/shares", test_shares),
    TEST("/seeds", test_seeds),
    TEST_END,
};
SUITE("/train/sizes", tests)
