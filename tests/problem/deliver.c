#include <stdlib.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "suite.h"
#include "tests/problem/support.h"

// Returns whether routes can serve all customers, by Hall's condition: no group of customers needs more than the
// vehicles that call at any of them can carry.
static bool can_serve(const struct instance *instance, const struct solution *solution)
{
    for (uint32_t group = 1; group < 1u << instance->n; group++) {
        int64_t need = 0, room = 0;
        for (uint32_t i = 0; i < instance->n; i++)
            need += group >> i & 1 ? instance->demand[i] : 0;
        for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++) {
            bool calls = false;
            for (ptrdiff_t s = 0; s < arrlen(solution->routes[r].stops); s++)
                calls |= group >> (solution->routes[r].stops[s] - 1) & 1;
            room += calls ? instance->capacity : 0;
        }
        if (need > room)
            return false;
    }
    return true;
}

static MunitResult test_split(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    int feasible = 0;
    const int rounds = 3000;
    for (int round = 0; round < rounds; round++) {
        struct instance instance;
        instance_init(&instance, &problem_sdvrp, (uint32_t)munit_rand_int_range(1, 7));
        instance.capacity = munit_rand_int_range(1, 12);
        for (uint32_t i = 0; i < instance.n; i++)
            instance.demand[i] = munit_rand_int_range(0, 15);
        struct solution solution = { 0 };
        for (int r = munit_rand_int_range(1, 9); r > 0; r--) {
            struct route route = { 0 };
            for (int s = munit_rand_int_range(0, 4); s > 0; s--)
                arrput(route.stops, 1 + munit_rand_uint32() % instance.n);
            arrput(solution.routes, route);
        }
        struct verdict verdict;
        problem_sdvrp.judge(&instance, &solution, &verdict);
        munit_assert_int(verdict.feasible, ==, can_serve(&instance, &solution));
        feasible += verdict.feasible;
        solution_finish(&solution);
        instance_finish(&instance);
    }
    munit_assert_int(feasible, >, rounds / 20); // both outcomes were tried
    munit_assert_int(feasible, <, rounds - rounds / 20);
    return MUNIT_OK;
}

// If the greedy pass serves every customer, its amounts stay: they are the planner's.
static MunitResult test_greedy(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance instance = instance_of("{\"problem\":\"sdvrp\",\"depot\":[0,0],\"nodes\":[[3,0],[3,4]],"
                                           "\"demand\":[4,7],\"capacity\":6}");
    struct solution solution = solution_of(&instance, "{\"routes\":[[1,2],[2]]}");
    solution_deliver(&instance, &solution);
    munit_assert_int64(solution.routes[0].amounts[0], ==, 4);
    munit_assert_int64(solution.routes[0].amounts[1], ==, 2);
    munit_assert_int64(solution.routes[1].amounts[0], ==, 5);
    solution_finish(&solution);
    instance_finish(&instance);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/split", test_split),
    TEST("/greedy", test_greedy),
    TEST_END,
};
SUITE("/problem/deliver", tests)
