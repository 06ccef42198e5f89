// Computes the amounts of split deliveries from routes alone. Routes with free capacity, stops and customers with open
// demand form a flow network: a greedy pass assigns most amounts, shortest augmenting paths the rest.
//
// Where demands are rounded, three thirds leave a unit of the capacity free, and a fourth customer gets it. Such stops
// are dropped at last: their amounts exceed the capacity elsewhere by no more than rounding.
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "problem/problem.h"
#include "util/alloc.h"

// Max stops to visit before the search for paths gives up.
#define WORK_MAX 200000000

struct stop {
    uint32_t route, customer;
    int64_t amount;
};

// Stops in reading order, so route r has stops route_begin[r] .. route_begin[r + 1] - 1.
struct network {
    uint32_t routes, customers;
    struct stop *stops; // stb_ds array
    size_t *route_begin;
    size_t *customer_begin, *of_customer; // indices of stops, grouped by customer
    int64_t *space, *left;                // free capacity of routes, open demand of customers
    uint32_t *queue;                      // customers, and n + route for routes
    size_t *reached_by;                   // 1 + the stop over which a customer or route was reached; 0: not reached
    uint64_t work;
};

static void init(struct network *net, const struct instance *instance, const struct solution *solution)
{
    *net = (struct network){ .routes = (uint32_t)arrlenu(solution->routes), .customers = instance->n };
    net->space = xcalloc(net->routes, sizeof *net->space);
    net->left = xcalloc(net->customers, sizeof *net->left);
    memcpy(net->left, instance->demand, net->customers * sizeof *net->left);
    net->route_begin = xcalloc((size_t)net->routes + 1, sizeof *net->route_begin);
    net->customer_begin = xcalloc((size_t)net->customers + 2, sizeof *net->customer_begin);
    for (uint32_t r = 0; r < net->routes; r++) {
        net->space[r] = instance->capacity;
        for (ptrdiff_t s = 0; s < arrlen(solution->routes[r].stops); s++) {
            uint32_t number = solution->routes[r].stops[s];
            if (!instance_has_stop(instance, number))
                continue;
            arrput(net->stops, ((struct stop){ r, number - 1, 0 }));
            net->customer_begin[number + 1]++;
        }
        net->route_begin[r + 1] = arrlenu(net->stops);
    }
    // Counting sort: customer_begin[c + 1] moves from the begin of its group to the end while the group fills.
    net->of_customer = xcalloc(arrlenu(net->stops), sizeof *net->of_customer);
    for (uint32_t c = 2; c <= net->customers; c++)
        net->customer_begin[c] += net->customer_begin[c - 1];
    for (size_t s = 0; s < arrlenu(net->stops); s++)
        net->of_customer[net->customer_begin[net->stops[s].customer + 1]++] = s;
    net->queue = xcalloc((size_t)net->customers + net->routes, sizeof *net->queue);
    net->reached_by = xcalloc((size_t)net->customers + net->routes, sizeof *net->reached_by);
}

static void finish(struct network *net)
{
    arrfree(net->stops);
    free(net->route_begin);
    free(net->customer_begin);
    free(net->of_customer);
    free(net->space);
    free(net->left);
    free(net->queue);
    free(net->reached_by);
}

static void move(struct network *net, size_t s, int64_t amount)
{
    net->stops[s].amount += amount;
    net->space[net->stops[s].route] -= amount;
    net->left[net->stops[s].customer] -= amount;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// Assigns open demand of START to ROUTE, which has free capacity. Along the path back, each route serves the next
// customer more and the previous one less.
static void push(struct network *net, uint32_t start, uint32_t route)
{
    int64_t amount = smaller(net->left[start], net->space[route]);
    for (int pass = 0; pass < 2; pass++) { // first find the amount, then assign it
        for (uint32_t r = route;;) {
            size_t more = net->reached_by[net->customers + r] - 1;
            uint32_t customer = net->stops[more].customer;
            if (pass)
                move(net, more, amount);
            if (customer == start)
                break;
            size_t less = net->reached_by[customer] - 1;
            if (pass)
                move(net, less, -amount);
            else
                amount = smaller(amount, net->stops[less].amount);
            r = net->stops[less].route;
        }
    }
}

// Breadth-first search from START to a route with free capacity; false if there is none.
static bool augment(struct network *net, uint32_t start)
{
    memset(net->reached_by, 0, ((size_t)net->customers + net->routes) * sizeof *net->reached_by);
    net->work += (uint64_t)net->customers + net->routes;
    size_t head = 0, tail = 0;
    net->queue[tail++] = start;
    net->reached_by[start] = SIZE_MAX;
    while (head < tail) {
        uint32_t vertex = net->queue[head++];
        bool is_route = vertex >= net->customers;
        const size_t *begin = is_route ? &net->route_begin[vertex - net->customers] : &net->customer_begin[vertex];
        net->work += begin[1] - begin[0] + 1;
        for (size_t k = begin[0]; k < begin[1]; k++) {
            size_t s = is_route ? k : net->of_customer[k];
            uint32_t next = is_route ? net->stops[s].customer : net->customers + net->stops[s].route;
            if (net->reached_by[next] || (is_route && net->stops[s].amount == 0))
                continue;
            net->reached_by[next] = s + 1;
            net->queue[tail++] = next;
            if (!is_route && net->space[net->stops[s].route] > 0) {
                push(net, start, net->stops[s].route);
                return true;
            }
        }
    }
    return false;
}

// Returns whether every customer is served.
static bool serve(struct network *net)
{
    for (uint32_t c = 0; c < net->customers; c++) {
        while (net->left[c] > 0) {
            if (net->work >= WORK_MAX || !augment(net, c))
                return false;
        }
    }
    return true;
}

// Returns whether loads may exceed the capacity.
static bool allow_rounding(struct network *net, const struct instance *instance)
{
    const int64_t rounding = instance_load_rounding(instance);
    for (uint32_t r = 0; r < net->routes; r++)
        net->space[r] += rounding;
    return rounding > 0;
}

void solution_deliver(const struct instance *instance, struct solution *solution)
{
    struct network net;
    init(&net, instance, solution);
    for (size_t s = 0; s < arrlenu(net.stops); s++)
        move(&net, s, smaller(net.left[net.stops[s].customer], net.space[net.stops[s].route]));
    if (!serve(&net) && allow_rounding(&net, instance))
        serve(&net);
    size_t next = 0;
    for (uint32_t r = 0; r < net.routes; r++) {
        struct route *route = &solution->routes[r];
        arrsetlen(route->amounts, 0);
        for (ptrdiff_t s = 0; s < arrlen(route->stops); s++) {
            int64_t amount = instance_has_stop(instance, route->stops[s]) ? net.stops[next++].amount : 0;
            arrput(route->amounts, amount);
        }
    }
    finish(&net);
}

// Amounts are optional.
static void join_stops(struct route *route)
{
    const bool amounts = arrlenu(route->amounts) == arrlenu(route->stops);
    size_t count = 0;
    for (size_t s = 0; s < arrlenu(route->stops); s++) {
        bool joined = count && route->stops[count - 1] == route->stops[s];
        if (amounts && joined)
            route->amounts[count - 1] += route->amounts[s];
        else if (amounts)
            route->amounts[count] = route->amounts[s];
        if (!joined)
            route->stops[count++] = route->stops[s];
    }
    arrsetlen(route->stops, count);
    if (amounts)
        arrsetlen(route->amounts, count);
}

// Moves the amount of stop S to the stop of its customer whose route has the most space, if it fits there.
static bool shed(struct network *net, size_t s)
{
    const uint32_t customer = net->stops[s].customer;
    const int64_t amount = net->stops[s].amount;
    size_t best = SIZE_MAX;
    for (size_t k = net->customer_begin[customer]; k < net->customer_begin[customer + 1]; k++) {
        size_t other = net->of_customer[k];
        if (other != s && net->stops[other].amount >= amount && net->space[net->stops[other].route] >= amount &&
            (best == SIZE_MAX || net->space[net->stops[other].route] > net->space[net->stops[best].route]))
            best = other;
    }
    if (best == SIZE_MAX)
        return false;
    move(net, s, -amount);
    move(net, best, amount);
    return true;
}

// Removes the stops that deliver nothing, and then routes without stops.
static void remove_idle(struct solution *solution, const struct network *net)
{
    size_t routes = 0;
    for (uint32_t r = 0; r < net->routes; r++) {
        struct route route = solution->routes[r];
        size_t count = 0;
        for (size_t s = net->route_begin[r]; s < net->route_begin[r + 1]; s++) {
            if (net->stops[s].amount == 0)
                continue;
            route.stops[count] = net->stops[s].customer + 1;
            route.amounts[count++] = net->stops[s].amount;
        }
        arrsetlen(route.stops, count);
        arrsetlen(route.amounts, count);
        join_stops(&route);
        if (count) {
            solution->routes[routes++] = route;
        } else {
            arrfree(route.stops);
            arrfree(route.amounts);
        }
    }
    arrsetlen(solution->routes, routes);
}

static void drop_rounding(const struct instance *instance, struct solution *solution)
{
    const int64_t rounding = instance_load_rounding(instance);
    struct network net;
    for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++) {
        if (arrlen(solution->routes[r].amounts) != arrlen(solution->routes[r].stops)) {
            solution_deliver(instance, solution);
            break;
        }
    }
    init(&net, instance, solution);
    allow_rounding(&net, instance);
    for (uint32_t r = 0; r < net.routes; r++) {
        for (size_t s = net.route_begin[r]; s < net.route_begin[r + 1]; s++)
            move(&net, s, solution->routes[r].amounts[s - net.route_begin[r]]);
    }
    for (bool more = true; more;) { // a stop that is dropped makes space for others
        more = false;
        for (size_t s = 0; s < arrlenu(net.stops); s++)
            more |= net.stops[s].amount > 0 && net.stops[s].amount <= rounding && shed(&net, s);
    }
    remove_idle(solution, &net);
    finish(&net);
}

void solution_simplify(const struct instance *instance, struct solution *solution)
{
    if (!instance->problem->splits)
        return;
    for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++)
        join_stops(&solution->routes[r]);
    if (instance_load_rounding(instance))
        drop_rounding(instance, solution);
}
