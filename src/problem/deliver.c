// Computes the amounts of split deliveries from routes alone. Routes with free capacity, stops and customers with open
// demand form a flow network: a greedy pass assigns most amounts, shortest augmenting paths the rest.
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

void solution_deliver(const struct instance *instance, struct solution *solution)
{
    struct network net;
    init(&net, instance, solution);
    for (size_t s = 0; s < arrlenu(net.stops); s++)
        move(&net, s, smaller(net.left[net.stops[s].customer], net.space[net.stops[s].route]));
    bool served = true;
    for (uint32_t c = 0; served && c < net.customers; c++) {
        while (served && net.left[c] > 0)
            served = net.work < WORK_MAX && augment(&net, c);
    }
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
