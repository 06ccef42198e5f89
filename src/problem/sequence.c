#include "problem/sequence.h"

#include <math.h>
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "problem/metric.h"
#include "util/alloc.h"

// The solution that another is compared with: nodes are 1..n, 0 is the depot.
struct likeness {
    uint32_t nodes; // n + 1
    bool *arc;      // (nodes, nodes): from, to
    double *rank;   // by node: its first position; NAN: it has none
};

static void likeness_init(struct likeness *l, const struct instance *instance, const struct solution *like)
{
    const uint32_t n = instance->n;
    *l = (struct likeness){ .nodes = n + 1 };
    l->arc = xcalloc((size_t)l->nodes * l->nodes, sizeof *l->arc);
    l->rank = xcalloc(l->nodes, sizeof *l->rank);
    for (uint32_t v = 0; v <= n; v++)
        l->rank[v] = NAN;
    double position = 0;
    for (ptrdiff_t r = 0; r < arrlen(like->routes); r++) {
        const uint32_t *stops = like->routes[r].stops;
        const ptrdiff_t count = arrlen(stops);
        uint32_t last = instance->problem->has_depot || !count ? 0 : stops[count - 1];
        for (ptrdiff_t k = 0; k < count; k++, position++) {
            l->arc[last * l->nodes + stops[k]] = true;
            last = stops[k];
            if (isnan(l->rank[last]))
                l->rank[last] = position;
        }
        if (instance->problem->has_depot)
            l->arc[last * l->nodes] = true;
    }
}

static void likeness_finish(struct likeness *l)
{
    free(l->arc);
    free(l->rank);
}

// Counts the arcs of a route, forwards and backwards, that the other solution also has.
static bool is_backward(const struct likeness *l, const uint32_t *stops, bool has_depot)
{
    const ptrdiff_t count = arrlen(stops);
    uint32_t forward = 0, backward = 0, last = has_depot ? 0 : stops[count - 1];
    for (ptrdiff_t k = 0; k <= count - !has_depot; k++) {
        uint32_t next = k < count ? stops[k] : 0;
        forward += l->arc[last * l->nodes + next];
        backward += l->arc[next * l->nodes + last];
        last = next;
    }
    return backward > forward;
}

static double mean_rank(const struct likeness *l, const uint32_t *stops)
{
    double sum = 0, count = 0;
    for (ptrdiff_t k = 0; k < arrlen(stops); k++) {
        bool known = !isnan(l->rank[stops[k]]);
        sum += known ? l->rank[stops[k]] : 0;
        count += known;
    }
    return count > 0 ? sum / count : INFINITY;
}

struct ordered_route {
    const uint32_t *stops;
    double rank;
    size_t index;
    bool backward;
};

static int compare_routes(const void *a, const void *b)
{
    const struct ordered_route *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

// The first position of a route's stops that is below PREFIX; INFINITY: none.
static double first_of_prefix(const struct likeness *l, const uint32_t *stops, uint32_t prefix)
{
    double first = INFINITY;
    for (ptrdiff_t k = 0; k < arrlen(stops); k++) {
        double rank = l->rank[stops[k]];
        if (rank < prefix && rank < first) // not of NAN
            first = rank;
    }
    return first;
}

// `as_they_are`: with split deliveries a customer's first position says nothing of the routes that bring the rest.
static struct ordered_route *order_routes(const struct likeness *l, const struct instance *instance,
    const struct solution *solution, bool as_they_are, uint32_t prefix)
{
    const double ahead = l->nodes; // of all others
    const bool has_depot = instance->problem->has_depot, directed = instance->distances || instance_is_open(instance);
    struct ordered_route *routes = NULL;
    for (size_t r = 0; r < arrlenu(solution->routes); r++) {
        const uint32_t *stops = solution->routes[r].stops;
        if (!arrlen(stops))
            continue;
        double first = first_of_prefix(l, stops, prefix);
        struct ordered_route route = { stops, mean_rank(l, stops), r, !directed && is_backward(l, stops, has_depot) };
        if (as_they_are)
            route = (struct ordered_route){ stops, 0, r, false };
        else if (first < INFINITY)
            route = (struct ordered_route){ stops, first - ahead * ahead, r, false };
        arrput(routes, route);
    }
    if (routes)
        qsort(routes, arrlenu(routes), sizeof *routes, compare_routes);
    return routes;
}

static uint32_t stop_of(const struct ordered_route *route, ptrdiff_t k)
{
    return route->stops[route->backward ? arrlen(route->stops) - 1 - k : k];
}

// Nodes count from 0 without a depot.
static uint32_t write_tour(uint32_t *actions, const struct ordered_route *route, uint32_t first)
{
    const ptrdiff_t count = arrlen(route->stops);
    ptrdiff_t start = 0;
    while (start < count - 1 && stop_of(route, start) != first)
        start++;
    for (ptrdiff_t k = 0; k < count; k++)
        actions[k] = stop_of(route, (start + k) % count) - 1;
    return (uint32_t)count;
}

// The deliveries of a trajectory that splits them.
struct delivery {
    const struct instance *instance;
    int64_t *open, load;
};

// Subtracts what a visit delivers; false if that is nothing.
static bool deliver(struct delivery *d, uint32_t stop)
{
    int64_t space = d->instance->capacity - d->load, need = d->open[stop - 1], given = need < space ? need : space;
    d->open[stop - 1] -= given;
    d->load += given;
    return given > 0;
}

static bool served_all(const struct delivery *d)
{
    for (uint32_t i = 0; i < d->instance->n; i++) {
        if (d->open[i])
            return false;
    }
    return true;
}

static uint32_t write_routes(
    uint32_t *actions, uint32_t J, const struct instance *instance, const struct ordered_route *routes)
{
    const bool splits = instance->problem->splits;
    struct delivery d = { .instance = instance };
    uint32_t count = 0;
    if (splits) {
        d.open = xcalloc(instance->n, sizeof *d.open);
        for (uint32_t i = 0; i < instance->n; i++)
            d.open[i] = instance->demand[i];
    }
    for (ptrdiff_t r = 0; r < arrlen(routes); r++) {
        bool somewhere = false;
        d.load = 0;
        for (ptrdiff_t k = 0; k < arrlen(routes[r].stops); k++) {
            uint32_t stop = stop_of(&routes[r], k);
            if ((splits && !deliver(&d, stop)) || count >= J)
                continue;
            actions[count++] = stop;
            somewhere = true;
        }
        if (somewhere && count < J)
            actions[count++] = 0;
    }
    if (!count && J) // no customer is visited: back at once
        actions[count++] = 0;
    if (splits && !served_all(&d))
        count = 0;
    free(d.open);
    return count;
}

uint32_t sequence_of(uint32_t *actions, uint32_t J, const struct instance *instance, const struct solution *solution,
    const struct solution *like, uint32_t prefix)
{
    const bool has_depot = instance->problem->has_depot;
    struct likeness l;
    likeness_init(&l, instance, like);
    struct ordered_route *routes = order_routes(&l, instance, solution, solution == like, prefix);
    uint32_t count = has_depot ? write_routes(actions, J, instance, routes)
                               : write_tour(actions, routes,
                                     instance_is_open(instance) ? routes[0].stops[0] : like->routes[0].stops[0]);
    arrfree(routes);
    likeness_finish(&l);
    return count;
}
