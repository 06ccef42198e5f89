#include "tests/problem/suites.h"
#include "tests/problem/support.h"

static MunitResult test_scale(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        double demand[3], capacity;
        int64_t whole[3], scale;
    } cases[] = {
        { { 1, 2, 3 }, 9, { 1, 2, 3 }, 1 },
        { { 0.1, 0.2, 0.7 }, 0.9, { 1, 2, 7 }, 10 },
        { { 1.25, 3, 0 }, 100, { 125, 300, 0 }, 100 },
        { { 0.001, 1.1, 33.33 }, 1e3, { 1, 1100, 33330 }, 1000 },
        { { 1, 2, 3 }, 9.5, { 10, 20, 30 }, 10 },
        { { 1e15, 2, 3 }, 1e15, { 1000000000000000, 2, 3 }, 1 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct instance instance;
        instance_init(&instance, &problem_cvrp, 3);
        munit_assert_true(instance_set_demands(&instance, cases[k].demand, cases[k].capacity));
        munit_assert_int64(instance.demand_scale, ==, cases[k].scale);
        munit_assert_memory_equal(sizeof cases[k].whole, instance.demand, cases[k].whole);
        munit_assert_double((double)instance.capacity / (double)instance.demand_scale, ==, cases[k].capacity);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

static MunitResult test_refused(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance instance;
    instance_init(&instance, &problem_cvrp, 2);
    double demand[2] = { 1, 1.0 / 3 };
    expect_refused(instance_set_demands(&instance, demand, 5),
        "/demand/1: 0.33333333333333331 is not exact in decimals that can be counted");
    demand[1] = 1e16;
    expect_refused(instance_set_demands(&instance, demand, 5), "/demand/1: 1e+16 is beyond 1e+15");
    demand[1] = 1e-9; // needs nine decimals, for which a capacity of 1e15 has no room
    expect_refused(instance_set_demands(&instance, demand, 1e15),
        "/capacity: 1000000000000000 is not exact in decimals that can be counted");
    instance_finish(&instance);
    return MUNIT_OK;
}

MunitTest problem_demand_tests[] = {
    TEST("/scale", test_scale),
    TEST("/refused", test_refused),
    TEST_END,
};
