#include "judged.h"

#include <math.h>

#include <munit.h>
#include <stb/stb_ds.h>

static struct solution solution_of(const struct instance *instance, const uint32_t *actions)
{
    struct solution solution = { 0 };
    struct route route = { 0 };
    bool depot = instance->problem->has_depot;
    for (ptrdiff_t i = 0; i < arrlen(actions); i++) {
        if (!depot || actions[i] != 0)
            arrput(route.stops, depot ? actions[i] : actions[i] + 1);
        if (arrlen(route.stops) && (i + 1 == arrlen(actions) || (depot && actions[i] == 0))) {
            arrput(solution.routes, route);
            route = (struct route){ 0 };
        }
    }
    if (instance->problem->splits)
        solution_deliver(instance, &solution);
    return solution;
}

void expect_judged(const struct instance *instance, const struct scaled *scaled, const uint32_t *actions, double cost,
    double tolerance)
{
    struct solution solution = solution_of(instance, actions);
    struct verdict verdict;
    instance->problem->judge(instance, &solution, &verdict);
    if (!verdict.feasible)
        munit_errorf("%s: %s", instance->problem->name, verdict.violation);
    double found = instance->problem->maximise ? -cost * scaled->prize_unit : cost * scaled->length_unit;
    if (!(fabs(found - verdict.objective) <= tolerance * (fabs(verdict.objective) + 0.1)))
        munit_errorf("%s: costs %.9g, the judge says %.9g", instance->problem->name, found, verdict.objective);
    solution_finish(&solution);
}
