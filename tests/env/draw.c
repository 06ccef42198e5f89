// The device's generator against the host's: the same numbers.
#include "env/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shaders/args.h"
#include "suite.h"
#include "tests/env/support.h"
#include "util/alloc.h"
#include "util/error.h"

static float word(const uint32_t *node, uint32_t i)
{
    float value;
    memcpy(&value, &node[i], sizeof value);
    return value;
}

// DIST prizes go through a square root and a division, which devices round as they like: one step of 0.01.
static void same_customer(const struct instance *instance, uint32_t i, const uint32_t *node, bool dist)
{
    munit_assert_double(word(node, 0), ==, instance->nodes[i].x);
    munit_assert_double(word(node, 1), ==, instance->nodes[i].y);
    if (instance->demand) {
        munit_assert_int64(node[NODE_DEMAND], ==, instance->demand[i]);
        double share = (double)instance->demand[i] / (double)instance->capacity;
        munit_assert_double(fabs(word(node, NODE_SHARE) - share), <=, 4e-7 * share); // a division of 2.5 ulp
    }
    if (instance->prize)
        munit_assert_double(fabs(word(node, NODE_PRIZE) - instance->prize[i]), <=, dist ? 0.0101 : 0);
    if (instance->real_prize)
        munit_assert_double(word(node, NODE_REAL), ==, instance->real_prize[i]);
    if (instance->penalty)
        munit_assert_double(word(node, NODE_PENALTY), ==, instance->penalty[i]);
}

static void same_instance(
    const struct instance *instance, const uint32_t *nodes, uint32_t count, uint32_t limit, bool dist)
{
    uint32_t depot = instance->problem->has_depot;
    munit_assert_uint32(count, ==, instance->n + depot);
    if (instance->demand)
        munit_assert_int64(limit, ==, instance->capacity);
    else if (instance->penalty)
        munit_assert_double(word(&limit, 0), ==, instance->min_prize);
    else if (depot)
        munit_assert_double(word(&limit, 0), ==, instance->max_length);
    if (depot) {
        munit_assert_double(word(nodes, 0), ==, instance->depot.x);
        munit_assert_double(word(nodes, 1), ==, instance->depot.y);
        for (uint32_t k = 2; k < NODE_PENALTY + 1; k++)
            munit_assert_uint32(nodes[k], ==, 0);
    }
    for (uint32_t i = 0; i < instance->n; i++)
        same_customer(instance, i, nodes + (i + depot) * NODE_WORDS, dist);
}

static void compare(struct gpu *gpu, const struct problem *problem, const struct distribution *distribution)
{
    enum { B = 150 };
    const uint32_t N = distribution->n_max + problem->has_depot, first = 4000000000u;
    const uint64_t seed = 0x9876543210u;
    struct arena *arena = arena_create(gpu, "draws");
    struct batch batch;
    struct draw draw;
    for (int pass = 0; pass < 2; pass++) {
        batch_layout(&batch, arena, problem, B, N, BATCH_PLAIN);
        draw_layout(&draw, arena, distribution, seed);
        if (!pass)
            test_ok(arena_back(arena));
    }
    struct cmd *c = cmd_create(gpu);
    draw_batch(c, &batch, &draw);
    test_ok(draw_upload(gpu, &draw) && draw_start(gpu, &draw, first) && cmd_run(c));
    uint32_t *nodes = xcalloc(B * N, 4 * NODE_WORDS), limits[LIMITS_ROWS * B];
    test_ok(tensor_download(gpu, nodes, batch.nodes) && tensor_download(gpu, limits, batch.limits));
    for (uint32_t b = 0; b < B; b++) {
        struct instance instance;
        problem->generate(&instance, distribution, seed, first + b);
        bool dist = (distribution->prize == PRIZE_DIST || distribution->prize == PRIZE_MIXED) && problem->prize_kinds;
        same_instance(&instance, nodes + (size_t)b * N * NODE_WORDS, limits[b], limits[B + b], dist);
        instance_finish(&instance);
    }
    free(nodes);
    cmd_destroy(&c);
    arena_destroy(&arena);
}

static MunitResult test_twin(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    const struct problem *problem = problem_by_name(munit_parameters_get(params, "problem"));
    struct distribution distributions[] = {
        { .n_min = 20, .n_max = 20, .prize = PRIZE_DIST },
        { .n_min = 1, .n_max = 70, .prize = PRIZE_UNIF },
        { .n_min = 5, .n_max = 9, .prize = PRIZE_CONST },
        { .n_min = 12, .n_max = 40, .prize = PRIZE_MIXED, .layout = NODES_MIXED },
        { .n_min = 2, .n_max = 90, .prize = PRIZE_UNIF, .layout = NODES_CLUSTER },
    };
    if (problem_column(problem, "max_length")) {
        distributions[3].length_min = 0.7;
        distributions[3].length_max = 3.3;
        distributions[4].length_min = distributions[4].length_max = 1.7;
    }
    for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++) {
        compare(gpu, problem, &distributions[i]);
        if (!problem->many_routes)
            continue;
        distributions[i].capacity_min = 15;
        distributions[i].capacity_max = 60;
        compare(gpu, problem, &distributions[i]);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/twin", test_twin, NULL, NULL, MUNIT_TEST_OPTION_NONE, env_parameters },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/env/draw", tests)
