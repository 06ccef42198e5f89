#include "improve/local.h"

#include <stdlib.h>

#include "improve/moves.h"
#include "util/alloc.h"
#include "util/error.h"

// Neighbours that moves consider: more find little.
enum { NEAR = 12, NEAR_ROUTES = 8 };

void local_init(struct local *local, struct state *state, const struct watch *watch, struct audit *audit)
{
    const struct task *task = state->task;
    *local = (struct local){ .state = state, .watch = watch, .audit = audit };
    local->near = NEAR < task->near_count ? NEAR : task->near_count;
    placer_init(&local->placer, state, NULL, NEAR, 0);
    local->queue_size = state->depots;
    local->queue = xcalloc(local->queue_size, sizeof *local->queue);
    local->queued = xcalloc(local->queue_size, sizeof *local->queued);
    local->changed = xcalloc(state->routes, sizeof *local->changed);
    local->exchanged = xcalloc(state->routes, sizeof *local->exchanged);
    local->met = xcalloc(state->routes, sizeof *local->met);
    local->slots = state->routes > 1 ? slots_make(state->depots) : NULL;
}

void local_finish(struct local *local)
{
    placer_finish(&local->placer);
    free(local->queue);
    free(local->queued);
    free(local->changed);
    free(local->exchanged);
    free(local->met);
    free(local->slots);
    *local = (struct local){ 0 };
}

void local_push(struct local *local, uint32_t stop)
{
    if (stop >= local->state->depots || local->queued[stop])
        return;
    local->queued[stop] = true;
    local->queue[(local->head + local->waiting++) % local->queue_size] = stop;
}

static uint32_t pop(struct local *local)
{
    uint32_t stop = local->queue[local->head];
    local->head = (local->head + 1) % local->queue_size;
    local->waiting--;
    local->queued[stop] = false;
    return stop;
}

void local_changed(struct local *local, uint32_t route)
{
    local->changed[route] = ++local->time;
}

static void refresh_site(struct local *local, uint32_t site)
{
    struct state *state = local->state;
    for (uint32_t stop = state->first[site]; stop; stop = state->twin[stop]) {
        local_push(local, stop);
        local_push(local, state->prev[stop]);
        local_push(local, state->next[stop]);
        state_refresh(state, state->route[stop]);
        local_changed(local, state->route[stop]);
    }
}

static void check_gain(struct local *local, enum move_kind kind, double before)
{
    if (!local->audit)
        return;
    local->audit->moves[kind]++;
    state_recount(local->state);
    if (!(state_cost(local->state) < before) || !state_complete(local->state))
        bug("move %d leads from %.17g to %.17g", (int)kind, before, state_cost(local->state));
}

// Moves the load of stop U to another stop of the same customer, or to other positions.
static bool divide_anew(struct local *local, uint32_t u)
{
    struct state *state = local->state;
    uint32_t site = state->site[u], route = state->route[u], p = state->prev[u], q = state->next[u], best = 0;
    double less = state_between(state, p, u) + state_between(state, u, q) - state_between(state, p, q);
    double before = state_cost(state);
    if (!(less > local->min_gain))
        return false;
    for (uint32_t twin = state->first[site]; twin && !best; twin = state->twin[twin]) {
        uint32_t other = state->route[twin];
        if (twin != u && (other == route || state_room(state, other) >= state->amount[u]))
            best = twin;
    }
    state_begin(state);
    if (best) {
        int64_t amount = state->amount[u];
        state_remove(state, u);
        state_add_amount(state, best, amount);
    } else {
        state_remove(state, u);
        if (!place_site(&local->placer, site, true) || !(state_cost(state) < before - local->min_gain)) {
            state_undo(state);
            return false;
        }
    }
    state_accept(state);
    local_push(local, p);
    local_push(local, q);
    state_refresh(state, route);
    local_changed(local, route);
    refresh_site(local, site);
    check_gain(local, best ? MOVE_MERGE : MOVE_SPLIT, before);
    return true;
}

static bool improve_stop(struct local *local, uint32_t u)
{
    struct state *state = local->state;
    const struct task *task = state->task;
    struct move best = MOVE_NOTHING;
    best.delta = -local->min_gain;
    if (state->route[u] != NONE) {
        moves_of_stop(local, u, &best);
        if (task->penalty)
            moves_of_drop(local, u, &best);
    } else if (task->penalty && u <= task->customers) {
        moves_of_absent(local, u, &best);
    }
    if (best.delta < -local->min_gain) {
        move_apply(local, &best);
        local_push(local, u);
        return true;
    }
    return task->split && state->route[u] != NONE && divide_anew(local, u);
}

// Makes the first exchange of stops between route A and a later neighbouring route, if one of them has changed since
// they were compared.
static bool exchange_route(struct local *local, uint32_t a, uint32_t near)
{
    struct state *state = local->state;
    uint32_t since = local->exchanged[a], depot = state->depots + a, pass = ++local->time;
    for (uint32_t stop = state->next[depot]; stop != depot; stop = state->next[stop]) {
        const uint32_t *sites = task_near(state->task, state->site[stop]);
        for (uint32_t i = 0; i < near; i++) {
            for (uint32_t v = state_stop(state, sites[i]); v; v = state_twin(state, v)) {
                uint32_t b = state->route[v];
                if (b <= a || local->met[b] == pass || (local->changed[a] < since && local->changed[b] < since))
                    continue;
                local->met[b] = pass;
                if (swap_star(local, a, b))
                    return true;
            }
        }
    }
    local->exchanged[a] = pass;
    return false;
}

// Continues after the last call, up to the first success.
static bool exchange_routes(struct local *local)
{
    struct state *state = local->state;
    uint32_t near = NEAR_ROUTES < local->near ? NEAR_ROUTES : local->near;
    for (uint32_t i = 0; i < state->routes; i++) {
        if (local->watch && i % 64 == 0 && watch_ended(local->watch))
            return false;
        if (state->count[local->cursor] && exchange_route(local, local->cursor, near))
            return true;
        local->cursor = local->cursor + 1 == state->routes ? 0 : local->cursor + 1;
    }
    return false;
}

void local_search(struct local *local)
{
    struct state *state = local->state;
    const struct task *task = state->task;
    state_recount(state);
    local->min_gain = 1e-9 * task->weight * (task->scale + fabs(state->total) / (task->customers + 1.0));
    for (uint32_t r = 0; r < state->routes; r++) {
        local_changed(local, r);
        if (state->count[r] == 0)
            state_index(state, r);
    }
    for (uint32_t i = 0; i < state->open_count; i++) {
        uint32_t depot = state->depots + state->open[i];
        for (uint32_t stop = state->next[depot]; stop != depot; stop = state->next[stop])
            local_push(local, stop);
    }
    bool improved = true; // since the unvisited customers were considered
    uint32_t looks = 0;
    while (true) {
        while (local->waiting) {
            if (local->watch && ++looks % 8 == 0 && watch_ended(local->watch)) {
                while (local->waiting)
                    pop(local);
                return;
            }
            improved |= improve_stop(local, pop(local));
        }
        if (task->penalty && improved) {
            for (uint32_t i = 1; i <= task->customers; i++) {
                if (state->route[i] == NONE)
                    local_push(local, i);
            }
            improved = false;
        } else if (!local->slots || !exchange_routes(local)) {
            return;
        }
    }
}
