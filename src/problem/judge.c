#include "problem/judge.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "problem/metric.h"
#include "util/alloc.h"
#include "util/text.h"

void judge_begin(
    struct judge *judge, const struct instance *instance, const struct solution *solution, struct verdict *verdict)
{
    *verdict = (struct verdict){ .feasible = true };
    *judge = (struct judge){ instance, solution, verdict, xcalloc(instance->n, sizeof(uint32_t)), true };
}

static void violation(struct verdict *verdict, const char *format, va_list args)
{
    if (verdict->feasible)
        vsnprintf(verdict->violation, sizeof verdict->violation, format, args);
    verdict->feasible = false;
}

void judge_violation(struct judge *judge, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    violation(judge->verdict, format, args);
    va_end(args);
}

void judge_violation_at(struct judge *judge, size_t route, size_t stop, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    judge_violation(judge, "route %zu, stop %zu: %s", route + 1, stop + 1, text);
}

static const char *noun(const struct judge *judge)
{
    return judge->instance->problem->has_depot ? "customer" : "node";
}

uint32_t judge_visit(struct judge *judge, size_t route, size_t stop)
{
    uint32_t number = judge->solution->routes[route].stops[stop], n = judge->instance->n;
    if (!instance_has_stop(judge->instance, number)) {
        judge_violation_at(judge, route, stop, "there is no %s %u, only 1 to %u", noun(judge), number, n);
        judge->all_exist = false;
        return JUDGE_NONE;
    }
    judge->visits[number - 1]++;
    return number - 1;
}

uint32_t judge_first_visit(struct judge *judge, size_t route, size_t stop)
{
    uint32_t i = judge_visit(judge, route, stop);
    if (i == JUDGE_NONE || judge->visits[i] == 1)
        return i;
    char label[LABEL_SIZE];
    judge_violation_at(
        judge, route, stop, "%s %s was visited before", noun(judge), instance_label(judge->instance, i, label));
    return JUDGE_NONE;
}

void judge_vehicles(struct judge *judge)
{
    size_t routes = 0, max_routes = (size_t)judge->instance->vehicles;
    for (size_t r = 0; r < arrlenu(judge->solution->routes); r++)
        routes += arrlenu(judge->solution->routes[r].stops) > 0;
    if (max_routes && routes > max_routes)
        judge_violation(judge, "%zu routes for %zu vehicle%s", routes, max_routes, max_routes == 1 ? "" : "s");
}

void judge_single_tour(struct judge *judge)
{
    size_t tours = 0;
    for (size_t r = 0; r < arrlenu(judge->solution->routes); r++) {
        size_t count = arrlenu(judge->solution->routes[r].stops);
        if (count > 0 && ++tours == 2)
            judge_violation(judge, "route %zu: there may be only one route", r + 1);
        for (size_t s = 0; s < count; s++)
            judge_first_visit(judge, r, s);
    }
}

// From node V to node W, in the metric of the file's format or in that of the instance.
static double leg(const struct instance *instance, bool rounded, uint32_t v, uint32_t w)
{
    if (!rounded)
        return instance_distance(instance, v, w);
    return metric_distance(instance->metric, instance_position(instance, v), instance_position(instance, w));
}

// Closed tours, unless routes are open; those of problems with a depot begin there.
static double length(const struct judge *judge, bool rounded)
{
    const struct instance *instance = judge->instance;
    const bool depot = instance->problem->has_depot, open = instance_is_open(instance);
    double sum = 0;
    for (ptrdiff_t r = 0; r < arrlen(judge->solution->routes); r++) {
        const uint32_t *stops = judge->solution->routes[r].stops;
        ptrdiff_t count = arrlen(stops);
        if (count == 0 || (count == 1 && !depot))
            continue; // a single node has no leg, although GEO defines the distance of a node to itself as 1
        uint32_t end = depot ? 0 : instance_node(instance, stops[count - 1] - 1), from = end;
        for (ptrdiff_t s = 0; s < count; s++) {
            uint32_t to = instance_node(instance, stops[s] - 1);
            if (s > 0 || depot || !open) // the first leg of a tour without a depot is the one that closes it
                sum += leg(instance, rounded, from, to);
            from = to;
        }
        if (depot && !open)
            sum += leg(instance, rounded, from, end);
    }
    return sum;
}

// Rounding changes a load by at most half a unit per customer.
static void check_rounded_loads(const struct judge *judge)
{
    const struct instance *instance = judge->instance;
    for (size_t r = 0; r < arrlenu(judge->solution->routes) && !judge->verdict->rounded_route; r++) {
        const struct route *route = &judge->solution->routes[r];
        double load = 0;
        for (size_t s = 0; s < arrlenu(route->stops); s++)
            load += (double)(route->amounts ? route->amounts[s] : instance->demand[route->stops[s] - 1]);
        if (fabs(load - (double)instance->capacity) <= instance->n)
            judge->verdict->rounded_route = r + 1;
    }
}

void judge_end(struct judge *judge)
{
    struct verdict *verdict = judge->verdict;
    verdict->length = judge->all_exist ? length(judge, false) : NAN;
    verdict->objective = verdict->length;
    if (judge->instance->demand_given && judge->all_exist)
        check_rounded_loads(judge);
    verdict->has_rounded = judge->instance->metric != METRIC_EUCLID;
    if (verdict->has_rounded)
        verdict->rounded = verdict->rounded_length = judge->all_exist ? length(judge, true) : NAN;
    free(judge->visits);
}

static bool is_about(double claim, double value)
{
    return !(fabs(claim - value) > 1e-4 * fabs(value)); // also false for NaN
}

void verdict_rounded_warning(struct text *text, const struct verdict *verdict)
{
    text_add(text,
        "route %zu: its load equals the capacity up to rounding; demands are rounded to the nearest %g of the "
        "capacity",
        verdict->rounded_route, 1 / DEMAND_LEVELS);
}

void verdict_compare(struct verdict *verdict, const struct solution *solution)
{
    verdict->claim = solution->claim;
    verdict->false_claim = solution->has_claim && !is_about(solution->claim, verdict->objective) &&
                           !(verdict->has_rounded && is_about(solution->claim, verdict->rounded));
}
