#include "format/kool.h"

#include <math.h>

#include "expect.h"
#include "suite.h"

// Values of the published sets' first instances (seed 1234), as NumPy draws them.
struct first {
    uint32_t count, n;
    int64_t demand[8], demand_sum;
    double prize[6];                      // OP, dist
    double penalty, expected, stochastic; // of the first customer
};

static const struct first firsts[] = {
    { 100000, 20, { 3, 1, 8, 2, 1, 4, 7, 5 }, 88, { .56, .84, .41, .41, 1.0, .16 }, .16589087341346917,
        .009492152554730038, .010685897872743329 },
    { 10000, 20, { 5, 3, 5, 8, 5, 1, 8, 4 }, 91, { .65, .24, .23, .28, .50, .90 }, .07518214681439324,
        .0013202443846893174, .0009558206019095013 },
    { 100000, 50, { 3, 1, 4, 6, 2, 6, 2, 6 }, 219, { .54, .81, .39, .39, .96, .15 }, .09371190764717409,
        .042398185755394356, .06026472854762876 },
    { 10000, 50, { 9, 2, 7, 5, 7, 6, 6, 4 }, 283, { .62, .23, .22, .27, .48, .86 }, .008915469974440276,
        .00886872128502035, .012579018013887135 },
    { 100000, 100, { 8, 4, 4, 6, 3, 2, 1, 5 }, 508, { .54, .81, .39, .39, .96, .15 }, .08528392544243886,
        .024200825634938573, .0152666936403865 },
    { 10000, 100, { 1, 3, 1, 4, 4, 1, 6, 3 }, 473, { .62, .23, .22, .27, .48, .86 }, .08510145449130509,
        .031682028694155095, .053906364297098774 },
};

static void draw_first(const struct first *first, const struct problem *problem, struct instance *instance)
{
    struct kool kool;
    struct distribution distribution = { .n_min = first->n, .n_max = first->n, .prize = PRIZE_DIST };
    kool_init(&kool, problem, &distribution, first->count, 1234);
    kool_next(&kool, instance);
    if (!problem->has_depot)
        return;
    munit_assert_double(instance->depot.x, ==, .1915194503788923);
    munit_assert_double(instance->depot.y, ==, .6221087710398319);
    bool large = first->count == 100000;
    munit_assert_double(instance->nodes[0].x, ==, large ? .6576466469246163 : .5542693865183056);
    munit_assert_double(instance->nodes[0].y, ==, large ? .7843658042700024 : .1809782379192011);
    munit_assert_double(instance->nodes[1].x, ==, large ? .9023686047279501 : .37612515633291255);
    munit_assert_double(instance->nodes[1].y, ==, large ? .8525081368820976 : .5188554893458212);
}

static MunitResult test_published(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (size_t k = 0; k < sizeof firsts / sizeof firsts[0]; k++) {
        const struct first *first = &firsts[k];
        struct instance instance;
        draw_first(first, &problem_tsp, &instance);
        munit_assert_double(instance.nodes[0].x, ==, .1915194503788923);
        munit_assert_double(instance.nodes[0].y, ==, .6221087710398319);
        munit_assert_double(instance.nodes[1].x, ==, .4377277390071145);
        munit_assert_double(instance.nodes[1].y, ==, .7853585837137692);
        munit_assert_double(instance.nodes[2].x, ==, .7799758081188035);
        instance_finish(&instance);

        draw_first(first, &problem_cvrp, &instance);
        munit_assert_memory_equal(sizeof first->demand, instance.demand, first->demand);
        int64_t sum = 0;
        for (uint32_t i = 0; i < first->n; i++)
            sum += instance.demand[i];
        munit_assert_int64(sum, ==, first->demand_sum);
        munit_assert_int64(instance.capacity, ==, first->n == 20 ? 30 : first->n == 50 ? 40 : 50);
        instance_finish(&instance);

        draw_first(first, &problem_op, &instance);
        munit_assert_memory_equal(sizeof first->prize, instance.prize, first->prize);
        munit_assert_double(instance.max_length, ==, first->n == 20 ? 2 : first->n == 50 ? 3 : 4);
        instance_finish(&instance);

        draw_first(first, &problem_spctsp, &instance);
        munit_assert_double(instance.penalty[0], ==, first->penalty);
        munit_assert_double(instance.prize[0], ==, first->expected);
        munit_assert_double(instance.real_prize[0], ==, first->stochastic);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

// The second instance goes on where the first ended, in every column; TSP sets are prefixes of larger ones.
static MunitResult test_sequence(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct kool small, large;
    struct distribution distribution = { .n_min = 5, .n_max = 5 };
    kool_init(&small, &problem_tsp, &distribution, 3, 7);
    kool_init(&large, &problem_tsp, &distribution, 30, 7);
    struct mt19937 stream;
    mt19937_seed(&stream, 7);
    for (int k = 0; k < 3; k++) {
        struct instance a, b;
        kool_next(&small, &a);
        kool_next(&large, &b);
        for (uint32_t i = 0; i < 5; i++) {
            munit_assert_double(a.nodes[i].x, ==, mt19937_double(&stream));
            munit_assert_double(a.nodes[i].y, ==, mt19937_double(&stream));
        }
        munit_assert_memory_equal(5 * sizeof *a.nodes, a.nodes, b.nodes);
        instance_finish(&a);
        instance_finish(&b);
    }
    return MUNIT_OK;
}

// The reference generator's published check value: the 10000th number with seed 5489. Pairs of numbers make a double,
// so it is the second half of the 5000th.
static MunitResult test_twister(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct mt19937 mt;
    mt19937_seed(&mt, 5489);
    for (int k = 1; k < 5000; k++)
        mt19937_double(&mt);
    double last = mt19937_double(&mt) * 0x1p53;
    munit_assert_uint64((uint64_t)last & 0x3ffffff, ==, 4123659995u >> 6);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/published", test_published),
    TEST("/sequence", test_sequence),
    TEST("/twister", test_twister),
    TEST_END,
};
SUITE("/format/kool", tests)
