#include "tests/train/rule.h"

#include <math.h>
#include <stdlib.h>

#include <munit.h>
#include <stb/stb_ds.h>

#include "util/alloc.h"

struct tour {
    const struct instance *instance;
    struct solution solution;
    struct route route;
    struct point at;
    bool *visited;
    int64_t load; // left in the vehicle
    double length, prize;
};

static double distance(struct point a, struct point b)
{
    return hypot(a.x - b.x, a.y - b.y);
}

static bool can_serve(const struct tour *t, uint32_t i)
{
    const struct instance *p = t->instance;
    if (t->visited[i] || (p->demand && p->demand[i] > t->load))
        return false;
    double there = t->length + distance(t->at, p->nodes[i]);
    return !p->problem->prize_kinds || there + distance(p->nodes[i], p->depot) <= p->max_length;
}

static bool next(const struct tour *t, uint32_t *best)
{
    const struct instance *p = t->instance;
    double shortest = INFINITY;
    if (p->penalty && t->prize >= p->min_prize)
        return false;
    for (uint32_t i = 0; i < p->n; i++) {
        double length = distance(t->at, p->nodes[i]) / (p->problem->maximise ? p->prize[i] : 1);
        if (can_serve(t, i) && length < shortest) {
            shortest = length;
            *best = i;
        }
    }
    return shortest < INFINITY;
}

static void begin(struct tour *t)
{
    t->at = t->instance->problem->has_depot ? t->instance->depot : t->instance->nodes[0];
    t->load = t->instance->capacity;
    t->route = (struct route){ 0 };
}

double rule_cost(const struct instance *instance)
{
    struct tour t = { .instance = instance, .visited = xcalloc(instance->n, sizeof *t.visited) };
    uint32_t i;
    begin(&t);
    while (true) {
        if (next(&t, &i)) {
            t.visited[i] = true;
            t.length += distance(t.at, instance->nodes[i]);
            t.prize += instance->real_prize ? instance->real_prize[i] : instance->prize ? instance->prize[i] : 0;
            t.load -= instance->demand ? instance->demand[i] : 0;
            t.at = instance->nodes[i];
            arrput(t.route.stops, i + 1);
            continue;
        }
        if (!arrlen(t.route.stops))
            break;
        arrput(t.solution.routes, t.route);
        if (!instance->demand)
            break;
        begin(&t);
    }
    if (instance->problem->splits)
        solution_deliver(instance, &t.solution);
    struct verdict verdict;
    instance->problem->judge(instance, &t.solution, &verdict);
    if (!verdict.feasible)
        munit_errorf("%s: %s", instance->problem->name, verdict.violation);
    solution_finish(&t.solution);
    free(t.visited);
    return instance->problem->maximise ? -verdict.objective : verdict.objective;
}
