#include "util/rng.h"

#include "suite.h"

// Known answers of Philox4x32-10: an all-zero and an all-ones counter and key, as its authors publish them.
static MunitResult test_known(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    uint32_t number[4];
    rng_draw(&(struct rng){ 0, 0, 0, 0 }, 0, number);
    const uint32_t zeros[4] = { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 };
    munit_assert_memory_equal(sizeof zeros, number, zeros);
    rng_draw(&(struct rng){ UINT64_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX }, UINT32_MAX, number);
    const uint32_t ones[4] = { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd };
    munit_assert_memory_equal(sizeof ones, number, ones);
    return MUNIT_OK;
}

static MunitResult test_unit(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    munit_assert_float(rng_unit(0), ==, 0);
    munit_assert_float(rng_unit(UINT32_MAX), <, 1);
    double sum = 0, squares = 0;
    const int draws = 100000;
    for (int i = 0; i < draws; i++) {
        uint32_t number[4];
        rng_draw(&(struct rng){ 1234, 1, (uint32_t)i, 0 }, 0, number);
        double u = rng_unit(number[i % 4]);
        sum += u;
        squares += u * u;
    }
    // Five standard errors of the mean of U(0,1) and of its square.
    munit_assert_double(sum / draws, >, 0.5 - 5 * 0.2887 / 316);
    munit_assert_double(sum / draws, <, 0.5 + 5 * 0.2887 / 316);
    munit_assert_double(squares / draws, >, 1 / 3.0 - 5 * 0.2981 / 316);
    munit_assert_double(squares / draws, <, 1 / 3.0 + 5 * 0.2981 / 316);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/known", test_known, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/unit", test_unit, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/util/rng", tests)
