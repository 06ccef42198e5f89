// Plans made better on the host, by mdam_solve and by mdam_improve.
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
#include "util/clock.h"

#define must(expression)                                                                                               \
    do {                                                                                                               \
        if (!(expression))                                                                                             \
            munit_errorf("%s: %s", #expression, mdam_error());                                                         \
    } while (0)

// An untrained model of the problem, and instances.
struct setup {
    struct mdam_device *device;
    struct mdam_model *model;
    struct mdam_instances *instances;
    bool maximise;
};

static void setup_open(struct setup *setup, const char *problem, const char *folder, uint32_t n, uint32_t count)
{
    *setup = (struct setup){ .maximise = !strcmp(problem, "op") };
    struct config config = { .problem = problem_by_name(problem), .D = 16, .H = 2, .F = 16, .L = 1, .M = 2 };
    struct weights weights;
    char *path = xformat("%s/model.safetensors", folder);
    weights_draw(&weights, &config, 7);
    must(weights_save(path, &weights));
    weights_finish(&weights);
    must(mdam_device_open(&setup->device, NULL));
    must(mdam_model_load(&setup->model, setup->device, path, NULL));
    must(mdam_instances_generate(
        &setup->instances, &(struct mdam_generate_options){ sizeof(struct mdam_generate_options), .problem = problem,
                               .n_min = n, .count = count, .seed = 5 }));
    free(path);
}

static void setup_close(struct setup *setup)
{
    mdam_instances_free(&setup->instances);
    mdam_model_free(&setup->model);
    mdam_device_close(&setup->device);
}

static struct mdam_solutions *solve(const struct setup *setup, const struct mdam_solve_options *options)
{
    struct mdam_solutions *solutions;
    must(mdam_solve(&solutions, setup->instances, &setup->model, 1, options));
    return solutions;
}

static void expect_no_worse(
    const struct setup *setup, const struct mdam_solutions *now, const struct mdam_solutions *old)
{
    for (size_t i = 0; i < mdam_solutions_count(now); i++) {
        double gain = mdam_solution(old, i)->objective - mdam_solution(now, i)->objective;
        munit_assert_true(mdam_solution(now, i)->feasible);
        munit_assert_double(setup->maximise ? -gain : gain, >=, -1e-9);
    }
}

static void expect_same(const struct mdam_solutions *a, const struct mdam_solutions *b)
{
    for (size_t i = 0; i < mdam_solutions_count(a); i++) {
        const struct mdam_solution *x = mdam_solution(a, i), *y = mdam_solution(b, i);
        munit_assert_double(x->objective, ==, y->objective);
        munit_assert_size(x->route_count, ==, y->route_count);
        for (size_t r = 0; r < x->route_count; r++) {
            munit_assert_size(x->routes[r].count, ==, y->routes[r].count);
            munit_assert_memory_equal(x->routes[r].count * sizeof(uint32_t), x->routes[r].stops, y->routes[r].stops);
        }
    }
}

// An untrained network leaves much to improve: each step is no worse than the one before, better in sum, and says what
// it began with. Iterations give the same plans again.
static MunitResult test_steps(const MunitParameter params[], void *folder)
{
    enum { COUNT = 3 };
    const char *problem = munit_parameters_get(params, "problem");
    struct setup setup;
    setup_open(&setup, problem, folder, 25, COUNT);
    struct mdam_solve_options options = { sizeof options, .beam = 4, .improve = MDAM_IMPROVE_OFF };
    struct mdam_solutions *off = solve(&setup, &options);
    options.improve = MDAM_IMPROVE_LOCAL;
    struct mdam_solutions *local = solve(&setup, &options), *local_again = solve(&setup, &options);
    options.improve = MDAM_IMPROVE_FULL;
    options.improve_iterations = 300;
    struct mdam_solutions *full = solve(&setup, &options), *full_again = solve(&setup, &options);
    options.improve_from = MDAM_IMPROVE_FROM_RANDOM;
    struct mdam_solutions *random = solve(&setup, &options);
    for (size_t i = 0; i < COUNT; i++)
        munit_assert_string_equal(mdam_solution(random, i)->origin, "random");
    expect_no_worse(&setup, local, off);
    expect_no_worse(&setup, full, local);
    expect_same(local, local_again);
    expect_same(full, full_again);
    double sum = 0;
    for (size_t i = 0; i < COUNT; i++) {
        const struct mdam_solution *plan = mdam_solution(local, i);
        munit_assert_null(mdam_solution(off, i)->improve);
        munit_assert_string_equal(plan->improve, "local");
        munit_assert_string_equal(mdam_solution(full, i)->improve, "full");
        munit_assert_not_null(plan->origin);
        munit_assert_true(setup.maximise ? plan->constructed <= plan->objective : plan->constructed >= plan->objective);
        sum += fabs(plan->objective - mdam_solution(off, i)->objective);
        if (!strcmp(problem, "spctsp"))
            munit_assert_true(plan->hindsight);
    }
    munit_assert_double(sum, >, 0);
    struct mdam_solutions *all[] = { off, local, local_again, full, full_again, random };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mdam_solutions_free(&all[i]);
    setup_close(&setup);
    return MUNIT_OK;
}

// With a time limit, what to begin with may be named; prizes that are revealed are then known.
static MunitResult test_from(const MunitParameter params[], void *folder)
{
    const char *problem = munit_parameters_get(params, "problem");
    struct setup setup;
    setup_open(&setup, problem, folder, 12, 1);
    struct mdam_solve_options options = { sizeof options, .time_limit = 0.5,
        .improve_from = MDAM_IMPROVE_FROM_CONSTRUCTION };
    struct mdam_solutions *plans = solve(&setup, &options);
    const struct mdam_solution *plan = mdam_solution(plans, 0);
    munit_assert_true(plan->solved);
    munit_assert_string_equal(plan->improve, "full");
    munit_assert_true(!strcmp(plan->origin, "savings") || !strcmp(plan->origin, "insertion"));
    mdam_solutions_free(&plans);
    setup_close(&setup);
    return MUNIT_OK;
}

// By default only beams are improved, and fully with a time limit, which is used and not exceeded; a problem whose
// prizes are revealed is not.
static MunitResult test_usual(const MunitParameter params[], void *folder)
{
    const char *problem = munit_parameters_get(params, "problem");
    const bool reveals = !strcmp(problem, "spctsp");
    struct setup setup;
    setup_open(&setup, problem, folder, 12, 1);
    struct {
        struct mdam_solve_options options;
        const char *improve;
    } cases[] = {
        { { 0, .beam = 2 }, reveals ? NULL : "local" },
        { { 0, .beam = 2, .time_limit = 0.5 }, reveals ? NULL : "full" },
        { { 0, .decode = MDAM_DECODE_GREEDY }, NULL },
        { { 0, .decode = MDAM_DECODE_SAMPLE }, NULL },
        { { 0, .decode = MDAM_DECODE_GREEDY, .improve = MDAM_IMPROVE_LOCAL }, "local" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cases[i].options.size = sizeof cases[i].options;
        struct mdam_solutions *solutions = solve(&setup, &cases[i].options);
        const char *improve = mdam_solution(solutions, 0)->improve;
        if ((improve == NULL) != (cases[i].improve == NULL) || (improve && strcmp(improve, cases[i].improve)))
            munit_errorf("case %zu: %s", i, improve ? improve : "not improved");
        mdam_solutions_free(&solutions);
    }
    struct mdam_solutions *solutions;
    munit_assert_false(mdam_solve(&solutions, setup.instances, &setup.model, 1,
        &(struct mdam_solve_options){
            sizeof(struct mdam_solve_options), .online = true, .improve = MDAM_IMPROVE_LOCAL }));
    munit_assert_string_equal(mdam_error_field(), "online");
    setup_close(&setup);
    return MUNIT_OK;
}

static bool at_once(void *user)
{
    (void)user;
    return true;
}

// A plan that is given is no worse afterwards, with and without a device; an interrupted improvement ends soon.
static MunitResult test_given(const MunitParameter params[], void *folder)
{
    const char *problem = munit_parameters_get(params, "problem");
    struct setup setup;
    setup_open(&setup, problem, folder, 20, 2);
    struct mdam_solve_options options = { sizeof options, .decode = MDAM_DECODE_GREEDY };
    struct mdam_solutions *given = solve(&setup, &options), *better, *best, *retained;
    must(mdam_improve(&better, given, NULL));
    expect_no_worse(&setup, better, given);
    must(mdam_improve(
        &best, better, &(struct mdam_improve_options){ sizeof(struct mdam_improve_options), .iterations = 200 }));
    expect_no_worse(&setup, best, better);
    options.improve = MDAM_IMPROVE_LOCAL;
    options.initial = best;
    retained = solve(&setup, &options);
    expect_no_worse(&setup, retained, best);
    mdam_solutions_free(&retained);
    double start = clock_seconds();
    must(mdam_improve(&retained, given,
        &(struct mdam_improve_options){ sizeof(struct mdam_improve_options), .time_limit = 1000, .stop = at_once }));
    munit_assert_double(clock_seconds() - start, <, 10);
    expect_no_worse(&setup, retained, given);
    mdam_solutions_free(&retained);
    mdam_solutions_free(&best);
    mdam_solutions_free(&better);
    mdam_solutions_free(&given);
    setup_close(&setup);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    FOLDER_TEST("/steps", test_steps, every_problem),
    FOLDER_TEST("/from", test_from, every_problem),
    FOLDER_TEST("/usual", test_usual, every_problem),
    FOLDER_TEST("/given", test_given, every_problem),
    TEST_END,
};
SUITE("/api/improve", tests)
