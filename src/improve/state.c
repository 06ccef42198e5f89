#include "improve/state.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "util/alloc.h"
#include "util/error.h"

struct step {
    enum { STEP_INSERT, STEP_REMOVE, STEP_AMOUNT } kind;
    uint32_t stop, after, site;
    int64_t amount;
    double length; // of the route, before the step
};

static uint32_t routes_needed(const struct task *task)
{
    int64_t full = 0;
    for (uint32_t i = 1; task->split && i <= task->customers; i++)
        full += task->load[i] / task->capacity;
    uint32_t max_routes = task->customers + (uint32_t)full + 1;
    return task->routes < max_routes ? task->routes : max_routes;
}

void state_init(struct state *state, const struct task *task)
{
    *state = (struct state){ .task = task, .routes = routes_needed(task) };
    state->depots = task->customers + 1 + (task->split ? state->routes + task->customers : 0);
    size_t stops = (size_t)state->depots + state->routes, sites = task->customers + 1, routes = state->routes;
    state->next = xcalloc(stops, sizeof *state->next);
    state->prev = xcalloc(stops, sizeof *state->prev);
    state->route = xcalloc(stops, sizeof *state->route);
    state->site = xcalloc(stops, sizeof *state->site);
    state->rank = xcalloc(stops, sizeof *state->rank);
    state->forward = xcalloc(stops, sizeof *state->forward);
    state->backward = xcalloc(stops, sizeof *state->backward);
    if (task->load) {
        state->amount = xcalloc(stops, sizeof *state->amount);
        state->upto = xcalloc(stops, sizeof *state->upto);
        state->load = xcalloc(routes, sizeof *state->load);
    }
    if (task->split) {
        state->first = xcalloc(sites, sizeof *state->first);
        state->twin = xcalloc(stops, sizeof *state->twin);
        state->missing = xcalloc(sites, sizeof *state->missing);
        state->spare = xcalloc(stops, sizeof *state->spare);
    }
    state->open = xcalloc(routes, sizeof *state->open);
    state->opened = xcalloc(routes, sizeof *state->opened);
    state->count = xcalloc(routes, sizeof *state->count);
    state->length = xcalloc(routes, sizeof *state->length);
    state->reversed = xcalloc(routes, sizeof *state->reversed);
    for (uint32_t r = 0; r < state->routes; r++) {
        state->open[r] = state->opened[r] = r;
        state->route[state->depots + r] = r;
    }
    state_clear(state);
}

void state_finish(struct state *state)
{
    void *memory[] = { state->next, state->prev, state->route, state->site, state->rank, state->forward,
        state->backward, state->amount, state->upto, state->load, state->first, state->twin, state->missing,
        state->spare, state->open, state->opened, state->count, state->length, state->reversed };
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        free(memory[i]);
    arrfree(state->journal);
    *state = (struct state){ 0 };
}

void state_clear(struct state *state)
{
    const struct task *task = state->task;
    for (uint32_t r = 0; r < state->routes; r++) {
        uint32_t depot = state->depots + r;
        state->next[depot] = state->prev[depot] = depot;
        state->count[r] = 0;
        state->length[r] = state->reversed[r] = 0;
        if (state->load)
            state->load[r] = 0;
    }
    for (uint32_t i = 0; i < state->depots; i++) {
        state->route[i] = NONE;
        state->site[i] = i <= task->customers ? i : 0;
        if (state->amount)
            state->amount[i] = i <= task->customers ? task->load[i] : 0;
    }
    state->spares = 0;
    if (task->split) {
        memset(state->first, 0, (task->customers + 1) * sizeof *state->first);
        memcpy(state->missing, task->load, (task->customers + 1) * sizeof *state->missing);
        for (uint32_t i = state->depots - 1; i >= 1; i--)
            state->spare[state->spares++] = i;
    }
    state->open_count = 0;
    state->total = state->penalty = state->prize = 0;
    state->absent = task->customers;
    for (uint32_t i = 1; task->penalty && i <= task->customers; i++)
        state->penalty += task->penalty[i];
    state->recording = false;
}

uint32_t state_empty_route(const struct state *state)
{
    return state->open_count < state->routes ? state->depots + state->open[state->open_count] : NONE;
}

static void move_open(struct state *state, uint32_t route, uint32_t to)
{
    uint32_t from = state->opened[route], other = state->open[to];
    state->open[from] = other, state->opened[other] = from;
    state->open[to] = route, state->opened[route] = to;
}

static void link_stop(struct state *state, uint32_t stop, uint32_t after)
{
    uint32_t before = state->next[after], r = state->route[after];
    double more =
        state_between(state, after, stop) + state_between(state, stop, before) - state_between(state, after, before);
    state->next[after] = state->prev[before] = stop;
    state->prev[stop] = after, state->next[stop] = before;
    state->route[stop] = r;
    state->length[r] += more;
    state->total += more;
    if (state->load)
        state->load[r] += state->amount[stop];
    if (state->count[r]++ == 0)
        move_open(state, r, state->open_count++);
}

static void unlink_stop(struct state *state, uint32_t stop)
{
    uint32_t after = state->prev[stop], before = state->next[stop], r = state->route[stop];
    double less =
        state_between(state, after, stop) + state_between(state, stop, before) - state_between(state, after, before);
    state->next[after] = before, state->prev[before] = after;
    state->route[stop] = NONE;
    state->length[r] -= less;
    state->total -= less;
    if (state->load)
        state->load[r] -= state->amount[stop];
    if (--state->count[r] == 0) {
        state->total -= state->length[r]; // removes rounding errors
        state->length[r] = 0;
        move_open(state, r, --state->open_count);
    }
}

static void serve(struct state *state, uint32_t site, int64_t amount)
{
    const struct task *task = state->task;
    if (task->split) {
        bool was = state->missing[site] > 0;
        state->missing[site] -= amount;
        state->absent -= was && state->missing[site] == 0;
        state->absent += !was && state->missing[site] > 0;
        return;
    }
    int sign = amount > 0 ? 1 : -1;
    state->absent -= (uint32_t)sign;
    if (task->penalty)
        state->penalty -= sign * task->penalty[site];
    if (task->prize)
        state->prize += sign * task->prize[site];
}

static void join_twins(struct state *state, uint32_t stop)
{
    uint32_t site = state->site[stop];
    state->twin[stop] = state->first[site];
    state->first[site] = stop;
}

static void leave_twins(struct state *state, uint32_t stop)
{
    uint32_t *at = &state->first[state->site[stop]];
    while (*at != stop)
        at = &state->twin[*at];
    *at = state->twin[stop];
}

void state_insert(struct state *state, uint32_t stop, uint32_t after)
{
    if (state->recording) {
        struct step step = { STEP_INSERT, stop, after, 0, 0, state->length[state->route[after]] };
        arrput(state->journal, step);
    }
    link_stop(state, stop, after);
    if (state->first)
        join_twins(state, stop);
    serve(state, state->site[stop], state->first ? state->amount[stop] : 1);
}

void state_remove(struct state *state, uint32_t stop)
{
    if (state->recording) {
        struct step step = { STEP_REMOVE, stop, state->prev[stop], state->site[stop],
            state->amount ? state->amount[stop] : 0, state->length[state->route[stop]] };
        arrput(state->journal, step);
    }
    unlink_stop(state, stop);
    serve(state, state->site[stop], state->first ? -state->amount[stop] : -1);
    if (state->first) {
        leave_twins(state, stop);
        state->spare[state->spares++] = stop;
    }
}

static uint32_t add_stop(struct state *state, uint32_t site, int64_t amount, uint32_t after)
{
    if (!state->spares)
        return NONE;
    uint32_t stop = state->spare[--state->spares];
    state->site[stop] = site;
    state->amount[stop] = amount;
    state_insert(state, stop, after);
    return stop;
}

uint32_t state_deliver(struct state *state, uint32_t site, int64_t amount, uint32_t after)
{
    uint32_t r = state->route[after];
    for (uint32_t stop = state->first[site]; stop; stop = state->twin[stop]) {
        if (state->route[stop] == r) {
            state_add_amount(state, stop, amount);
            return stop;
        }
    }
    return add_stop(state, site, amount, after);
}

void state_add_amount(struct state *state, uint32_t stop, int64_t more)
{
    if (state->recording) {
        struct step step = { STEP_AMOUNT, stop, 0, 0, more, 0 };
        arrput(state->journal, step);
    }
    state->amount[stop] += more;
    state->load[state->route[stop]] += more;
    serve(state, state->site[stop], more);
}

void state_begin(struct state *state)
{
    state->recording = true;
    arrsetlen(state->journal, 0);
    state->total_before = state->total;
    state->penalty_before = state->penalty;
    state->prize_before = state->prize;
}

void state_accept(struct state *state)
{
    state->recording = false;
}

// A removed stop is the last spare one when its step is undone, because all later steps are undone before.
void state_undo(struct state *state)
{
    state->recording = false;
    for (ptrdiff_t i = arrlen(state->journal); i-- > 0;) {
        const struct step step = state->journal[i];
        switch (step.kind) {
        case STEP_INSERT: {
            uint32_t r = state->route[step.stop];
            state_remove(state, step.stop);
            state->length[r] = step.length;
            break;
        }
        case STEP_REMOVE:
            if (state->first) {
                state->spares--;
                state->site[step.stop] = step.site;
                state->amount[step.stop] = step.amount;
            }
            state_insert(state, step.stop, step.after);
            state->length[state->route[step.stop]] = step.length;
            break;
        case STEP_AMOUNT:
            state_add_amount(state, step.stop, -step.amount);
            break;
        }
    }
    state->total = state->total_before;
    state->penalty = state->penalty_before;
    state->prize = state->prize_before;
}

void state_reverse(struct state *state, uint32_t first, uint32_t last)
{
    uint32_t before = state->prev[first], after = state->next[last];
    for (uint32_t stop = first;;) {
        uint32_t next = state->next[stop];
        state->next[stop] = state->prev[stop];
        state->prev[stop] = next;
        if (stop == last)
            break;
        stop = next;
    }
    state->next[before] = last, state->prev[last] = before;
    state->prev[after] = first, state->next[first] = after;
}

void state_index(struct state *state, uint32_t route)
{
    uint32_t depot = state->depots + route, from = depot, rank = 0;
    double forward = 0, backward = 0;
    int64_t load = 0;
    state->rank[depot] = 0;
    state->forward[depot] = state->backward[depot] = 0;
    if (state->upto)
        state->upto[depot] = 0;
    for (uint32_t stop = state->next[depot]; stop != depot; from = stop, stop = state->next[stop]) {
        double way = state_between(state, from, stop);
        forward += way;
        backward += state->task->symmetric ? way : state_between(state, stop, from);
        state->rank[stop] = ++rank;
        state->forward[stop] = forward;
        state->backward[stop] = backward;
        if (state->upto)
            state->upto[stop] = load += state->amount[stop];
    }
    double home = state_between(state, from, depot);
    state->length[route] = forward + home;
    state->reversed[route] = backward + (state->task->symmetric ? home : state_between(state, depot, from));
    if (!rank)
        state->length[route] = state->reversed[route] = 0;
}

void state_refresh(struct state *state, uint32_t route)
{
    uint32_t depot = state->depots + route, count = 0;
    int64_t load = 0;
    for (uint32_t stop = state->next[depot]; stop != depot; stop = state->next[stop]) {
        state->route[stop] = route;
        load += state->amount ? state->amount[stop] : 0;
        count++;
    }
    if (count && !state->count[route])
        move_open(state, route, state->open_count++);
    else if (!count && state->count[route])
        move_open(state, route, --state->open_count);
    state->count[route] = count;
    if (state->load)
        state->load[route] = load;
    double before = state->length[route];
    state_index(state, route);
    state->total += state->length[route] - before;
}

void state_recount(struct state *state)
{
    const struct task *task = state->task;
    state->total = 0;
    for (uint32_t i = 0; i < state->open_count; i++) {
        state_index(state, state->open[i]);
        state->total += state->length[state->open[i]];
    }
    state->penalty = state->prize = 0;
    for (uint32_t i = 1; i <= task->customers; i++) {
        if (task->penalty && state->route[i] == NONE)
            state->penalty += task->penalty[i];
        if (task->prize && state->route[i] != NONE)
            state->prize += task->prize[i];
    }
}

void state_save(const struct state *state, struct record *record)
{
    record->cost = state_cost(state);
    arrsetlen(record->sites, 0);
    arrsetlen(record->amounts, 0);
    for (uint32_t i = 0; i < state->open_count; i++) {
        uint32_t depot = state->depots + state->open[i];
        for (uint32_t stop = state->next[depot]; stop != depot; stop = state->next[stop]) {
            arrput(record->sites, state->site[stop]);
            if (state->first)
                arrput(record->amounts, state->amount[stop]);
        }
        arrput(record->sites, 0);
        if (state->first)
            arrput(record->amounts, 0);
    }
}

void state_load(struct state *state, const struct record *record)
{
    state_clear(state);
    uint32_t after = state_empty_route(state);
    for (ptrdiff_t i = 0; i < arrlen(record->sites); i++) {
        uint32_t site = record->sites[i], stop;
        if (site == 0) {
            after = state_empty_route(state);
        } else if (after == NONE) {
            continue; // more routes than the search needs
        } else if (state->first) {
            stop = add_stop(state, site, record->amounts[i], after);
            after = stop == NONE ? after : stop;
        } else {
            state_insert(state, site, after);
            after = site;
        }
    }
    state_recount(state);
}

void record_finish(struct record *record)
{
    arrfree(record->sites);
    arrfree(record->amounts);
}

void record_copy(struct record *to, const struct record *from)
{
    to->cost = from->cost;
    arrsetlen(to->sites, arrlenu(from->sites));
    arrsetlen(to->amounts, arrlenu(from->amounts));
    for (ptrdiff_t i = 0; i < arrlen(from->sites); i++)
        to->sites[i] = from->sites[i];
    for (ptrdiff_t i = 0; i < arrlen(from->amounts); i++)
        to->amounts[i] = from->amounts[i];
}

void record_from_solution(struct record *record, const struct task *task, const struct solution *solution)
{
    const struct instance *instance = task->instance;
    uint32_t *site = xcalloc((size_t)instance->n + 1, sizeof *site);
    for (uint32_t i = 1; i <= task->customers; i++)
        site[task->number[i]] = i;
    for (ptrdiff_t r = 0; r < arrlen(solution->routes); r++) {
        const struct route *route = &solution->routes[r];
        ptrdiff_t count = arrlen(route->stops), start = 0, before = arrlen(record->sites);
        for (ptrdiff_t s = 0; s < count && task->number[0]; s++) // rotates a closed tour to the task's first node
            start = route->stops[s] == task->number[0] ? s : start;
        for (ptrdiff_t s = 0; s < count; s++) {
            uint32_t at = (uint32_t)((start + s) % count), i = site[route->stops[at]];
            int64_t amount = route->amounts ? route->amounts[at] : 0;
            if (!i || (task->split && amount == 0))
                continue;
            arrput(record->sites, i);
            if (task->split)
                arrput(record->amounts, amount);
        }
        if (arrlen(record->sites) == before)
            continue;
        arrput(record->sites, 0);
        if (task->split)
            arrput(record->amounts, 0);
    }
    free(site);
}

void record_to_solution(const struct record *record, const struct task *task, struct solution *solution)
{
    struct route route = { 0 };
    *solution = (struct solution){ 0 };
    if (task->number[0])
        arrput(route.stops, task->number[0]);
    if (!arrlen(record->sites) && task->last)
        arrput(route.stops, task->last);
    for (ptrdiff_t i = 0; i < arrlen(record->sites); i++) {
        uint32_t site = record->sites[i];
        if (site) {
            arrput(route.stops, task->number[site]);
            if (task->split)
                arrput(route.amounts, record->amounts[i]);
        } else {
            if (task->last)
                arrput(route.stops, task->last);
            arrput(solution->routes, route);
            route = (struct route){ 0 };
        }
    }
    if (route.stops) // a tour of one node
        arrput(solution->routes, route);
}
