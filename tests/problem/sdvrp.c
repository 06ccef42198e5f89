#include <math.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "suite.h"
#include "tests/problem/support.h"

#define INSTANCE                                                                                                       \
    "{\"problem\":\"sdvrp\",\"depot\":[0,0],\"nodes\":[[3,0],[3,4],[0,4]],\"demand\":[4,7,0],\"capacity\":6}"

static MunitResult test_judge(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_verdicts(
        INSTANCE, (struct expected[]){
                      { "{\"routes\":[[1,2],[2]],\"deliveries\":[[4,2],[5]]}", 22, NULL },
                      { "{\"routes\":[[1,2],[2]]}", 22, NULL },
                      { "{\"routes\":[[1,2],[2,1]],\"deliveries\":[[1,5],[2,3]]}", 24, NULL },
                      { "{\"routes\":[[2],[1,2]]}", 22, NULL },
                      { "{\"routes\":[[2,2],[1,3,2]],\"deliveries\":[[3,3],[4,0,1]]}", 10 + 3 + 5 + 3 + 5, NULL },
                      { "{\"routes\":[[1,2]]}", 12, "customer 2 still needs 5" },
                      { "{\"routes\":[[2],[2]]}", 20, "customer 1 still needs 4" },
                      { "{\"routes\":[[1,2],[2]],\"deliveries\":[[4,3],[4]]}", 22, "route 1, stop 2: *" },
                      { "{\"routes\":[[1],[2],[2]],\"deliveries\":[[5],[6],[1]]}", 26, "route 1, stop 1: *" },
                      { "{\"routes\":[[1],[2],[2]],\"deliveries\":[[-4],[6],[1]]}", 26, "route 1, stop 1: *" },
                      { "{\"routes\":[[1,2],[9]]}", NAN, "route 2, stop 1: *" },
                      { NULL },
                  });
    return MUNIT_OK;
}

// Structs as no reader makes them.
static MunitResult test_hostile(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance instance = instance_of(INSTANCE);
    struct solution solution = solution_of(&instance, "{\"routes\":[[1,2],[2]],\"deliveries\":[[4,2],[5]]}");
    struct verdict verdict;
    int64_t *amounts = solution.routes[0].amounts;
    amounts[0] = INT64_MAX;
    problem_sdvrp.judge(&instance, &solution, &verdict);
    munit_assert_not_null(strstr(verdict.violation, "route 1, stop 1: "));
    amounts[0] = INT64_MIN;
    problem_sdvrp.judge(&instance, &solution, &verdict);
    munit_assert_not_null(strstr(verdict.violation, "route 1, stop 1: "));
    arrsetlen(solution.routes[0].amounts, 1);
    problem_sdvrp.judge(&instance, &solution, &verdict);
    munit_assert_not_null(strstr(verdict.violation, "route 1: "));
    solution_finish(&solution);
    instance_finish(&instance);
    return MUNIT_OK;
}

static MunitResult test_check(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_warnings(INSTANCE, (const char *const[]){ "only 3 nodes",
                                  "the demand exceeds the capacity for 1 customer, first 2: several trips are needed",
                                  "1 customer without demand will not be visited", NULL });
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/judge", test_judge),
    TEST("/hostile", test_hostile),
    TEST("/check", test_check),
    TEST_END,
};
SUITE("/problem/sdvrp", tests)
