#include <math.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "suite.h"
#include "tests/problem/support.h"

#define DEPOT "\"problem\":\"cvrp\",\"depot\":[0,0],\"nodes\":[[3,0],[3,4],[0,4]],"

static MunitResult test_judge(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_verdicts("{" DEPOT "\"demand\":[4,5,6],\"capacity\":9}",
        (struct expected[]){
            { "{\"routes\":[[1,2],[3]]}", 20, NULL },
            { "{\"routes\":[[3],[],[2,1]]}", 20, NULL },
            { "{\"routes\":[[1],[2],[3]]}", 24, NULL },
            { "{\"routes\":[[1,2,3]]}", 14, "route 1, stop 3: *" },
            { "{\"routes\":[[1],[2,3]]}", 18, "route 2, stop 2: *" },
            { "{\"routes\":[[1,2]]}", 12, "customer 3 is not visited" },
            { "{\"routes\":[]}", 0, "customer 1 is not visited" },
            { "{\"routes\":[[1,2],[3],[1]]}", 26, "route 3, stop 1: *" },
            { "{\"routes\":[[1,2],[4]]}", NAN, "route 2, stop 1: *" },
            { "{\"routes\":[[1,2],[4294967295]]}", NAN, "route 2, stop 1: *" },
            { NULL },
        });
    return MUNIT_OK;
}

// 0.1 + 0.2 fills 0.3 exactly.
static MunitResult test_decimals(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_verdicts("{" DEPOT "\"demand\":[0.1,0.2,0.3],\"capacity\":0.3}",
        (struct expected[]){
            { "{\"routes\":[[1,2],[3]]}", 20, NULL },
            { "{\"routes\":[[1,3],[2]]}", 3 + 5 + 4 + 10, "route 1, stop 2: *" },
            { NULL },
        });
    return MUNIT_OK;
}

static MunitResult test_check(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_warnings("{\"problem\":\"cvrp\",\"depot\":[0,0],\"nodes\":[[3,0],[3,4],[0,4],[1,1]],\"demand\":[4,9,9,0],"
                    "\"capacity\":9,\"ids\":[\"a\",\"b\",\"c\",\"d\"]}",
        (const char *const[]){ "the demand equals the capacity for 2 customers, first b", NULL });
    return MUNIT_OK;
}

// Loads at the edge of what is read do not overflow.
static MunitResult test_large(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_verdicts("{" DEPOT "\"demand\":[1000000000000000,500000000000000,500000000000000],"
                    "\"capacity\":1000000000000000}",
        (struct expected[]){
            { "{\"routes\":[[1],[2,3]]}", 18, NULL },
            { "{\"routes\":[[1,2,3]]}", 14, "route 1, stop 2: *" },
            { NULL },
        });
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/judge", test_judge),
    TEST("/decimals", test_decimals),
    TEST("/check", test_check),
    TEST("/large", test_large),
    TEST_END,
};
SUITE("/problem/cvrp", tests)
