// Improved samples in a step's gradient, and in whole trainings.
#include "train/imitate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "device.h"
#include "expect.h"
#include "mdam/mdam.h"
#include "model/initial.h"
#include "suite.h"
#include "train/reinforce.h"
#include "train/teacher.h"
#include "train/train.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"

enum { B = 6, M = 3, S = 3 };

static struct train_settings settings_for(const char *problem, uint32_t p, double imitate)
{
    return (struct train_settings){
        .config = { .problem = problem_by_name(problem), .D = 16, .H = 2, .F = 16, .L = 2, .M = M, .p = p },
        .drawn = { .n_min = 7, .n_max = 8, .prize = PRIZE_UNIF },
        .epochs = 2,
        .steps = 3,
        .B = B,
        .S = S,
        .baseline = BASELINE_SHARED,
        .lr = 1e-2,
        .lr_decay = 1,
        .kl = 0.01,
        .imitate = imitate,
        .val_size = 4,
        .seed = 78,
        .log_every = 1,
        .parts = 1
    };
}

struct setup {
    struct train_settings settings;
    struct replica *replica;
    struct ranges *ranges;
};

static void setup_open(struct setup *s, struct gpu *gpu, const char *problem, uint32_t p, double imitate)
{
    struct weights weights;
    *s = (struct setup){ .settings = settings_for(problem, p, imitate) };
    weights_draw(&weights, &s->settings.config, 5);
    test_ok(replica_create(&s->replica, gpu, &s->settings.config, false, 0) &&
            model_load(s->replica->model, &weights) && ranges_create(&s->ranges, &s->settings, s->replica, NULL));
    weights_finish(&weights);
}

static void setup_close(struct setup *s)
{
    ranges_destroy(&s->ranges);
    replica_destroy(&s->replica);
}

// Appends the gradient and clears it.
static float *take_gradient(const struct setup *s)
{
    float *all = NULL;
    struct named *list = params_list(&s->replica->sum->d, &s->settings.config);
    for (ptrdiff_t i = 0; i < arrlen(list); i++)
        test_ok(tensor_download(s->replica->gpu, arraddnptr(all, tensor_count(&list[i].tensor)), list[i].tensor));
    arrfree(list);
    test_ok(sum_clear(s->replica->sum));
    return all;
}

// The gradient of the improved samples alone, computed independently: each as a given trajectory.
static float *taught_gradient(const struct setup *s, double weight)
{
    const struct train_settings *o = &s->settings;
    const uint32_t T = M * B * S, range = sizes_of_step(o, s->ranges->sizes, 0), J = s->ranges->sizes[range].J;
    struct lesson_shape shape = ranges_shape(s->ranges, range);
    struct lesson *lesson;
    float cost[M * B * S], total[M * B * S];
    uint32_t *actions = xcalloc((size_t)J * T, sizeof *actions), *sequences = xcalloc((size_t)J * M * B, 4),
             *dense = xcalloc((size_t)J * M * B, sizeof *dense);
    uint32_t prefix[M * B], *greedy = xcalloc((size_t)J * M * B, sizeof *greedy);
    double kl, value[M * B * S];
    shape.taught = shape.greedy = o->imitate_from == MDAM_IMITATE_PREFIX; // has the greedy trajectories, too
    test_ok(replica_lesson(s->replica, &shape, &lesson) &&
            lesson_draw(lesson, &s->ranges->list[range].draws[DRAWS_TRAINING], 0) &&
            lesson_run(lesson, NULL, cost, total) && lesson_actions(lesson, actions, shape.taught ? greedy : NULL));
    const struct teacher_batch batch = { .problem = o->config.problem,
        .distribution = s->ranges->sizes[range].distribution,
        .seed = sizes_seed(o->seed, DRAWS_TRAINING),
        .B = B,
        .M = M,
        .S = S,
        .J = J,
        .actions = actions,
        .cost = cost,
        .greedy = shape.taught ? greedy : NULL,
        .threads = 1 };
    shape.taught = shape.greedy = false;
    teacher_improve(&batch, sequences, prefix);
    baseline_shared(value, cost, M, B, S);
    struct scaled list[B];
    struct trajectory trajectories[M * B];
    for (uint32_t b = 0; b < B; b++) {
        struct instance instance;
        batch.problem->generate(&instance, &batch.distribution, batch.seed, b);
        scaled_init(&list[b], &instance);
        instance_finish(&instance);
    }
    shape.S = 1;
    shape.given = true;
    test_ok(replica_lesson(s->replica, &shape, &lesson) && lesson_load(lesson, list, NULL, B) &&
            lesson_run(lesson, sequences, cost, total));
    double gained = 0;
    for (uint32_t k = 0; k < M * B; k++) {
        munit_assert_float(total[k], >, -1e6f); // every action is allowed
        for (uint32_t j = 0; j < J; j++)
            dense[k * J + j] = sequences[(size_t)j * M * B + k];
        double better = fmin(cost[k] - value[k * S], 0);
        gained += better;
        trajectories[k] = (struct trajectory){ .instance = k % B,
            .decoder = k / B,
            .actions = dense + k * J,
            .count = J,
            .prefix = prefix[k],
            .coefficient = weight * better / T };
    }
    munit_assert_double(gained, <, 0);
    const struct replica_task task = { .instances = list, .B = B, .trajectories = trajectories, .count = M * B };
    test_ok(replica_learn(s->replica, &task, NULL, &kl));
    for (uint32_t b = 0; b < B; b++)
        scaled_finish(&list[b]);
    free(actions), free(sequences), free(dense), free(greedy);
    return take_gradient(s);
}

// A step with imitation is the step without it, and the improved samples.
static void expect_added(struct gpu *gpu, const char *problem, uint32_t p, enum mdam_imitate from)
{
    const double weight = 0.7;
    struct setup plain, taught;
    struct reinforce batch;
    struct train_state state = { 0 };
    setup_open(&plain, gpu, problem, p, 0);
    setup_open(&taught, gpu, problem, p, weight);
    plain.settings.imitate_from = taught.settings.imitate_from = from;
    test_ok(reinforce_run(plain.ranges, &state, &batch));
    float *without = take_gradient(&plain), *further = taught_gradient(&plain, weight);
    double cost = batch.cost;
    test_ok(reinforce_run(taught.ranges, &state, &batch));
    float *with = take_gradient(&taught);
    munit_assert_double_equal(batch.cost, cost, 9); // the samples are the same
    if (!taught.settings.config.problem->reveals && from == MDAM_IMITATE_SAMPLE)
        munit_assert_double(batch.improved, <, cost);
    double error = 0, norm = 0, all = 0;
    for (ptrdiff_t i = 0; i < arrlen(with); i++) {
        error += pow((double)with[i] - without[i] - further[i], 2);
        norm += pow(further[i], 2);
        all += pow(with[i], 2);
    }
    munit_assert_double(sqrt(norm / all), >, 0.01); // they have an effect
    if (!(sqrt(error / all) < 1e-5))
        munit_errorf("%s, p = %u: the gradient is off by %g", problem, p, sqrt(error / all));
    arrfree(without), arrfree(further), arrfree(with);
    setup_close(&plain);
    setup_close(&taught);
}

static MunitResult test_gradient(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    expect_added(gpu, "cvrp", 0, MDAM_IMITATE_SAMPLE);
    for (const struct problem *const *problem = problems; *problem; problem++) {
        for (uint32_t p = 0; p <= 3; p += 3)
            expect_added(gpu, (*problem)->name, p, p ? MDAM_IMITATE_SAMPLE : MDAM_IMITATE_PREFIX);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

static bool stop_after_four(void *user, const struct train_progress *progress)
{
    (void)user;
    return progress->event != TRAIN_STEP || progress->step != 4;
}

// Trains, or stops in between and resumes; the bytes of the last checkpoint's floats and of the model.
static char *train_bytes(const struct train_settings *settings, uint32_t threads, bool broken, size_t *size)
{
    struct gpu *gpu = NULL;
    struct train *train = NULL;
    struct weights weights;
    char *folder = folder_make(NULL, NULL), *path = xformat("%s/" TRAIN_MODEL, folder), *bytes;
    struct train_options options = {
        .folder = folder, .threads = threads, .progress = broken ? stop_after_four : NULL
    };
    weights_draw(&weights, &settings->config, 3);
    test_ok(gpu_open(&gpu, &(struct gpu_options){ 0 }));
    test_ok(train_start(&train, gpu, settings, &weights, &options) && train_run(train));
    if (broken) {
        munit_assert_uint64(train->state.step, ==, 4);
        train_destroy(&train);
        options.progress = NULL;
        test_ok(train_resume(&train, gpu, 0, &options) && train_run(train));
    }
    munit_assert_uint64(train->state.step, ==, settings->epochs * settings->steps);
    // The weights as they are, not the best.
    test_ok(train_save_unvalidated(train));
    test_ok(file_read(path, 1 << 24, &bytes, size));
    train_destroy(&train);
    gpu_close(&gpu);
    weights_finish(&weights);
    free(path);
    folder_remove(folder);
    return bytes;
}

static void expect_bytes(const char *problem, uint32_t p)
{
    size_t size[4];
    struct train_settings with = settings_for(problem, p, 0.5), without = settings_for(problem, p, 0);
    with.imitate_from = p ? MDAM_IMITATE_PREFIX : MDAM_IMITATE_SAMPLE;
    char *bytes[] = { train_bytes(&with, 1, false, &size[0]), train_bytes(&with, 2, false, &size[1]),
        train_bytes(&with, 2, true, &size[2]), train_bytes(&without, 1, false, &size[3]) };
    for (uint32_t k = 1; k < 3; k++) {
        munit_assert_size(size[k], ==, size[0]);
        munit_assert_memory_equal(size[0], bytes[0], bytes[k]);
    }
    munit_assert_true(size[3] != size[0] || memcmp(bytes[0], bytes[3], size[0])); // and it makes a difference
    for (uint32_t k = 0; k < 4; k++)
        free(bytes[k]);
}

// One improving thread or two, stopped and resumed or not: the same bytes.
static MunitResult test_bytes(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_bytes("cvrp", 0);
    expect_bytes("spctsp", 3);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/gradient", test_gradient),
    TEST("/bytes", test_bytes),
    TEST_END,
};
SUITE("/train/imitate", tests)
