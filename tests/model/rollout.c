// An instance's samples are the same, bit for bit, with others around it.
#include "model/rollout.h"

#include <stdlib.h>

#include "device.h"
#include "model/initial.h"
#include "suite.h"
#include "tests/model/support.h"
#include "util/alloc.h"
#include "util/error.h"

// So many samples that kernels for many trajectories of an instance are used.
enum { COUNT = 5, S = 8, M = 2 };

// On both sides of 8, 16 and 32, where kernels keep rows or take them in pieces, and of p S = 16.
static const uint32_t sizes[COUNT] = { 7, 13, 19, 31, 37 };

// Log-likelihoods (M, count, S) of the samples of the instances from FIRST on.
static float *totals(const struct model *model, const struct scaled *list, uint32_t first, uint32_t count)
{
    const uint32_t numbers[COUNT] = { first, first + 1, first + 2, first + 3, first + 4 };
    struct rollout_shape shape = { .B = count,
        .N = list[first + count - 1].N,
        .S = S,
        .J = rollout_longest(list + first, count),
        .mode = SAMPLE,
        .temperature = 1,
        .seed = 4 };
    const struct view view = model_view(model);
    struct rollout *r = NULL;
    float cost[M * COUNT * S], *total = xcalloc(M * COUNT * S, sizeof *total);
    test_ok(rollout_create(&r, &view, &shape) && rollout_load(r, list + first, numbers, count) && rollout_run(r) &&
            rollout_results(r, cost, NULL, total));
    rollout_destroy(&r);
    return total;
}

static void run_case(struct gpu *gpu, const struct problem *problem, uint32_t p)
{
    struct config config = tiny_config(problem->name, 2, M);
    struct weights weights;
    struct model *model;
    struct scaled list[COUNT];
    config.D = config.F = 16;
    config.p = p;
    weights_draw(&weights, &config, 5);
    test_ok(model_create(&model, gpu, &config) && model_load(model, &weights));
    for (uint32_t b = 0; b < COUNT; b++) {
        struct instance instance;
        problem->generate(&instance, &(struct distribution){ .n_min = sizes[b], .n_max = sizes[b] }, 3, b);
        scaled_init(&list[b], &instance);
        instance_finish(&instance);
    }
    float *all = totals(model, list, 0, COUNT);
    for (uint32_t b = 0; b < COUNT; b++) {
        float *alone = totals(model, list, b, 1);
        for (uint32_t m = 0; m < M; m++)
            munit_assert_memory_equal(S * sizeof *alone, alone + m * S, all + (m * COUNT + b) * S);
        munit_assert_float(alone[0], <, 0);
        free(alone);
    }
    free(all);
    for (uint32_t b = 0; b < COUNT; b++)
        scaled_finish(&list[b]);
    model_destroy(&model);
    weights_finish(&weights);
}

static MunitResult test_alone(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    for (uint32_t i = 0; i < 2; i++) { // one without and one with a depot
        run_case(gpu, problems[i], 0);
        run_case(gpu, problems[i], 2);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/alone", test_alone, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/model/rollout", tests)
