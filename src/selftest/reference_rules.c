// The step rules of the six problems, from their description; shaders/env and the judges are written independently.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "selftest/reference.h"
#include "shaders/args.h"
#include "util/alloc.h"
#include "util/error.h"

#define MARGIN 1e-6 // that a tour with a length limit stays below it

static bool is(const struct walk *walk, const struct problem *problem)
{
    return walk->instance->problem == problem;
}

static bool is_prize_collecting(const struct walk *walk)
{
    return is(walk, &problem_pctsp) || is(walk, &problem_spctsp);
}

static double distance(const struct scaled *s, uint32_t i, uint32_t j)
{
    if (s->options & RULES_OPEN && j == 0)
        return 0;
    if (s->legs)
        return s->legs[(size_t)i * s->N + j];
    if (s->home && (i == 0) != (j == 0))
        return s->home[i + j];
    return hypot((double)s->coords[2 * i] - s->coords[2 * j], (double)s->coords[2 * i + 1] - s->coords[2 * j + 1]);
}

static bool can_return(const struct walk *walk, uint32_t by_way_of)
{
    const struct scaled *s = walk->instance;
    return walk->length + distance(s, walk->current, by_way_of) + distance(s, by_way_of, 0) <= s->max_length - MARGIN;
}

// Customers (TSP: nodes) that the next step may go to.
static bool customer_allowed(const struct walk *walk, uint32_t v)
{
    const struct scaled *s = walk->instance;
    if (is(walk, &problem_sdvrp))
        return walk->left[v] > 0 && walk->load < s->capacity;
    if (walk->visited[v])
        return false;
    if (s->start && walk->steps == 0 && v != s->start - 1)
        return false;
    if (s->end && v == s->end - 1 && walk->steps < s->N - 1)
        return false;
    if (is(walk, &problem_cvrp))
        return walk->load + s->demand[v] <= s->capacity;
    return !is(walk, &problem_op) || can_return(walk, v);
}

static uint32_t count(const bool *set, uint32_t from, uint32_t to)
{
    uint32_t sum = 0;
    for (uint32_t i = from; i < to; i++)
        sum += set[i];
    return sum;
}

static bool all_served(const struct walk *walk);

// Limited vehicles: those that are left can carry what is left, by the sums.
static bool can_end(const struct walk *walk)
{
    const struct scaled *s = walk->instance;
    double left = 0;
    for (uint32_t v = 1; v < s->N; v++)
        left += walk->left ? walk->left[v] : walk->visited[v] ? 0 : s->demand[v];
    return !s->vehicles || all_served(walk) ||
           (walk->routes < s->vehicles && left <= (double)(s->vehicles - walk->routes) * s->capacity);
}

static bool depot_allowed(const struct walk *walk)
{
    uint32_t N = walk->instance->N;
    if (is(walk, &problem_op))
        return true;
    if (is_prize_collecting(walk))
        return walk->prize >= walk->instance->min_prize || count(walk->visited, 1, N) == N - 1;
    // Loads: not twice in a row while someone can be served.
    return (walk->current != 0 && can_end(walk)) || count(walk->allowed, 1, N) == 0;
}

// Customers that some later step may still go to.
static bool customer_relevant(const struct walk *walk, uint32_t v)
{
    if (is(walk, &problem_sdvrp))
        return walk->left[v] > 0;
    return !walk->visited[v] && (!is(walk, &problem_op) || walk->instance->legs || can_return(walk, v));
}

static bool all_served(const struct walk *walk)
{
    for (uint32_t v = 1; v < walk->instance->N; v++) {
        if (walk->left ? walk->left[v] > 0 : !walk->visited[v])
            return false;
    }
    return true;
}

static bool is_done(const struct walk *walk)
{
    if (is(walk, &problem_tsp))
        return walk->steps == walk->instance->N;
    if (is(walk, &problem_cvrp) || is(walk, &problem_sdvrp))
        return walk->current == 0 && all_served(walk);
    return walk->current == 0 && walk->steps > 0;
}

// Everything that follows from where the walk stands.
static void look_around(struct walk *walk)
{
    uint32_t N = walk->instance->N;
    bool depot = walk->instance->problem->has_depot;
    walk->done = walk->dead || is_done(walk);
    for (uint32_t v = 0; v < N; v++) {
        bool customer = v > 0 || !depot;
        bool stands = walk->steps > 0 && (v == walk->current || (!depot && v == walk->first));
        walk->allowed[v] = customer && !walk->done && customer_allowed(walk, v);
        bool relevant = stands || (customer ? customer_relevant(walk, v) : true);
        walk->relevant[v] = walk->relevant[v] && relevant && !walk->done;
    }
    if (walk->done || (depot && depot_allowed(walk)))
        walk->allowed[0] = true;
}

static bool *set(uint32_t N, bool value)
{
    bool *flags = xcalloc(N, sizeof *flags);
    for (uint32_t i = 0; i < N; i++)
        flags[i] = value;
    return flags;
}

static void allocate(struct walk *walk, const struct scaled *instance)
{
    uint32_t N = instance->N;
    *walk = (struct walk){ .instance = instance,
        .visited = set(N, false),
        .allowed = set(N, false),
        .before = set(N, true),
        .opening = set(N, false),
        .relevant = set(N, true) };
    if (instance->problem->splits)
        walk->left = xcalloc(N, sizeof *walk->left);
}

void walk_begin(struct walk *walk, const struct scaled *instance)
{
    allocate(walk, instance);
    if (walk->left)
        memcpy(walk->left, instance->demand, instance->N * sizeof *walk->left);
    look_around(walk);
    memcpy(walk->opening, walk->allowed, instance->N * sizeof *walk->opening);
}

void walk_copy(struct walk *to, const struct walk *from)
{
    uint32_t N = from->instance->N;
    allocate(to, from->instance);
    struct walk arrays = *to;
    *to = *from;
    to->visited = memcpy(arrays.visited, from->visited, N * sizeof *to->visited);
    to->allowed = memcpy(arrays.allowed, from->allowed, N * sizeof *to->allowed);
    to->before = memcpy(arrays.before, from->before, N * sizeof *to->before);
    to->opening = memcpy(arrays.opening, from->opening, N * sizeof *to->opening);
    to->relevant = memcpy(arrays.relevant, from->relevant, N * sizeof *to->relevant);
    to->left = arrays.left;
    if (to->left)
        memcpy(to->left, from->left, N * sizeof *to->left);
}

void walk_finish(struct walk *walk)
{
    free(walk->visited);
    free(walk->allowed);
    free(walk->before);
    free(walk->opening);
    free(walk->relevant);
    free(walk->left);
    *walk = (struct walk){ 0 };
}

// Updates loads, deliveries and prizes after a visit.
static void serve(struct walk *walk, uint32_t v)
{
    const struct scaled *s = walk->instance;
    if (s->problem->has_depot && v == 0) {
        walk->load = 0;
        return;
    }
    walk->visited[v] = true;
    if (walk->left) {
        uint32_t room = s->capacity - walk->load, given = walk->left[v] < room ? walk->left[v] : room;
        walk->left[v] -= given;
        walk->load += given;
    } else if (s->demand) {
        walk->load += s->demand[v];
    }
    if (s->prize)
        walk->prize += s->real_prize ? s->real_prize[v] : s->prize[v];
}

void walk_visit(struct walk *walk, uint32_t node)
{
    const struct scaled *s = walk->instance;
    if (node >= s->N || !walk->allowed[node])
        bug("%s: step %u to node %u, which is not allowed", s->problem->name, walk->steps, node);
    memcpy(walk->before, walk->allowed, s->N * sizeof *walk->before);
    if (walk->done) // stays where it is
        return;
    if (walk->steps == 0)
        walk->first = node;
    if (s->vehicles && node == 0 && walk->current != 0 && !can_end(walk))
        walk->dead = true;
    walk->routes += s->problem->has_depot && node != 0 && walk->current == 0;
    if (walk->steps > 0 || s->problem->has_depot)
        walk->length += distance(s, walk->current, node);
    serve(walk, node);
    walk->current = node;
    walk->steps++;
    look_around(walk);
}

double walk_scalar(const struct walk *walk)
{
    const struct scaled *s = walk->instance;
    if (s->demand)
        return (double)(s->capacity - walk->load) / s->capacity;
    int ways = (walk->current == 0 ? 2 : 1) - (s->options & RULES_OPEN ? 1 : 0);
    if (is(walk, &problem_op))
        return s->max_length - MARGIN - walk->length - ways * (s->home ? s->home[0] : 0.0);
    return is_prize_collecting(walk) ? fmax(0, s->min_prize - walk->prize) : 0;
}

double walk_cost(const struct walk *walk)
{
    const struct scaled *s = walk->instance;
    if (walk->dead)
        return INFINITY;
    if (is(walk, &problem_tsp) && s->options & RULES_PATH)
        return walk->length;
    if (is(walk, &problem_tsp))
        return walk->length + distance(s, walk->current, walk->first);
    if (is(walk, &problem_op))
        return -walk->prize;
    double cost = walk->length;
    for (uint32_t v = 1; s->penalty && v < s->N; v++)
        cost += walk->visited[v] ? 0 : s->penalty[v];
    return cost;
}

void walk_keys(const struct walk *walk, enum dialect dialect, bool *keys)
{
    bool toggled = is(walk, &problem_op) || is_prize_collecting(walk);
    for (uint32_t v = 0; v < walk->instance->N; v++) {
        if (dialect == DIALECT_NATIVE)
            keys[v] = walk->relevant[v];
        else
            keys[v] = toggled ? walk->before[v] == walk->opening[v] : walk->before[v];
    }
}
