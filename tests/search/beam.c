// Beam search: exact if it holds every state, greedy with one hypothesis, and independent of other beams.
#include <math.h>
#include <stdlib.h>

#include "model/initial.h"
#include "selftest/reference.h"
#include "suite.h"
#include "tests/search/support.h"
#include "util/alloc.h"
#include "util/error.h"

// Returns the smallest cost of all walks that continue this one, by trying each.
static double min_cost(const struct walk *walk)
{
    if (walk->done)
        return walk_cost(walk);
    double best = INFINITY;
    for (uint32_t v = 0; v < walk->instance->N; v++) {
        if (!walk->allowed[v])
            continue;
        struct walk next;
        walk_copy(&next, walk);
        walk_visit(&next, v);
        best = fmin(best, min_cost(&next));
        walk_finish(&next);
    }
    return best;
}

static double *optima(const struct scaled *list, uint32_t count)
{
    double *best = xcalloc(count, sizeof *best);
    for (uint32_t i = 0; i < count; i++) {
        struct walk walk;
        walk_begin(&walk, &list[i]);
        best[i] = min_cost(&walk);
        walk_finish(&walk);
    }
    return best;
}

// Costs are sums of about ten single-precision legs of at most 1.5.
static const double cost_error = 1e-5;

// A beam that holds every state is a dynamic programme: optimal for any weights. A narrow one without merging is not,
// so optimality is no accident.
static MunitResult test_exact(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    enum { COUNT = 6, FEW = 3 };
    for (const struct problem *const *problem = problems; *problem; problem++) {
        uint32_t missed = 0;
        struct scaled *list = search_instances(*problem, 4, (*problem)->splits ? 5 : 6, COUNT);
        double *best = optima(list, COUNT);
        struct model *model = search_model(gpu, *problem, 1, 2, DIALECT_NATIVE);
        // Six nodes in a closed tour have 180 states after four steps; with loads it is more.
        const uint32_t W = (*problem)->many_routes ? 500 : 190;
        for (int alike = 0; alike < 2; alike++) {
            struct beam_shape wide = { .W = W, .K = UINT32_MAX, .merge = true, .alike = alike };
            uint32_t count = alike ? FEW : COUNT;
            struct search_outcome o = search_by_beam(model, list, count, wide);
            for (uint32_t i = 0; i < count; i++) {
                if (!(fabs(o.cost[i] - best[i]) <= cost_error))
                    munit_errorf("%s, instance %u: %g instead of %g", (*problem)->name, i, o.cost[i], best[i]);
            }
            search_outcome_finish(&o);
        }
        struct search_outcome o = search_by_beam(model, list, COUNT, (struct beam_shape){ .W = 2, .K = 2 });
        for (uint32_t i = 0; i < COUNT; i++) {
            munit_assert_double(o.cost[i], >=, best[i] - cost_error);
            missed += o.cost[i] > best[i] + cost_error;
        }
        munit_assert_uint32(missed, >, 0);
        search_outcome_finish(&o);
        model_destroy(&model);
        search_instances_free(&list, COUNT);
        free(best);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

// The walk that beam or trajectory t of an outcome takes, up to its end.
static void expect_same_path(const struct scaled *instance, const struct search_outcome *a, uint32_t t,
    const struct search_outcome *b, uint32_t u)
{
    struct walk walk;
    walk_begin(&walk, instance);
    munit_assert_memory_equal(sizeof(float), &a->cost[t], &b->cost[u]);
    for (uint32_t j = 0; !walk.done; j++) {
        uint32_t x = a->actions[(size_t)j * a->T + t], y = b->actions[(size_t)j * b->T + u];
        munit_assert_uint32(x, ==, y);
        munit_assert_true(walk.allowed[x]);
        walk_visit(&walk, x);
    }
    munit_assert_double(fabs(walk_cost(&walk) - a->cost[t]), <=, cost_error);
    walk_finish(&walk);
}

// With one hypothesis it is greedy decoding, bit for bit.
static MunitResult test_greedy(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    enum { COUNT = 7, M = 2 };
    for (const struct problem *const *problem = problems; *problem; problem++) {
        struct scaled *list = search_instances(*problem, 8, 13, COUNT);
        for (enum dialect dialect = DIALECT_NATIVE; dialect <= DIALECT_REFERENCE; dialect++) {
            struct model *model = search_model(gpu, *problem, M, 3, dialect);
            struct search_outcome greedy = search_greedily(model, list, COUNT);
            struct search_outcome one =
                search_by_beam(model, list, COUNT, (struct beam_shape){ .W = 1, .K = 3, .merge = true });
            for (uint32_t t = 0; t < M * COUNT; t++)
                expect_same_path(&list[t % COUNT], &one, t, &greedy, t);
            search_outcome_finish(&greedy), search_outcome_finish(&one);
            model_destroy(&model);
        }
        search_instances_free(&list, COUNT);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

// Alone or among others of other sizes, and the second time: the same path and cost.
static MunitResult test_alone(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    enum { COUNT = 5, M = 2 };
    for (const struct problem *const *problem = problems; *problem; problem++) {
        struct scaled *list = search_instances(*problem, 31, 35, COUNT);
        struct model *model = search_model(gpu, *problem, M, 4, DIALECT_NATIVE);
        for (int merge = 0; merge < 2; merge++) {
            struct beam_shape shape = { .W = 9, .K = 3, .merge = merge };
            struct search_outcome all = search_by_beam(model, list, COUNT, shape);
            for (uint32_t i = 0; i < COUNT; i += 2) {
                struct search_outcome alone = search_by_beam(model, &list[i], 1, shape);
                for (uint32_t m = 0; m < M; m++)
                    expect_same_path(&list[i], &alone, m, &all, m * COUNT + i);
                search_outcome_finish(&alone);
            }
            search_outcome_finish(&all);
        }
        model_destroy(&model);
        search_instances_free(&list, COUNT);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

// A loaded beam can be used again, for other instances and fewer of them.
static MunitResult test_again(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    const struct problem *problem = problem_by_name("cvrp");
    struct scaled *list = search_instances(problem, 10, 10, 4);
    struct model *model = search_model(gpu, problem, 1, 2, DIALECT_NATIVE);
    struct beam_shape shape = { .B = 2, .N = 11, .W = 5, .K = 3, .J = rollout_longest(list, 4), .merge = true };
    const struct view view = model_view(model);
    struct beam *beam = NULL;
    float first[2], other[2], again[2];
    uint32_t *history = xcalloc(2 * (size_t)shape.J, sizeof *history);
    test_ok(beam_create(&beam, &view, &shape));
    test_ok(beam_load(beam, list, 2) && beam_run(beam) && beam_results(beam, first, history));
    test_ok(beam_load(beam, list + 2, 1) && beam_run(beam) && beam_results(beam, other, history));
    test_ok(beam_load(beam, list, 2) && beam_run(beam) && beam_results(beam, again, history));
    munit_assert_memory_equal(sizeof first, first, again);
    munit_assert_float(other[0], ==, other[1]);
    munit_assert_float(other[0], !=, first[0]);
    beam_destroy(&beam);
    free(history);
    model_destroy(&model);
    search_instances_free(&list, 4);
    gpu_close(&gpu);
    return MUNIT_OK;
}

// Customers on a grid around the depot: most routes have a twin, their reverse or their mirror image.
static void put_on_grid(struct scaled *instance, uint32_t seed)
{
    for (uint32_t v = 0; v < instance->N; v++) {
        uint32_t cell = (v + seed) % 9;
        instance->coords[2 * v] = v ? (float)(cell % 3) * 0.37f + 0.1f : 0.47f;
        instance->coords[2 * v + 1] = v ? (float)(cell / 3) * 0.37f + 0.1f : 0.47f;
    }
}

// The lower of two equal trajectories continues, as in the reference. With glimpses twins see different embeddings, so
// what each decoder finds tells which of them went on.
static MunitResult test_ties(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    enum { COUNT = 6, M = 2 };
    for (const struct problem *const *problem = problems; *problem; problem++) {
        uint32_t ties = 0, compared = 0;
        struct scaled *list = search_instances(*problem, 8, 8, COUNT);
        struct model *model = search_model(gpu, *problem, M, 3, DIALECT_NATIVE);
        for (uint32_t i = 0; i < COUNT; i++)
            put_on_grid(&list[i], i);
        struct search_outcome o =
            search_by_beam(model, list, COUNT, (struct beam_shape){ .W = 12, .K = 4, .merge = true });
        struct weights weights;
        struct reference reference;
        weights_draw(&weights, &model->config, SEARCH_SEED);
        reference_load(&reference, &weights);
        for (uint32_t i = 0; i < COUNT; i++) {
            double cost[M];
            struct reference_doubt doubt[M];
            reference_beam(&reference, &list[i], 12, 4, true, cost, doubt);
            for (uint32_t m = 0; m < M; m++) {
                double found = o.cost[m * COUNT + i];
                ties += doubt[m].ties;
                compared += !doubt[m].close;
                if (!doubt[m].close && !(fabs(found - cost[m]) <= cost_error))
                    munit_errorf("%s, instance %u, decoder %u: %g instead of %g after %u ties", (*problem)->name, i, m,
                        found, cost[m], doubt[m].ties);
            }
        }
        munit_assert_uint32(ties, >, 10);
        munit_assert_uint32(compared, >, COUNT);
        reference_finish(&reference);
        weights_finish(&weights);
        search_outcome_finish(&o);
        model_destroy(&model);
        search_instances_free(&list, COUNT);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

// A step in one kernel, with as many candidates as this many subgroups have lanes, and in one for each part of it: the
// same beams, to the bit.
static void expect_same_steps(
    struct gpu *gpu, const struct problem *problem, uint32_t subgroups, bool merge, bool alike)
{
    enum { COUNT = 2, M = 1, K = 3 };
    const uint32_t lanes = gpu_info(gpu)->lanes, W = subgroups * lanes < K ? 1 : subgroups * lanes / K;
    struct scaled *list = search_instances(problem, 8, 9, COUNT);
    struct model *model = search_model(gpu, problem, M, 3, DIALECT_NATIVE);
    struct beam_shape shape = { .W = W, .K = K, .merge = merge, .alike = alike };
    struct search_outcome at_once = search_by_beam(model, list, COUNT, shape);
    shape.separate = true;
    struct search_outcome separate = search_by_beam(model, list, COUNT, shape);
    munit_assert_uint32(at_once.T * at_once.J, ==, separate.T * separate.J);
    for (uint32_t t = 0; t < at_once.T; t++)
        expect_same_path(&list[t % COUNT], &at_once, t, &separate, t);
    search_outcome_finish(&at_once);
    search_outcome_finish(&separate);
    model_destroy(&model);
    search_instances_free(&list, COUNT);
}

static MunitResult test_step(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct gpu *gpu = NULL;
    test_ok(gpu_open(&gpu, &(struct gpu_options){ .target = GPU_TARGET_GPU }));
    for (uint32_t i = 0; problems[i]; i++)
        expect_same_steps(gpu, problems[i], 1u << i % 5, true, i % 2);
    expect_same_steps(gpu, problems[0], 1, false, false);
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/exact", test_exact, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/greedy", test_greedy, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { "/step", test_step, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/ties", test_ties, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/alone", test_alone, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/again", test_again, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/search/beam", tests)
