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
        .log_every = 1,
        .parts = 1
    };
}

// The gradient of a batch as one flat list, after some batches BEFORE it.
static float *gradient_of(struct gpu *gpu, const struct train_settings *settings, uint64_t step, uint64_t before,
    uint32_t split, struct reinforce *batch, uint64_t *count)
{
    struct replica *replica = NULL;
    struct ranges *ranges = NULL;
    struct weights weights;
    struct train_state state = { .step = step - before };
    weights_draw(&weights, &settings->config, 5);
    test_ok(replica_create(&replica, gpu, &settings->config, true, 0) && model_load(replica->model, &weights));
    test_ok(replica_freeze(replica) && ranges_create(&ranges, settings, replica, NULL));
    for (size_t i = 0; i < arrlenu(ranges->list); i++)
        ranges->list[i].splits[1] = split;
    for (; state.step <= step; state.step++) {
        test_ok(sum_clear(replica->sum));
        test_ok(reinforce_run(ranges, &state, batch));
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
    ranges_destroy(&ranges);
    replica_destroy(&replica);
    weights_finish(&weights);
    return all;
}

static void expect_close(const float *found, const float *expected, uint64_t count)
{
    double difference = 0, norm = 0;
    for (uint64_t i = 0; i < count; i++) {
        difference += pow((double)found[i] - expected[i], 2);
        norm += pow(expected[i], 2);
    }
    munit_assert_double(norm, >, 0);
    // Sums in another order, in single precision.
    munit_assert_double(sqrt(difference / norm), <, 1e-5);
}

static void expect_same(struct gpu *gpu, const struct train_settings *settings, uint64_t step)
{
    struct reinforce whole, divided;
    uint64_t count;
    float *expected = gradient_of(gpu, settings, step, 0, 1, &whole, &count);
    static const uint32_t splits[] = { 3, 12 };
    for (size_t k = 0; k < sizeof splits / sizeof *splits; k++) {
        float *found = gradient_of(gpu, settings, step, 0, splits[k], &divided, &count);
        expect_close(found, expected, count);
        munit_assert_double_equal(divided.cost, whole.cost, 9);
        munit_assert_double_equal(divided.baseline, whole.baseline, 5);
        munit_assert_double_equal(divided.kl, whole.kl, 5);
        munit_assert_double_equal(divided.loss, whole.loss, 4);
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

// Parts, whose gradients are added in a tree, give the same: in micro-batches or whole, also an odd number of them.
static MunitResult test_parts(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    static const uint32_t divisions[][2] = { { 4, 1 }, { 4, 3 }, { 3, 2 }, { 12, 1 } };
    for (int baseline = BASELINE_ROLLOUT; baseline <= BASELINE_SHARED; baseline++) {
        struct train_settings settings = settings_for("cvrp", (enum train_baseline)baseline);
        struct reinforce whole, divided;
        uint64_t count;
        float *expected = gradient_of(gpu, &settings, 0, 0, 1, &whole, &count);
        for (size_t k = 0; k < sizeof divisions / sizeof *divisions; k++) {
            settings.parts = divisions[k][0];
            float *found = gradient_of(gpu, &settings, 0, 0, divisions[k][1], &divided, &count);
            expect_close(found, expected, count);
            munit_assert_double_equal(divided.cost, whole.cost, 9);
            munit_assert_double_equal(divided.baseline, whole.baseline, 5);
            munit_assert_double_equal(divided.kl, whole.kl, 5);
            munit_assert_double_equal(divided.loss, whole.loss, 4);
            free(found);
        }
        free(expected);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

// The tracked statistics of batch normalisation become the mean of those of the parts.
static MunitResult test_tracked(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    struct train_settings settings = settings_for("cvrp", BASELINE_SHARED);
    settings.config.norm = MODEL_BATCH;
    settings.config.O = 4;
    double *mean = NULL;
    for (uint32_t which = 0; which <= 3; which++) { // each third of the batch as a batch of its own; all as three parts
        struct train_settings s = settings;
        s.B = which < 3 ? 4 : 12;
        s.parts = which < 3 ? 1 : 3;
        struct replica *replica = NULL;
        struct ranges *ranges = NULL;
        struct weights weights;
        struct reinforce batch;
        struct train_state state = { .step = which < 3 ? which : 0 };
        weights_draw(&weights, &s.config, 5);
        test_ok(replica_create(&replica, gpu, &s.config, true, 0) && model_load(replica->model, &weights));
        test_ok(ranges_create(&ranges, &s, replica, NULL));
        munit_assert_size(arrlenu(ranges->list), ==, 1); // sizes do not depend on the step
        test_ok(reinforce_run(ranges, &state, &batch));
        struct tensor stats = replica->model->stats.plain;
        float *found = xcalloc(tensor_count(&stats), sizeof *found);
        test_ok(tensor_download(gpu, found, stats));
        mean = mean ? mean : xcalloc(tensor_count(&stats), sizeof *mean);
        for (uint64_t i = 0; i < tensor_count(&stats); i++) {
            if (which < 3)
                mean[i] += found[i] / 3;
            else
                munit_assert_double(fabs(found[i] - mean[i]), <=, 1e-6 * (1 + fabs(mean[i])));
        }
        free(found);
        ranges_destroy(&ranges);
        replica_destroy(&replica);
        weights_finish(&weights);
    }
    free(mean);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// Remains of earlier batches in memory change nothing, though their instances were larger or smaller.
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

static void download(struct replica *replica, const struct config *config, float **all)
{
    struct named *list = params_list(&replica->sum->d, config);
    for (ptrdiff_t i = 0; i < arrlen(list); i++)
        test_ok(tensor_download(replica->gpu, arraddnptr(*all, tensor_count(&list[i].tensor)), list[i].tensor));
    arrfree(list);
}

// A step's gradient, and that of its trajectories given one by one with their coefficients.
static void expect_given(struct gpu *gpu, const struct problem *problem)
{
    struct train_settings s = settings_for(problem->name, BASELINE_SHARED);
    const uint32_t T = s.config.M * s.B * s.S;
    struct replica *replica = NULL;
    struct ranges *ranges = NULL;
    struct lesson *lesson;
    struct weights weights;
    struct train_state state = { 0 };
    struct reinforce batch;
    weights_draw(&weights, &s.config, 5);
    test_ok(replica_create(&replica, gpu, &s.config, false, 0) && model_load(replica->model, &weights));
    test_ok(ranges_create(&ranges, &s, replica, NULL) && reinforce_run(ranges, &state, &batch));
    const uint32_t range = sizes_of_step(&s, ranges->sizes, 0);
    const struct lesson_shape shape = ranges_shape(ranges, range);
    uint32_t *history = xcalloc((size_t)shape.J * T, sizeof *history), *actions = xcalloc((size_t)shape.J * T, 4);
    float *cost = xcalloc(2 * (size_t)T, sizeof *cost), *total = cost + T, *sampled = NULL, *given = NULL;
    double *value = xcalloc(T, sizeof *value), *likelihood = xcalloc(T, sizeof *likelihood), kl;
    download(replica, &s.config, &sampled);
    // The lesson is the step's: it draws the same again.
    test_ok(replica_lesson(replica, &shape, &lesson) && lesson_run(lesson, NULL, cost, total) &&
            lesson_actions(lesson, history, NULL));
    baseline_shared(value, cost, s.config.M, s.B, s.S);
    struct scaled list[12];
    struct trajectory *trajectories = xcalloc(T, sizeof *trajectories);
    munit_assert_uint32(s.B, ==, sizeof list / sizeof *list);
    for (uint32_t b = 0; b < s.B; b++) {
        struct instance instance;
        problem->generate(&instance, &ranges->sizes[range].distribution, sizes_seed(s.seed, DRAWS_TRAINING), b);
        scaled_init(&list[b], &instance);
        instance_finish(&instance);
    }
    for (uint32_t t = 0; t < T; t++) {
        for (uint32_t j = 0; j < shape.J; j++)
            actions[t * shape.J + j] = history[(size_t)j * T + t];
        trajectories[t] = (struct trajectory){ .instance = t / s.S % s.B,
            .decoder = t / (s.B * s.S),
            .actions = actions + (size_t)t * shape.J,
            .count = shape.J,
            .coefficient = (cost[t] - value[t]) / T };
    }
    const struct replica_task task = {
        .instances = list, .B = s.B, .trajectories = trajectories, .count = T, .dkl = -s.kl
    };
    test_ok(sum_clear(replica->sum) && replica_learn(replica, &task, likelihood, &kl));
    download(replica, &s.config, &given);
    double error = 0, norm = 0;
    for (ptrdiff_t i = 0; i < arrlen(given); i++) {
        error += pow((double)given[i] - sampled[i], 2);
        norm += pow(sampled[i], 2);
    }
    munit_assert_double(norm, >, 0);
    munit_assert_double(sqrt(error / norm), <, 1e-6);
    munit_assert_double_equal(kl, batch.kl, 6);
    for (uint32_t t = 0; t < T; t++)
        munit_assert_double(fabs(likelihood[t] - total[t]), <=, 1e-5 * fabs(total[t]));
    for (uint32_t b = 0; b < s.B; b++)
        scaled_finish(&list[b]);
    arrfree(sampled), arrfree(given);
    free(history), free(actions), free(cost), free(value), free(likelihood), free(trajectories);
    ranges_destroy(&ranges);
    replica_destroy(&replica);
    weights_finish(&weights);
}

static MunitResult test_given(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    for (const struct problem *const *problem = problems; *problem; problem++)
        expect_given(gpu, *problem);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// Memory determines the number of micro-batches; if not even one instance fits, a message says so.
static MunitResult test_plan(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    struct train_settings settings = settings_for("tsp", BASELINE_SHARED);
    uint32_t last = 1;
    for (uint64_t memory = 64 << 20; last < settings.B; memory = memory * 3 / 4) {
        struct replica *replica = NULL;
        struct ranges *ranges = NULL;
        test_ok(replica_create(&replica, gpu, &settings.config, false, memory));
        test_ok(ranges_create(&ranges, &settings, replica, NULL));
        bool fits = ranges_plan(ranges);
        uint32_t split = ranges_split(ranges, 0);
        ranges_destroy(&ranges);
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

// How a batch is split depends on the device's memory and not on what other programs leave of it; where they leave too
// little, a message says so.
static MunitResult test_taken(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const uint32_t taken[] = { 0, 1, 12 }; // sixteenths of the memory
    struct train_settings settings = settings_for("tsp", BASELINE_SHARED);
    uint32_t split = 1;
    for (uint64_t heap = 32 << 20; split == 1; heap = heap / 4 * 3) {
        struct gpu *gpu;
        test_ok(gpu_open(&gpu, &(struct gpu_options){ .target = GPU_TARGET_SAFE, .heap_bytes = heap }));
        for (size_t i = 0; i < 3; i++) {
            struct replica *replica = NULL;
            struct ranges *ranges = NULL;
            struct arena *other = arena_create(gpu, "another program");
            arena_allocate(other, heap / 16 * taken[i] + 1);
            test_ok(arena_back(other));
            test_ok(replica_create(&replica, gpu, &settings.config, false, 0));
            test_ok(ranges_create(&ranges, &settings, replica, NULL));
            const bool fits = ranges_plan(ranges);
            if (i < 2) {
                test_ok(fits);
                munit_assert_true(i == 0 || ranges_split(ranges, 0) == split);
                split = ranges_split(ranges, 0);
            } else if (split > 1) {
                munit_assert_false(fits);
                munit_assert_int(error_fault(), ==, FAULT_DEVICE);
                munit_assert_string_equal(error_field(), "memory");
            }
            ranges_destroy(&ranges);
            replica_destroy(&replica);
            arena_destroy(&other);
        }
        gpu_close(&gpu);
    }
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
        struct ranges *ranges = NULL;
        struct lesson *lesson;
        test_ok(replica_create(&replica, gpu, &settings.config, false, (uint64_t)1 << 40));
        test_ok(ranges_create(&ranges, &settings, replica, NULL));
        if (i == 0) {
            test_ok(ranges_plan(ranges));
            const struct lesson_shape shape = ranges_shape(ranges, 0);
            test_ok(replica_lesson(replica, &shape, &lesson));
            munit_assert_uint32(ranges_split(ranges, 0), >, 1);
        } else {
            munit_assert_false(ranges_plan(ranges)); // not even one instance with this many samples
        }
        ranges_destroy(&ranges);
        replica_destroy(&replica);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/micro", test_micro),
    TEST("/parts", test_parts),
    TEST("/tracked", test_tracked),
    TEST("/fresh", test_fresh),
    TEST("/given", test_given),
    TEST("/plan", test_plan),
    TEST("/pieces", test_pieces),
    { "/taken", test_taken, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    TEST_END,
};
SUITE("/train/reinforce", tests)
