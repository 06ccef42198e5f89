#include "problem/generate.h"

#include <math.h>
#include <stdlib.h>

#include "util/alloc.h"
#include "util/error.h"
#include "util/rng.h"

struct knot {
    double n, value;
};

// Interpolates linearly between the two knots around x.
static double between(const struct knot *knots, double x, double (*axis)(double))
{
    while (knots[1].n < x)
        knots++;
    double share = (axis(x) - axis(knots[0].n)) / (axis(knots[1].n) - axis(knots[0].n));
    return knots[0].value + share * (knots[1].value - knots[0].value);
}

static double itself(double x)
{
    return x;
}

int64_t generate_capacity(uint32_t n)
{
    static const struct knot published[] = { { 10, 20 }, { 20, 30 }, { 50, 40 }, { 100, 50 } };
    return (int64_t)floor(between(published, fmin(fmax(n, 10), 100), itself) + 0.5);
}

double generate_length(uint32_t n)
{
    static const struct knot published[] = { { 20, 2 }, { 50, 3 }, { 100, 4 } };
    double inside = fmin(fmax(n, 20), 100);
    return between(published, inside, sqrt) * sqrt(n / inside);
}

double generate_penalty(uint32_t n)
{
    return 3 * generate_length(n) / n;
}

double generate_prize(uint32_t n)
{
    return 4.0 / n;
}

void generate_capacities(const struct distribution *distribution, int64_t *from, int64_t *to)
{
    bool published = !distribution->capacity_max;
    *from = published ? generate_capacity(distribution->n_min) : distribution->capacity_min;
    *to = published ? generate_capacity(distribution->n_max) : distribution->capacity_max;
}

void generate_lengths(const struct distribution *distribution, double *from, double *to)
{
    bool published = !(distribution->length_max > 0);
    *from = published ? generate_length(distribution->n_min) : distribution->length_min;
    *to = published ? generate_length(distribution->n_max) : distribution->length_max;
}

uint32_t generate_longest(const struct problem *problem, const struct distribution *distribution)
{
    uint64_t steps = (uint64_t)distribution->n_max + problem->has_depot; // one visit each, and the return
    if (problem->many_routes)
        steps *= 2; // at worst a return follows every visit
    if (problem->splits) {
        int64_t min, max;
        generate_capacities(distribution, &min, &max);
        steps +=
            2 * ((uint64_t)DRAW_DEMAND_MAX * distribution->n_max / (uint64_t)min); // a load may need one visit more
    }
    return (uint32_t)steps;
}

struct distribution generate_join(
    const struct problem *problem, const struct distribution *earlier, const struct distribution *later)
{
    struct distribution joined = *later;
    if (!earlier->n_max)
        return joined;
    joined.n_min = earlier->n_min < later->n_min ? earlier->n_min : later->n_min;
    joined.n_max = earlier->n_max > later->n_max ? earlier->n_max : later->n_max;
    if (problem_column(problem, "capacity") && (earlier->capacity_max || later->capacity_max)) {
        int64_t from[2], to[2];
        generate_capacities(earlier, &from[0], &to[0]);
        generate_capacities(later, &from[1], &to[1]);
        int64_t min_capacity = from[0] < from[1] ? from[0] : from[1];
        joined.capacity_min = min_capacity > problem->min_capacity ? min_capacity : problem->min_capacity;
        joined.capacity_max = to[0] > to[1] ? to[0] : to[1];
    }
    if (problem_column(problem, "max_length") && (earlier->length_max > 0 || later->length_max > 0)) {
        double from[2], to[2];
        generate_lengths(earlier, &from[0], &to[0]);
        generate_lengths(later, &from[1], &to[1]);
        joined.length_min = fmin(from[0], from[1]);
        joined.length_max = fmax(to[0], to[1]);
    }
    joined.layout = earlier->layout == later->layout ? later->layout : NODES_MIXED;
    return joined;
}

bool generate_check(const struct problem *problem, const struct distribution *distribution)
{
    if (distribution->n_min < 1 || distribution->n_max < distribution->n_min || distribution->n_max > GENERATE_N_MAX)
        return fail_field(FAULT_INPUT, "n", "must be within 1..%d, not %u..%u", GENERATE_N_MAX, distribution->n_min,
            distribution->n_max);
    if ((unsigned)distribution->layout > NODES_MIXED)
        return fail_field(FAULT_INPUT, "layout", "there is no layout %u", (unsigned)distribution->layout);
    if (distribution->length_max > 0 && !problem_column(problem, "max_length"))
        return fail_field(FAULT_INPUT, "max_length", "%s has no length limit", problem->name);
    if (distribution->length_max < 0 || distribution->length_min < 0 ||
        distribution->length_min > distribution->length_max || distribution->length_max > GENERATE_LENGTH_MAX)
        return fail_field(FAULT_INPUT, "max_length", "%.9g..%.9g is not within 0..%d", distribution->length_min,
            distribution->length_max, GENERATE_LENGTH_MAX);
    if (distribution->capacity_max == 0)
        return true;
    if (!problem_column(problem, "capacity"))
        return fail_field(FAULT_INPUT, "capacity", "%s has no capacity", problem->name);
    if (distribution->capacity_min < problem->min_capacity)
        return fail_field(FAULT_INPUT, "capacity",
            "%lld is below %u, the smallest capacity that can serve every demand of %s",
            (long long)distribution->capacity_min, problem->min_capacity, problem->name);
    return true;
}

static uint32_t pick(uint32_t number, uint64_t count)
{
    return (uint32_t)(number * count >> 32);
}

static void draw(uint64_t seed, uint32_t purpose, uint32_t index, uint32_t step, uint32_t number[4])
{
    rng_draw(&(struct rng){ seed, purpose, index, 0 }, step, number);
}

static struct point draw_point(uint64_t seed, uint32_t purpose, uint32_t index, uint32_t step)
{
    uint32_t number[4];
    draw(seed, purpose, index, step, number);
    return (struct point){ rng_unit(number[0]), rng_unit(number[1]) };
}

float generate_radius(uint32_t i)
{
    const double decay = 0.04; // 40 in set X's square of 1000
    double share = (i + 0.5) / DRAW_RADII, low = 0, high = 64;
    while (high - low > 1e-12) { // 1 - (1 + x) exp(-x) is the share of distances below x decay
        double middle = 0.5 * (low + high);
        if (1 - (1 + middle) * exp(-middle) < share)
            low = middle;
        else
            high = middle;
    }
    return (float)(low * decay);
}

struct point generate_direction(uint32_t i)
{
    double angle = 2 * 3.14159265358979323846 * i / DRAW_DIRECTIONS;
    return (struct point){ (float)cos(angle), (float)sin(angle) };
}

// The customers of an instance that lie in clusters, the first ones, and how many of them are seeds.
struct clusters {
    uint32_t count, seeds;
};

static struct clusters draw_clusters(enum node_layout layout, uint32_t n, uint64_t seed, uint32_t index)
{
    uint32_t number[4];
    draw(seed, DRAW_SHAPE, index, 1, number);
    const uint32_t counts[] = { 0, n, n / 2 };
    return (struct clusters){
        .count = counts[layout == NODES_MIXED ? pick(number[0], 3) : layout == NODES_CLUSTER],
        .seeds = DRAW_SEEDS_MIN + pick(number[1], DRAW_SEEDS_MAX - DRAW_SEEDS_MIN + 1),
    };
}

// A position near one of the seeds; should there be none inside the square, where a uniform layout has the customer.
static struct point draw_near(uint32_t seeds, uint64_t seed, uint32_t index, uint32_t i)
{
    for (uint32_t try = 0; try < DRAW_TRIES; try++) {
        uint32_t number[4];
        rng_draw(&(struct rng){ seed, DRAW_CLUSTER, index, try }, i, number);
        struct point centre = draw_point(seed, DRAW_NODE, index, pick(number[0], seeds));
        struct point direction = generate_direction(pick(number[2], DRAW_DIRECTIONS));
        float radius = generate_radius(pick(number[1], DRAW_RADII));
        float dx = radius * (float)direction.x, dy = radius * (float)direction.y;
        float x = (float)centre.x + dx, y = (float)centre.y + dy;
        if (x >= 0 && x < 1 && y >= 0 && y < 1)
            return (struct point){ x, y };
    }
    return draw_point(seed, DRAW_NODE, index, i);
}

void generate_nodes(struct instance *instance, const struct problem *problem, const struct distribution *distribution,
    uint64_t seed, uint32_t index)
{
    uint32_t number[4];
    draw(seed, DRAW_SHAPE, index, 0, number);
    uint32_t n = distribution->n_min + pick(number[0], (uint64_t)distribution->n_max - distribution->n_min + 1);
    instance_init(instance, problem, n);
    if (problem->has_depot)
        instance->depot = draw_point(seed, DRAW_DEPOT, index, 0);
    const struct clusters clusters = draw_clusters(distribution->layout, n, seed, index);
    for (uint32_t i = 0; i < n; i++)
        instance->nodes[i] = i >= clusters.seeds && i < clusters.count ? draw_near(clusters.seeds, seed, index, i)
                                                                       : draw_point(seed, DRAW_NODE, index, i);
}

void generate_demands(struct instance *instance, const struct distribution *distribution, uint64_t seed, uint32_t index)
{
    uint32_t number[4];
    draw(seed, DRAW_SHAPE, index, 0, number);
    int64_t from = distribution->capacity_min, to = distribution->capacity_max;
    instance->capacity = to ? from + pick(number[1], (uint64_t)(to - from) + 1) : generate_capacity(instance->n);
    for (uint32_t i = 0; i < instance->n; i++) {
        draw(seed, DRAW_NODE, index, i, number);
        instance->demand[i] = 1 + (int64_t)pick(number[2], DRAW_DEMAND_MAX);
    }
}

// Computes prizes that grow with the distance from the depot.
static void prizes_by_distance(struct instance *instance)
{
    float *distance = xcalloc(instance->n, sizeof *distance), largest = 0;
    for (uint32_t i = 0; i < instance->n; i++) {
        float dx = (float)instance->nodes[i].x - (float)instance->depot.x;
        float dy = (float)instance->nodes[i].y - (float)instance->depot.y;
        distance[i] = sqrtf(dx * dx + dy * dy);
        largest = fmaxf(largest, distance[i]);
    }
    for (uint32_t i = 0; i < instance->n; i++) {
        float share = largest > 0 ? distance[i] / largest : 0;
        instance->prize[i] = (1 + floorf(99 * share)) * 0.01f;
    }
    free(distance);
}

void generate_prizes(struct instance *instance, enum prize_kind kind, uint64_t seed, uint32_t index)
{
    if (kind == PRIZE_MIXED) {
        uint32_t number[4];
        draw(seed, DRAW_SHAPE, index, 0, number);
        kind = (enum prize_kind)pick(number[3], PRIZE_MIXED);
    }
    if (kind == PRIZE_DIST) {
        prizes_by_distance(instance);
        return;
    }
    for (uint32_t i = 0; i < instance->n; i++) {
        uint32_t number[4];
        draw(seed, DRAW_NODE, index, i, number);
        instance->prize[i] = kind == PRIZE_CONST ? 1 : (float)(1 + pick(number[2], 100)) * 0.01f;
    }
}

void generate_limit(struct instance *instance, const struct distribution *distribution, uint64_t seed, uint32_t index)
{
    uint32_t number[4];
    draw(seed, DRAW_SHAPE, index, 0, number);
    float from = (float)distribution->length_min, range = (float)distribution->length_max - from;
    float more = rng_unit(number[2]) * range;
    instance->max_length = distribution->length_max > 0 ? from + more : (float)generate_length(instance->n);
}

void generate_penalties(struct instance *instance, uint64_t seed, uint32_t index)
{
    float penalty = (float)generate_penalty(instance->n), prize = (float)generate_prize(instance->n);
    instance->min_prize = 1;
    for (uint32_t i = 0; i < instance->n; i++) {
        uint32_t number[4];
        draw(seed, DRAW_NODE, index, i, number);
        instance->penalty[i] = rng_unit(number[2]) * penalty;
        instance->prize[i] = rng_unit(number[3]) * prize;
    }
}

void generate_real_prizes(struct instance *instance, uint64_t seed, uint32_t index)
{
    for (uint32_t i = 0; i < instance->n; i++) {
        uint32_t number[4];
        draw(seed, DRAW_REAL, index, i, number);
        instance->real_prize[i] = rng_unit(number[0]) * (2 * (float)instance->prize[i]);
    }
}
