#include <string.h>

#include "suite.h"
#include "tests/gpu/chain.h"
#include "util/error.h"

// A dry device accepts recordings, builds their pipelines and does nothing else.
static MunitResult test_dry(const MunitParameter params[], void *data)
{
    (void)data;
    struct gpu *gpu;
    if (!test_gpu_open_with(&gpu, params, (struct gpu_options){ .dry = true }))
        return MUNIT_SKIP;
    struct gpu_pipeline_report report;
    munit_assert_false(gpu_pipeline_report(gpu, 0, &report));
    struct chain chain;
    chain_make(&chain, gpu);
    uint32_t number[CHAIN_COUNT];
    test_ok(chain_fill(&chain, number));
    test_ok(cmd_run(chain.cmd));
    munit_assert_uint32(cmd_submissions(chain.cmd), ==, 0);
    test_ok(tensor_download(gpu, number, chain.at[0]));
    for (int i = 0; i < CHAIN_COUNT; i++)
        munit_assert_uint32(number[i], ==, 0);
    munit_assert_true(gpu_pipeline_report(gpu, 0, &report)); // forty dispatches, one pipeline
    munit_assert_true(report.built);
    munit_assert_string_equal(report.kernel, "copy");
    munit_assert_size(report.text.size, >, 0);
    text_finish(&report.text);
    munit_assert_false(gpu_pipeline_report(gpu, 1, &report));
    chain_finish(&chain);
    return MUNIT_OK;
}

// One that does not build is part of the report.
static MunitResult test_broken(const MunitParameter params[], void *data)
{
    (void)data;
    struct gpu *gpu;
    if (!test_gpu_open_with(&gpu, params, (struct gpu_options){ .dry = true }))
        return MUNIT_SKIP;
    gpu_inject(gpu, GPU_FAULT_PIPELINE, 1);
    struct chain chain;
    chain_make(&chain, gpu);
    struct gpu_pipeline_report report;
    munit_assert_true(gpu_pipeline_report(gpu, 0, &report));
    munit_assert_false(report.built);
    munit_assert_string_equal(report.text.data, "does not build: out of host memory");
    text_finish(&report.text);
    chain_finish(&chain);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/dry", test_dry, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/broken", test_broken, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/gpu/report", tests)
