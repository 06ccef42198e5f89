#include "train/reinforce.h"

#include <math.h>
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "device.h"
#include "expect.h"
#include "model/initial.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/error.h"

static struct train_settings settings_for(const char *problem, enum train_baseline baseline)
{
    return (struct train_settings){
        .config = { .problem = problem_by_name(problem), .D = 16, .H = 2, .F = 32, .L = 2, .M = 3, .p = 2 },
        .drawn = { .n_min = 7, .n_max = 8, .prize = PRIZE_DIST },
        .epochs = 2,
        .steps = 5,
        .B = 12,
        .S = 2,
        .baseline = baseline,
        .lr = 1e-3,
        .lr_decay = 1,
        .kl = 0.01,
        .val_size = 1,
        .seed = 77,
        .log_every = 1
    };
}

// The gradient of a batch as one flat list, after some batches BEFORE it.
static float *gradient_of(struct gpu *gpu, const struct train_settings *settings, uint64_t step, uint64_t before,
    uint32_t split, struct reinforce *batch, uint64_t *count)
{
    struct replica *replica = NULL;
    struct parts *parts = NULL;
    struct weights weights;
    struct train_state state = { .step = step - before };
    weights_draw(&weights, &settings->config, 5);
    test_ok(replica_create(&replica, gpu, &settings->config, true, 0) && model_load(replica->model, &weights));
    test_ok(replica_freeze(replica) && parts_create(&parts, settings, replica));
    for (size_t i = 0; i < arrlenu(parts->list); i++)
        parts->list[i].splits[1] = split;
    for (; state.step <= step; state.step++) {
        test_ok(sum_clear(replica->sum));
        test_ok(reinforce_run(parts, &state, batch));
    }
    struct named *list = params_list(&replica->sum->d, &settings->config);
    float *all = NULL;
    *count = 0;
    for (ptrdiff_t i = 0; i < arrlen(list); i++) {
        uint64_t floats = tensor_count(&list[i].tensor);
        all = xrealloc(all, *count + floats, sizeof *all);
        test_ok(tensor_download(gpu, all + *count, list[i].tensor));
        *count += floats;
    }
    arrfree(list);
    parts_destroy(&parts);
    replica_destroy(&replica);
    weights_finish(&weights);
    return all;
}

static void expect_same(struct gpu *gpu, const struct train_settings *settings, uint64_t step)
{
    struct reinforce whole, parts;
    uint64_t count;
    float *expected = gradient_of(gpu, settings, step, 0, 1, &whole, &count);
    static const uint32_t splits[] = { 3, 12 };
    for (size_t k = 0; k < sizeof splits / sizeof *splits; k++) {
        float *found = gradient_of(gpu, settings, step, 0, splits[k], &parts, &count);
        double difference = 0, norm = 0;
        for (uint64_t i = 0; i < count; i++) {
            difference += pow((double)found[i] - expected[i], 2);
            norm += pow(expected[i], 2);
        }
        munit_assert_double(norm, >, 0);
        // Sums in another order, in single precision.
        munit_assert_double(sqrt(difference / norm), <, 1e-5);
        munit_assert_double_equal(parts.cost, whole.cost, 9);
        munit_assert_double_equal(parts.baseline, whole.baseline, 5);
        munit_assert_double_equal(parts.kl, whole.kl, 5);
        munit_assert_double_equal(parts.loss, whole.loss, 4);
        free(found);
    }
    free(expected);
}

// Micro-batches give the gradient of the whole batch, whatever the baseline; step 0 has the exponential average.
static MunitResult test_micro(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    struct train_settings shared = settings_for("cvrp", BASELINE_SHARED),
                          rollout = settings_for("tsp", BASELINE_ROLLOUT);
    expect_same(gpu, &shared, 0);
    expect_same(gpu, &rollout, 0);
    expect_same(gpu, &rollout, 5);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// What earlier batches left in memory makes no difference, though their instances were larger or smaller.
static MunitResult test_fresh(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    static const char *const names[] = { "cvrp", "tsp" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct train_settings settings = settings_for(names[i], BASELINE_SHARED);
        struct reinforce batch;
        uint64_t count;
        float *fresh = gradient_of(gpu, &settings, 4, 0, 1, &batch, &count);
        float *later = gradient_of(gpu, &settings, 4, 3, 1, &batch, &count);
        munit_assert_memory_equal(count * sizeof *fresh, fresh, later);
        free(fresh);
        free(later);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

// As many micro-batches as the memory asks for, and a sentence when not even one instance fits.
static MunitResult test_plan(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    struct train_settings settings = settings_for("tsp", BASELINE_SHARED);
    uint32_t last = 1;
    for (uint64_t memory = 64 << 20; last < settings.B; memory = memory * 3 / 4) {
        struct replica *replica = NULL;
        struct parts *parts = NULL;
        test_ok(replica_create(&replica, gpu, &settings.config, false, memory));
        test_ok(parts_create(&parts, &settings, replica));
        bool fits = parts_plan(parts);
        uint32_t split = parts_split(parts, 0);
        parts_destroy(&parts);
        replica_destroy(&replica);
        if (!fits) {
            munit_assert_int(error_fault(), ==, FAULT_INPUT);
            munit_assert_uint32(last, >, 1);
            break;
        }
        munit_assert_uint32(split, >=, last);
        munit_assert_uint32(settings.B % split, ==, 0);
        last = split;
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

// Memory enough, but not in one piece; and batches with more trajectories than 32 bits count.
static MunitResult test_pieces(const MunitParameter params[], void *data)
{
    (void)data;
    struct gpu *gpu = NULL;
    if (!test_gpu_open_with(&gpu, params, (struct gpu_options){ .block_bytes = 256 << 10 }))
        return MUNIT_SKIP;
    struct train_settings settings = settings_for("tsp", BASELINE_SHARED);
    static const uint32_t sizes[][2] = { { 96, 2 }, { 1 << 20, 4096 } }; // B, S
    for (size_t i = 0; i < 2; i++) {
        settings.B = sizes[i][0], settings.S = sizes[i][1];
        struct replica *replica = NULL;
        struct parts *parts = NULL;
        struct lesson *lesson;
        test_ok(replica_create(&replica, gpu, &settings.config, false, (uint64_t)1 << 40));
        test_ok(parts_create(&parts, &settings, replica));
        if (i == 0) {
            test_ok(parts_plan(parts));
            const struct lesson_shape shape = parts_shape(parts, 0);
            test_ok(replica_lesson(replica, &shape, &lesson));
            munit_assert_uint32(parts_split(parts, 0), >, 1);
        } else {
            munit_assert_false(parts_plan(parts)); // not even one instance with so many samples
        }
        parts_destroy(&parts);
        replica_destroy(&replica);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/micro", test_micro),
    TEST("/fresh", test_fresh),
    TEST("/plan", test_plan),
    TEST("/pieces", test_pieces),
    TEST_END,
};
SUITE("/train/reinforce", tests)
