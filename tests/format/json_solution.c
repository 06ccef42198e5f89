#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "format/json.h"
#include "suite.h"
#include "tests/problem/support.h"

#define NODES "\"depot\":[0,0],\"nodes\":[[1,2],[3,4]]"
#define VRP   "{\"problem\":\"sdvrp\"," NODES ",\"demand\":[0.5,1],\"capacity\":1}"

static MunitResult test_refused(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        const char *json, *sentence;
    } plain[] = {
        { "", "0 solutions for 1 instance" },
        { "{\"routes\":[]}\n{\"routes\":[]}", "2 solutions for 1 instance" },
        { "[]", "must be a solution object, not an array" },
        { "{}", "/routes: *" },
        { "{\"problem\":\"cvrp\",\"routes\":[]}", "/problem: *" },
        { "{\"routes\":[1,2]}", "/routes/0: *" },
        { "{\"routes\":[[1],[2,\"b\"]]}", "/routes/1/1: *" },
        { "{\"routes\":[[1],[2,1.5]]}", "/routes/1/1: *" },
        { "{\"routes\":[[1],[2,null]]}", "/routes/1/1: *" },
        { "{\"routes\":[[-1]]}", "/routes/0/0: *" },
        { "{\"routes\":[[4294967296]]}", "/routes/0/0: *" },
        { "{\"routes\":[[1]],\"deliveries\":7}", "/deliveries: *" },
        { "{\"routes\":[[1]],\"deliveries\":[]}", "/deliveries: *" },
        { "{\"routes\":[[1]],\"deliveries\":[7]}", "/deliveries/0: *" },
        { "{\"routes\":[[1]],\"deliveries\":[[1,2]]}", "/deliveries/0: *" },
        { "{\"routes\":[[1]],\"deliveries\":[[\"a\"]]}", "/deliveries/0/0: *" },
        { "{\"routes\":[[1]],\"deliveries\":[[0.25]]}", "/deliveries/0/0: *" },
        { "{\"routes\":[[1]],\"deliveries\":[[1e300]]}", "/deliveries/0/0: *" },
        { "{\"routes\":[[1]", "line 1 column 14: *" },
    };
    struct instance instance = instance_of(VRP);
    for (size_t k = 0; k < sizeof plain / sizeof plain[0]; k++) {
        struct solution *solutions = NULL;
        expect_refused(
            solutions_from_json(plain[k].json, strlen(plain[k].json), &instance, 1, &solutions), plain[k].sentence);
        for (ptrdiff_t i = 0; i < arrlen(solutions); i++)
            solution_finish(&solutions[i]);
        arrfree(solutions);
    }
    instance_finish(&instance);
    return MUNIT_OK;
}

// In a list, solutions may say which instances they are of; some may be missing then.
static MunitResult test_list(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance list[] = { instance_of(VRP), instance_of(VRP), instance_of(VRP) };
    struct solution *solutions = NULL;
    const char *some = "{\"instance\":3,\"routes\":[[1,2]]}\n{\"instance\":1,\"routes\":[[2],[1]]}";
    munit_assert_true(solutions_from_json(some, strlen(some), list, 3, &solutions));
    munit_assert_size(arrlenu(solutions), ==, 3);
    munit_assert_true(!solutions[0].missing && solutions[1].missing && !solutions[2].missing);
    munit_assert_size(arrlenu(solutions[0].routes), ==, 2);
    munit_assert_size(arrlenu(solutions[2].routes), ==, 1);
    for (int i = 0; i < 3; i++)
        solution_finish(&solutions[i]);
    arrfree(solutions);
    // Parts of lists that were put together: as many as instances, so in their order.
    const char *parts = "{\"instance\":1,\"routes\":[[2],[1]]}\n{\"instance\":2,\"routes\":[[1,2]]}\n"
                        "{\"instance\":1,\"routes\":[[1],[2]]}";
    munit_assert_true(solutions_from_json(parts, strlen(parts), list, 3, &solutions));
    munit_assert_uint32(solutions[0].routes[0].stops[0], ==, 2);
    munit_assert_size(arrlenu(solutions[1].routes), ==, 1);
    munit_assert_uint32(solutions[2].routes[0].stops[0], ==, 1);
    for (int i = 0; i < 3; i++)
        solution_finish(&solutions[i]);
    arrfree(solutions);
    static const struct {
        const char *json, *sentence;
    } refused[] = {
        { "{\"instance\":4,\"routes\":[]}", "1 solution for 3 instances" },
        { "{\"instance\":2,\"routes\":[]}\n{\"instance\":2,\"routes\":[]}", "2 solutions for 3 instances" },
        { "{\"instance\":2,\"routes\":[[7.5]]}", "/routes/0/0: *" },
        { "{\"instance\":1,\"routes\":[]}\n{\"routes\":[]}", "2 solutions for 3 instances" },
        { "{\"instance\":\"b\",\"routes\":[]}", "1 solution for 3 instances" },
    };
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
        expect_refused(
            solutions_from_json(refused[k].json, strlen(refused[k].json), list, 3, &solutions), refused[k].sentence);
        for (size_t i = 0; i < arrlenu(solutions); i++)
            solution_finish(&solutions[i]);
        arrfree(solutions);
    }
    for (int i = 0; i < 3; i++)
        instance_finish(&list[i]);
    return MUNIT_OK;
}

// If customers have ids, numbers are ids.
static MunitResult test_ids(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance instance = instance_of("{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1],[2,0]],\"ids\":[2,\"2\",-7]}");
    struct solution solution = solution_of(&instance, "{\"name\":\"x\",\"routes\":[[-7,\"2\",2.0]],\"extra\":{}}");
    const uint32_t stops[] = { 3, 2, 1 };
    munit_assert_memory_equal(sizeof stops, solution.routes[0].stops, stops);
    solution_finish(&solution);
    struct solution *solutions = NULL;
    const char *unknown = "{\"routes\":[[1]]}";
    expect_refused(solutions_from_json(unknown, strlen(unknown), &instance, 1, &solutions), "/routes/0/0: *");
    solution_finish(&solutions[0]);
    arrfree(solutions);
    instance_finish(&instance);
    return MUNIT_OK;
}

static MunitResult test_amounts(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance instance = instance_of(VRP);
    struct solution solution = solution_of(&instance, "{\"routes\":[[1,2],[2]],\"deliveries\":[[0.5,0.3],[0.7]]}");
    munit_assert_int64(solution.routes[0].amounts[1], ==, 3);
    munit_assert_int64(solution.routes[1].amounts[0], ==, 7);
    struct verdict verdict;
    problem_sdvrp.judge(&instance, &solution, &verdict);
    munit_assert_true(verdict.feasible);
    solution_finish(&solution);
    instance_finish(&instance);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/refused", test_refused),
    TEST("/list", test_list),
    TEST("/ids", test_ids),
    TEST("/amounts", test_amounts),
    TEST_END,
};
SUITE("/format/json_solution", tests)
