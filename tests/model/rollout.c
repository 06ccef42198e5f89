// An instance's samples are the same, bit for bit, with others around it.
#include "model/rollout.h"

#include <math.h>
#include <stdlib.h>

#include "device.h"
#include "model/initial.h"
#include "suite.h"
#include "tests/model/support.h"
#include "util/alloc.h"
#include "util/error.h"

// Enough samples to select the kernels for many trajectories of an instance.
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

// The results of a rollout.
struct outcome {
    float *cost, *total; // (T)
    uint32_t *history;   // (J, T)
    uint32_t T, J;
};

static struct outcome outcome_of(
    const struct model *model, const struct rollout_shape *shape, const struct scaled *list, const uint32_t *given)
{
    const struct view view = model_view(model);
    struct rollout *r = NULL;
    struct outcome o = { .T = M * shape->B * shape->S, .J = shape->J };
    o.cost = xcalloc(2 * (size_t)o.T, sizeof *o.cost);
    o.total = o.cost + o.T;
    o.history = xcalloc((size_t)o.J * o.T, sizeof *o.history);
    test_ok(rollout_create(&r, &view, shape) && rollout_load(r, list, NULL, shape->B) &&
            (!given || rollout_give(r, given)) && rollout_run(r) && rollout_results(r, o.cost, o.history, o.total));
    rollout_destroy(&r);
    return o;
}

static void outcome_finish(struct outcome *o)
{
    free(o->cost);
    free(o->history);
}

static void expect_alike(const struct outcome *x, const struct outcome *y)
{
    munit_assert_memory_equal((size_t)x->J * x->T * sizeof *x->history, x->history, y->history);
    munit_assert_memory_equal(x->T * sizeof *x->cost, x->cost, y->cost);
    for (uint32_t t = 0; t < x->T; t++)
        munit_assert_double_equal(x->total[t], y->total[t], 4);
}

// With `logs` every operation has its kernel; else several decisions may be one.
static void compare_kernels(struct gpu *gpu, const struct problem *problem, uint32_t samples, enum choose_mode mode)
{
    struct config config = tiny_config(problem->name, 1, M);
    struct weights weights;
    struct model *model;
    struct scaled list[2];
    config.D = config.F = 16;
    config.p = 0;
    weights_draw(&weights, &config, 6);
    test_ok(model_create(&model, gpu, &config) && model_load(model, &weights));
    for (uint32_t b = 0; b < 2; b++) {
        struct instance instance;
        problem->generate(&instance, &(struct distribution){ .n_min = sizes[2 + b], .n_max = sizes[2 + b] }, 7, b);
        scaled_init(&list[b], &instance);
        instance_finish(&instance);
    }
    struct rollout_shape shape = { .B = 2,
        .N = list[1].N,
        .S = samples,
        .J = rollout_longest(list, 2),
        .mode = mode,
        .temperature = 1,
        .seed = 4,
        .save = true,
        .logs = true };
    struct outcome separate = outcome_of(model, &shape, list, NULL);
    shape.logs = false;
    struct outcome together = outcome_of(model, &shape, list, NULL);
    expect_alike(&separate, &together);
    shape.save = false;
    struct outcome unsaved = outcome_of(model, &shape, list, NULL);
    expect_alike(&separate, &unsaved);
    shape.save = true;
    shape.mode = GIVEN;
    struct outcome given = outcome_of(model, &shape, list, separate.history);
    expect_alike(&separate, &given);
    outcome_finish(&separate);
    outcome_finish(&together);
    outcome_finish(&unsaved);
    outcome_finish(&given);
    for (uint32_t b = 0; b < 2; b++)
        scaled_finish(&list[b]);
    model_destroy(&model);
    weights_finish(&weights);
}

static MunitResult test_kernels(const MunitParameter params[], void *data)
{
    const uint32_t samples[] = { 4, 1, 8, 6, 2, 8 };
    (void)data;
    TEST_GPU(gpu, params);
    for (uint32_t i = 0; problems[i]; i++)
        compare_kernels(gpu, problems[i], samples[i % (sizeof samples / sizeof *samples)], i == 1 ? GREEDY : SAMPLE);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// Diverged weights: no probability is a number, and still every node is visited once.
static MunitResult test_diverged(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    struct config config = tiny_config("tsp", 1, M);
    struct weights weights;
    struct model *model;
    struct scaled list;
    struct instance instance;
    const uint32_t n = sizes[COUNT - 1], samples[] = { 1, 4, 8, 16 };
    config.D = config.F = 16;
    config.p = 0;
    weights_draw(&weights, &config, 6);
    for (size_t i = 0; i < weights.count; i++)
        weights.values[i] = NAN;
    test_ok(model_create(&model, gpu, &config) && model_load(model, &weights));
    problem_tsp.generate(&instance, &(struct distribution){ .n_min = n, .n_max = n }, 7, 0);
    scaled_init(&list, &instance);
    for (uint32_t i = 0; i < 2 * sizeof samples / sizeof *samples; i++) {
        struct rollout_shape shape = { .B = 1, .N = n, .S = samples[i / 2], .J = n, .temperature = 1, .seed = 4 };
        shape.mode = i % 2 ? GREEDY : SAMPLE;
        struct outcome o = outcome_of(model, &shape, &list, NULL);
        for (uint32_t t = 0; t < o.T; t++) {
            uint64_t seen = 0;
            for (uint32_t j = 0; j < n; j++)
                seen |= (uint64_t)1 << o.history[j * o.T + t];
            munit_assert_uint64(seen, ==, ((uint64_t)1 << n) - 1);
        }
        outcome_finish(&o);
    }
    scaled_finish(&list);
    instance_finish(&instance);
    model_destroy(&model);
    weights_finish(&weights);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/alone", test_alone, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/kernels", test_kernels, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/diverged", test_diverged, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/model/rollout", tests)
