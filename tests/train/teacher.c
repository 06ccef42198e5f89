#include "train/teacher.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "problem/generate.h"
#include "problem/metric.h"
#include "problem/routes.h"
#include "problem/sequence.h"
#include "suite.h"
#include "util/alloc.h"
#include "util/rng.h"

enum { N = 12, J = 3 * N, B = 5, M = 2, S = 2 };

// Customers in the order of their numbers, rotated, as far as the problem allows; its actions.
static uint32_t simple_actions(const struct instance *instance, uint32_t shift, uint32_t *actions)
{
    const struct problem *problem = instance->problem;
    uint32_t count = 0, n = instance->n;
    int64_t load = 0;
    if (problem->constraints[0].quantity == QUANTITY_LENGTH) { // one customer that can be reached
        struct verdict verdict = { 0 };
        for (uint32_t i = 0; i < n && !verdict.feasible; i++) {
            struct solution one = { 0 };
            struct route route = { 0 };
            actions[0] = (i + shift) % n + 1;
            arrput(route.stops, actions[0]);
            arrput(one.routes, route);
            problem->judge(instance, &one, &verdict);
            solution_finish(&one);
        }
        actions[1] = 0;
        return 2;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = (i + shift) % n;
        if (instance->demand && load + instance->demand[v] > instance->capacity) {
            actions[count++] = 0;
            load = 0;
        }
        load += instance->demand ? instance->demand[v] : 0;
        actions[count++] = v + problem->has_depot;
    }
    if (problem->has_depot)
        actions[count++] = 0;
    return count;
}

static double objective_of(const struct instance *instance, const struct solution *solution)
{
    struct verdict verdict;
    instance->problem->judge(instance, solution, &verdict);
    if (!verdict.feasible)
        munit_errorf("%s: %s", instance->problem->name, verdict.violation);
    return instance->problem->maximise ? -verdict.objective : verdict.objective;
}

// The teacher makes a better solution of the same instance.
static MunitResult test_better(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (const struct problem *const *problem = problems; *problem; problem++) {
        uint32_t better = 0;
        for (uint32_t index = 0; index < 20; index++) {
            struct instance instance;
            uint32_t before[J] = { 0 }, after[J] = { 0 };
            (*problem)->generate(&instance, &(struct distribution){ .n_min = N, .n_max = N }, 5, index);
            simple_actions(&instance, index, before);
            struct solution sample = routes_of(&instance, before, 1, J);
            munit_assert_uint32(teacher_sequence(after, J, &instance, &sample), >, 0);
            struct solution taught = routes_of(&instance, after, 1, J);
            double old = objective_of(&instance, &sample), new = objective_of(&instance, &taught);
            if (!(*problem)->reveals)
                munit_assert_double(new, <=, old + 1e-9);
            better += new < old - 1e-6;
            solution_finish(&sample);
            solution_finish(&taught);
            instance_finish(&instance);
        }
        munit_assert_uint32(better, >=, 15);
    }
    return MUNIT_OK;
}

// Prizes that visits reveal do not change the plan: with large prizes everywhere, just enough, or one large prize, the
// tour is the same. If the visits reveal too little, further customers follow.
static MunitResult test_unknown(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    uint32_t longer = 0;
    for (uint32_t index = 0; index < 20; index++) {
        struct instance instance;
        uint32_t sample_actions[J] = { 0 }, first[J], other[J];
        problem_spctsp.generate(&instance, &(struct distribution){ .n_min = N, .n_max = N }, 6, index);
        simple_actions(&instance, index, sample_actions);
        struct solution sample = routes_of(&instance, sample_actions, 1, J);
        memcpy(instance.real_prize, instance.prize, N * sizeof(double));
        for (uint32_t i = 0; i < N; i++)
            instance.real_prize[i] += 0.001;
        uint32_t count = teacher_sequence(first, J, &instance, &sample);
        for (uint32_t i = 0; i < N; i++)
            instance.real_prize[i] = 100;
        munit_assert_uint32(teacher_sequence(other, J, &instance, &sample), ==, count);
        munit_assert_memory_equal(count * sizeof *first, first, other);
        for (uint32_t i = 0; i < N; i++)
            instance.real_prize[i] = i == index % N ? 100 : 1e-6;
        uint32_t more = teacher_sequence(other, J, &instance, &sample);
        munit_assert_uint32(more, >=, count);
        munit_assert_memory_equal((count - 1) * sizeof *first, first, other); // the plan comes first
        longer += more > count;
        solution_finish(&sample);
        instance_finish(&instance);
    }
    munit_assert_uint32(longer, >, 0);
    return MUNIT_OK;
}

static MunitResult test_threads(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (const struct problem *const *problem = problems; *problem; problem++) {
        struct teacher_batch batch = {
            .problem = *problem, .distribution = { .n_min = N, .n_max = N }, .seed = 7, .B = B, .M = M, .S = S, .J = J
        };
        uint32_t actions[J * M * B * S] = { 0 }, sequences[2][J * M * B], prefix[M * B];
        float cost[M * B * S];
        for (uint32_t t = 0; t < M * B * S; t++) {
            struct instance instance;
            uint32_t one[J] = { 0 };
            (*problem)->generate(&instance, &batch.distribution, batch.seed, t / S % B);
            simple_actions(&instance, t, one);
            for (uint32_t j = 0; j < J; j++)
                actions[j * M * B * S + t] = one[j];
            cost[t] = (float)(t * 7 % 5);
            instance_finish(&instance);
        }
        batch.actions = actions;
        batch.cost = cost;
        for (uint32_t k = 0; k < 2; k++) {
            batch.threads = 1 + k;
            teacher_improve(&batch, sequences[k], prefix);
        }
        munit_assert_memory_equal(sizeof sequences[0], sequences[0], sequences[1]);
        // It is the best sample of a decoder that is improved.
        struct instance instance;
        uint32_t expected[J] = { 0 }, best = cost[0] <= cost[1] ? 0 : 1;
        (*problem)->generate(&instance, &batch.distribution, batch.seed, 0);
        struct solution sample = routes_of(&instance, actions + best, M * B * S, J);
        uint32_t count = teacher_sequence(expected, J, &instance, &sample);
        for (uint32_t j = 0; j < J; j++)
            munit_assert_uint32(sequences[0][j * M * B], ==, j < count ? expected[j] : 0);
        solution_finish(&sample);
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

// A completion begins with the given decisions, is feasible, and is often better.
static MunitResult test_completion(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    for (const struct problem *const *problem = problems; *problem; problem++) {
        uint32_t found = 0, better = 0, tried = 0;
        for (uint32_t index = 0; index < 12; index++) {
            struct instance instance;
            uint32_t own[J] = { 0 }, actions[J] = { 0 };
            (*problem)->generate(&instance, &(struct distribution){ .n_min = N, .n_max = N }, 8, index);
            uint32_t decisions = simple_actions(&instance, index, own);
            struct solution sample = routes_of(&instance, own, 1, J);
            for (uint32_t prefix = 0; prefix < decisions / 2 + 1; prefix += 2, tried++) {
                memset(actions, 0, sizeof actions);
                uint32_t count = teacher_completion(actions, J, &instance, &sample, own, prefix);
                if (!count)
                    continue;
                munit_assert_memory_equal(prefix * sizeof *own, own, actions);
                struct solution taught = routes_of(&instance, actions, 1, J);
                double old = objective_of(&instance, &sample), new = objective_of(&instance, &taught);
                if (!(*problem)->reveals)
                    munit_assert_double(new, <=, old + 1e-9);
                found++;
                better += new < old - 1e-6;
                solution_finish(&taught);
            }
            solution_finish(&sample);
            instance_finish(&instance);
        }

        munit_assert_uint32(2 * found, >=, tried);
        munit_assert_uint32(2 * better, >=, tried);
    }
    return MUNIT_OK;
}

static struct solution routes_from(const struct instance *instance, const uint32_t *actions, uint32_t count)
{
    uint32_t padded[J] = { 0 };
    memcpy(padded, actions, count * sizeof *actions);
    return routes_of(instance, padded, 1, J);
}

static void expect_sequence(const struct problem *problem, uint32_t n, const uint32_t *from, const uint32_t *like,
    const uint32_t *expected, uint32_t count)
{
    struct instance instance;
    uint32_t found[J];
    problem->generate(&instance, &(struct distribution){ .n_min = n, .n_max = n }, 1, 1);
    struct solution solution = routes_from(&instance, from, count), other = routes_from(&instance, like, count);
    munit_assert_uint32(sequence_of(found, J, &instance, &solution, &other, 0), ==, count);
    munit_assert_memory_equal(count * sizeof *found, found, expected);
    solution_finish(&solution);
    solution_finish(&other);
    instance_finish(&instance);
}

// Start, direction and order of routes.
static MunitResult test_sequence(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_sequence(&problem_tsp, 5, (uint32_t[]){ 0, 1, 2, 3, 4 }, (uint32_t[]){ 3, 2, 1, 4, 0 },
        (uint32_t[]){ 3, 2, 1, 0, 4 }, 5);
    expect_sequence(&problem_tsp, 5, (uint32_t[]){ 0, 1, 2, 3, 4 }, (uint32_t[]){ 3, 4, 0, 2, 1 },
        (uint32_t[]){ 3, 4, 0, 1, 2 }, 5);
    expect_sequence(&problem_cvrp, 5, (uint32_t[]){ 1, 2, 3, 0, 4, 5, 0 }, (uint32_t[]){ 5, 4, 0, 1, 2, 3, 0 },
        (uint32_t[]){ 5, 4, 0, 1, 2, 3, 0 }, 7);
    expect_sequence(&problem_cvrp, 5, (uint32_t[]){ 1, 2, 0, 3, 4, 5, 0 }, (uint32_t[]){ 4, 3, 0, 2, 1, 5, 0 },
        (uint32_t[]){ 5, 4, 3, 0, 2, 1, 0 }, 7);
    expect_sequence(
        &problem_pctsp, 5, (uint32_t[]){ 1, 2, 3, 0 }, (uint32_t[]){ 3, 2, 5, 0 }, (uint32_t[]){ 3, 2, 1, 0 }, 4);
    return MUNIT_OK;
}

// A split delivery that a trajectory makes, and one that it cannot: it gives the first customer all it needs.
static MunitResult test_splits(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance instance;
    uint32_t found[J];
    problem_sdvrp.generate(&instance, &(struct distribution){ .n_min = 3, .n_max = 3 }, 1, 1);
    instance.capacity = 10;
    for (uint32_t i = 0; i < 3; i++)
        instance.demand[i] = 6;
    const uint32_t possible[] = { 1, 2, 0, 2, 3, 0 }, impossible[] = { 2, 1, 0, 2, 3, 0 };
    struct solution solution = routes_from(&instance, possible, 6);
    munit_assert_uint32(sequence_of(found, J, &instance, &solution, &solution, 0), ==, 6);
    munit_assert_memory_equal(sizeof possible, found, possible);
    struct solution other = { 0 };
    for (uint32_t r = 0; r < 2; r++) {
        struct route route = { 0 };
        for (uint32_t k = 0; k < 2; k++)
            arrput(route.stops, impossible[3 * r + k]);
        arrput(other.routes, route);
    }
    munit_assert_uint32(sequence_of(found, J, &instance, &other, &other, 0), ==, 0);
    solution_finish(&solution);
    solution_finish(&other);
    instance_finish(&instance);
    return MUNIT_OK;
}

// A trajectory's routes stay in order: after the first, the last one's customers have the earliest positions, and
// driven second it would give customer 2 what customer 4 needs.
static MunitResult test_split_again(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance instance;
    uint32_t found[J];
    problem_sdvrp.generate(&instance, &(struct distribution){ .n_min = 6, .n_max = 6 }, 1, 1);
    const int64_t demand[] = { 6, 9, 5, 7, 4, 5 };
    const uint32_t trajectory[] = { 1, 4, 0, 6, 2, 0, 3, 5, 2, 0, 2, 4, 0 };
    const uint32_t count = sizeof trajectory / sizeof *trajectory;
    instance.capacity = 10;
    for (uint32_t i = 0; i < 6; i++)
        instance.demand[i] = demand[i];
    struct solution solution = routes_from(&instance, trajectory, count);
    for (uint32_t prefix = 0; prefix <= count; prefix++) {
        munit_assert_uint32(sequence_of(found, J, &instance, &solution, &solution, prefix), ==, count);
        munit_assert_memory_equal(sizeof trajectory, found, trajectory);
    }
    solution_finish(&solution);
    instance_finish(&instance);
    return MUNIT_OK;
}

// Lengths of each direction.
static void make_directed(struct instance *instance, uint32_t index)
{
    const uint32_t count = instance_nodes(instance);
    instance->distances = xcalloc((size_t)count * count, sizeof *instance->distances);
    for (uint32_t i = 0; i < count * count; i++) {
        uint32_t number[4];
        rng_draw(&(struct rng){ 9, RNG_TEACHER, index, 0 }, i, number);
        instance->distances[i] = 1 + number[0] % 100;
    }
}

static uint32_t first_action(const struct instance *instance, uint32_t *plan, uint32_t *like)
{
    uint32_t actions[J] = { 0 };
    struct solution solution = routes_of(instance, plan, 1, J), other = routes_of(instance, like, 1, J);
    munit_assert_uint32(sequence_of(actions, J, instance, &solution, &other, 0), >, 0);
    solution_finish(&solution);
    solution_finish(&other);
    return actions[0];
}

// A plan like another one is driven in its direction and from its start, unless lengths or ends forbid it.
static MunitResult test_ends(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct instance routes, tour;
    uint32_t up[J] = { 1, 2, 3, 4 }, down[J] = { 4, 3, 2, 1 }, around[J] = { 0, 1, 2, 3 }, later[J] = { 2, 3, 0, 1 };
    problem_cvrp.generate(&routes, &(struct distribution){ .n_min = 4, .n_max = 4 }, 5, 0);
    problem_tsp.generate(&tour, &(struct distribution){ .n_min = 4, .n_max = 4 }, 5, 0);
    munit_assert_uint32(first_action(&routes, down, up), ==, 1);
    routes.open = true;
    munit_assert_uint32(first_action(&routes, down, up), ==, 4);
    routes.open = false;
    make_directed(&routes, 0);
    munit_assert_uint32(first_action(&routes, down, up), ==, 4);
    munit_assert_uint32(first_action(&tour, around, later), ==, 2);
    tour.end = 4;
    munit_assert_uint32(first_action(&tour, around, later), ==, 0);
    instance_finish(&routes);
    instance_finish(&tour);
    return MUNIT_OK;
}

// Improvement with directed lengths, open routes and ends lowers the cost in their measure, and a path has its ends.
static MunitResult test_directed(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    uint32_t better = 0;
    for (uint32_t index = 0; index < 40; index++) {
        struct instance instance;
        const bool path = index % 2;
        uint32_t before[J] = { 0 }, after[J] = { 0 };
        (path ? &problem_tsp : &problem_cvrp)
            ->generate(&instance, &(struct distribution){ .n_min = N, .n_max = N }, 5, index);
        make_directed(&instance, index);
        instance.open = !path && index % 4;
        simple_actions(&instance, index, before);
        for (uint32_t j = 0; path && j < N; j++)
            before[j] = j + 1 == N ? 1 : j + (j > 0); // 0, 2, 3, .. 1
        instance.start = path ? 1 : 0, instance.end = path ? 2 : 0;
        struct solution sample = routes_of(&instance, before, 1, J);
        munit_assert_uint32(teacher_sequence(after, J, &instance, &sample), >, 0);
        munit_assert_true(!path || (after[0] == 0 && after[N - 1] == 1));
        struct solution taught = routes_of(&instance, after, 1, J);
        double old = objective_of(&instance, &sample), new = objective_of(&instance, &taught);
        munit_assert_double(new, <=, old + 1e-9);
        better += new < old - 1e-6;
        solution_finish(&sample);
        solution_finish(&taught);
        instance_finish(&instance);
    }
    munit_assert_uint32(better, >=, 30);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/directed", test_directed),
    TEST("/ends", test_ends),
    TEST("/better", test_better),
    TEST("/unknown", test_unknown),
    TEST("/completion", test_completion),
    TEST("/threads", test_threads),
    TEST("/sequence", test_sequence),
    TEST("/splits", test_splits),
    TEST("/split_again", test_split_again),
    TEST_END,
};
SUITE("/train/teacher", tests)
