#include "problem/generate.h"

#include <math.h>

#include "expect.h"
#include "suite.h"
#include "tests/problem/support.h"
#include "util/rng.h"

static MunitResult test_limits(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        uint32_t n;
        int64_t capacity;
        double length;
    } published[] = { { 20, 30, 2 }, { 50, 40, 3 }, { 100, 50, 4 } };
    for (size_t k = 0; k < 3; k++) {
        munit_assert_int64(generate_capacity(published[k].n), ==, published[k].capacity);
        munit_assert_double(generate_length(published[k].n), ==, published[k].length);
        munit_assert_double(generate_penalty(published[k].n), ==, 3 * published[k].length / published[k].n);
    }
    munit_assert_int64(generate_capacity(1), ==, 20);
    munit_assert_int64(generate_capacity(10), ==, 20);
    munit_assert_int64(generate_capacity(15), ==, 25);
    munit_assert_int64(generate_capacity(35), ==, 35);
    munit_assert_int64(generate_capacity(1000), ==, 50);
    munit_assert_double(generate_length(5), ==, 1);
    munit_assert_double(generate_length(400), ==, 8);
    for (uint32_t n = 2; n < 300; n++) {
        munit_assert_int64(generate_capacity(n), >=, generate_capacity(n - 1));
        munit_assert_double(generate_length(n), >, generate_length(n - 1));
    }
    return MUNIT_OK;
}

// The scheme of generate.h, written out once more.
static MunitResult test_scheme(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct distribution distribution = { 20, 100, 20, 60, PRIZE_UNIF };
    uint32_t shape[4], depot[4], node[4], real[4];
    const uint64_t seed = 0x123456789abcdef;
    rng_draw(&(struct rng){ seed, DRAW_SHAPE, 77, 0 }, 0, shape);
    rng_draw(&(struct rng){ seed, DRAW_DEPOT, 77, 0 }, 0, depot);
    rng_draw(&(struct rng){ seed, DRAW_NODE, 77, 0 }, 3, node);
    rng_draw(&(struct rng){ seed, DRAW_REAL, 77, 0 }, 3, real);
    uint32_t n = 20 + (uint32_t)((uint64_t)shape[0] * 81 >> 32);
    for (const struct problem *const *problem = problems; *problem; problem++) {
        struct instance instance;
        (*problem)->generate(&instance, &distribution, seed, 77);
        munit_assert_uint32(instance.n, ==, n);
        munit_assert_double(instance.nodes[3].x, ==, rng_unit(node[0]));
        munit_assert_double(instance.nodes[3].y, ==, rng_unit(node[1]));
        if ((*problem)->has_depot)
            munit_assert_double(instance.depot.y, ==, rng_unit(depot[1]));
        if (instance.demand) {
            munit_assert_int64(instance.capacity, ==, 20 + (int64_t)((uint64_t)shape[1] * 41 >> 32));
            munit_assert_int64(instance.demand[3], ==, 1 + (int64_t)((uint64_t)node[2] * 9 >> 32));
        }
        if (instance.penalty) {
            munit_assert_double(instance.penalty[3], ==, rng_unit(node[2]) * (float)generate_penalty(n));
            munit_assert_double(instance.prize[3], ==, rng_unit(node[3]) * (float)(4.0 / n));
        } else if (instance.prize) {
            munit_assert_double(instance.prize[3], ==, (float)(1 + ((uint64_t)node[2] * 100 >> 32)) * 0.01f);
        }
        if (instance.real_prize)
            munit_assert_double(instance.real_prize[3], ==, rng_unit(real[0]) * (2 * (float)instance.prize[3]));
        munit_assert_true(instance_check(&instance));
        instance_finish(&instance);
    }
    return MUNIT_OK;
}

// The mean of COUNT draws is within five standard errors of the distribution's.
static void expect_mean(double sum, double count, double mean, double deviation)
{
    munit_assert_double(fabs(sum / count - mean), <, 5 * deviation / sqrt(count));
}

static MunitResult test_means(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct distribution distribution = { 20, 20, 0, 0, PRIZE_UNIF };
    double x = 0, demand = 0, prize = 0, penalty = 0, expected = 0, real = 0;
    const uint32_t sets = 2000;
    const double count = sets * 20, uniform = 0.28868; // standard deviation of U(0, 1)
    for (uint32_t index = 0; index < sets; index++) {
        struct instance vrp, op, pctsp;
        problem_cvrp.generate(&vrp, &distribution, 1, index);
        problem_op.generate(&op, &distribution, 1, index);
        problem_spctsp.generate(&pctsp, &distribution, 1, index);
        for (uint32_t i = 0; i < 20; i++) {
            x += vrp.nodes[i].x;
            demand += (double)vrp.demand[i];
            prize += op.prize[i];
            penalty += pctsp.penalty[i];
            expected += pctsp.prize[i];
            real += pctsp.real_prize[i];
            munit_assert_int64(vrp.demand[i], >=, 1);
            munit_assert_int64(vrp.demand[i], <=, 9);
        }
        instance_finish(&vrp);
        instance_finish(&op);
        instance_finish(&pctsp);
    }
    expect_mean(x, count, 0.5, uniform);
    expect_mean(demand, count, 5, 2.582);
    expect_mean(prize, count, 0.505, uniform);
    expect_mean(penalty, count, 0.15, 0.3 * uniform);
    expect_mean(expected, count, 0.1, 0.2 * uniform);
    expect_mean(real, count, 0.1, 0.2 * sqrt(4 / 9.0 - 0.25)); // U times 2U: E = 1/2, E of the square = 4/9
    return MUNIT_OK;
}

// dist: in hundredths, 1.00 for the farthest, and never larger for a nearer customer.
static MunitResult test_prizes(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct distribution distribution = { 1, 40, 0, 0, PRIZE_DIST };
    for (uint32_t index = 0; index < 200; index++) {
        struct instance op;
        problem_op.generate(&op, &distribution, 5, index);
        double largest = 0, farthest = 0, prize_of_farthest = 0;
        for (uint32_t i = 0; i < op.n; i++) {
            double hundredths = op.prize[i] * 100;
            munit_assert_double(fabs(hundredths - round(hundredths)), <, 1e-5); // 2^-24 of 1.00, a hundred times
            munit_assert_double(op.prize[i], >, 0);
            largest = fmax(largest, op.prize[i]);
            double distance = hypot(op.nodes[i].x - op.depot.x, op.nodes[i].y - op.depot.y);
            if (distance > farthest) {
                farthest = distance;
                prize_of_farthest = op.prize[i];
            }
        }
        munit_assert_double(largest, ==, 1);
        munit_assert_double(prize_of_farthest, ==, 1);
        instance_finish(&op);
    }
    distribution.prize = PRIZE_CONST;
    struct instance op;
    problem_op.generate(&op, &distribution, 5, 0);
    munit_assert_double(op.prize[0], ==, 1);
    instance_finish(&op);
    return MUNIT_OK;
}

// Both ends of a range turn up, and an instance depends on its own number alone.
static MunitResult test_ranges(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct distribution distribution = { 3, 6, 9, 12, PRIZE_DIST };
    bool size[7] = { 0 }, capacity[13] = { 0 };
    for (uint32_t index = 0; index < 300; index++) {
        struct instance instance;
        problem_cvrp.generate(&instance, &distribution, 11, index);
        munit_assert_uint32(instance.n, <=, 6);
        munit_assert_int64(instance.capacity, <=, 12);
        size[instance.n] = capacity[instance.capacity] = true;
        instance_finish(&instance);
    }
    munit_assert_true(size[3] && size[4] && size[5] && size[6]);
    munit_assert_true(capacity[9] && capacity[10] && capacity[11] && capacity[12]);
    return MUNIT_OK;
}

// Counts the customers that are nearer to a seed, one of the first 8, than three decay lengths.
static uint32_t count_near(const struct instance *instance, uint32_t from)
{
    uint32_t near = 0;
    for (uint32_t i = from; i < instance->n; i++) {
        double nearest = 2;
        for (uint32_t s = 0; s < DRAW_SEEDS_MAX; s++)
            nearest = fmin(nearest,
                hypot(instance->nodes[i].x - instance->nodes[s].x, instance->nodes[i].y - instance->nodes[s].y));
        near += nearest < 3 * 0.04;
    }
    return near;
}

// Distances around a seed: the mean of density d exp(-d / decay) is two decay lengths, its share below three of them
// 1 - 4 exp(-3). Only clustered customers have these distances to the seeds.
static MunitResult test_clusters(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    double sum = 0;
    for (uint32_t i = 0; i < DRAW_RADII; i++) {
        sum += generate_radius(i);
        struct point direction = generate_direction(i);
        munit_assert_double(fabs(hypot(direction.x, direction.y) - 1), <, 1e-7);
    }
    munit_assert_double(fabs(sum / DRAW_RADII - 2 * 0.04), <, 1e-4);
    enum { COUNT = 300, N = 100 };
    const double share = 1 - 4 * exp(-3);
    struct distribution distribution = { .n_min = N, .n_max = N, .layout = NODES_CLUSTER };
    uint32_t near = 0, halves = 0, wholes = 0, plain = 0;
    for (uint32_t index = 0; index < COUNT; index++) {
        struct instance instance, mixed;
        problem_tsp.generate(&instance, &distribution, 3, index);
        for (uint32_t i = 0; i < N; i++) {
            munit_assert_true(instance.nodes[i].x >= 0 && instance.nodes[i].x < 1);
            munit_assert_true(instance.nodes[i].y >= 0 && instance.nodes[i].y < 1);
        }
        near += count_near(&instance, DRAW_SEEDS_MAX);
        distribution.layout = NODES_MIXED;
        problem_tsp.generate(&mixed, &distribution, 3, index);
        distribution.layout = NODES_CLUSTER;
        uint32_t same = 0;
        while (same < N && mixed.nodes[same].x == instance.nodes[same].x)
            same++;
        halves += same == N / 2;
        wholes += same == N;
        plain += same < N / 2;
        instance_finish(&instance);
        instance_finish(&mixed);
    }
    // At least the share, because other seeds may be near, too; uniform customers are near one by accident.
    double clustered = (double)near / (COUNT * (N - DRAW_SEEDS_MAX));
    munit_assert_double(clustered, >, share - 0.01);
    munit_assert_uint32(halves + wholes + plain, ==, COUNT);
    munit_assert_true(halves > COUNT / 4 && wholes > COUNT / 4 && plain > COUNT / 4);
    return MUNIT_OK;
}

// Both kinds of ranges of orienteering.
static MunitResult test_lengths(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct distribution distribution = { 5, 9, .prize = PRIZE_MIXED, .length_min = 1.5, .length_max = 2.5 };
    double min = 9, max = 0;
    uint32_t equal = 0;
    for (uint32_t index = 0; index < 300; index++) {
        struct instance op;
        problem_op.generate(&op, &distribution, 4, index);
        min = fmin(min, op.max_length);
        max = fmax(max, op.max_length);
        equal += op.prize[0] == 1 && op.prize[1] == 1 && op.prize[2] == 1;
        instance_finish(&op);
    }
    munit_assert_true(min >= 1.5 && min < 1.52 && max > 2.48 && max <= 2.5);
    munit_assert_true(equal > 60 && equal < 140); // a third is `const`
    double from, to;
    generate_lengths(&distribution, &from, &to);
    munit_assert_true(from == 1.5 && to == 2.5);
    distribution.length_min = distribution.length_max = 0;
    generate_lengths(&distribution, &from, &to);
    munit_assert_true(from == generate_length(5) && to == generate_length(9));
    return MUNIT_OK;
}

static void expect_joined(
    const struct problem *problem, struct distribution earlier, struct distribution later, struct distribution expected)
{
    struct distribution joined = generate_join(problem, &earlier, &later);
    munit_assert_uint32(joined.n_min, ==, expected.n_min);
    munit_assert_uint32(joined.n_max, ==, expected.n_max);
    munit_assert_int64(joined.capacity_min, ==, expected.capacity_min);
    munit_assert_int64(joined.capacity_max, ==, expected.capacity_max);
    munit_assert_int(joined.prize, ==, expected.prize);
    munit_assert_int(joined.layout, ==, expected.layout);
    munit_assert_double(joined.length_min, ==, expected.length_min);
    munit_assert_double(joined.length_max, ==, expected.length_max);
    munit_assert_true(generate_check(problem, &joined));
}

static MunitResult test_join(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct distribution wide = { 10, 50, 0, 0, PRIZE_UNIF }, small = { 20, 20, 0, 0, PRIZE_DIST };
    expect_joined(&problem_op, wide, small, (struct distribution){ 10, 50, 0, 0, PRIZE_DIST });
    expect_joined(&problem_op, (struct distribution){ 0 }, small, small);
    // Published capacities are 20 to 40 for 10 to 50 customers.
    struct distribution loads = { 100, 100, 30, 60, PRIZE_DIST }, light = { 20, 20, 5, 5, PRIZE_DIST };
    expect_joined(&problem_cvrp, wide, loads, (struct distribution){ 10, 100, 20, 60, PRIZE_DIST });
    expect_joined(&problem_sdvrp, light, loads, (struct distribution){ 20, 100, 5, 60, PRIZE_DIST });
    expect_joined(&problem_cvrp, light, loads, (struct distribution){ 20, 100, 9, 60, PRIZE_DIST });
    expect_joined(&problem_tsp, loads, small, (struct distribution){ 20, 100, 0, 0, PRIZE_DIST });
    struct distribution far = { .n_min = 20, .n_max = 20, .length_min = 1, .length_max = 2.5, .layout = NODES_CLUSTER };
    struct distribution both = { .n_min = 20, .n_max = 50, .length_min = 1, .length_max = 3, .layout = NODES_MIXED };
    expect_joined(&problem_op, far, (struct distribution){ .n_min = 20, .n_max = 50 }, both);
    expect_joined(&problem_op, far, far, far);
    return MUNIT_OK;
}

static MunitResult test_refused(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct distribution distribution = { 20, 20, 8, 20, PRIZE_DIST };
    expect_refused(generate_check(&problem_cvrp, &distribution), "capacity: *");
    munit_assert_true(generate_check(&problem_sdvrp, &distribution));
    expect_refused(generate_check(&problem_op, &distribution), "capacity: *");
    distribution = (struct distribution){ .n_min = 5, .n_max = 5, .length_min = 2, .length_max = 3 };
    munit_assert_true(generate_check(&problem_op, &distribution));
    expect_refused(generate_check(&problem_tsp, &distribution), "max_length: *");
    distribution.length_max = 1;
    expect_refused(generate_check(&problem_op, &distribution), "max_length: *");
    distribution = (struct distribution){ .n_min = 5, .n_max = 5, .layout = (enum node_layout)3 };
    expect_refused(generate_check(&problem_tsp, &distribution), "layout: *");
    distribution = (struct distribution){ .n_min = 5, .n_max = 4 };
    expect_refused(generate_check(&problem_tsp, &distribution), "n: *");
    return MUNIT_OK;
}

static MunitTest tests[] = {
    TEST("/limits", test_limits),
    TEST("/scheme", test_scheme),
    TEST("/means", test_means),
    TEST("/prizes", test_prizes),
    TEST("/ranges", test_ranges),
    TEST("/clusters", test_clusters),
    TEST("/lengths", test_lengths),
    TEST("/join", test_join),
    TEST("/refused", test_refused),
    TEST_END,
};
SUITE("/problem/generate", tests)
