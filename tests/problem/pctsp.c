#include <math.h>

#include "expect.h"
#include "suite.h"
#include "tests/problem/support.h"

#define NODES     "\"depot\":[0,0],\"nodes\":[[3,0],[3,4],[0,4]],\"penalty\":[1,2,3]"
#define CERTAIN   "{\"problem\":\"pctsp\"," NODES ",\"prize\":[0.5,0.6,0.4]"
#define UNCERTAIN "{\"problem\":\"spctsp\"," NODES ",\"prize\":[0.5,0.6,0.4]"

static MunitResult test_judge(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_verdicts(CERTAIN "}",
        (struct expected[]){
            { "{\"routes\":[[1,2]]}", 12 + 3, NULL },
            { "{\"routes\":[[3,2]]}", 12 + 1, NULL },
            { "{\"routes\":[[1,2,3]]}", 14, NULL },
            { "{\"routes\":[[1,3]]}", 12 + 2,
                "the collected prize 0.9 is below the minimum 1 and not all customers are visited" },
            { "{\"routes\":[]}", 6, "the collected prize 0 is below the minimum 1 and not all customers are visited" },
            { "{\"routes\":[[1,2,1]]}", 3 + 4 + 4 + 3 + 3, "route 1, stop 3: *" },
            { "{\"routes\":[[1,2],[3]]}", 20, "route 2: *" },
            { "{\"routes\":[[1,2,0]]}", NAN, "route 1, stop 3: *" },
            { NULL },
        });
    return MUNIT_OK;
}

// Visiting all customers always suffices, and so does a prize within a millionth of the minimum; without a minimum the
// tour may be empty.
static MunitResult test_minimum(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_verdicts(
        CERTAIN ",\"min_prize\":9}", (struct expected[]){ { "{\"routes\":[[1,2,3]]}", 14, NULL }, { NULL } });
    expect_verdicts(
        CERTAIN ",\"min_prize\":1.100001}", (struct expected[]){ { "{\"routes\":[[1,2]]}", 15, NULL }, { NULL } });
    expect_verdicts(CERTAIN ",\"min_prize\":1.10001}",
        (struct expected[]){
            { "{\"routes\":[[1,2]]}", 15,
                "the collected prize 1.1 is below the minimum 1.10001 and not all customers are visited" },
            { NULL } });
    expect_verdicts(CERTAIN ",\"min_prize\":0}", (struct expected[]){ { "{\"routes\":[]}", 6, NULL }, { NULL } });
    return MUNIT_OK;
}

// The real prize counts.
static MunitResult test_stochastic(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_verdicts(UNCERTAIN ",\"real_prize\":[0.1,0.6,0.9]}",
        (struct expected[]){
            { "{\"routes\":[[1,2]]}", 15,
                "the collected prize 0.7 is below the minimum 1 and not all customers are visited" },
            { "{\"routes\":[[1,3]]}", 14, NULL },
            { NULL },
        });
    expect_verdicts(UNCERTAIN "}", (struct expected[]){ { "{\"routes\":[[1,2]]}", 15, NULL }, { NULL } });
    return MUNIT_OK;
}

static MunitResult test_check(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_warnings(CERTAIN ",\"min_prize\":2}",
        (const char *const[]){ "only 3 nodes",
            "the sum of all prizes is 1.5, below the minimum 2: every customer must be visited", NULL });
    expect_warnings(CERTAIN ",\"min_prize\":0}",
        (const char *const[]){ "only 3 nodes", "the minimum prize is 0: no customer must be visited", NULL });
    // 0.1 + 0.7 + 0.1 + 0.1 is below 1 in binary; the judge accepts it as enough, and the last may be left out.
    expect_warnings("{\"problem\":\"pctsp\",\"depot\":[0,0],\"nodes\":[[0,1],[1,1],[1,0],[2,1],[3,5]],"
                    "\"prize\":[0.1,0.7,0.1,0.1,0],\"penalty\":[1,1,1,1,1]}",
        (const char *const[]){ NULL });
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/judge", test_judge),
    TEST("/minimum", test_minimum),
    TEST("/stochastic", test_stochastic),
    TEST("/check", test_check),
    TEST_END,
};
SUITE("/problem/pctsp", tests)
