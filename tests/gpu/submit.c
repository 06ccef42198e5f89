#include "copy.spv.h"
#include "shaders/args.h"
#include "suite.h"
#include "tests/gpu/chain.h"
#include "util/error.h"

static const struct kernel copy = KERNEL(copy);

// The same commands, run three times on new numbers, cut into as many submissions as there are pieces or into few.
static MunitResult test_cut(const MunitParameter params[], void *data)
{
    (void)data;
    static const double limits[] = { 1e-12, 1e9 };
    for (int k = 0; k < 2; k++) {
        struct gpu *gpu;
        if (!test_gpu_open_with(&gpu, params, (struct gpu_options){ .submission_limit = limits[k] }))
            return MUNIT_SKIP;
        struct chain chain;
        chain_make(&chain, gpu);
        for (int run = 0; run < 3; run++) {
            uint32_t number[CHAIN_COUNT];
            test_ok(chain_fill(&chain, number));
            test_ok(cmd_run(chain.cmd));
            chain_expect(&chain, number);
            // By estimated cost before the first run and without a clock, by times later.
            munit_assert_uint32(cmd_submissions(chain.cmd), ==, limits[k] > 1 ? 1 : CHAIN_LABELS);
        }
        chain_finish(&chain);
    }
    return MUNIT_OK;
}

// Work that says it is heavy ends its piece, so that already the first run is cut within one label.
static MunitResult test_heavy(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    TEST_GPU(gpu, params);
    struct chain chain;
    chain_make(&chain, gpu);
    struct cmd *c = cmd_create(gpu);
    struct copy_args args = { .to = chain.at[1].address, .from = chain.at[0].address, .count = 1 };
    for (int i = 0; i < 6; i++)
        cmd_dispatch(
            c, &(struct dispatch){ .kernel = &copy, .args = &args, .workers = 1, .flops = i < 3 ? 1e10 : 1e6 });
    test_ok(cmd_run(c));
    munit_assert_uint32(cmd_submissions(c), ==, 3); // the light ones join the last heavy one
    cmd_destroy(&c);
    chain_finish(&chain);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/cut", test_cut, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/heavy", test_heavy, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/gpu/submit", tests)
