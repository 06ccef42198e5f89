#include <stdlib.h>
#include <string.h>

#include "suite.h"
#include "tests/gpu/chain.h"
#include "util/error.h"

// After a lost device every call fails with a message, and everything can be destroyed.
static void expect_lost(struct chain *chain)
{
    uint32_t number[CHAIN_COUNT];
    munit_assert_int(error_fault(), ==, FAULT_DEVICE);
    error_clear();
    munit_assert_false(cmd_run(chain->cmd));
    munit_assert_not_null(strstr(error_text(), "lost earlier"));
    error_clear();
    munit_assert_false(chain_fill(chain, number));
    munit_assert_not_null(strstr(error_text(), "lost earlier"));
    munit_assert_false(tensor_download(chain->gpu, number, chain->at[0]));
    struct arena *arena = arena_create(chain->gpu, "late");
    arena_allocate(arena, 1);
    munit_assert_false(arena_back(arena));
    arena_destroy(&arena);
    munit_assert_int(error_fault(), ==, FAULT_DEVICE);
    chain_finish(chain);
    munit_assert_not_null(strstr(error_text(), "lost earlier")); // closing hides nothing
}

static bool open_chain(struct chain *chain, const MunitParameter params[])
{
    struct gpu *gpu;
    if (!test_gpu_open_with(&gpu, params, (struct gpu_options){ .submission_limit = 1e-5, .wait_limit = 20 }))
        return false;
    chain_make(chain, gpu);
    uint32_t number[CHAIN_COUNT];
    test_ok(chain_fill(chain, number));
    return true;
}

// The device is lost at the fourth label. Each label has some submissions, and the earlier ones run.
static MunitResult test_lost(const MunitParameter params[], void *data)
{
    (void)data;
    struct chain chain;
    if (!open_chain(&chain, params))
        return MUNIT_SKIP;
    gpu_inject(chain.gpu, GPU_FAULT_SUBMIT, 3 * CHAIN_LINKS / CHAIN_LABELS + 1);
    munit_assert_false(cmd_run(chain.cmd));
    munit_assert_not_null(strstr(error_text(), "device lost while starting \"link/3\""));
    expect_lost(&chain);
    return MUNIT_OK;
}

static MunitResult test_hang(const MunitParameter params[], void *data)
{
    (void)data;
    struct chain chain;
    if (!open_chain(&chain, params))
        return MUNIT_SKIP;
    gpu_inject(chain.gpu, GPU_FAULT_HANG, 1);
    munit_assert_false(cmd_run(chain.cmd));
    munit_assert_not_null(strstr(error_text(), "no progress for 20 s in \"link/0\"; the device hangs"));
    expect_lost(&chain);
    return MUNIT_OK;
}

// A submission of several labels is called by its first and last.
static MunitResult test_range(const MunitParameter params[], void *data)
{
    (void)data;
    struct gpu *gpu;
    if (!test_gpu_open_with(&gpu, params, (struct gpu_options){ .submission_limit = 1e9 }))
        return MUNIT_SKIP;
    struct chain chain;
    chain_make(&chain, gpu);
    test_ok(cmd_run(chain.cmd));
    gpu_inject(gpu, GPU_FAULT_SUBMIT, 1);
    munit_assert_false(cmd_run(chain.cmd));
    munit_assert_not_null(strstr(error_text(), "\"link/0 ... link/9\""));
    chain_finish(&chain);
    return MUNIT_OK;
}

// Lost by the environment, and with staged uploads that are not submitted yet.
static MunitResult test_environment(const MunitParameter params[], void *data)
{
    (void)data;
    setenv("MDAM_VK_INJECT", "submit:1", 1);
    struct gpu *gpu;
    bool opened = test_gpu_open_with(&gpu, params, (struct gpu_options){ .staging = true });
    unsetenv("MDAM_VK_INJECT");
    if (!opened)
        return MUNIT_SKIP;
    struct chain chain;
    chain_make(&chain, gpu);
    uint32_t number[CHAIN_COUNT];
    test_ok(chain_fill(&chain, number)); // travels with the next submission
    munit_assert_false(tensor_download(gpu, number, chain.at[0]));
    munit_assert_not_null(strstr(error_text(), "device lost while starting \"download\""));
    expect_lost(&chain);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/lost", test_lost, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/hang", test_hang, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/range", test_range, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/environment", test_environment, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/gpu/queue", tests)
