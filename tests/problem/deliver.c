#include <stdlib.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "problem/routes.h"
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

#define CUSTOMERS_MAX 30

// Routes as the network makes them: customers in random order, each as far as the load allows.
static struct solution filled(const struct instance *instance)
{
    uint32_t actions[400], order[CUSTOMERS_MAX], j = 0;
    int64_t room = instance->capacity;
    for (uint32_t i = 0; i < instance->n; i++) {
        uint32_t k = munit_rand_uint32() % (i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (uint32_t k = 0; k < instance->n; k++) {
        for (int64_t left = instance->demand[order[k]], given; left > 0; left -= given) {
            if (room == 0) {
                actions[j++] = 0;
                room = instance->capacity;
            }
            actions[j++] = order[k] + 1;
            given = left < room ? left : room;
            room -= given;
        }
    }
    munit_assert_uint32(j, <, sizeof actions / sizeof actions[0]);
    return routes_of(instance, actions, 1, j);
}

// The stops at a customer, 0 for all, that deliver at most so much.
static int stops_of(const struct solution *solution, uint32_t stop, int64_t max_amount)
{
    int count = 0;
    for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++) {
        const struct route *route = &solution->routes[r];
        for (ptrdiff_t s = 0; s < arrlen(route->stops); s++)
            count += (!stop || route->stops[s] == stop) && route->amounts[s] <= max_amount;
    }
    return count;
}

// Loads that are full up to rounding leave no stops that deliver a billionth.
static MunitResult test_simplify(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    int with_rounding = 0;
    for (int round = 0; round < 3000; round++) {
        struct instance instance;
        double demand[CUSTOMERS_MAX];
        const int parts = munit_rand_int_range(3, 13);
        instance_init(&instance, &problem_sdvrp, (uint32_t)munit_rand_int_range(2, CUSTOMERS_MAX));
        for (uint32_t i = 0; i < instance.n; i++) {
            if (round % 2)
                demand[i] = (double)munit_rand_int_range(1, parts + 3) / parts;
            else
                demand[i] = i % 3 == 2 ? 1 - demand[i - 2] * demand[i - 1] : munit_rand_double() / (1 + i % 2);
        }
        munit_assert_true(instance_set_demands(&instance, demand, 1));
        const int64_t rounding = instance_load_rounding(&instance);
        struct solution solution = filled(&instance);
        const int before = stops_of(&solution, 0, INT64_MAX);
        with_rounding += stops_of(&solution, 0, rounding) > 0;
        solution_simplify(&instance, &solution);
        struct verdict verdict;
        problem_sdvrp.judge(&instance, &solution, &verdict);
        munit_assert_string_equal(verdict.violation, "");
        munit_assert_int(stops_of(&solution, 0, INT64_MAX), <=, before);
        munit_assert_int(stops_of(&solution, 0, rounding), ==, 0);
        solution_deliver(&instance, &solution); // as for a format without amounts
        problem_sdvrp.judge(&instance, &solution, &verdict);
        munit_assert_string_equal(verdict.violation, "");
        solution_finish(&solution);
        instance_finish(&instance);
    }
    munit_assert_int(with_rounding, >, 300);
    return MUNIT_OK;
}

static MunitResult test_join(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance instance = instance_of("{\"problem\":\"sdvrp\",\"depot\":[0,0],\"nodes\":[[3,0],[3,4]],"
                                           "\"demand\":[4,7],\"capacity\":6}");
    struct solution solution =
        solution_of(&instance, "{\"routes\":[[1,1,2],[2,1,2]],\"deliveries\":[[1,2,2],[1,1,4]]}");
    solution_simplify(&instance, &solution);
    munit_assert_size(arrlenu(solution.routes[0].stops), ==, 2);
    munit_assert_memory_equal(2 * sizeof(int64_t), solution.routes[0].amounts, ((int64_t[]){ 3, 2 }));
    munit_assert_size(arrlenu(solution.routes[1].stops), ==, 3); // exact demands: the amounts are the planner's
    solution_finish(&solution);
    solution = solution_of(&instance, "{\"routes\":[[1,1,2],[2]]}");
    solution_simplify(&instance, &solution);
    munit_assert_size(arrlenu(solution.routes[0].stops), ==, 2);
    munit_assert_null(solution.routes[0].amounts);
    solution_finish(&solution);
    instance_finish(&instance);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/split", test_split),
    TEST("/greedy", test_greedy),
    TEST("/simplify", test_simplify),
    TEST("/join", test_join),
    TEST_END,
};
SUITE("/problem/deliver", tests)
