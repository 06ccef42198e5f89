// Up to eight customers the default beam finds the optimum, alone and in lists.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "selftest/reference.h"
#include "suite.h"
#include "tests/search/support.h"
#include "util/error.h"

enum { COUNT = 200, SMALL = 8 };

// Single-precision sums of about ten legs.
static const double cost_error = 1e-5;

// A lower bound on the cost of all walks that continue this one.
static double bound(const struct walk *walk)
{
    const struct scaled *instance = walk->instance;
    double prize = walk->prize;
    if (!instance->problem->maximise)
        return walk->length;
    for (uint32_t v = 0; v < instance->N; v++)
        prize += walk->visited[v] ? 0 : instance->prize[v];
    return -prize;
}

// Returns the smallest cost of all walks that continue this one if it is below BEST, else BEST. Tries each.
static double min_cost(const struct walk *walk, double best)
{
    if (walk->done)
        return fmin(best, walk_cost(walk));
    for (uint32_t v = 0; v < walk->instance->N && bound(walk) < best; v++) {
        if (!walk->allowed[v])
            continue;
        struct walk next;
        walk_copy(&next, walk);
        walk_visit(&next, v);
        best = min_cost(&next, best);
        walk_finish(&next);
    }
    return best;
}

// The cost of a result in the network's units, and whether it is optimal.
static void expect_optimal(const struct instance *instance, const struct search_result *result)
{
    struct scaled scaled;
    struct walk walk;
    double found = result->decoder_best[0];
    munit_assert_true(result->solved);
    scaled_init(&scaled, instance);
    walk_begin(&walk, &scaled);
    double best = min_cost(&walk, found - cost_error);
    if (best < found - cost_error)
        munit_errorf("%s with %u customers: %g instead of %g", instance->problem->name, instance->n, found, best);
    walk_finish(&walk);
    scaled_finish(&scaled);
}

static void make(struct instance *list, const struct problem *problem, uint32_t max_customers)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t n = 1 + i % max_customers;
        problem->generate(&list[i], &(struct distribution){ n, n, 10, 14, PRIZE_UNIF }, 21, i);
    }
}

static const struct search_options by_default = { .decoding = { MDAM_DECODE_BEAM, .merge = true, .augment = 1 },
    .improve = MDAM_IMPROVE_OFF };

static MunitResult test_optimal(const MunitParameter params[], void *data)
{
    (void)data;
    const struct problem *problem = problem_by_name(munit_parameters_get(params, "problem"));
    struct gpu *gpu = NULL;
    test_ok(gpu_open(&gpu, NULL));
    // Split deliveries have too many walks to try them all.
    const uint32_t max_customers = problem->splits ? 6 : SMALL;
    struct model *model = search_model(gpu, problem, 1, 4, DIALECT_NATIVE);
    static struct instance instances[COUNT];
    static struct search_result results[COUNT], alone;
    memset(results, 0, sizeof results);
    make(instances, problem, max_customers);
    search_all(model, instances, COUNT, &by_default, NULL, results);
    for (uint32_t i = 0; i < COUNT; i++) {
        munit_assert_uint32(results[i].decoding.width, ==, 1024);
        expect_optimal(&instances[i], &results[i]);
    }
    for (uint32_t i = 0; i < max_customers; i++) {
        alone = (struct search_result){ 0 };
        search_all(model, &instances[i], 1, &by_default, NULL, &alone);
        munit_assert_double(alone.verdict.objective, ==, results[i].verdict.objective);
        search_result_finish(&alone);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        search_result_finish(&results[i]);
        instance_finish(&instances[i]);
    }
    model_destroy(&model);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// Given options win, with any instances in the list.
static MunitResult test_given(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    static const struct {
        uint32_t width, expand, small[2], large[2];
    } cases[] = { { 0, 0, { 1024, UINT32_MAX }, { 30, 3 } }, { 7, 0, { 7, 3 }, { 7, 3 } },
        { 0, 2, { 30, 2 }, { 30, 2 } }, { 5, 4, { 5, 4 }, { 5, 4 } } };
    const struct problem *problem = problem_by_name("tsp");
    struct model *model = search_model(gpu, problem, 1, 4, DIALECT_NATIVE);
    struct instance list[2];
    for (uint32_t i = 0; i < 2; i++)
        problem->generate(&list[i], &(struct distribution){ SMALL + i, SMALL + i, .prize = PRIZE_UNIF }, 3, i);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct search_result results[2] = { 0 };
        struct search_options options = by_default;
        options.decoding.width = cases[k].width;
        options.decoding.expand = cases[k].expand;
        search_all(model, list, 2, &options, NULL, results);
        munit_assert_uint32(results[0].decoding.width, ==, cases[k].small[0]);
        munit_assert_uint32(results[0].decoding.expand, ==, cases[k].small[1]);
        munit_assert_uint32(results[1].decoding.width, ==, cases[k].large[0]);
        munit_assert_uint32(results[1].decoding.expand, ==, cases[k].large[1]);
        search_result_finish(&results[0]), search_result_finish(&results[1]);
    }
    instance_finish(&list[0]), instance_finish(&list[1]);
    model_destroy(&model);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/optimal", test_optimal, NULL, NULL, MUNIT_TEST_OPTION_NONE, every_problem },
    { "/given", test_given, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/search/small", tests)
