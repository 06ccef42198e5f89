#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "checkpoint/weights_file.h"
#include "expect.h"
#include "mdam/mdam.h"
#include "model/initial.h"
#include "suite.h"
#include "util/alloc.h"

#define must(expression)                                                                                               \
    do {                                                                                                               \
        if (!(expression))                                                                                             \
            munit_errorf("%s: %s", #expression, mdam_error());                                                         \
    } while (0)

// A device, and untrained models for two problems.
struct setup {
    struct mdam_device *device;
    struct mdam_model *models[2];
    struct mdam_instances *instances;
};

static void setup_open(struct setup *setup, const char *folder)
{
    static const char *const names[] = { "tsp", "sdvrp" };
    *setup = (struct setup){ 0 };
    must(mdam_device_open(&setup->device, NULL));
    for (int i = 0; i < 2; i++) {
        struct config config = { .problem = problem_by_name(names[i]),
            .D = 16,
            .H = 2,
            .F = 32,
            .L = 2,
            .M = 3,
            .p = 3,
            .best_decoder = 2,
            .has_validation = true };
        struct weights weights;
        char *path = xformat("%s/%s.safetensors", folder, names[i]);
        weights_draw(&weights, &config, 7);
        must(weights_save(path, &weights));
        must(mdam_model_load(&setup->models[i], setup->device, path, NULL));
        weights_finish(&weights);
        free(path);
    }
}

// COUNT instances of the first N of these customers, and then one fewer, and one fewer.
static void setup_fill(struct setup *setup, const char *problem, uint32_t N, size_t count)
{
    double x[64], y[64], demand[64];
    for (int i = 0; i < 64; i++) {
        x[i] = fmod(i * 0.6180339887, 1);
        y[i] = fmod(i * 0.7548776662 + 0.3, 1);
        demand[i] = 1 + i % 9;
    }
    for (size_t i = 0; i < count; i++) {
        struct mdam_instance_data data = { sizeof data, .problem = problem, .n = N - (uint32_t)i, .x = x, .y = y,
            .depot_x = 0.5, .depot_y = 0.5, .demand = demand, .capacity = 15 };
        must(mdam_instances_add(&setup->instances, &data));
    }
}

static void setup_close(struct setup *setup)
{
    mdam_instances_free(&setup->instances);
    mdam_model_free(&setup->models[0]);
    mdam_model_free(&setup->models[1]);
    mdam_device_close(&setup->device);
}

static void expect_same(const struct mdam_solutions *a, const struct mdam_solutions *b)
{
    munit_assert_size(mdam_solutions_count(a), ==, mdam_solutions_count(b));
    for (size_t i = 0; i < mdam_solutions_count(a); i++) {
        const struct mdam_solution *p = mdam_solution(a, i), *q = mdam_solution(b, i);
        munit_assert_true(p->solved && q->solved);
        munit_assert_double(p->objective, ==, q->objective);
        munit_assert_uint32(p->decoder, ==, q->decoder);
        munit_assert_size(p->route_count, ==, q->route_count);
        for (size_t r = 0; r < p->route_count; r++) {
            munit_assert_size(p->routes[r].count, ==, q->routes[r].count);
            munit_assert_memory_equal(p->routes[r].count * 4, p->routes[r].stops, q->routes[r].stops);
        }
        munit_assert_memory_equal(3 * sizeof(double), p->decoder_costs, q->decoder_costs);
    }
}

// With hardly any memory every instance is its own batch and every sample its own round.
static MunitResult test_memory(const MunitParameter params[], void *folder)
{
    (void)params;
    struct setup setup;
    setup_open(&setup, folder);
    setup_fill(&setup, "tsp", 17, 5);
    setup_fill(&setup, "sdvrp", 12, 5);
    for (int sample = 0; sample < 2; sample++) {
        struct mdam_solve_options options = { sizeof options, .augment = sample ? 1 : 8 };
        if (sample) {
            options.decode = MDAM_DECODE_SAMPLE;
            options.samples = 5;
        }
        struct mdam_solutions *wide, *narrow;
        must(mdam_solve(&wide, setup.instances, setup.models, 2, &options));
        options.memory = 1;
        must(mdam_solve(&narrow, setup.instances, setup.models, 2, &options));
        expect_same(wide, narrow);
        mdam_solutions_free(&wide);
        mdam_solutions_free(&narrow);
    }
    setup_close(&setup);
    return MUNIT_OK;
}

struct heard {
    size_t calls, limit, done, count, warnings;
};

static bool listen(void *user, size_t done, size_t count)
{
    struct heard *heard = user;
    munit_assert_size(done, >=, heard->done);
    heard->done = done;
    heard->count = count;
    return heard->calls++ < heard->limit;
}

static void hear(void *user, size_t instance, const char *warning)
{
    struct heard *heard = user;
    munit_assert_size(heard->calls, ==, 0); // before the work
    munit_assert_size(instance, ==, heard->warnings++);
    munit_assert_not_null(strstr(warning, "untrained"));
}

static MunitResult test_progress(const MunitParameter params[], void *folder)
{
    (void)params;
    struct setup setup;
    setup_open(&setup, folder);
    setup_fill(&setup, "sdvrp", 12, 4);
    setup_fill(&setup, "tsp", 17, 4);
    struct heard heard = { .limit = SIZE_MAX };
    struct mdam_solve_options options = { sizeof options, .progress = listen, .warn = hear, .user = &heard,
        .memory = 1 };
    struct mdam_solutions *solutions;
    must(mdam_solve(&solutions, setup.instances, setup.models, 2, &options));
    munit_assert_size(heard.calls, ==, 9); // before, and after each of the eight
    munit_assert_size(heard.done, ==, 8);
    munit_assert_size(heard.count, ==, 8);
    munit_assert_size(heard.warnings, ==, 8);
    mdam_solutions_free(&solutions);
    // Stopped at the third call: two are solved, the smallest of the first model's.
    heard = (struct heard){ .limit = 2 };
    must(mdam_solve(&solutions, setup.instances, setup.models, 2, &options));
    for (size_t i = 0; i < 8; i++)
        munit_assert_int(mdam_solution(solutions, i)->solved, ==, i >= 6);
    munit_assert_size(mdam_solution(solutions, 0)->warning_count, ==, 1);
    mdam_solutions_free(&solutions);
    // At the first: none.
    heard = (struct heard){ 0 };
    must(mdam_solve(&solutions, setup.instances, setup.models, 2, &options));
    munit_assert_false(mdam_solution(solutions, 7)->solved);
    mdam_solutions_free(&solutions);
    setup_close(&setup);
    return MUNIT_OK;
}

// Without any time there is a greedy answer, or none if that takes more than half a second.
static MunitResult test_no_time(const MunitParameter params[], void *folder)
{
    (void)params;
    struct setup setup;
    setup_open(&setup, folder);
    setup_fill(&setup, "sdvrp", 12, 4);
    setup_fill(&setup, "tsp", 17, 4);
    struct mdam_solve_options limited = { sizeof limited, .time_limit = 1e-3, .memory = 1,
        .improve = MDAM_IMPROVE_OFF };
    struct mdam_solve_options greedy = { sizeof greedy, .decode = MDAM_DECODE_GREEDY };
    struct mdam_solutions *a, *b;
    must(mdam_solve(&b, setup.instances, setup.models, 2, &greedy));
    must(mdam_solve(&a, setup.instances, setup.models, 2, &limited));
    for (size_t i = 0; i < 8; i++) {
        const struct mdam_solution *p = mdam_solution(a, i), *q = mdam_solution(b, i);
        munit_assert_true(q->solved);
        if (p->solved)
            munit_assert_double(p->objective, ==, q->objective);
    }
    mdam_solutions_free(&a);
    mdam_solutions_free(&b);
    setup_close(&setup);
    return MUNIT_OK;
}

struct asked {
    int left; // questions before the answer is to stop
    double best;
};

static bool count_down(void *user)
{
    struct asked *asked = user;
    return --asked->left <= 0;
}

static void expect_better(void *user, size_t instance, double objective)
{
    struct asked *asked = user;
    munit_assert_size(instance, ==, 0);
    munit_assert_double(objective, <, asked->best - 1e-9); // more than where a tour begins can make
    asked->best = objective;
}

// A narrow beam to start with is widened like any other as long as there is time. Every improvement is one, also where
// the optimum is found again and again.
static MunitResult test_narrow(const MunitParameter params[], void *folder)
{
    (void)params;
    struct setup setup;
    setup_open(&setup, folder);
    setup_fill(&setup, "tsp", 6, 1);
    for (uint32_t beam = 1; beam <= 4; beam += 3) {
        struct asked asked = { .left = 60, .best = INFINITY }; // questions: those of many beams of six decisions
        struct mdam_solve_options options = { sizeof options, .beam = beam, .time_limit = 1e6,
            .improve = MDAM_IMPROVE_OFF, .stop = count_down, .improved = expect_better, .user = &asked };
        struct mdam_solutions *solutions;
        must(mdam_solve(&solutions, setup.instances, setup.models, 1, &options));
        munit_assert_int(asked.left, ==, 0);
        munit_assert_double(mdam_solution(solutions, 0)->objective, ==, asked.best);
        mdam_solutions_free(&solutions);
    }
    setup_close(&setup);
    return MUNIT_OK;
}

static bool lose_device(void *user, size_t done, size_t count)
{
    struct gpu *gpu = user;
    (void)count;
    if (done == 5)
        gpu_inject(gpu, GPU_FAULT_SUBMIT, 1);
    return true;
}

// Solutions from before the device was lost are there, also those of the second model; if there were none, there are
// none.
static MunitResult test_lost(const MunitParameter params[], void *folder)
{
    (void)params;
    struct setup setup;
    setup_open(&setup, folder);
    struct gpu *gpu = setup.device->gpu;
    setup_fill(&setup, "sdvrp", 12, 4);
    setup_fill(&setup, "tsp", 17, 4);
    struct mdam_solve_options options = { sizeof options, .progress = lose_device, .user = gpu, .memory = 1 };
    struct mdam_solutions *solutions;
    munit_assert_false(mdam_solve(&solutions, setup.instances, setup.models, 2, &options));
    munit_assert_int(mdam_error_fault(), ==, MDAM_FAULT_DEVICE);
    munit_assert_not_null(strstr(mdam_error(), "device lost"));
    munit_assert_not_null(solutions);
    for (size_t i = 0; i < 8; i++) // the smallest first: all of tsp, and the last of sdvrp
        munit_assert_int(mdam_solution(solutions, i)->solved, ==, i >= 3);
    mdam_solutions_free(&solutions);
    munit_assert_false(mdam_solve(&solutions, setup.instances, setup.models, 2, &options));
    munit_assert_null(solutions);
    setup_close(&setup);
    return MUNIT_OK;
}

static void hear_late(void *user, size_t instance, const char *warning)
{
    struct heard *heard = user;
    heard->warnings += strstr(warning, "the search ended before its time limit: ") != NULL;
    (void)instance;
}

// No memory for a wider beam: the answers so far, and a warning that says why. No memory for a first answer, or no
// device any more: a failure.
static MunitResult test_no_memory(const MunitParameter params[], void *folder)
{
    (void)params;
    static const struct {
        enum gpu_fault fault;
        int after;
        bool ok, answers;
    } cases[] = { { GPU_FAULT_ALLOCATE, 2, true, true }, { GPU_FAULT_ALLOCATE, 3, true, true },
        { GPU_FAULT_ALLOCATE, 1, false, false }, { GPU_FAULT_SUBMIT, 200, false, true } };
    struct setup setup;
    setup_open(&setup, folder);
    setup_fill(&setup, "tsp", 9, 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct heard heard = { 0 };
        struct mdam_solve_options options = { sizeof options, .time_limit = 1e6, .improve = MDAM_IMPROVE_OFF,
            .warn = hear_late, .user = &heard };
        struct mdam_solutions *solutions;
        gpu_inject(setup.device->gpu, cases[i].fault, cases[i].after);
        munit_assert_int(mdam_solve(&solutions, setup.instances, setup.models, 1, &options), ==, cases[i].ok);
        munit_assert_size(heard.warnings, ==, cases[i].ok ? 2 : 0);
        munit_assert_int(solutions != NULL, ==, cases[i].answers);
        for (size_t k = 0; solutions && k < 2; k++) {
            const struct mdam_solution *solution = mdam_solution(solutions, k);
            munit_assert_true(solution->solved);
            munit_assert_size(solution->warning_count, ==, cases[i].ok ? 2 : 1);
            munit_assert_int(
                !strstr(solution->warnings[solution->warning_count - 1], "out of device memory"), ==, !cases[i].ok);
        }
        mdam_solutions_free(&solutions);
    }
    setup_close(&setup);
    return MUNIT_OK;
}

static MunitResult test_options(const MunitParameter params[], void *folder)
{
    (void)params;
    static const struct {
        struct mdam_solve_options options;
        const char *field;
    } cases[] = {
        { { 0, .samples = 3 }, "samples" },
        { { 0, .decode = MDAM_DECODE_GREEDY, .no_merge = true }, "no_merge" },
        { { 0, .decode = (enum mdam_decode)7 }, "decode" },
        { { 0, .beam = 1 << 17 }, "beam" },
        { { 0, .augment = 4 }, "augment" },
        { { 0, .time_limit = -1 }, "time_limit" },
        { { 0, .decode = MDAM_DECODE_SAMPLE, .temperature = -1 }, "temperature" },
        { { 0, .online = true, .beam = 2 }, "online" },
        { { 0, .online = true, .augment = 8 }, "online" },
        { { 0, .online = true, .decode = MDAM_DECODE_SAMPLE }, "online" },
    };
    struct setup setup;
    setup_open(&setup, folder);
    setup_fill(&setup, "sdvrp", 5, 1);
    struct mdam_solutions *solutions;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mdam_solve_options options = cases[i].options;
        options.size = sizeof options;
        munit_assert_false(mdam_solve(&solutions, setup.instances, setup.models, 2, &options));
        munit_assert_int(mdam_error_fault(), ==, MDAM_FAULT_INPUT);
        munit_assert_string_equal(mdam_error_field(), cases[i].field);
        munit_assert_null(solutions);
    }
    expect_refused(
        mdam_solve(&solutions, setup.instances, setup.models, 1, NULL), "instance 1: no model for sdvrp given");
    setup_close(&setup);
    return MUNIT_OK;
}

// Online, the decoder that did best in validation commits; where it was not selected, the first, and a warning says so.
static MunitResult test_online(const MunitParameter params[], void *folder)
{
    (void)params;
    static const uint32_t cases[][2] = { { 1, 2 }, { 1, 0 } };
    struct setup setup;
    setup_open(&setup, folder);
    setup_fill(&setup, "tsp", 9, 1);
    char *path = xformat("%s/tsp.safetensors", (const char *)folder);
    for (int i = 0; i < 2; i++) {
        struct mdam_model_options load = { sizeof load, .decoders = cases[i], .decoder_count = 2 };
        struct mdam_model *model;
        struct mdam_solutions *solutions;
        must(mdam_model_load(&model, setup.device, path, &load));
        must(mdam_solve(&solutions, setup.instances, &model, 1,
            &(struct mdam_solve_options){ sizeof(struct mdam_solve_options), .online = true }));
        const struct mdam_solution *solution = mdam_solution(solutions, 0);
        munit_assert_uint32(solution->decoder, ==, i ? 1 : 2);
        munit_assert_size(solution->warning_count, ==, i ? 2 : 1); // one that it is untrained
        if (i)
            munit_assert_string_equal(
                solution->warnings[1], "decoder 1 commits; decoder 2, the best in validation, is not selected");
        mdam_solutions_free(&solutions);
        mdam_model_free(&model);
    }
    free(path);
    setup_close(&setup);
    return MUNIT_OK;
}

// A caller gets the amounts of split deliveries, which serve every demand within the capacity.
static MunitResult test_amounts(const MunitParameter params[], void *folder)
{
    (void)params;
    struct setup setup;
    struct mdam_solutions *solutions;
    setup_open(&setup, folder);
    setup_fill(&setup, "sdvrp", 20, 1);
    must(mdam_solve(&solutions, setup.instances, setup.models, 2, NULL));
    const struct mdam_solution *solution = mdam_solution(solutions, 0);
    double served[20] = { 0 };
    for (size_t r = 0; r < solution->route_count; r++) {
        double load = 0;
        for (size_t k = 0; k < solution->routes[r].count; k++) {
            served[solution->routes[r].stops[k] - 1] += solution->routes[r].amounts[k];
            load += solution->routes[r].amounts[k];
        }
        munit_assert_double(load, <=, 15);
    }
    for (int i = 0; i < 20; i++)
        munit_assert_double(served[i], ==, 1 + i % 9);
    mdam_solutions_free(&solutions);
    setup_close(&setup);
    return MUNIT_OK;
}

#define IN_FOLDER(name, test)                                                                                          \
    {                                                                                                                  \
        name, test, folder_make, folder_remove, MUNIT_TEST_OPTION_NONE, NULL                                           \
    }
static MunitTest tests[] = {
    IN_FOLDER("/memory", test_memory),
    IN_FOLDER("/progress", test_progress),
    IN_FOLDER("/no-time", test_no_time),
    IN_FOLDER("/narrow", test_narrow),
    IN_FOLDER("/lost", test_lost),
    IN_FOLDER("/no-memory", test_no_memory),
    IN_FOLDER("/options", test_options),
    IN_FOLDER("/online", test_online),
    IN_FOLDER("/amounts", test_amounts),
    TEST_END,
};
SUITE("/api/solve", tests)
