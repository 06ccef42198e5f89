#include "problem/reason.h"

#include <math.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "problem/generate.h"
#include "problem/metric.h"
#include "suite.h"
#include "tests/problem/support.h"
#include "util/alloc.h"

enum { SIZE = 30, VISITED = 12, DRAWN = 20 };
enum variant { PLANE, OPEN, DIRECTED, VARIANTS };

static struct instance instance_drawn(const struct problem *problem, uint32_t index, enum variant variant)
{
    struct distribution distribution = { .n_min = SIZE, .n_max = SIZE, .prize = PRIZE_DIST };
    struct instance instance;
    problem->generate(&instance, &distribution, 5, index);
    instance.open = variant == OPEN;
    if (variant == DIRECTED) {
        const uint32_t N = instance_nodes(&instance);
        double *distances = xcalloc((size_t)N * N, sizeof *distances);
        for (uint32_t v = 0; v < N; v++) {
            for (uint32_t w = 0; w < N; w++)
                distances[v * N + w] = instance_distance(&instance, v, w) * (1 + 0.1 * ((v + 2 * w + index) % 5));
        }
        instance.distances = distances;
    }
    return instance;
}

static double length_of(const struct instance *instance, const struct solution *solution)
{
    struct verdict verdict;
    instance->problem->judge(instance, solution, &verdict);
    return verdict.length;
}

// By the judge's length of the route with the customer in every position.
static const char *expected(const struct instance *instance, struct solution *solution, uint32_t i)
{
    const double before = length_of(instance, solution);
    double after = INFINITY;
    for (ptrdiff_t at = 0; at <= arrlen(solution->routes[0].stops); at++) {
        arrins(solution->routes[0].stops, at, i + 1);
        after = fmin(after, length_of(instance, solution));
        arrdel(solution->routes[0].stops, at);
    }
    if (!instance->problem->maximise)
        return after - before >= instance->penalty[i] ? "detour" : "not chosen";
    struct solution alone = solution_of(instance, "{\"routes\":[[]]}");
    arrput(alone.routes[0].stops, i + 1);
    const double shortest = length_of(instance, &alone);
    solution_finish(&alone);
    return shortest > instance->max_length ? "out of reach" : after > instance->max_length ? "limit" : "not chosen";
}

static MunitResult test_find(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct problem *const kinds[] = { &problem_op, &problem_pctsp };
    static const char *const words[] = { "out of reach", "limit", "detour", "not chosen" };
    uint32_t seen[4] = { 0 };
    for (uint32_t k = 0; k < 2 * VARIANTS * DRAWN; k++) {
        struct instance instance = instance_drawn(kinds[k & 1], k, k / 2 % VARIANTS);
        struct solution solution = solution_of(&instance, "{\"routes\":[[1]]}");
        struct reasons reasons;
        for (uint32_t stop = 2; stop <= VISITED; stop++)
            arrput(solution.routes[0].stops, stop);
        if (instance.problem->maximise) // between the way to the farthest customers and that of the whole route
            instance.max_length = k % 4 < 2 ? 0.8 : 0.3 + length_of(&instance, &solution);
        reasons_init(&reasons, &instance, &solution);
        for (uint32_t i = VISITED; i < SIZE; i++) {
            const char *reason = reasons_find(&reasons, i);
            munit_assert_string_equal(reason, expected(&instance, &solution, i));
            for (int w = 0; w < 4; w++)
                seen[w] += !strcmp(reason, words[w]);
        }
        reasons_finish(&reasons);
        solution_finish(&solution);
        instance_finish(&instance);
    }
    for (int w = 0; w < 4; w++)
        munit_assert_uint32(seen[w], >, 0);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/find", test_find),
    TEST_END,
};
SUITE("/problem/reason", tests)
