#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "gpu/internal.h"
#include "suite.h"
#include "tests/gpu/chain.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/error.h"

// Every promise, broken in turn: no such device is used, and the sentence says which it was.
static MunitResult test_broken(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    size_t i = 0;
    for (const char *promise; (promise = gpu_promise(i)); i++) {
        char *inject = xformat("promise:%zu", i + 1);
        struct gpu *gpu;
        setenv("MDAM_VK_INJECT", inject, 1);
        munit_assert_false(gpu_open(&gpu, NULL));
        munit_assert_null(gpu);
        munit_assert_int(error_fault(), ==, FAULT_DEVICE);
        if (!strstr(error_text(), "no usable Vulkan device") || !strstr(error_text(), promise))
            munit_errorf("\"%s\" should name %s", error_text(), promise);
        munit_assert_false(gpu_open(&gpu, &(struct gpu_options){ .device = "0" }));
        munit_assert_not_null(strstr(error_text(), "cannot be used: it breaks a promise"));
        free(inject);
    }
    munit_assert_size(i, >, 10);
    unsetenv("MDAM_VK_INJECT");
    return MUNIT_OK;
}

// The time of the check when a device is opened a second time, with its kernel compiled: below 20 ms on an idle
// machine; this one may be busy.
static MunitResult test_cost(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    double best = 1;
    for (int run = 0; run < 5; run++) {
        double start = clock_seconds();
        test_ok(gpu_check_promises(gpu));
        double took = clock_seconds() - start;
        best = took < best ? took : best;
    }
    munit_logf(MUNIT_LOG_INFO, "%.3f ms", 1e3 * best);
    munit_assert_double(best, <, 0.02);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// Each feature turned off, alone and with the others: the device says so, and computes.
static MunitResult test_disable(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const char *const lists[] = { "subgroup-size", "int64", "shared-product", "addresses",
        "subgroup-size,int64,shared-product,addresses", "" };
    static const unsigned features[] = { GPU_FEATURE_SUBGROUP_SIZE, GPU_FEATURE_INT64, GPU_FEATURE_SHARED_PRODUCT,
        GPU_FEATURE_ADDRESSES, 15, 0 };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        setenv("MDAM_VK_DISABLE", lists[i], 1);
        struct gpu *gpu;
        test_ok(gpu_open(&gpu, NULL));
        const struct gpu_info *info = gpu_info(gpu);
        const unsigned off = info->disabled;
        munit_assert_uint(off, ==, features[i]);
        munit_assert_true(
            !(off & GPU_FEATURE_SUBGROUP_SIZE) || (!gpu->found.size_control && !gpu->found.full_subgroups));
        munit_assert_true(!(off & GPU_FEATURE_INT64) || (!info->int64 && !info->wide));
        munit_assert_true(!(off & GPU_FEATURE_SHARED_PRODUCT) == info->shared_product);
        munit_assert_true(!(off & GPU_FEATURE_ADDRESSES) || info->target == GPU_TARGET_SAFE);
        struct chain chain;
        uint32_t number[CHAIN_COUNT];
        chain_make(&chain, gpu);
        test_ok(chain_fill(&chain, number) && cmd_run(chain.cmd));
        chain_expect(&chain, number);
        chain_finish(&chain);
    }
    static const char *const unknown[] = { "int32", "int64,", "Int64", "int64 ", "addresses;int64" };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        setenv("MDAM_VK_DISABLE", unknown[i], 1);
        struct gpu *gpu;
        bool opened = gpu_open(&gpu, NULL);
        munit_assert_true(opened == (i == 1)); // an empty name after a comma is refused
        munit_assert_true(opened || error_fault() == FAULT_INPUT);
        gpu_close(&gpu);
    }
    unsetenv("MDAM_VK_DISABLE");
    return MUNIT_OK;
}

// A module of one capability, extension, import, memory model, entry point and mode, then two instructions more.
static MunitResult test_spirv(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    enum { ENTRY = 4 };
    static const uint32_t module[] = { 0x07230203, 0x10500, 0, 9, 0,                    //
        2 << 16 | 17, 1, 2 << 16 | 10, 0x41, 3 << 16 | 11, 1, 0x42, 3 << 16 | 14, 0, 1, //
        4 << 16 | 15, 5, ENTRY, 0x43, 6 << 16 | 16, ENTRY, 17, 1, 1, 1, 2 << 16 | 19, 2, 1 << 16 | 56 };
    const size_t count = sizeof module / sizeof *module;
    uint32_t *same = gpu_spirv(module, sizeof module, RECONVERGENCE_NONE);
    munit_assert_size(arrlenu(same), ==, count);
    munit_assert_memory_equal(sizeof module, same, module);
    arrfree(same);
    static const char *const names[] = { "SPV_KHR_subgroup_uniform_control_flow", "SPV_KHR_maximal_reconvergence" };
    static const uint32_t modes[] = { 4421, 6023 };
    for (int i = 0; i < 2; i++) {
        uint32_t *words = gpu_spirv(module, sizeof module, (enum reconvergence)(RECONVERGENCE_UNIFORM + i));
        const size_t name = 1 + strlen(names[i]) / 4 + 1;
        munit_assert_size(arrlenu(words), ==, count + name + 3);
        munit_assert_memory_equal(9 * 4, words, module); // up to the extension that is there
        munit_assert_uint32(words[9], ==, name << 16 | 10);
        munit_assert_string_equal((const char *)&words[10], names[i]);
        munit_assert_memory_equal(10 * 4, words + 9 + name, module + 9); // up to the entry point
        munit_assert_uint32(words[19 + name], ==, 3 << 16 | 16);
        munit_assert_uint32(words[20 + name], ==, ENTRY);
        munit_assert_uint32(words[21 + name], ==, modes[i]);
        munit_assert_memory_equal((count - 19) * 4, words + 22 + name, module + 19);
        arrfree(words);
    }
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/broken", test_broken, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/cost", test_cost, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/disable", test_disable, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/spirv", test_spirv, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/gpu/check", tests)
