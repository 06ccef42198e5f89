#include "problem/foresight.h"

#include <math.h>

#include <stb/stb_ds.h>

#include "problem/metric.h"

struct instance foresight_of(const struct instance *instance, double margin)
{
    struct instance known = *instance;
    for (const struct constraint *c = instance->problem->constraints; c->limit; c++) {
        const struct column *column = problem_column(instance->problem, c->limit);
        if (column->unit != UNIT_LOAD) // loads are whole numbers
            *(double *)((char *)&known + column->at) *= c->at_least ? 1 + margin : 1 - margin;
    }
    if (instance->problem->reveals)
        known.real_prize = instance->prize;
    return known;
}

static bool has_minimum(const struct problem *problem)
{
    bool minimum = false;
    for (const struct constraint *c = problem->constraints; c->limit; c++)
        minimum = minimum || (c->quantity == QUANTITY_PRIZE && c->at_least);
    return minimum;
}

static double distance(struct point a, struct point b)
{
    return metric_distance(METRIC_EUCLID, a, b);
}

static bool is_visited(const uint32_t *stops, uint32_t stop)
{
    for (ptrdiff_t k = 0; k < arrlen(stops); k++) {
        if (stops[k] == stop)
            return true;
    }
    return false;
}

// 0: all are visited.
static uint32_t next_customer(const struct instance *instance, const uint32_t *stops)
{
    uint32_t best = 0;
    double shortest = INFINITY;
    struct point from = arrlen(stops) ? instance->nodes[arrlast(stops) - 1] : instance->depot;
    for (uint32_t i = 0; i < instance->n; i++) {
        double more =
            distance(from, instance->nodes[i]) + distance(instance->nodes[i], instance->depot) - instance->penalty[i];
        if (more < shortest && !is_visited(stops, i + 1)) {
            shortest = more;
            best = i + 1;
        }
    }
    return best;
}

void foresight_collect(uint32_t **stops, const struct instance *instance)
{
    if (!has_minimum(instance->problem))
        return;
    const double *brought = instance->problem->reveals ? instance->real_prize : instance->prize;
    double sum = 0;
    for (ptrdiff_t k = 0; k < arrlen(*stops); k++)
        sum += brought[(*stops)[k] - 1];
    for (uint32_t next; sum < instance->min_prize && (next = next_customer(instance, *stops));) {
        arrput(*stops, next);
        sum += brought[next - 1];
    }
}
