// How a search talks to the device: how often, and that nothing but its speed depends on that.
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "model/initial.h"
#include "search/pass.h"
#include "suite.h"
#include "tests/search/support.h"
#include "util/alloc.h"
#include "util/error.h"

// A device without a clock, so that work is cut by its estimated cost alone, and neither by this machine's speed.
static bool open_timeless(struct gpu **gpu, const MunitParameter params[], struct gpu_options options)
{
    setenv("MDAM_VK_INJECT", "timeless", 1);
    bool opened = test_gpu_open_with(gpu, params, options);
    unsetenv("MDAM_VK_INJECT");
    return opened;
}

// A model of the size of those that ship.
static struct model *full_model(struct gpu *gpu, const struct problem *problem)
{
    struct config config = {
        .problem = problem, .norm = MODEL_INSTANCE, .D = 128, .H = 8, .F = 512, .L = 3, .M = 5, .p = 8
    };
    struct weights weights;
    struct model *model = NULL;
    weights_draw(&weights, &config, SEARCH_SEED);
    test_ok(model_create(&model, gpu, &config) && model_load(model, &weights));
    weights_finish(&weights);
    return model;
}

// One CVRP instance with 100 customers and a beam of 30. Untrained weights would return to the depot too often; few
// vehicles do not. On a slow device, to which nothing is submitted far ahead; and on a fast one. The target of GPUs as
// on a board whose memory the host does not see.
static MunitResult test_counts(const MunitParameter params[], void *data)
{
    (void)data;
    const bool staging = !strcmp(munit_parameters_get(params, "target"), "gpu"),
               fast = !strcmp(munit_parameters_get(params, "speed"), "fast");
    const struct problem *problem = problem_by_name("cvrp");
    struct gpu *gpu;
    if (!open_timeless(&gpu, params, (struct gpu_options){ .staging = staging, .submission_limit = fast ? 10 : 0 }))
        return MUNIT_SKIP;
    struct model *model = full_model(gpu, problem);
    struct instance instance;
    uint64_t load = 0;
    problem->generate(&instance, &(struct distribution){ 100, 100, 50, 50, PRIZE_UNIF }, 5, 0);
    for (uint32_t i = 0; i < instance.n; i++)
        load += instance.demand[i];
    instance.vehicles = (uint32_t)(load / instance.capacity) + 2;
    struct search_result result = { 0 };
    const struct search_options options = { .decoding = { MDAM_DECODE_BEAM, .width = 30, .expand = 3, .augment = 1,
                                                .merge = true },
        .improve = MDAM_IMPROVE_OFF };
    search_all(model, &instance, 1, &options, NULL, &result);
    munit_assert_true(result.solved);
    const struct gpu_counts counts = gpu_counts(gpu);
    munit_assert_uint64(counts.submissions, <=, 25);
    munit_assert_uint64(counts.buffers, <=, 30);
    munit_assert_uint64(counts.waits + (fast ? counts.paces : 0), <=, 3);
    search_result_finish(&result);
    instance_finish(&instance);
    model_destroy(&model);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// Seven instances, solved on a device with these options. Returns the answers as text; the caller frees it.
enum { COUNT = 7 };
static char *answers(
    const MunitParameter params[], struct gpu_options device, enum mdam_decode decode, uint64_t *memory)
{
    struct gpu *gpu;
    if (!test_gpu_open_with(&gpu, params, device))
        return NULL;
    // On GPUs it is not known how long orienteering takes, so that decisions follow the last one that matters.
    const struct problem *problem = problem_by_name(gpu_info(gpu)->target == GPU_TARGET_GPU ? "op" : "cvrp");
    struct model *model = search_model(gpu, problem, 2, 3, DIALECT_NATIVE);
    struct instance instances[COUNT];
    struct search_result results[COUNT] = { 0 };
    const struct search_options options = { .decoding = { decode, .width = 4, .expand = 3, .augment = 1, .samples = 5,
                                                .temperature = 1, .merge = true },
        .memory = *memory,
        .improve = MDAM_IMPROVE_OFF };
    for (uint32_t i = 0; i < COUNT; i++)
        search_instance(&instances[i], problem, 6, 7, i);
    struct search *search = NULL;
    size_t refused;
    test_ok(search_create(&search, model, instances, COUNT, &options, &refused));
    *memory = search->plan.batches[0].bytes;
    search_destroy(&search);
    search_all(model, instances, COUNT, &options, NULL, results);
    struct text text = { 0 };
    for (uint32_t i = 0; i < COUNT; i++) {
        text_add(&text, "%a %u", results[i].verdict.objective, results[i].decoder);
        for (uint32_t m = 0; m < model->config.M; m++)
            text_add(&text, " %a", results[i].decoder_best[m]);
        search_result_finish(&results[i]);
        instance_finish(&instances[i]);
    }
    model_destroy(&model);
    gpu_close(&gpu);
    return text.data;
}

// Answers have the same bytes in half the memory, where every dispatch is cut and every command a submission, where the
// host does not see the memory, and without a clock.
static MunitResult test_same(const MunitParameter params[], void *data)
{
    (void)data;
    static const enum mdam_decode decodes[] = { MDAM_DECODE_SAMPLE, MDAM_DECODE_BEAM };
    for (size_t k = 0; k < sizeof decodes / sizeof *decodes; k++) {
        uint64_t memory = 0, none = 0;
        char *whole = answers(params, (struct gpu_options){ 0 }, decodes[k], &memory);
        if (!whole)
            return MUNIT_SKIP;
        const uint64_t before = memory;
        memory /= 2;
        char *halved = answers(params, (struct gpu_options){ 0 }, decodes[k], &memory);
        munit_assert_uint64(memory, <=, before / 2);
        char *cut = answers(
            params, (struct gpu_options){ .cuts = 3, .submission_limit = 1e-5, .staging = true }, decodes[k], &none);
        munit_assert_string_equal(halved, whole);
        munit_assert_string_equal(cut, whole);
        free(whole), free(halved), free(cut);
    }
    return MUNIT_OK;
}

// More memory, more rows; the same on any CPU.
static MunitResult test_rows(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct gpu_info small = { .memory = (uint64_t)2 << 30 }, large = { .memory = (uint64_t)8 << 30 }, tiny = { 0 },
                    cpu = { .memory = (uint64_t)64 << 30, .is_cpu = true, .cpu_work = true };
    munit_assert_uint64(plan_rows(&small, MDAM_DECODE_BEAM), ==, 1 << 17);
    munit_assert_uint64(plan_rows(&large, MDAM_DECODE_BEAM), ==, 1 << 19);
    munit_assert_uint64(plan_rows(&tiny, MDAM_DECODE_BEAM), ==, 1 << 15);
    munit_assert_uint64(plan_rows(&cpu, MDAM_DECODE_BEAM), ==, 1 << 15);
    munit_assert_uint64(plan_rows(&cpu, MDAM_DECODE_GREEDY), ==, 1 << 17);
    return MUNIT_OK;
}

static char *targets[] = { "gpu", "cpu", NULL }, *speeds[] = { "slow", "fast", NULL };
static MunitParameterEnum devices[] = { { "target", targets }, { "speed", speeds }, { NULL, NULL } };

static MunitTest tests[] = {
    { "/same", test_same, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/rows", test_rows, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/counts", test_counts, NULL, NULL, MUNIT_TEST_OPTION_NONE, devices },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/search/stream", tests)
