#include "tests/improve/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "improve/dice.h"
#include "problem/judge.h"
#include "problem/metric.h"
#include "util/alloc.h"

struct instance instance_drawn(const struct problem *problem, uint32_t n, uint32_t index)
{
    struct distribution distribution = { .n_min = n, .n_max = n, .prize = index % 2 ? PRIZE_DIST : PRIZE_UNIF };
    struct instance instance;
    problem->generate(&instance, &distribution, 99, index);
    if (problem->splits) {
        instance.capacity = 5 + index % 20;
        for (uint32_t i = 0; i < n; i++)
            instance.demand[i] = index % 3 ? instance.demand[i] : 2 * instance.demand[i] - 2; // also none
    }
    return instance;
}

struct verdict judged(const struct instance *instance, const struct solution *solution)
{
    struct verdict verdict;
    instance->problem->judge(instance, solution, &verdict);
    return verdict;
}

void expect_not_worse(const struct instance *instance, const struct verdict *before, const struct verdict *after)
{
    if (!after->feasible)
        munit_errorf("%s: %s", instance->problem->name, after->violation);
    if (improve_is_better(instance, before, after))
        munit_errorf("%s: %.17g became %.17g", instance->problem->name, before->objective, after->objective);
}

static uint32_t *shuffled(uint32_t n, struct dice *dice)
{
    uint32_t *order = xcalloc(n, sizeof *order);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = dice_below(dice, i + 1);
        order[i] = order[j];
        order[j] = i + 1;
    }
    return order;
}

// Splits loads where necessary, and where the dice says so.
static void deliver_all(
    const struct instance *instance, const uint32_t *order, struct dice *dice, struct solution *solution)
{
    struct route route = { 0 };
    int64_t room = instance->capacity;
    bool splits = instance->problem->splits;
    for (uint32_t i = 0; i < instance->n; i++) {
        int64_t need = instance->demand[order[i] - 1];
        while (need > 0 || (!splits && need >= 0)) {
            if (splits ? room == 0 : need > room) {
                arrput(solution->routes, route);
                route = (struct route){ 0 };
                room = instance->capacity;
            }
            int64_t amount = need < room ? need : room;
            if (splits && amount > 1 && dice_below(dice, 3) == 0)
                amount = 1 + dice_below(dice, (uint32_t)amount);
            arrput(route.stops, order[i]);
            if (splits)
                arrput(route.amounts, amount);
            room -= amount;
            need -= amount;
            if (!splits)
                break;
        }
    }
    if (route.stops)
        arrput(solution->routes, route);
}

struct solution solution_drawn(const struct instance *instance, uint64_t seed)
{
    struct dice dice = dice_make(seed, 77);
    uint32_t *order = shuffled(instance->n, &dice), share = dice_below(&dice, 4);
    struct solution solution = { 0 };
    if (instance->demand) {
        deliver_all(instance, order, &dice, &solution);
        free(order);
        return solution;
    }
    struct route route = { 0 };
    arrput(solution.routes, route);
    bool optional = instance->prize != NULL;
    for (uint32_t i = 0; i < instance->n; i++) {
        arrput(solution.routes[0].stops, order[i]);
        struct verdict verdict = judged(instance, &solution);
        if (instance->problem->maximise && !verdict.feasible)
            (void)arrpop(solution.routes[0].stops);
        else if (optional && !instance->problem->maximise && verdict.feasible && dice_below(&dice, 4) < share)
            break;
    }
    free(order);
    return solution;
}

struct brute {
    const struct instance *instance;
    struct solution solution;
    bool used[16];
    double best;
};

static void note(struct brute *brute)
{
    struct verdict verdict = judged(brute->instance, &brute->solution);
    double sign = brute->instance->problem->maximise ? -1 : 1;
    if (verdict.feasible && sign * verdict.objective < brute->best)
        brute->best = sign * verdict.objective;
}

// Tries every sequence of customers, cut into routes at every position if there may be several.
static void extend(struct brute *brute)
{
    const struct instance *instance = brute->instance;
    note(brute);
    for (uint32_t i = 0; i < instance->n; i++) {
        if (brute->used[i])
            continue;
        brute->used[i] = true;
        ptrdiff_t last = arrlen(brute->solution.routes) - 1;
        if (last >= 0) {
            arrput(brute->solution.routes[last].stops, i + 1);
            extend(brute);
            (void)arrpop(brute->solution.routes[last].stops);
        }
        if (last < 0 || instance->demand) {
            struct route route = { 0 };
            arrput(route.stops, i + 1);
            arrput(brute->solution.routes, route);
            extend(brute);
            arrfree(arrlast(brute->solution.routes).stops);
            (void)arrpop(brute->solution.routes);
        }
        brute->used[i] = false;
    }
}

// Split loads: returns the cheapest continuation from the missing loads, the vehicle's position and its free capacity.
struct split {
    const struct instance *instance;
    double *memo;
};

static double length(const struct instance *instance, uint32_t a, uint32_t b) // n: the depot
{
    struct point from = a < instance->n ? instance->nodes[a] : instance->depot;
    struct point to = b < instance->n ? instance->nodes[b] : instance->depot;
    return metric_distance(METRIC_EUCLID, from, to);
}

static double cheapest_rest(struct split *split, int64_t *need, uint32_t at, int64_t left)
{
    const struct instance *instance = split->instance;
    uint32_t n = instance->n;
    size_t key = 0;
    bool done = true;
    for (uint32_t i = 0; i < n; i++) {
        key = key * ((size_t)instance->demand[i] + 1) + (size_t)need[i];
        done &= need[i] == 0;
    }
    if (done)
        return length(instance, at, n);
    key = (key * (n + 1) + at) * ((size_t)instance->capacity + 1) + (size_t)left;
    if (split->memo[key] >= 0)
        return split->memo[key];
    double best = at == n ? INFINITY : length(instance, at, n) + cheapest_rest(split, need, n, instance->capacity);
    for (uint32_t i = 0; i < n; i++) {
        for (int64_t amount = 1; i != at && amount <= need[i] && amount <= left; amount++) {
            need[i] -= amount;
            best = fmin(best, length(instance, at, i) + cheapest_rest(split, need, i, left - amount));
            need[i] += amount;
        }
    }
    return split->memo[key] = best;
}

double optimum(const struct instance *instance)
{
    if (!instance->problem->splits) {
        struct brute brute = { .instance = instance, .best = INFINITY };
        extend(&brute);
        arrfree(brute.solution.routes);
        return instance->problem->maximise ? -brute.best : brute.best;
    }
    size_t states = (instance->n + 1) * ((size_t)instance->capacity + 1);
    for (uint32_t i = 0; i < instance->n; i++)
        states *= (size_t)instance->demand[i] + 1;
    struct split split = { instance, xcalloc(states, sizeof(double)) };
    for (size_t i = 0; i < states; i++)
        split.memo[i] = -1;
    int64_t need[16];
    memcpy(need, instance->demand, instance->n * sizeof *need);
    double best = cheapest_rest(&split, need, instance->n, instance->capacity);
    free(split.memo);
    return best;
}
