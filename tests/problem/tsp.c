#include <math.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "suite.h"
#include "tests/problem/support.h"

#define BOX "{\"problem\":\"tsp\",\"nodes\":[[0,0],[0,3],[4,3],[4,0]]}"

static MunitResult test_judge(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_verdicts(BOX, (struct expected[]){
                             { "{\"routes\":[[1,2,3,4]]}", 14, NULL },
                             { "{\"routes\":[[3,4,1,2]]}", 14, NULL },
                             { "{\"routes\":[[1,3,2,4]]}", 18, NULL },
                             { "{\"routes\":[[],[1,2,3,4]]}", 14, NULL },
                             { "{\"routes\":[]}", 0, "node 1 is not visited" },
                             { "{\"routes\":[[1,2,3]]}", 12, "node 4 is not visited" },
                             { "{\"routes\":[[1,2,3,3]]}", 12, "route 1, stop 4: *" },
                             { "{\"routes\":[[1,2],[3,4]]}", 12, "route 2: *" },
                             { "{\"routes\":[[1,2,3,5]]}", NAN, "route 1, stop 4: *" },
                             { "{\"routes\":[[0,1,2,3]]}", NAN, "route 1, stop 1: *" },
                             { NULL },
                         });
    return MUNIT_OK;
}

static MunitResult test_one_node(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_verdicts("{\"problem\":\"tsp\",\"nodes\":[[7,7]],\"ids\":[\"home\"]}",
        (struct expected[]){
            { "{\"routes\":[[\"home\"]]}", 0, NULL },
            { "{\"routes\":[[\"home\",\"home\"]]}", 0, "route 1, stop 2: *" },
            { "{\"routes\":[[]]}", 0, "node home is not visited" },
            { NULL },
        });
    return MUNIT_OK;
}

// The format's own metric is reported beside the plain one.
static MunitResult test_rounded(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance instance = instance_of("{\"problem\":\"tsp\",\"nodes\":[[0,0],[1,1],[2,0]]}");
    instance.metric = METRIC_CEIL_2D;
    struct solution solution = solution_of(&instance, "{\"routes\":[[1,2,3]]}");
    struct verdict verdict;
    problem_tsp.judge(&instance, &solution, &verdict);
    munit_assert_double(fabs(verdict.objective - (2 + 2 * sqrt(2))), <, 1e-14);
    munit_assert_true(verdict.has_rounded);
    munit_assert_double(verdict.rounded, ==, 6);
    solution_finish(&solution);
    instance_finish(&instance);
    return MUNIT_OK;
}

// Lengths stay finite at both ends of what is read.
static MunitResult test_extremes(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_verdicts("{\"problem\":\"tsp\",\"nodes\":[[-1e100,0],[1e100,0]]}",
        (struct expected[]){ { "{\"routes\":[[1,2]]}", 4e100, NULL }, { NULL } });
    expect_verdicts("{\"problem\":\"tsp\",\"nodes\":[[0,0],[3e-200,4e-200]]}",
        (struct expected[]){ { "{\"routes\":[[1,2]]}", 1e-199, NULL }, { NULL } });
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/judge", test_judge),
    TEST("/one-node", test_one_node),
    TEST("/rounded", test_rounded),
    TEST("/extremes", test_extremes),
    TEST_END,
};
SUITE("/problem/tsp", tests)
