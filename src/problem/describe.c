#include "problem/describe.h"

#include <ctype.h>
#include <stb/stb_ds.h>
#include <stdlib.h>

#include "problem/metric.h"
#include "util/alloc.h"

static void add_value(struct text *text, const char *what, double value)
{
    text_add(text, "%s ", what);
    text_add_round(text, value);
}

static void add_default(struct text *text, const struct column *column)
{
    if (column->like)
        text_add(text, "=%s", column->like);
    else if (column->unit != UNIT_COUNT && column->unit != UNIT_NODE) // which have none
        text_add(text, "=%.15g", column->fallback);
}

void describe_keys(struct text *text, const struct problem *problem)
{
    bool any = false;
    text_add(text, "%snodes", problem->has_depot ? "depot, " : "");
    FOR_COLUMNS(column, problem)
    {
        if (!column->optional)
            text_add(text, ", %s", column->key);
    }
    FOR_COLUMNS(column, problem)
    {
        if (!column->optional)
            continue;
        text_add(text, "%s%s", any ? ", " : " [", column->key);
        add_default(text, column);
        any = true;
    }
    text_add(text, "%s", any ? "]" : "");
}

void describe_instance(struct text *text, const struct instance *instance)
{
    for (const char *c = instance->problem->name; *c; c++)
        text_add(text, "%c", toupper((unsigned char)*c));
    if (instance->name) {
        text_add(text, " ");
        text_add_line(text, instance->name);
    }
}

void describe_objective(struct text *text, const struct instance *instance, const struct solution *solution,
    const struct verdict *verdict, const char *separator)
{
    const struct problem *problem = instance->problem;
    if (problem->objective & QUANTITY_PENALTY) {
        add_value(text, "cost", verdict->objective);
        add_value(text, " = length", verdict->length);
        add_value(text, " + penalties", verdict->penalty);
    } else {
        add_value(text, problem->objective & QUANTITY_PRIZE ? "prize" : "length", verdict->objective);
        if (verdict->has_rounded && problem->objective == QUANTITY_LENGTH) {
            text_add(text, " (");
            text_add_round(text, verdict->rounded);
            text_add(text, " in %s)", metric_name(instance->metric));
        }
    }
    for (const struct constraint *c = problem->constraints; c->limit; c++) {
        if (c->per_route)
            continue;
        text_add(text, "%s", separator);
        add_value(text, c->quantity == QUANTITY_PRIZE ? "prize" : "length",
            c->quantity == QUANTITY_PRIZE ? verdict->prize : verdict->length);
        add_value(text, " of", instance_value(instance, problem_column(problem, c->limit), 0));
    }
    if (problem->many_routes) {
        ptrdiff_t routes = arrlen(solution->routes);
        text_add(text, "%s%td route%s", separator, routes, routes == 1 ? "" : "s");
    }
}

void describe_route(struct text *text, const struct instance *instance, const struct route *route)
{
    ptrdiff_t count = arrlen(route->stops);
    bool started = instance->problem->has_depot;
    uint32_t first = 0, from = 0;
    double length = 0, load = 0;
    for (ptrdiff_t s = 0; s < count; s++) {
        uint32_t stop = route->stops[s];
        if (!instance_has_stop(instance, stop))
            continue;
        uint32_t to = instance_node(instance, stop - 1);
        length += started ? instance_distance(instance, from, to) : 0;
        first = started ? first : to;
        started = true;
        from = to;
        if (instance->demand)
            load += (double)(route->amounts ? route->amounts[s] : instance->demand[stop - 1]);
    }
    length += started && !instance_is_open(instance) ? instance_distance(instance, from, first) : 0;
    text_add(text, "%td stop%s, ", count, count == 1 ? "" : "s");
    if (instance->demand) {
        add_value(text, "load", load / instance->demand_scale);
        add_value(text, " of", instance_capacity(instance));
        text_add(text, ", ");
    }
    add_value(text, "length", length);
}

void describe_weight(struct text *text, const struct instance *instance, uint32_t i)
{
    bool first = true;
    FOR_COLUMNS(column, instance->problem)
    {
        if (!column->per_node)
            continue;
        text_add(text, "%s", first ? "" : ", ");
        add_value(text, column->label ? column->label : column->key, instance_value(instance, column, i));
        first = false;
    }
}

// Separates labels by commas, because they may contain spaces.
static void add_label(struct text *text, const struct instance *instance, uint32_t stop, bool first)
{
    char label[LABEL_SIZE];
    text_add(text, first ? " " : ", ");
    if (instance_has_stop(instance, stop) && instance->ids && instance->ids[stop - 1].text)
        text_add_line(text, instance->ids[stop - 1].text); // in full length
    else if (instance_has_stop(instance, stop))
        text_add(text, "%s", instance_label(instance, stop - 1, label));
    else
        text_add(text, "%u", stop);
}

static void add_unvisited(struct text *text, const struct instance *instance, const struct solution *solution)
{
    bool *visited = xcalloc(instance->n, sizeof *visited), any = false;
    for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++) {
        for (ptrdiff_t s = 0; s < arrlen(solution->routes[r].stops); s++) {
            uint32_t stop = solution->routes[r].stops[s];
            if (instance_has_stop(instance, stop))
                visited[stop - 1] = true;
        }
    }
    for (uint32_t i = 0; i < instance->n; i++) {
        if (visited[i])
            continue;
        if (!any)
            text_add(text, "  not visited:");
        add_label(text, instance, i + 1, !any);
        any = true;
    }
    if (any)
        text_add(text, "\n");
    free(visited);
}

void describe_solution(
    struct text *text, const struct instance *instance, const struct solution *solution, const struct verdict *verdict)
{
    describe_instance(text, instance);
    text_add(text, ": ");
    describe_objective(text, instance, solution, verdict, ", ");
    if (verdict->rounded_too_long)
        text_add(text, " (too long in %s)", metric_name(instance->metric));
    if (!verdict->feasible)
        text_add(text, "\n  infeasible: %s", verdict->violation);
    text_add(text, "\n");
    for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++) {
        const struct route *route = &solution->routes[r];
        text_add(text, "  route %td (", r + 1);
        describe_route(text, instance, route);
        text_add(text, "):");
        for (ptrdiff_t s = 0; s < arrlen(route->stops); s++) {
            add_label(text, instance, route->stops[s], s == 0);
            if (route->amounts && instance->demand && instance_has_stop(instance, route->stops[s]) &&
                route->amounts[s] != instance->demand[route->stops[s] - 1]) {
                text_add(text, " (");
                text_add_round(text, (double)route->amounts[s] / instance->demand_scale);
                text_add(text, ")");
            }
        }
        text_add(text, "\n");
    }
    add_unvisited(text, instance, solution);
}
