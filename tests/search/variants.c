// Wide beams find the best of all plans also with lengths of their own, open routes, few vehicles and given ends, side
// by side in one list; the improvement of poor plans finds none that is better, and none that is infeasible.
#include <math.h>
#include <string.h>

#include "improve/improve.h"
#include "selftest/reference.h"
#include "suite.h"
#include "tests/search/support.h"
#include "util/error.h"
#include "variants.h"

enum { COUNT = VARIANTS / 2, CUSTOMERS = 5 };

static const double relative = 1e-5; // of single-precision sums

// Returns the smallest cost of all walks, for split loads, whose plans cannot be enumerated for the judge.
static double min_walk(const struct walk *walk, double best)
{
    if (walk->done)
        return fmin(best, walk_cost(walk));
    for (uint32_t v = 0; v < walk->instance->N && walk->length < best; v++) {
        if (!walk->allowed[v])
            continue;
        struct walk next;
        walk_copy(&next, walk);
        walk_visit(&next, v);
        best = min_walk(&next, best);
        walk_finish(&next);
    }
    return best;
}

static double min_length(const struct instance *instance)
{
    struct scaled scaled;
    struct walk walk;
    scaled_init(&scaled, instance);
    walk_begin(&walk, &scaled);
    double best = min_walk(&walk, INFINITY) * scaled.length_unit;
    walk_finish(&walk);
    scaled_finish(&scaled);
    return isfinite(best) ? best : NAN;
}

static void expect_best(const struct instance *instance, const struct search_result *result, uint32_t i)
{
    double best = instance->problem->splits ? min_length(instance) : best_of_all(instance);
    munit_assert_int(result->solved, ==, !isnan(best));
    if (!result->solved)
        return;
    double worse = (result->verdict.objective - best) * (instance->problem->maximise ? -1 : 1);
    if (fabs(worse) > relative * (fabs(best) + 0.1))
        munit_errorf("%s, instance %u with %u customers: %.9g instead of %.9g", instance->problem->name, i, instance->n,
            result->verdict.objective, best);
    munit_assert_true(result->verdict.feasible);
    // The same without the network, from constructions alone.
    struct improve_result improved;
    struct improve_options options = { .iterations = 30 };
    struct verdict verdict;
    improve_full(instance, NULL, 0, &options, &improved);
    instance->problem->judge(instance, &improved.solution, &verdict);
    worse = (verdict.objective - best) * (instance->problem->maximise ? -1 : 1);
    munit_assert_true(verdict.feasible);
    if (!instance->problem->splits) // walks deliver all they can, which is not always best
        munit_assert_true(worse >= -relative * (fabs(best) + 0.1));
    solution_finish(&improved.solution);
}

static MunitResult test_best(const MunitParameter params[], void *data)
{
    (void)data;
    const struct problem *problem = problem_by_name(munit_parameters_get(params, "problem"));
    struct gpu *gpu = NULL;
    test_ok(gpu_open(&gpu, NULL));
    struct model *model = search_model(gpu, problem, 1, 4, DIALECT_NATIVE);
    static struct instance instances[COUNT];
    static struct search_result results[COUNT];
    memset(results, 0, sizeof results);
    const uint32_t customers = problem->splits ? 4 : problem->has_depot ? CUSTOMERS : CUSTOMERS + 1;
    uint32_t unsolved = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t n = 1 + i % customers;
        problem->generate(&instances[i], &(struct distribution){ n, n, 10, 14, PRIZE_UNIF }, 21, i);
        make_variant(&instances[i], i * 37 % VARIANTS, i); // half of them
    }
    const struct search_options options = { .decoding = { MDAM_DECODE_BEAM, .merge = true, .augment = 1 },
        .improve = MDAM_IMPROVE_OFF };
    search_all(model, instances, COUNT, &options, NULL, results);
    for (uint32_t i = 0; i < COUNT; i++) {
        expect_best(&instances[i], &results[i], i);
        unsolved += !results[i].solved;
        search_result_finish(&results[i]);
        instance_finish(&instances[i]);
    }
    munit_assert_int(unsolved > 0, ==, problem == &problem_cvrp); // some loads do not fit into so few vehicles
    model_destroy(&model);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/best", test_best, NULL, NULL, MUNIT_TEST_OPTION_NONE, every_problem },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/search/variants", tests)
