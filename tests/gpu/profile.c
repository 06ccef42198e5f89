#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"
#include "tests/gpu/chain.h"
#include "util/error.h"

enum { RUNS = 3 };

static void check_table(const struct gpu *gpu)
{
    struct text table = { 0 };
    gpu_profile_table(gpu, &table);
    munit_assert_not_null(strstr(table.data, "GFLOP/s"));
    char label[64], kernel[64], all[64];
    unsigned calls;
    double ms, share, flops, bytes;
    int rows = 0;
    double shares = 0;
    for (const char *line = strchr(table.data, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        if (sscanf(line + 1, "%63s %63s %u %lf %lf %lf %lf", label, kernel, &calls, &ms, &share, &flops, &bytes) != 7)
            continue;
        rows++;
        shares += share;
        munit_assert_uint(calls, ==, RUNS * (strcmp(kernel, "fill") ? CHAIN_LINKS / CHAIN_LABELS : 1));
        munit_assert_double(ms, >=, 0);
    }
    munit_assert_int(rows, ==, CHAIN_LABELS + 1);
    munit_assert_double(shares, >, 99); // rounding to a tenth of a percent, eleven times
    munit_assert_double(shares, <, 101);
    snprintf(all, sizeof all, " %d ", RUNS * (CHAIN_LINKS + 1));
    const char *sum = strstr(table.data, "\nall ");
    munit_assert_not_null(sum);
    munit_assert_not_null(strstr(sum, all));
    munit_assert_not_null(strstr(sum, " submissions, "));
    text_finish(&table);
}

static void check_trace(const struct gpu *gpu)
{
    struct text trace = { 0 };
    gpu_profile_trace(gpu, &trace);
    json_error_t error;
    json_t *root = json_loads(trace.data, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        munit_errorf("line %d: %s", error.line, error.text);
    json_t *events = json_object_get(root, "traceEvents"), *event;
    munit_assert_size(json_array_size(events), ==, RUNS * (CHAIN_LINKS + 1));
    size_t i;
    double before = 0;
    json_array_foreach(events, i, event)
    {
        munit_assert_string_equal(json_string_value(json_object_get(event, "ph")), "X");
        const char *name = json_string_value(json_object_get(event, "name"));
        const char *label = json_string_value(json_object_get(event, "cat"));
        bool last = i % (CHAIN_LINKS + 1) == CHAIN_LINKS;
        munit_assert_string_equal(name, last ? "fill" : "copy");
        munit_assert_string_equal(label + (last ? 0 : strlen(label)), last ? "\"odd\\label\"\t" : "");
        double start = json_real_value(json_object_get(event, "ts"));
        munit_assert_double(start, >=, before); // one queue: never backwards
        munit_assert_double(json_real_value(json_object_get(event, "dur")), >=, 0);
        before = start;
    }
    json_decref(root);
    text_finish(&trace);
}

static MunitResult test_profile(const MunitParameter params[], void *data)
{
    (void)data;
    struct gpu *gpu;
    if (!test_gpu_open_with(&gpu, params, (struct gpu_options){ .profile = true, .submission_limit = 1e-5 }))
        return MUNIT_SKIP;
    struct chain chain;
    chain_make(&chain, gpu);
    cmd_label(chain.cmd, "\"odd\\label\"\t");
    cmd_fill(chain.cmd, chain.at[1].address, 4, 0);
    for (int run = 0; run < RUNS; run++)
        test_ok(cmd_run(chain.cmd));
    bool clock = cmd_seconds(chain.cmd) > 0;
    if (clock) {
        check_table(gpu);
        check_trace(gpu);
    }
    chain_finish(&chain);
    return clock ? MUNIT_OK : MUNIT_SKIP;
}

// Without any work, or without a profile, both are there and empty.
static MunitResult test_empty(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    struct text table = { 0 }, trace = { 0 };
    gpu_profile_table(gpu, &table);
    gpu_profile_trace(gpu, &trace);
    json_t *root = json_loads(trace.data, 0, NULL);
    munit_assert_not_null(root);
    munit_assert_size(json_array_size(json_object_get(root, "traceEvents")), ==, 0);
    json_decref(root);
    text_finish(&table), text_finish(&trace);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// A device without a clock does its work all the same, and the table says why there is none.
static MunitResult test_timeless(const MunitParameter params[], void *data)
{
    (void)data;
    struct gpu *gpu;
    setenv("MDAM_VK_INJECT", "timeless", 1);
    bool opened = test_gpu_open_with(&gpu, params, (struct gpu_options){ .profile = true });
    unsetenv("MDAM_VK_INJECT");
    if (!opened)
        return MUNIT_SKIP;
    struct chain chain;
    chain_make(&chain, gpu);
    uint32_t number[CHAIN_COUNT];
    test_ok(chain_fill(&chain, number) && cmd_run(chain.cmd));
    chain_expect(&chain, number);
    munit_assert_double(cmd_seconds(chain.cmd), ==, 0);
    struct text table = { 0 }, trace = { 0 }, expected = { 0 };
    gpu_profile_table(gpu, &table);
    gpu_profile_trace(gpu, &trace);
    text_add(&expected, "%s has no timestamps: nothing can be measured\n", gpu_info(gpu)->name);
    munit_assert_string_equal(table.data, expected.data);
    munit_assert_string_equal(trace.data, GPU_TRACE_START "\n]}\n");
    text_finish(&table), text_finish(&trace), text_finish(&expected);
    chain_finish(&chain);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/profile", test_profile, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/timeless", test_timeless, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/empty", test_empty, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/gpu/profile", tests)
