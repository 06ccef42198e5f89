#include "problem/reason.h"

#include <math.h>

#include <stb/stb_ds.h>

#include "problem/metric.h"

// The smallest detour by which a route reaches node V, over all of its gaps, and the route's length.
static double detour(const struct instance *instance, const uint32_t *stops, uint32_t v, double *length)
{
    const bool open = instance_is_open(instance);
    double shortest = INFINITY;
    *length = 0;
    for (ptrdiff_t s = 0; s <= arrlen(stops); s++) {
        uint32_t from = s ? instance_node(instance, stops[s - 1] - 1) : 0, to = 0;
        bool last = s == arrlen(stops), free_end = last && open;
        if (!last)
            to = instance_node(instance, stops[s] - 1);
        double leg = free_end ? 0 : instance_distance(instance, from, to);
        double round = instance_distance(instance, from, v) + (free_end ? 0 : instance_distance(instance, v, to));
        shortest = fmin(shortest, round - leg);
        *length += leg;
    }
    return shortest;
}

const char *unvisited_reason(const struct instance *instance, const struct solution *solution, uint32_t i)
{
    const struct problem *problem = instance->problem;
    const uint32_t v = instance_node(instance, i),
                   *stops = arrlenu(solution->routes) ? solution->routes[0].stops : NULL;
    double length, alone, more = detour(instance, stops, v, &length);
    for (const struct constraint *c = problem->constraints; c->limit; c++) {
        if (c->quantity != QUANTITY_LENGTH || c->at_least)
            continue;
        double limit = instance_value(instance, problem_column(problem, c->limit), 0);
        if (detour(instance, NULL, v, &alone) > limit)
            return "out of reach";
        if (length + more > limit)
            return "limit";
    }
    if (problem->objective & QUANTITY_PRIZE && instance->prize[i] == 0)
        return "no prize";
    return problem->objective & QUANTITY_PENALTY && more >= instance->penalty[i] ? "detour" : "not chosen";
}
