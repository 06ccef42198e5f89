// How a search talks to the device: how often, and that nothing but its speed depends on that.
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "model/initial.h"
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

static char *targets[] = { "gpu", "cpu", NULL }, *speeds[] = { "slow", "fast", NULL };
static MunitParameterEnum devices[] = { { "target", targets }, { "speed", speeds }, { NULL, NULL } };

static MunitTest tests[] = {
    { "/counts", test_counts, NULL, NULL, MUNIT_TEST_OPTION_NONE, devices },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/search/stream", tests)
