#include <math.h>
#include <stdlib.h>

#include "copy.spv.h"
#include "shaders/args.h"
#include "suite.h"
#include "tests/gpu/chain.h"
#include "util/alloc.h"
#include "util/error.h"

static const struct kernel copy = KERNEL(copy);

// The command buffers with the timestamps of RUNS runs in SUBMISSIONS submissions: two of each, of which the recording
// itself has the first and the last. None without a clock.
static uint64_t stamps_of(const struct cmd *cmd, uint64_t runs, uint64_t submissions)
{
    return cmd_seconds(cmd) > 0 ? 2 * (submissions - runs) : 0;
}

// The same commands, run three times on new numbers, in as many submissions as commands, or in one.
static MunitResult test_cut(const MunitParameter params[], void *data)
{
    (void)data;
    static const double limits[] = { 1e-5, 1e9 };
    for (int k = 0; k < 2; k++) {
        struct gpu *gpu;
        if (!test_gpu_open_with(&gpu, params, (struct gpu_options){ .submission_limit = limits[k] }))
            return MUNIT_SKIP;
        struct chain chain;
        chain_make(&chain, gpu);
        double longest = gpu_longest(gpu).submission; // opening the device has submissions of its own
        for (int run = 0; run < 3; run++) {
            uint32_t number[CHAIN_COUNT];
            test_ok(chain_fill(&chain, number));
            test_ok(cmd_run(chain.cmd));
            chain_expect(&chain, number);
            // By estimated cost before the first run and without a clock, by times later.
            munit_assert_uint32(cmd_submissions(chain.cmd), ==, limits[k] > 1 ? 1 : CHAIN_LINKS);
            longest = fmax(longest, cmd_seconds(chain.cmd));
        }
        // The time of a run is the sum of its submissions'.
        munit_assert_double(gpu_longest(gpu).submission, <=, longest);
        munit_assert_true(limits[k] < 1 || gpu_longest(gpu).submission >= longest * (1 - 1e-9));
        const struct gpu_counts counts = gpu_counts(gpu);
        munit_assert_uint64(counts.submissions, ==, limits[k] > 1 ? 3 : 3 * CHAIN_LINKS);
        munit_assert_uint64(counts.buffers, ==, counts.submissions + stamps_of(chain.cmd, 3, counts.submissions));
        munit_assert_uint64(counts.commands, ==, 3 * CHAIN_LINKS);
        munit_assert_uint64(counts.uploads, ==, 3);
        munit_assert_uint64(counts.downloads, ==, 3);
        chain_finish(&chain);
    }
    return MUNIT_OK;
}

// Work that says it is heavy is cut already in the first run: between dispatches, and dispatches by workgroups.
static MunitResult test_heavy(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    struct chain chain;
    chain_make(&chain, gpu);
    struct cmd *c = cmd_create(gpu);
    struct copy_args args = { .to = chain.at[1].address, .from = chain.at[0].address, .count = CHAIN_COUNT };
    const uint32_t lanes = gpu_info(gpu)->lanes;
    // Two dispatches of 0.12 s in two parts each, two parts in a submission; the light ones join the last part.
    for (int i = 0; i < 4; i++) {
        cmd_dispatch(c, &(struct dispatch){ .kernel = &copy,
                            .args = &args,
                            .workers = CHAIN_COUNT / 16 / lanes + 1,
                            .flops = i < 2 ? 1.2e10 : 1e6 });
        args.from = args.to;
        args.to = chain.at[i + 2].address;
    }
    uint32_t number[CHAIN_COUNT], *found = xcalloc(CHAIN_COUNT, sizeof *found);
    test_ok(chain_fill(&chain, number));
    test_ok(cmd_run(c));
    munit_assert_uint32(cmd_submissions(c), ==, 2);
    munit_assert_uint64(gpu_counts(gpu).commands, ==, 2 + 2 + 1 + 1);
    munit_assert_uint64(gpu_counts(gpu).buffers, ==, 4 + stamps_of(c, 1, 2));
    test_ok(tensor_download(gpu, found, chain.at[4]));
    munit_assert_memory_equal(sizeof number, found, number);
    free(found);
    cmd_destroy(&c);
    chain_finish(&chain);
    return MUNIT_OK;
}

// The host stops only until little is left, and never for the submission that is last.
static MunitResult test_pace(const MunitParameter params[], void *data)
{
    (void)data;
    setenv("MDAM_VK_INJECT", "timeless", 1);
    struct gpu *gpu;
    bool opened = test_gpu_open_with(&gpu, params, (struct gpu_options){ .submission_limit = 1e-5 });
    unsetenv("MDAM_VK_INJECT");
    if (!opened)
        return MUNIT_SKIP;
    struct chain chain;
    chain_make(&chain, gpu);
    uint32_t number[CHAIN_COUNT];
    test_ok(chain_fill(&chain, number));
    for (int run = 0; run < 3; run++)
        test_ok(cmd_submit(chain.cmd) && gpu_pace(gpu));
    munit_assert_uint64(gpu_counts(gpu).waits, ==, 0);
    chain_expect(&chain, number);
    chain_finish(&chain);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/cut", test_cut, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/heavy", test_heavy, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/pace", test_pace, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/gpu/submit", tests)
