#include <math.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "format/route_text.h"
#include "suite.h"
#include "tests/problem/support.h"

#define INSTANCE(limit)                                                                                                \
    "{\"problem\":\"op\",\"depot\":[0,0],\"nodes\":[[3,0],[3,4],[0,4]],\"prize\":[1,2,4],\"max_length\":" limit "}"

static MunitResult test_judge(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_verdicts(INSTANCE("12"), (struct expected[]){
                                        { "{\"routes\":[]}", 0, NULL },
                                        { "{\"routes\":[[]]}", 0, NULL },
                                        { "{\"routes\":[[1,2]]}", 3, NULL },
                                        { "{\"routes\":[[2,3]]}", 6, NULL },
                                        { "{\"routes\":[[1,2,3]]}", 7, "the tour's length 14 exceeds the limit 12" },
                                        { "{\"routes\":[[3,3]]}", 4, "route 1, stop 2: *" },
                                        { "{\"routes\":[[1],[3]]}", 5, "route 2: *" },
                                        { "{\"routes\":[[7]]}", NAN, "route 1, stop 1: *" },
                                        { NULL },
                                    });
    return MUNIT_OK;
}

// The limit is met within a millionth of itself.
static MunitResult test_tolerance(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_verdicts(INSTANCE("11.99999"), (struct expected[]){ { "{\"routes\":[[1,2]]}", 3, NULL }, { NULL } });
    expect_verdicts(INSTANCE("11.9999"),
        (struct expected[]){
            { "{\"routes\":[[1,2]]}", 3, "the tour's length 12 exceeds the limit 11.9999" }, { NULL } });
    return MUNIT_OK;
}

static MunitResult test_rounded(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance instance =
        instance_of("{\"problem\":\"op\",\"depot\":[0,0],\"nodes\":[[1,1]],\"prize\":[5],\"max_length\":3}");
    instance.metric = METRIC_CEIL_2D;
    struct solution solution = solution_of(&instance, "{\"routes\":[[1]]}");
    struct verdict verdict;
    problem_op.judge(&instance, &solution, &verdict);
    munit_assert_true(verdict.feasible);
    munit_assert_true(verdict.rounded_too_long); // 2 + 2 against 2.83
    munit_assert_double(verdict.rounded, ==, 5);
    struct text sol = { 0 };
    sol_write(&sol, &instance, &solution, &verdict);
    munit_assert_string_equal(sol.data, "Route #1: 1\nScore 5\nCost 4\n");
    text_finish(&sol);
    instance.max_length = 4;
    problem_op.judge(&instance, &solution, &verdict);
    munit_assert_false(verdict.rounded_too_long);
    solution_finish(&solution);
    instance_finish(&instance);
    return MUNIT_OK;
}

static MunitResult test_check(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_warnings(INSTANCE("7"), (const char *const[]){ "only 3 nodes",
                                       "2 of 3 customers cannot be reached within the length limit, first 2", NULL });
    expect_warnings(
        INSTANCE("0"), (const char *const[]){ "only 3 nodes",
                           "the length limit is 0: only customers at the depot's position can be visited", NULL });
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/judge", test_judge),
    TEST("/tolerance", test_tolerance),
    TEST("/rounded", test_rounded),
    TEST("/check", test_check),
    TEST_END,
};
SUITE("/problem/op", tests)
