// A seventh problem needs only its table, its judge and its shaders for files, drawing, rules, beams and training.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "device.h"
#include "env/draw.h"
#include "errand.h"
#include "expect.h"
#include "format/json.h"
#include "model/initial.h"
#include "problem/describe.h"
#include "problem/routes.h"
#include "shaders/args.h"
#include "suite.h"
#include "tests/problem/support.h"
#include "tests/search/support.h"
#include "train/train.h"
#include "util/alloc.h"
#include "util/error.h"

static const char written[] = "{\"problem\":\"errand\",\"depot\":[0,0],\"nodes\":[[0,0.5],[1,0.5],[1,1]],"
                              "\"due\":[0.6,2,1.9],\"fine\":[0.25,0.5,0.125],\"max_stops\":2}\n";

static void expect_refusal(const char *json, const char *sentence)
{
    struct instance *list = NULL;
    expect_refused(instances_from_json(json, strlen(json), SIZE_MAX, &list), sentence);
    arrfree(list);
}

// Read, written, described and judged by its table.
static MunitResult test_files(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance instance = instance_of(written);
    struct text text = { 0 };
    instance_to_json(&text, &instance);
    munit_assert_string_equal(text.data, written);
    text_finish(&text);
    describe_weight(&text, &instance, 1);
    munit_assert_string_equal(text.data, "due 2, fine 0.5");
    text_finish(&text);
    describe_keys(&text, &problem_errand);
    munit_assert_string_equal(text.data, "depot, nodes, due, fine [max_stops=1000]");
    text_finish(&text);
    instance_finish(&instance);

    expect_verdicts(
        written, (const struct expected[]){ { "{\"routes\":[[1,2]]}", 1.625, NULL }, { "{\"routes\":[]}", 0.875, NULL },
                     { "{\"routes\":[[1,2,3]]}", 2, "route 1, stop 3: reached at 2, due at 1.9" },
                     { "{\"routes\":[[2,1]]}", 2.24303398874989,
                         "route 1, stop 2: reached at 2.11803399, "
                         "due at 0.6" },
                     { NULL } });

    expect_refusal("{\"problem\":\"errand\",\"depot\":[0,0],\"nodes\":[[1,1]],\"fine\":[1]}", "/due: missing");
    expect_refusal("{\"problem\":\"errand\",\"depot\":[0,0],\"nodes\":[[1,1]],\"due\":[-1],\"fine\":[1]}",
        "/due/0: -1 is negative or not a number");
    expect_refusal("{\"problem\":\"tsp\",\"nodes\":[[1,1]],\"due\":[1]}", "/due: tsp has no due");
    expect_refusal("{\"problem\":\"errand\",\"depot\":[0,0],\"nodes\":[[1,1]],\"capacity\":1}",
        "/capacity: errand has no capacity");
    return MUNIT_OK;
}

// The device draws the instances that the host generates, word for word.
static MunitResult test_drawn(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    enum { B = 20, N = 13, LIMITS = LIMITS_ROWS * B };
    const struct distribution distribution = { .n_min = 8, .n_max = N - 1 };
    struct arena *arena = arena_create(gpu, "errands");
    struct batch drawn, uploaded;
    struct draw draw;
    for (int pass = 0; pass < 2; pass++) {
        batch_layout(&drawn, arena, &problem_errand, B, N, BATCH_PLAIN);
        batch_layout(&uploaded, arena, &problem_errand, B, N, BATCH_PLAIN);
        draw_layout(&draw, arena, &distribution, 7);
        if (!pass)
            test_ok(arena_back(arena));
    }
    struct scaled scaled[B];
    for (uint32_t i = 0; i < B; i++) {
        struct instance instance;
        problem_errand.generate(&instance, &distribution, 7, 100 + i);
        scaled_init(&scaled[i], &instance);
        munit_assert_double(scaled[i].length_unit, ==, 1);
        instance_finish(&instance);
    }
    struct cmd *c = cmd_create(gpu);
    draw_batch(c, &drawn, &draw);
    test_ok(batch_upload(gpu, &uploaded, 0, scaled, B) && draw_upload(gpu, &draw) && draw_start(gpu, &draw, 100) &&
            cmd_run(c));
    uint32_t *a = xcalloc(B * N, 4 * NODE_WORDS), *b = xcalloc(B * N, 4 * NODE_WORDS), x[LIMITS], y[LIMITS];
    test_ok(tensor_download(gpu, a, drawn.nodes) && tensor_download(gpu, b, uploaded.nodes) &&
            tensor_download(gpu, x, drawn.limits) && tensor_download(gpu, y, uploaded.limits));
    munit_assert_memory_equal(8 * B, x, y); // nodes and max_stops
    for (uint32_t i = 0; i < B; i++) {
        for (uint32_t v = 0; v < scaled[i].N; v++)
            munit_assert_memory_equal(16, a + (i * N + v) * NODE_WORDS, b + (i * N + v) * NODE_WORDS);
        scaled_finish(&scaled[i]);
    }
    free(a), free(b);
    cmd_destroy(&c);
    arena_destroy(&arena);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// Returns the smallest objective of all routes that continue this one, by the judge alone.
static double min_objective(const struct instance *instance, struct solution *solution)
{
    struct verdict verdict;
    uint32_t **stops = &solution->routes[0].stops;
    problem_errand.judge(instance, solution, &verdict);
    if (!verdict.feasible)
        return INFINITY; // nor is any route that continues it
    double best = verdict.objective;
    for (uint32_t i = 1; i <= instance->n; i++) {
        bool visited = false;
        for (ptrdiff_t s = 0; s < arrlen(*stops); s++)
            visited = visited || (*stops)[s] == i;
        if (visited)
            continue;
        arrput(*stops, i);
        best = fmin(best, min_objective(instance, solution));
        (void)arrpop(*stops);
    }
    return best;
}

static double optimum(const struct instance *instance)
{
    struct solution solution = { 0 };
    arrput(solution.routes, (struct route){ 0 });
    double best = min_objective(instance, &solution);
    solution_finish(&solution);
    return best;
}

// A beam that holds every state finds the optimum, and the judge confirms its cost; a narrow one misses it.
static MunitResult test_beam(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    enum { COUNT = 12 };
    struct scaled *list = search_instances(&problem_errand, 4, 6, COUNT);
    struct model *model = search_model(gpu, &problem_errand, 1, 2, DIALECT_NATIVE);
    struct search_outcome wide =
        search_by_beam(model, list, COUNT, (struct beam_shape){ .W = 200, .K = UINT32_MAX, .merge = true });
    struct search_outcome narrow = search_by_beam(model, list, COUNT, (struct beam_shape){ .W = 2, .K = 2 });
    uint32_t missed = 0, bounded = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        struct instance instance;
        struct verdict verdict;
        search_instance(&instance, &problem_errand, 4, 6, i);
        double best = optimum(&instance);
        struct solution solution = routes_of(&instance, wide.actions + i, wide.T, wide.J);
        problem_errand.judge(&instance, &solution, &verdict);
        munit_assert_true(verdict.feasible);
        munit_assert_double(fabs(verdict.objective - best), <=, 1e-5);
        munit_assert_double(fabs(wide.cost[i] * list[i].length_unit - best), <=, 1e-5);
        munit_assert_double(narrow.cost[i] * list[i].length_unit, >=, best - 1e-5);
        missed += narrow.cost[i] * list[i].length_unit > best + 1e-5;
        solution_finish(&solution);
        for (uint32_t k = 0; k < instance.n; k++) // without the new column the optimum would be another
            instance.extra[0][k] = 100;
        bounded += optimum(&instance) < best - 1e-5;
        instance_finish(&instance);
    }
    munit_assert_uint32(missed, >, 0);
    munit_assert_uint32(bounded, >, 0);
    search_outcome_finish(&wide), search_outcome_finish(&narrow);
    model_destroy(&model);
    search_instances_free(&list, COUNT);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitResult test_train(const MunitParameter params[], void *folder)
{
    (void)params;
    struct train_settings settings = {
        .config = { .problem = problem_by_name("errand"), .D = 32, .H = 4, .F = 64, .L = 2, .M = 2, .p = 2 },
        .drawn = { .n_min = 8, .n_max = 10 },
        .epochs = 1,
        .steps = 40,
        .B = 32,
        .S = 4,
        .baseline = BASELINE_SHARED,
        .lr = 2e-3,
        .lr_decay = 1,
        .kl = 0.01,
        .val_size = 128,
        .seed = 1234,
        .log_every = 10,
        .parts = 1
    };
    struct gpu *gpu = NULL;
    struct train *train = NULL;
    struct weights weights;
    struct train_options options = { .folder = folder };
    weights_draw(&weights, &settings.config, settings.seed);
    test_ok(gpu_open(&gpu, &(struct gpu_options){ 0 }));
    test_ok(train_start(&train, gpu, &settings, &weights, &options));
    test_ok(train_run(train));
    munit_assert_uint32(train->progress.skipped, ==, 0);
    munit_assert_double(train->state.best, <, 0.97 * train->log.validations[0].cost);
    train_destroy(&train);
    weights_finish(&weights);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/files", test_files, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/drawn", test_drawn, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/beam", test_beam, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    FOLDER_TEST("/train", test_train, NULL),
    { 0 },
};

SUITE("/seventh", tests)
