#include "problem/reason.h"

#include <math.h>
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "problem/metric.h"
#include "util/alloc.h"

static uint32_t gap_start(const struct reasons *reasons, size_t gap)
{
    return gap ? reasons->node[gap - 1] : 0;
}

static uint32_t gap_end(const struct reasons *reasons, size_t gap)
{
    return gap < reasons->stops ? reasons->node[gap] : 0;
}

static bool has_end(const struct reasons *reasons, size_t gap)
{
    return gap < reasons->stops || !instance_is_open(reasons->instance);
}

void reasons_init(struct reasons *reasons, const struct instance *instance, const struct solution *solution)
{
    const uint32_t *stops = arrlenu(solution->routes) ? solution->routes[0].stops : NULL;
    *reasons = (struct reasons){ .instance = instance, .stops = arrlenu(stops) };
    reasons->node = xcalloc(reasons->stops + 1, sizeof *reasons->node);
    reasons->leg = xcalloc(reasons->stops + 1, sizeof *reasons->leg);
    for (size_t s = 0; s < reasons->stops; s++)
        reasons->node[s] = instance_node(instance, stops[s] - 1);
    for (size_t gap = 0; gap <= reasons->stops; gap++) {
        if (has_end(reasons, gap))
            reasons->leg[gap] = instance_distance(instance, gap_start(reasons, gap), gap_end(reasons, gap));
        reasons->length += reasons->leg[gap];
    }
}

void reasons_finish(struct reasons *reasons)
{
    free(reasons->node);
    free(reasons->leg);
    *reasons = (struct reasons){ 0 };
}

static double alone(const struct instance *instance, uint32_t v)
{
    return instance_distance(instance, 0, v) + (instance_is_open(instance) ? 0 : instance_distance(instance, v, 0));
}

// A bound on the distance from below that is fast to compute.
static double min_distance(const struct instance *instance, uint32_t v, uint32_t w)
{
    struct point a = instance_position(instance, v), b = instance_position(instance, w);
    return fabs(a.x - b.x) > fabs(a.y - b.y) ? fabs(a.x - b.x) : fabs(a.y - b.y);
}

// The least that node V adds to the route, in whatever gap.
static double detour(const struct reasons *reasons, uint32_t v)
{
    const struct instance *instance = reasons->instance;
    const bool plane = !instance->distances && instance->coordinates == COORDINATES_PLANE;
    double shortest = INFINITY;
    for (size_t gap = 0; gap <= reasons->stops; gap++) {
        const uint32_t from = gap_start(reasons, gap), to = gap_end(reasons, gap);
        const double leg = reasons->leg[gap];
        const bool closed = has_end(reasons, gap);
        if (plane && closed && 2 * (min_distance(instance, from, v) - leg) >= shortest)
            continue; // a leg is at least the difference of the other two
        double round = instance_distance(instance, from, v) + (closed ? instance_distance(instance, v, to) : 0);
        shortest = fmin(shortest, round - leg);
    }
    return shortest;
}

const char *reasons_find(const struct reasons *reasons, uint32_t i)
{
    const struct instance *instance = reasons->instance;
    const struct problem *problem = instance->problem;
    const uint32_t v = instance_node(instance, i);
    const double more = detour(reasons, v);
    for (const struct constraint *c = problem->constraints; c->limit; c++) {
        if (c->quantity != QUANTITY_LENGTH || c->at_least)
            continue;
        double limit = instance_value(instance, problem_column(problem, c->limit), 0);
        if (alone(instance, v) > limit)
            return "out of reach";
        if (reasons->length + more > limit)
            return "limit";
    }
    if (problem->objective & QUANTITY_PRIZE && instance->prize[i] == 0)
        return "no prize";
    return problem->objective & QUANTITY_PENALTY && more >= instance->penalty[i] ? "detour" : "not chosen";
}
