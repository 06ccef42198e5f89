#include <stdlib.h>
#include <string.h>

#include "compact_count.spv.h"
#include "shaders/args.h"
#include "suite.h"
#include "tests/gpu/chain.h"
#include "util/alloc.h"
#include "util/error.h"

static const struct kernel count = KERNEL_WITH(compact_count, compact);

// Two recordings, the second of which needs what the first one wrote, submitted without waiting in between.
static MunitResult test_two(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    struct chain chain;
    chain_make(&chain, gpu);
    struct cmd *after = cmd_create(gpu);
    cmd_fill(after, chain.at[0].address, 4 * CHAIN_COUNT, 0x01020304);
    cmd_copy(after, chain.at[1].address, chain.at[CHAIN_LINKS].address, 4 * CHAIN_COUNT);
    cmd_fill(after, chain.at[CHAIN_LINKS].address, 0, 7); // nothing
    uint32_t number[CHAIN_COUNT], *found = xcalloc(CHAIN_COUNT, sizeof *found);
    test_ok(chain_fill(&chain, number));
    test_ok(cmd_submit(chain.cmd) && cmd_submit(after));
    test_ok(tensor_download(gpu, found, chain.at[1]));
    munit_assert_memory_equal(sizeof number, found, number);
    test_ok(tensor_download(gpu, found, chain.at[0]));
    for (int i = 0; i < CHAIN_COUNT; i++)
        munit_assert_uint32(found[i], ==, 0x01020304);
    free(found);
    cmd_destroy(&after);
    chain_finish(&chain);
    return MUNIT_OK;
}

// A group that reads one tensor and writes many, then commands that need all of it.
static MunitResult test_together(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    struct chain chain;
    chain_make(&chain, gpu);
    struct cmd *c = cmd_create(gpu);
    cmd_together(c, true);
    for (int i = 1; i < CHAIN_LINKS / 2; i++) {
        cmd_label(c, "wide/%d", i % 3);
        nn_copy(c, chain.at[i], chain.at[0]);
    }
    cmd_together(c, false);
    for (int i = 1; i < CHAIN_LINKS / 2; i++)
        nn_copy(c, chain.at[CHAIN_LINKS], chain.at[i]);
    uint32_t number[CHAIN_COUNT];
    test_ok(chain_fill(&chain, number));
    test_ok(cmd_run(c));
    chain_expect(&chain, number);
    cmd_destroy(&c);
    chain_finish(&chain);
    return MUNIT_OK;
}

// The word at the end of the chain goes to the host after every run, also when runs are not waited for.
static MunitResult test_report(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    struct chain chain;
    chain_make(&chain, gpu);
    cmd_report(chain.cmd, chain.at[CHAIN_LINKS].address + 4);
    uint32_t number[CHAIN_COUNT], word;
    for (int run = 0; run < 3; run++) {
        test_ok(chain_fill(&chain, number));
        test_ok(cmd_submit(chain.cmd) && cmd_submit(chain.cmd));
        test_ok(gpu_wait(gpu, gpu_ticket(gpu)) && cmd_reported(chain.cmd, &word));
        munit_assert_uint32(word, ==, number[1]);
    }
    chain_finish(&chain);
    return MUNIT_OK;
}

// A recording that is destroyed while it runs completes.
static MunitResult test_retired(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    struct chain chain;
    chain_make(&chain, gpu);
    uint32_t number[CHAIN_COUNT];
    test_ok(chain_fill(&chain, number));
    test_ok(cmd_submit(chain.cmd));
    cmd_destroy(&chain.cmd);
    chain_expect(&chain, number);
    chain_finish(&chain);
    return MUNIT_OK;
}

// Two workgroups more than a row of the grid holds; each worker counts the bits of a word, and excess workers do
// nothing. The same where the dispatch is cut.
static MunitResult test_grid(const MunitParameter params[], void *data)
{
    (void)data;
    enum { ROW = 65535, BEYOND = 64, UNTOUCHED = 77 };
    struct gpu *gpu;
    const uint32_t cuts = (uint32_t)atoi(munit_parameters_get(params, "cuts"));
    if (!test_gpu_open_with(&gpu, params, (struct gpu_options){ .cuts = cuts }))
        return MUNIT_SKIP;
    const uint32_t G = (ROW + 2) * gpu_subgroups(gpu, &count), words = G + BEYOND;
    struct arena *arena = arena_create(gpu, "grid");
    uint64_t at[4]; // keys, rows, first, and pairs: span, whole
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < 4; k++)
            at[k] = arena_allocate(arena, (k == 3 ? 16 : 4) * (uint64_t)words);
        test_ok(pass || arena_back(arena));
    }
    uint32_t *keys = xcalloc(words, sizeof *keys), *found = xcalloc(words, sizeof *found);
    for (uint32_t g = 0; g < words; g++)
        keys[g] = munit_rand_uint32();
    struct compact_args args = { .keys = at[0],
        .rows = at[1],
        .first = at[2],
        .span = at[3],
        .whole = at[3] + 8 * (uint64_t)words,
        .T = G,
        .N = 32,
        .G = G,
        .room = 3 };
    struct cmd *c = cmd_create(gpu);
    for (int k = 1; k < 3; k++)
        cmd_fill(c, at[k], 4 * (uint64_t)words, UNTOUCHED);
    cmd_dispatch(c, &(struct dispatch){ .kernel = &count, .args = &args, .workers = G });
    test_ok(gpu_upload(gpu, at[0], keys, 4 * (size_t)words) && cmd_run(c));
    for (int k = 1; k < 3; k++) {
        test_ok(gpu_download(gpu, found, at[k], 4 * (size_t)words));
        for (uint32_t g = 0; g < words; g++) {
            uint32_t expected = k == 2 ? 3 * g : (uint32_t)__builtin_popcount(keys[g]);
            if (found[g] != (g < G ? expected : UNTOUCHED))
                munit_errorf("worker %u of %u wrote %u", g, G, found[g]);
        }
    }
    free(keys), free(found);
    cmd_destroy(&c);
    arena_destroy(&arena);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// A failure while recording is reported by every submission; the device still works.
static MunitResult test_latch(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    gpu_inject(gpu, GPU_FAULT_PIPELINE, 1);
    struct chain chain;
    chain_make(&chain, gpu);
    for (int i = 0; i < 2; i++) {
        error_clear();
        munit_assert_false(cmd_run(chain.cmd));
        munit_assert_int(error_fault(), ==, FAULT_DEVICE);
        munit_assert_not_null(strstr(error_text(), "copy: out of host memory"));
    }
    cmd_destroy(&chain.cmd);
    chain.cmd = cmd_create(gpu);
    test_ok(cmd_run(chain.cmd)); // nothing was recorded
    munit_assert_uint32(cmd_submissions(chain.cmd), ==, 0);
    chain_finish(&chain);
    return MUNIT_OK;
}

static bool count_down(void *user)
{
    return --*(int *)user < 0;
}

// A recording fails where it needs a new kernel after `stop` returned true; it is asked for new ones only.
static MunitResult test_stop(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    int left = 0;
    struct chain chain;
    uint32_t number[CHAIN_COUNT];
    gpu_set_stop(gpu, count_down, &left);
    chain_make(&chain, gpu);
    munit_assert_true(gpu_was_stopped(gpu));
    munit_assert_false(cmd_run(chain.cmd));
    for (int pass = 0; pass < 2; pass++) { // the second one with the kernel that the first one built
        left = 1;
        gpu_set_stop(gpu, count_down, &left);
        cmd_destroy(&chain.cmd);
        chain.cmd = cmd_create(gpu);
        for (int i = 0; i < CHAIN_LINKS; i++)
            nn_copy(chain.cmd, chain.at[i + 1], chain.at[i]);
        munit_assert_int(left, ==, pass);
        munit_assert_false(gpu_was_stopped(gpu));
        test_ok(chain_fill(&chain, number));
        test_ok(cmd_run(chain.cmd));
        chain_expect(&chain, number);
    }
    chain_finish(&chain);
    return MUNIT_OK;
}

static char *targets[] = { "gpu", "cpu", "safe", NULL }, *cuts[] = { "0", "3", NULL };
static MunitParameterEnum cut_targets[] = { { "target", targets }, { "cuts", cuts }, { NULL, NULL } };

static MunitTest tests[] = {
    { "/two", test_two, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/together", test_together, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/report", test_report, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/retired", test_retired, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/grid", test_grid, NULL, NULL, MUNIT_TEST_OPTION_NONE, cut_targets },
    { "/latch", test_latch, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/stop", test_stop, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/gpu/cmd", tests)
