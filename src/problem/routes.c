#include "problem/routes.h"

#include <stdlib.h>

#include <stb/stb_ds.h>

#include "util/alloc.h"

// With several routes the trajectory ends when all demands are met; with one tour, at its first return.
static bool complete(const struct instance *instance, const int64_t *open, uint32_t returns)
{
    if (!instance->problem->many_routes)
        return returns > 0;
    for (uint32_t i = 0; i < instance->n; i++) {
        if (open[i] > 0)
            return false;
    }
    return true;
}

static struct solution tour_of(const struct instance *instance, const uint32_t *actions, size_t stride)
{
    struct solution solution = { 0 };
    struct route route = { 0 };
    for (uint32_t i = 0; i < instance->n; i++)
        arrput(route.stops, actions[i * stride] + 1);
    arrput(solution.routes, route);
    return solution;
}

struct solution routes_of(const struct instance *instance, const uint32_t *actions, size_t stride, uint32_t J)
{
    if (!instance->problem->has_depot)
        return tour_of(instance, actions, stride);
    struct solution solution = { 0 };
    struct route route = { 0 };
    uint32_t returns = 0;
    int64_t load = 0, *open = xcalloc(instance->n, sizeof *open);
    for (uint32_t i = 0; i < instance->n; i++)
        open[i] = instance->problem->splits ? instance->demand[i] : 1; // a demand of 0 also needs its visit
    for (uint32_t j = 0; j < J && !complete(instance, open, returns); j++) {
        uint32_t v = actions[j * stride];
        if (v == 0) {
            returns++;
            load = 0;
            if (arrlen(route.stops))
                arrput(solution.routes, route);
            route = (struct route){ 0 };
            continue;
        }
        arrput(route.stops, v);
        int64_t given = open[v - 1];
        if (instance->problem->splits) {
            given = given < instance->capacity - load ? given : instance->capacity - load;
            arrput(route.amounts, given);
            load += given;
        }
        open[v - 1] -= given;
    }
    if (arrlen(route.stops))
        arrput(solution.routes, route);
    free(open);
    return solution;
}
