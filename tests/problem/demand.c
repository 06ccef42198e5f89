#include <math.h>
#include <stdio.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "format/json.h"
#include "suite.h"
#include "tests/problem/support.h"
#include "util/text.h"

static MunitResult test_scale(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        double demand[3], capacity;
        int64_t whole[3];
        double scale;
    } cases[] = {
        { { 1, 2, 3 }, 9, { 1, 2, 3 }, 1 },
        { { 0.1, 0.2, 0.7 }, 0.9, { 1, 2, 7 }, 10 },
        { { 1.25, 3, 0 }, 100, { 125, 300, 0 }, 100 },
        { { 0.001, 1.1, 33.33 }, 1e3, { 1, 1100, 33330 }, 1000 },
        { { 1, 2, 3 }, 9.5, { 10, 20, 30 }, 10 },
        { { 1e15, 5e14, 3e14 }, 1e15, { 1000000000000000, 500000000000000, 300000000000000 }, 1 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct instance instance;
        instance_init(&instance, &problem_cvrp, 3);
        munit_assert_true(instance_set_demands(&instance, cases[k].demand, cases[k].capacity));
        munit_assert_double(instance.demand_scale, ==, cases[k].scale);
        munit_assert_memory_equal(sizeof cases[k].whole, instance.demand, cases[k].whole);
        munit_assert_double(instance_capacity(&instance), ==, cases[k].capacity);
        munit_assert_null(instance.demand_given);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

// Computed demands, in billionths of the capacity.
static MunitResult test_rounded(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        double demand[3], capacity;
        int64_t whole[3], levels;
    } cases[] = {
        { { 0.1 + 0.2, 0.1 + 0.2, 0.1 + 0.2 }, 0.9, { 333333333, 333333333, 333333333 }, 1000000000 },
        { { 10.0 / 3, 10.0 / 3, 10.0 / 3 }, 10, { 333333333, 333333333, 333333333 }, 1000000000 },
        { { 0.1f, 0.7f, 0 }, 1, { 100000001, 699999988, 0 }, 1000000000 },
        { { 1.123456789, 2, 10 }, 10, { 112345679, 200000000, 1000000000 }, 1000000000 },
        { { 1, 2, 3 }, 1e100 / 3, { 1, 1, 1 }, 1000000000 }, // a demand above 0 needs a visit
        { { 1e16, 2e16, 5e15 }, 2e16, { 500000000, 1000000000, 250000000 }, 1000000000 },
        { { 1, 2, 3e-30 }, 1e-9 + 3, { 333333333, 666666666, 1 }, 1000000000 },
        { { 100.0 / 3, 1.0 / 3, 1 }, 1, { 333333333, 3333333, 10000000 }, 10000000 }, // 31 bits hold 33 loads
        { { 1e100, 1.0 / 3, -1e-30 }, 1, { INT32_MAX, 333, -1 }, 1000 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct instance instance;
        instance_init(&instance, &problem_sdvrp, 3);
        munit_assert_true(instance_set_demands(&instance, cases[k].demand, cases[k].capacity));
        for (uint32_t i = 0; i < 3; i++) {
            munit_assert_int64(instance.demand[i], ==, cases[k].whole[i]);
            munit_assert_double(instance_demand(&instance, i), ==, cases[k].demand[i]);
        }
        munit_assert_int64(instance.capacity, ==, cases[k].levels);
        munit_assert_double(instance_capacity(&instance), ==, cases[k].capacity);
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
    expect_refused(instance_set_demands(&instance, demand, 0), "/capacity: *");
    expect_refused(instance_set_demands(&instance, demand, -1e-300), "/capacity: *");
    expect_refused(instance_set_demands(&instance, demand, 1e-300), "/capacity: *");
    expect_refused(instance_set_demands(&instance, demand, NAN), "/capacity: *");
    demand[1] = 1e101;
    expect_refused(instance_set_demands(&instance, demand, 5), "/demand/1: *");
    instance_finish(&instance);
    char label[] = "{\"problem\":\"cvrp\",\"depot\":[0,0],\"nodes\":[[1,0]],\"demand\":[-0.30000000000000004],"
                   "\"capacity\":1}";
    struct instance *list = NULL;
    expect_refused(instances_from_json(label, strlen(label), 1, &list), "/demand/0: *");
    arrfree(list);
    return MUNIT_OK;
}

#define CVRP(demands, capacity)                                                                                        \
    "{\"problem\":\"cvrp\",\"depot\":[0,0],\"nodes\":[[1,0],[2,0],[1,1],[2,1],[0,1],[0,2]],\"demand\":[" demands       \
    "],\"capacity\":" capacity "}"
#define ONE_SIXTH "0.16666666666666666"

// Loads that fit as written fit, and a warning tells where rounding decides.
static MunitResult test_loads(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *instance, *routes;
        bool fits;
        size_t rounded;
    } cases[] = {
        { CVRP("0.3333333333333333,0.3333333333333333,0.3333333333333333,0,0,0", "1"), "[[4,5,6],[1,2,3]]", true, 2 },
        { CVRP("3.3333333333333335,3.3333333333333335,3.3333333333333335,1,0,0", "10"), "[[1,2,3],[4,5,6]]", true, 1 },
        { CVRP("0.30000000000000004,0.30000000000000004,0.30000000000000004,0,0,0", "0.9"), "[[1,2,3,4,5,6]]", true,
            1 },
        { CVRP("0.30000000000000004,0.30000000000000004,0.30000000000000004,0,0,0", "1"), "[[1,2,3,4,5,6]]", true, 0 },
        { CVRP("0.3,0.3,0.3,0,0,0", "0.9"), "[[1,2,3,4,5,6]]", true, 0 }, // exact
        { CVRP(ONE_SIXTH "," ONE_SIXTH "," ONE_SIXTH "," ONE_SIXTH "," ONE_SIXTH "," ONE_SIXTH, "1"), "[[1,2,3,4,5,6]]",
            false, 1 },
        { CVRP("0.5000000000000001,0.50000001,0,0,0,0", "1"), "[[1,2,3,4,5,6]]", false, 0 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        struct instance instance = instance_of(cases[k].instance);
        char text[100];
        snprintf(text, sizeof text, "{\"routes\":%s}", cases[k].routes);
        struct solution solution = solution_of(&instance, text);
        struct verdict verdict;
        instance.problem->judge(&instance, &solution, &verdict);
        munit_assert_int(verdict.feasible, ==, cases[k].fits);
        munit_assert_size(verdict.rounded_route, ==, cases[k].rounded);
        solution_finish(&solution);
        instance_finish(&instance);
    }
    expect_warnings(cases[0].instance, (const char *const[]){ NULL });
    expect_warnings(cases[5].instance,
        (const char *const[]){ "6 demands of 0.166666667 exceed the capacity after rounding; demands are rounded to "
                               "the nearest 1e-09 of the capacity",
            NULL });
    return MUNIT_OK;
}

// Splits random demands at random, writes and reads them: the same units, and sums as given whatever their order.
static MunitResult test_deliveries(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (int round = 0; round < 200; round++) {
        enum { N = 4, PARTS = 5 };
        struct instance instance;
        instance_init(&instance, &problem_sdvrp, N);
        double demand[N], capacity = munit_rand_double() * 3 + 0.1;
        for (uint32_t i = 0; i < N; i++)
            demand[i] = munit_rand_double() * 3 / 7 * (round % 2 ? 1e-6 : round % 3 ? 30 : 1);
        munit_assert_true(instance_set_demands(&instance, demand, capacity));
        struct solution solution = { 0 };
        int64_t left[N];
        memcpy(left, instance.demand, sizeof left);
        for (int p = 0; p < PARTS; p++) {
            struct route route = { 0 };
            for (uint32_t i = 0; i < N; i++) {
                int64_t units = p == PARTS - 1 ? left[i] : munit_rand_uint32() % (left[i] + 1);
                left[i] -= units;
                arrput(route.stops, i + 1);
                arrput(route.amounts, units);
            }
            arrput(solution.routes, route);
        }
        struct verdict verdict = { .feasible = true };
        struct text text = { 0 }, again = { 0 };
        solution_to_json(&text, &instance, &solution, &verdict, NULL);
        instance_to_json(&again, &instance);
        struct instance instance_read = instance_of(again.data);
        struct solution read = solution_of(&instance_read, text.data);
        double *amounts = solution_amounts(&instance, &solution), up[N] = { 0 }, down[N] = { 0 };
        munit_assert_memory_equal(sizeof demand, instance_read.demand_given, demand);
        for (size_t r = 0; r < PARTS; r++) {
            munit_assert_memory_equal(N * sizeof(int64_t), read.routes[r].amounts, solution.routes[r].amounts);
            for (size_t i = 0; i < N; i++) {
                up[i] += amounts[r * N + i];
                down[i] += amounts[(PARTS - 1 - r) * N + i];
            }
        }
        munit_assert_memory_equal(sizeof demand, up, demand);
        munit_assert_memory_equal(sizeof demand, down, demand);
        arrfree(amounts);
        text_finish(&text);
        text_finish(&again);
        solution_finish(&read);
        solution_finish(&solution);
        instance_finish(&instance_read);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

#define SDVRP                                                                                                          \
    "{\"problem\":\"sdvrp\",\"depot\":[0,0],\"nodes\":[[3,0],[3,4]],\"demand\":[3.3333333333333335,"                   \
    "0.30000000000000004],\"capacity\":2}"

static MunitResult test_written(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance instance = instance_of(SDVRP);
    struct solution solution = solution_of(&instance, "{\"routes\":[[1],[1,2]]}");
    solution_deliver(&instance, &solution);
    struct verdict verdict = { .feasible = true };
    struct text text = { 0 };
    solution_to_json(&text, &instance, &solution, &verdict, NULL);
    munit_assert_not_null(strstr(text.data, "\"deliveries\":[[2.0],[1.3333333333333335,0.30000000000000004]],"));
    text_finish(&text);
    solution_finish(&solution);
    instance_finish(&instance);
    // Amounts of another solver.
    expect_verdicts(SDVRP, (struct expected[]){
                               { "{\"routes\":[[1],[1,2]],\"deliveries\":[[1.6666666666666667],[1.6666666666666667,"
                                 "0.30000000000000004]]}",
                                   6 + 12, NULL },
                               { "{\"routes\":[[1],[1,2]],\"deliveries\":[[1.6666],[1.6666,0.3]]}", 6 + 12,
                                   "customer 1 still needs 0.000133334" },
                               { NULL },
                           });
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/scale", test_scale),
    TEST("/rounded", test_rounded),
    TEST("/refused", test_refused),
    TEST("/loads", test_loads),
    TEST("/deliveries", test_deliveries),
    TEST("/written", test_written),
    TEST_END,
};
SUITE("/problem/demand", tests)
