#include "improve/ruin.h"

#include <stdlib.h>

#include "util/alloc.h"

// As published: on average ten customers are removed, in strings of up to ten; half of the strings preserve some stops
// in their middle; one position in a hundred is skipped. Twice as many if customers may be left out: a tour reaches
// another region only in one large step.
enum { LEAVE = 10, STRING = 10, OPTIONAL = 2 };
static const double spare_share = 0.5, spare_more = 0.01, overlooked = 0.01;

// Neighbours beside which positions are considered; neighbours of the first removed customers that are inserted if
// unvisited.
enum { NEAR = 40, NEAR_ABSENT = 30 };

void ruin_init(struct ruin *ruin, struct state *state, struct dice *dice)
{
    size_t sites = state->task->customers + 1;
    *ruin = (struct ruin){ .state = state, .dice = dice };
    placer_init(&ruin->placer, state, dice, NEAR, overlooked);
    ruin->pool = xcalloc(sites, sizeof *ruin->pool);
    ruin->key = xcalloc(sites, sizeof *ruin->key);
    ruin->pooled = xcalloc(sites, sizeof *ruin->pooled);
    ruin->hit = xcalloc(state->routes, sizeof *ruin->hit);
    ruin->chosen = xcalloc(state->depots, sizeof *ruin->chosen);
}

void ruin_finish(struct ruin *ruin)
{
    placer_finish(&ruin->placer);
    free(ruin->pool);
    free(ruin->key);
    free(ruin->pooled);
    free(ruin->hit);
    free(ruin->chosen);
    *ruin = (struct ruin){ 0 };
}

static void pool(struct ruin *ruin, uint32_t site)
{
    if (ruin->pooled[site])
        return;
    ruin->pooled[site] = true;
    ruin->pool[ruin->count++] = site;
}

// Removes LENGTH stops of one route around STOP, except a run of SPARED stops.
static void remove_string(struct ruin *ruin, uint32_t stop, uint32_t length, uint32_t spared)
{
    struct state *state = ruin->state;
    uint32_t all = length + spared, back = dice_below(ruin->dice, all), count = 1, first = stop, last = stop;
    for (; back && state->prev[first] < state->depots; back--, count++)
        first = state->prev[first];
    for (; count < all && state->next[last] < state->depots; count++)
        last = state->next[last];
    for (; count < all && state->prev[first] < state->depots; count++)
        first = state->prev[first];
    uint32_t from = spared ? 1 + dice_below(ruin->dice, length) : count, chosen = 0;
    for (uint32_t i = 0, at = first; i < count; i++, at = state->next[at]) {
        if (i < from || i >= from + spared)
            ruin->chosen[chosen++] = at;
    }
    for (uint32_t i = 0; i < chosen; i++) {
        uint32_t site = state->site[ruin->chosen[i]];
        state_remove(state, ruin->chosen[i]);
        pool(ruin, site);
    }
}

static void ruin_around(struct ruin *ruin, uint32_t seed)
{
    struct state *state = ruin->state;
    const struct task *task = state->task;
    bool single = state->routes == 1;
    double mean = (double)(task->customers - state->absent) / fmax(1, state->open_count);
    double more = task->penalty ? OPTIONAL : 1;
    double longest = fmin(more * STRING, fmax(mean, 1)), max_strings = 4 * more * LEAVE / (1 + longest) - 1;
    uint32_t strings = (uint32_t)(dice_unit(ruin->dice) * max_strings + 1);
    const uint32_t *near = task_near(task, seed);
    ruin->time++;
    for (uint32_t i = 0; i <= task->near_count && strings; i++) {
        uint32_t site = i ? near[i - 1] : seed, stop = state_stop(state, site);
        while (stop && !single && ruin->hit[state->route[stop]] == ruin->time)
            stop = state_twin(state, stop);
        if (!stop)
            continue;
        uint32_t route = state->route[stop], size = state->count[route];
        ruin->hit[route] = ruin->time;
        uint32_t longest_here = size < longest ? size : (uint32_t)longest;
        uint32_t length = 1 + dice_below(ruin->dice, longest_here), spared = 0;
        if (length > 1 && length < size && dice_unit(ruin->dice) < spare_share) {
            spared = 1;
            while (length + spared < size && dice_unit(ruin->dice) < spare_more)
                spared++;
        }
        remove_string(ruin, stop, length, spared);
        strings--;
    }
    for (uint32_t i = 0; task->penalty && i < NEAR_ABSENT && i < task->near_count; i++) {
        if (near[i] && state->route[near[i]] == NONE)
            pool(ruin, near[i]);
    }
    if (state->route[seed] == NONE && !state->first)
        pool(ruin, seed);
}

// Sorts the customers for insertion: at random, largest first, farthest from or closest to the depot first.
static void sort(struct ruin *ruin)
{
    const struct task *task = ruin->state->task;
    uint32_t order = dice_below(ruin->dice, 11);
    for (uint32_t i = 0; i < ruin->count; i++) {
        uint32_t site = ruin->pool[i];
        ruin->pooled[site] = false;
        if (order < 4)
            ruin->key[i] = dice_unit(ruin->dice);
        else if (order < 8 && task->load)
            ruin->key[i] = -(double)task->load[site];
        else if (order < 8 && task->penalty)
            ruin->key[i] = -task->penalty[site];
        else
            ruin->key[i] = (order < 10 ? -1 : 1) * task_distance(task, 0, site);
    }
    for (uint32_t i = 1; i < ruin->count; i++) {
        uint32_t site = ruin->pool[i], j = i;
        double key = ruin->key[i];
        for (; j && ruin->key[j - 1] > key; j--) {
            ruin->pool[j] = ruin->pool[j - 1];
            ruin->key[j] = ruin->key[j - 1];
        }
        ruin->pool[j] = site;
        ruin->key[j] = key;
    }
}

bool ruin_iterate(struct ruin *ruin, double temperature, struct record *record)
{
    struct state *state = ruin->state;
    const struct task *task = state->task;
    double before = state_guided_cost(state);
    bool possible = true, better = false;
    state_begin(state);
    ruin->count = 0;
    ruin_around(ruin, 1 + dice_below(ruin->dice, task->customers));
    sort(ruin);
    for (uint32_t i = 0; i < ruin->count && possible; i++)
        possible = place_site(&ruin->placer, ruin->pool[i], false) || task->penalty;
    if (possible && !state_complete(state))
        place_prize(&ruin->placer, ruin->pool, ruin->count);
    if (possible && state_complete(state)) {
        double cost = state_cost(state);
        better = cost < record->cost - 1e-10 * fabs(record->cost);
        if (better)
            state_save(state, record);
        if (state_guided_cost(state) < before - temperature * log(dice_unit(ruin->dice))) {
            state_accept(state);
            return better;
        }
    }
    state_undo(state);
    return better;
}
