#include "util/threads.h"

#include <stdatomic.h>

#include "expect.h"
#include "suite.h"

static void count(void *user, uint32_t i)
{
    atomic_fetch_add((atomic_uint *)user + i, 1);
}

static MunitResult test_each_once(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (uint32_t threads = 0; threads < 5; threads++) {
        for (uint32_t jobs = 0; jobs < 40; jobs += 13) {
            atomic_uint done[40] = { 0 };
            threads_run(threads, jobs, count, done);
            for (uint32_t i = 0; i < 40; i++)
                munit_assert_uint(atomic_load(&done[i]), ==, i < jobs);
        }
    }
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/each-once", test_each_once),
    TEST_END,
};
SUITE("/util/threads", tests)
