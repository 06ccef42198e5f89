#include "improve/place.h"

#include <stdlib.h>

#include "util/alloc.h"

void placer_init(struct placer *placer, struct state *state, struct dice *dice, uint32_t near, double blinks)
{
    const struct task *task = state->task;
    *placer = (struct placer){ .state = state, .dice = dice, .blinks = blinks };
    placer->near = near < task->near_count ? near : task->near_count;
    placer->blink = UINT32_MAX;
    if (task->split) {
        placer->delta = xcalloc(state->routes, sizeof *placer->delta);
        placer->after = xcalloc(state->routes, sizeof *placer->after);
        placer->seen = xcalloc(state->routes, sizeof *placer->seen);
        placer->found = xcalloc(state->routes, sizeof *placer->found);
    }
}

void placer_finish(struct placer *placer)
{
    free(placer->delta);
    free(placer->after);
    free(placer->seen);
    free(placer->found);
    *placer = (struct placer){ 0 };
}

// Skips positions at random. It draws the number of positions up to the next skipped one, instead of a number for each.
static inline bool blinks(struct placer *placer)
{
    if (!placer->dice)
        return false;
    if (placer->blink == UINT32_MAX || placer->blink == 0) {
        bool now = placer->blink == 0;
        double wait = log(dice_unit(placer->dice)) / log1p(-placer->blinks);
        placer->blink = wait < 1e9 ? (uint32_t)wait : 1000000000;
        return now;
    }
    placer->blink--;
    return false;
}

static inline void try_after(struct placer *placer, uint32_t site, uint32_t after, struct insertion *best)
{
    const struct state *state = placer->state;
    const struct task *task = state->task;
    uint32_t from = state->site[after], to = state->site[state->next[after]];
    double delta = task_distance(task, from, site) + task_distance(task, site, to) - task_distance(task, from, to);
    if (delta < best->delta && state->length[state->route[after]] + delta <= task->limit && !blinks(placer))
        *best = (struct insertion){ after, delta };
}

static inline bool fits(const struct state *state, uint32_t route, int64_t amount)
{
    return !state->load || state->load[route] + amount <= state->task->capacity;
}

struct insertion place_find(struct placer *placer, uint32_t site)
{
    const struct state *state = placer->state;
    const struct task *task = state->task;
    struct insertion best = { NONE, INFINITY };
    int64_t amount = task->load ? task->load[site] : 0;
    const uint32_t *near = task_near(task, site);
    for (uint32_t i = 0; i < placer->near; i++) {
        uint32_t stop = near[i], route = state->route[stop];
        if (route == NONE || !fits(state, route, amount))
            continue;
        try_after(placer, site, stop, &best);
        try_after(placer, site, state->prev[stop], &best);
    }
    for (uint32_t i = 0; i < state->open_count; i++) { // beside the depot, which many routes pass
        uint32_t route = state->open[i], depot = state->depots + route;
        if (!fits(state, route, amount))
            continue;
        try_after(placer, site, depot, &best);
        try_after(placer, site, state->prev[depot], &best);
    }
    uint32_t empty = state_empty_route(state);
    if (empty != NONE && (best.after == NONE || task->load)) {
        double delta = task_distance(task, 0, site) + task_distance(task, site, 0);
        if (delta < best.delta && delta <= task->limit)
            best = (struct insertion){ empty, delta };
    }
    return best;
}

static void see(struct placer *placer, uint32_t *count, uint32_t after, double delta)
{
    uint32_t route = placer->state->route[after];
    if (placer->seen[route] != placer->pass) {
        placer->seen[route] = placer->pass;
        placer->found[(*count)++] = route;
    } else if (delta >= placer->delta[route]) {
        return;
    }
    placer->delta[route] = delta;
    placer->after[route] = after;
}

static void see_after(struct placer *placer, uint32_t *count, uint32_t site, uint32_t after)
{
    const struct state *state = placer->state;
    struct insertion best = { NONE, INFINITY };
    if (state_room(state, state->route[after]) > 0)
        try_after(placer, site, after, &best);
    if (best.after != NONE)
        see(placer, count, after, best.delta);
}

// Finds the cheapest position in every route with free capacity.
static uint32_t see_routes(struct placer *placer, uint32_t site)
{
    struct state *state = placer->state;
    const uint32_t *near = task_near(state->task, site);
    uint32_t count = 0;
    placer->pass++;
    for (uint32_t stop = state->first[site]; stop; stop = state->twin[stop]) {
        if (state_room(state, state->route[stop]) > 0)
            see(placer, &count, stop, 0); // the route already serves the site
    }
    for (uint32_t i = 0; i < placer->near; i++) {
        for (uint32_t stop = state->first[near[i]]; stop; stop = state->twin[stop]) {
            see_after(placer, &count, site, stop);
            see_after(placer, &count, site, state->prev[stop]);
        }
    }
    for (uint32_t i = 0; i < state->open_count; i++) {
        uint32_t depot = state->depots + state->open[i];
        see_after(placer, &count, site, depot);
        see_after(placer, &count, site, state->prev[depot]);
    }
    uint32_t empty = state_empty_route(state);
    if (empty != NONE)
        see(placer, &count, empty, task_distance(state->task, 0, site) + task_distance(state->task, site, 0));
    return count;
}

static int64_t min_amount(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// One step of serving a split load: all of it at one position or at the cheapest two, else as much as one route
// accepts.
static bool place_part(struct placer *placer, uint32_t site)
{
    struct state *state = placer->state;
    int64_t need = state->missing[site];
    uint32_t count = see_routes(placer, site), one = NONE, two = NONE, cheapest = NONE;
    const double *delta = placer->delta;
    double cost = INFINITY, rate = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t r = placer->found[i];
        int64_t room = state_room(state, r);
        if (room >= need && delta[r] < cost)
            cost = delta[r], one = r;
        if (delta[r] < rate * (double)min_amount(room, need))
            rate = delta[r] / (double)min_amount(room, need), cheapest = r;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = placer->found[i];
        if (delta[a] >= cost)
            continue;
        for (uint32_t j = 0; j < count; j++) {
            uint32_t b = placer->found[j];
            if (a != b && delta[a] + delta[b] < cost && state_room(state, a) + state_room(state, b) >= need)
                cost = delta[a] + delta[b], one = a, two = b;
        }
    }
    if (one == NONE)
        one = cheapest;
    if (one == NONE)
        return false;
    if (two != NONE && placer->dice && dice_draw(placer->dice) & 1) {
        uint32_t other = one;
        one = two, two = other;
    }
    if (state_deliver(state, site, min_amount(need, state_room(state, one)), placer->after[one]) == NONE)
        return false;
    need = state->missing[site];
    return two == NONE || need == 0 || state_deliver(state, site, need, placer->after[two]) != NONE;
}

bool place_site(struct placer *placer, uint32_t site, bool forced)
{
    struct state *state = placer->state;
    const struct task *task = state->task;
    if (task->split) {
        while (state->missing[site] > 0) {
            if (!place_part(placer, site))
                return false;
        }
        return true;
    }
    struct insertion insertion = place_find(placer, site);
    bool optional = task->penalty && !forced && state->open_count; // the first one of a route pays for the others
    if (insertion.after == NONE || (optional && task->pace * insertion.delta > task->penalty[site]))
        return false;
    state_insert(state, site, insertion.after);
    return true;
}

struct bargain {
    uint32_t site; // 0: none
    struct insertion insertion;
    double rate;
};

static void bargain(struct placer *placer, uint32_t site, struct bargain *best)
{
    const struct task *task = placer->state->task;
    struct insertion insertion = place_find(placer, site);
    double cost = task->pace * insertion.delta - task->penalty[site];
    double prize = fmax(task->prize[site], 1e-12 * task->min_prize);
    double rate = cost > 0 ? cost / prize : cost * prize;
    if (insertion.after != NONE && (!best->site || rate < best->rate))
        *best = (struct bargain){ site, insertion, rate };
}

void place_prize(struct placer *placer, uint32_t *sites, uint32_t count)
{
    enum { DRAWN = 6 };
    struct state *state = placer->state;
    while (!state_complete(state)) {
        struct bargain best = { 0 };
        for (uint32_t drawn = 0; drawn < DRAWN && count;) {
            uint32_t i = dice_below(placer->dice, count), site = sites[i];
            if (state->route[site] != NONE) {
                sites[i] = sites[--count];
                continue;
            }
            bargain(placer, site, &best);
            drawn++;
        }
        bool all = !best.site;
        for (uint32_t i = 1; all && i <= state->task->customers; i++) {
            if (state->route[i] == NONE)
                bargain(placer, i, &best);
        }
        if (!best.site)
            return;
        state_insert(state, best.site, best.insertion.after);
    }
}
