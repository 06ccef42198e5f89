// Several samples at once, all instances at once, or the glimpses of all decisions at once, give the gradient that they
// give one by one, and a rollout that ran before gives the same bytes as a new one. (Against the double-precision
// reference it is checked by the parity packs.)
#include "model/gradient.h"

#include <math.h>
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "device.h"
#include "model/initial.h"
#include "suite.h"
#include "tests/model/support.h"
#include "util/alloc.h"
#include "util/error.h"

enum { B = 3, S = 8, M = 2 }; // enough to select the kernels for many trajectories of an instance
#define DKL -0.7

struct case_ {
    struct gpu *gpu;
    struct model *model;
    struct scaled list[B];
    uint32_t N, J;
    uint32_t *history; // (J, M B S)
    float coefficient[M * B * S];
    struct arena *arena;
    struct params d;
    struct tensor *tensors; // stb_ds array: those of d
};

static void gather_tensors(struct case_ *x)
{
    x->arena = arena_create(x->gpu, "gradients");
    params_layout(&x->d, x->arena, &x->model->config);
    test_ok(arena_back(x->arena));
    params_layout(&x->d, x->arena, &x->model->config);
    struct named *list = params_list(&x->d, &x->model->config);
    for (ptrdiff_t i = 0; i < arrlen(list); i++)
        arrput(x->tensors, list[i].tensor);
    arrfree(list);
}

static void clear(struct case_ *x)
{
    struct cmd *c = cmd_create(x->gpu);
    for (ptrdiff_t i = 0; i < arrlen(x->tensors); i++)
        cmd_fill(c, x->tensors[i].address, 4 * tensor_count(&x->tensors[i]), 0);
    test_ok(cmd_run(c));
    cmd_destroy(&c);
}

static float *download(struct case_ *x)
{
    float *values = NULL;
    for (ptrdiff_t i = 0; i < arrlen(x->tensors); i++) {
        uint64_t count = tensor_count(&x->tensors[i]);
        test_ok(tensor_download(x->gpu, arraddnptr(values, count), x->tensors[i]));
    }
    return values;
}

static struct rollout_shape shape_of(const struct case_ *x, uint32_t instances, uint32_t samples, enum choose_mode mode)
{
    return (struct rollout_shape){
        .B = instances, .N = x->N, .S = samples, .J = x->J, .mode = mode, .temperature = 1, .seed = 9, .save = true
    };
}

// All at once: draws the samples that the others are then given.
static float *whole(struct case_ *x)
{
    const struct view view = model_view(x->model);
    struct rollout *r = NULL;
    struct gradient *g = NULL;
    struct rollout_shape shape = shape_of(x, B, S, SAMPLE);
    float cost[M * B * S];
    double kl;
    clear(x);
    test_ok(rollout_create(&r, &view, &shape) && rollout_load(r, x->list, NULL, B) && rollout_run(r) &&
            rollout_results(r, cost, x->history, NULL));
    test_ok(gradient_create(&g, r, &x->d) && gradient_run(g, x->coefficient, NULL, DKL) && gradient_kl(g, &kl));
    munit_assert_double(kl, >, 0);
    gradient_destroy(&g);
    rollout_destroy(&r);
    return download(x);
}

// Samples FIRST_S.. of instances FIRST_B.., added to the gradient.
static void part(struct case_ *x, uint32_t first_b, uint32_t b_count, uint32_t first_s, uint32_t s_count)
{
    const uint32_t T = M * b_count * s_count;
    const struct view view = model_view(x->model);
    struct rollout *r = NULL;
    struct gradient *g = NULL;
    struct rollout_shape shape = shape_of(x, b_count, s_count, GIVEN);
    shape.stack = 12 * T; // two or three glimpses
    uint32_t *given = xcalloc((size_t)x->J * T, 4);
    float *coefficient = xcalloc(T, 4);
    for (uint32_t t = 0; t < T; t++) {
        uint32_t m = t / (b_count * s_count), b = first_b + t / s_count % b_count, s = first_s + t % s_count;
        uint32_t from = (m * B + b) * S + s;
        coefficient[t] = x->coefficient[from];
        for (uint32_t j = 0; j < x->J; j++)
            given[j * T + t] = x->history[j * M * B * S + from];
    }
    test_ok(rollout_create(&r, &view, &shape) && rollout_load(r, x->list + first_b, NULL, b_count) &&
            rollout_give(r, given) && rollout_run(r));
    test_ok(gradient_create(&g, r, &x->d) && gradient_run(g, coefficient, NULL, DKL * b_count * s_count / (B * S)));
    gradient_destroy(&g);
    rollout_destroy(&r);
    free(given), free(coefficient);
}

// Copies of the smallest instance, after copies of the largest one in the same memory, or in new memory.
static float *short_run(struct case_ *x, bool after)
{
    const struct view view = model_view(x->model);
    struct rollout *r = NULL;
    struct gradient *g = NULL;
    struct rollout_shape shape = shape_of(x, B, 1, SAMPLE);
    test_ok(rollout_create(&r, &view, &shape) && gradient_create(&g, r, &x->d));
    if (after)
        test_ok(
            rollout_load(r, &x->list[B - 1], NULL, 1) && rollout_run(r) && gradient_run(g, x->coefficient, NULL, DKL));
    clear(x);
    test_ok(rollout_load(r, x->list, NULL, 1) && rollout_run(r) && gradient_run(g, x->coefficient, NULL, DKL));
    gradient_destroy(&g);
    rollout_destroy(&r);
    return download(x);
}

static void expect_equal(float *expected, float *found)
{
    munit_assert_memory_equal(4 * arrlenu(found), expected, found);
    arrfree(expected);
    arrfree(found);
}

static void expect_same(const float *expected, float *found)
{
    double norm = 0, error = 0;
    for (ptrdiff_t i = 0; i < arrlen(found); i++) {
        norm += (double)expected[i] * expected[i];
        error += ((double)found[i] - expected[i]) * ((double)found[i] - expected[i]);
    }
    munit_assert_double(norm, >, 0);
    munit_assert_double(sqrt(error / norm), <, 1e-5); // the same numbers, added up in another order
    arrfree(found);
}

static void run_case(struct gpu *gpu, const struct problem *problem, enum model_norm norm, uint32_t p)
{
    struct case_ x = { .gpu = gpu, .N = 0 };
    struct config config = tiny_config(problem->name, 2, M);
    struct weights weights;
    config.norm = norm;
    config.p = p;
    config.D = config.F = 16;
    weights_draw(&weights, &config, 5);
    test_ok(model_create(&x.model, gpu, &config) && model_load(x.model, &weights));
    for (uint32_t b = 0; b < B; b++) {
        struct instance instance;
        problem->generate(&instance, &(struct distribution){ .n_min = 4 + 2 * b, .n_max = 4 + 2 * b }, 3, b);
        scaled_init(&x.list[b], &instance);
        instance_finish(&instance);
        x.N = x.list[b].N;
    }
    x.J = rollout_longest(x.list, B);
    x.history = xcalloc((size_t)x.J * M * B * S, 4);
    for (uint32_t t = 0; t < M * B * S; t++)
        x.coefficient[t] = (float)munit_rand_double() - 0.3f;
    gather_tensors(&x);
    float *expected = whole(&x);
    clear(&x);
    for (uint32_t s = 0; s < S; s++)
        part(&x, 0, B, s, 1);
    expect_same(expected, download(&x));
    clear(&x);
    for (uint32_t b = 0; b < B; b++)
        part(&x, b, 1, 0, S);
    expect_same(expected, download(&x));
    expect_equal(short_run(&x, false), short_run(&x, true));
    arrfree(expected);
    arrfree(x.tensors);
    free(x.history);
    for (uint32_t b = 0; b < B; b++)
        scaled_finish(&x.list[b]);
    arena_destroy(&x.arena);
    model_destroy(&x.model);
    weights_finish(&weights);
}

static MunitResult test_parts(const MunitParameter params[], void *data)
{
    (void)data;
    struct gpu *gpu = NULL;
    if (!test_gpu_open_with(&gpu, params, (struct gpu_options){ .dirty = true })) // some decisions are not reached
        return MUNIT_SKIP;
    // One with and one without a depot where a driver takes long to compile.
    const uint32_t max_problems = gpu_info(gpu)->target == GPU_TARGET_SAFE ? 2 : UINT32_MAX;
    for (uint32_t i = 0; problems[i] && i < max_problems; i++)
        run_case(gpu, problems[i], MODEL_INSTANCE, 2);
    for (uint32_t i = 0; i < 3 && i < max_problems; i++) // without a depot, with one, and with split deliveries
        run_case(gpu, problems[i], MODEL_INSTANCE, 0);
    if (max_problems > 2) {
        run_case(gpu, problems[1], MODEL_LAYER, 2);
        run_case(
            gpu, problems[1], MODEL_INSTANCE, 12); // a segment of several recordings, the last of which may not run
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

// Commands of a step of training: on a GPU each costs some microseconds, whatever it does.
enum { UPDATE = 11 }; // those that draw instances, add parts and update weights

// The others.
static uint32_t commands_of(struct gpu *gpu, const char *name, uint32_t n, uint32_t p, uint32_t decisions)
{
    struct config config = tiny_config(name, 3, 5);
    struct instance instance;
    struct scaled scaled;
    struct model *model = NULL;
    struct rollout *r = NULL, *greedy = NULL;
    struct gradient *g = NULL;
    struct weights weights;
    config.p = p;
    weights_draw(&weights, &config, 5);
    problem_by_name(name)->generate(&instance, &(struct distribution){ .n_min = n, .n_max = n }, 3, 0);
    scaled_init(&scaled, &instance);
    struct rollout_shape shape = { .B = 1,
        .N = scaled.N,
        .S = 1,
        .J = scaled_longest(&scaled),
        .mode = SAMPLE,
        .temperature = 1,
        .save = true },
                         plain = shape;
    plain.mode = GREEDY;
    plain.save = false;
    struct params d;
    struct arena *arena = arena_create(gpu, "gradients");
    params_layout(&d, arena, &config);
    test_ok(arena_back(arena));
    params_layout(&d, arena, &config);
    test_ok(model_create(&model, gpu, &config) && model_load(model, &weights));
    const struct view view = model_view(model);
    test_ok(rollout_create(&r, &view, &shape) && rollout_create(&greedy, &view, &plain) &&
            rollout_load(r, &scaled, NULL, 1) && rollout_run(r) && rollout_load(greedy, &scaled, NULL, 1) &&
            rollout_run(greedy) && gradient_create(&g, r, &d));
    const uint32_t sampling = rollout_commands(r, decisions), baseline = rollout_commands(greedy, decisions),
                   back = gradient_commands(g);
    munit_logf(MUNIT_LOG_INFO, "%s%u: %u commands of sampling, %u of the baseline, %u of the gradient", name, n,
        sampling, baseline, back);
    gradient_destroy(&g);
    rollout_destroy(&greedy);
    rollout_destroy(&r);
    model_destroy(&model);
    weights_finish(&weights);
    scaled_finish(&scaled);
    instance_finish(&instance);
    arena_destroy(&arena);
    return sampling + baseline + back;
}

static MunitResult test_commands(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    if (gpu_info(gpu)->target == GPU_TARGET_GPU) {
        munit_assert_uint32(commands_of(gpu, "tsp", 20, 2, 20), <=, 500 - UPDATE);
        munit_assert_uint32(commands_of(gpu, "cvrp", 100, 8, 112), <=, 1000 - UPDATE);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/parts", test_parts, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/commands", test_commands, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/model/gradient", tests)
