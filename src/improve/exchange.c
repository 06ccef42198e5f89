// Exchanges two stops between two routes (SWAP*): each goes to its cheapest position in the other route.
#include "improve/moves.h"

#include "util/alloc.h"
#include "util/error.h"

// Cheapest positions of a stop in the other route: one more than an exchange can invalidate.
enum { SLOTS = 3 };

struct slots {
    double leaving; // length that its own route saves without the stop
    double delta[SLOTS];
    uint32_t after[SLOTS];
};

struct slots *slots_make(uint32_t stops)
{
    return xcalloc(stops, sizeof(struct slots));
}

static double leaving(const struct state *state, uint32_t u)
{
    uint32_t p = state->prev[u], q = state->next[u];
    return state_between(state, p, q) - state_between(state, p, u) - state_between(state, u, q);
}

// Finds the positions of the stops of route A in route B.
static void find_slots(struct local *local, uint32_t a, uint32_t b)
{
    const struct state *state = local->state;
    uint32_t depot_a = state->depots + a, depot_b = state->depots + b;
    for (uint32_t u = state->next[depot_a]; u != depot_a; u = state->next[u]) {
        struct slots *slots = &local->slots[u];
        slots->leaving = leaving(state, u);
        for (int i = 0; i < SLOTS; i++)
            slots->delta[i] = INFINITY, slots->after[i] = NONE;
        for (uint32_t after = depot_b;;) {
            uint32_t before = state->next[after];
            double way = before == depot_b ? state->length[b] - state->forward[after]
                                           : state->forward[before] - state->forward[after];
            double delta = state_between(state, after, u) + state_between(state, u, before) - way;
            if (delta < slots->delta[SLOTS - 1]) {
                int i = SLOTS - 1;
                for (; i && slots->delta[i - 1] > delta; i--)
                    slots->delta[i] = slots->delta[i - 1], slots->after[i] = slots->after[i - 1];
                slots->delta[i] = delta, slots->after[i] = after;
            }
            if (before == depot_b)
                break;
            after = before;
        }
    }
}

// Returns the cheapest position of U in the route that V leaves.
static struct insertion entering(const struct local *local, uint32_t u, uint32_t v)
{
    const struct state *state = local->state;
    uint32_t p = state->prev[v], q = state->next[v];
    struct insertion best = { p, state_between(state, p, u) + state_between(state, u, q) - state_between(state, p, q) };
    const struct slots *slots = &local->slots[u];
    for (int i = 0; i < SLOTS && slots->after[i] != NONE; i++) {
        if (slots->after[i] == v || slots->after[i] == p)
            continue;
        if (slots->delta[i] < best.delta)
            best = (struct insertion){ slots->after[i], slots->delta[i] };
        break;
    }
    return best;
}

struct exchange {
    double delta; // of the length
    uint32_t u, v;
    struct insertion to_b, to_a;
};

static void consider(const struct local *local, uint32_t a, uint32_t b, uint32_t u, uint32_t v, struct exchange *best)
{
    const struct state *state = local->state;
    const struct task *task = state->task;
    if (state->amount) {
        int64_t more = state->amount[v] - state->amount[u];
        if (state->load[a] + more > task->capacity || state->load[b] - more > task->capacity)
            return;
    }
    double out_u = local->slots[u].leaving, out_v = local->slots[v].leaving, out = out_u + out_v;
    if (out >= best->delta)
        return; // other positions cannot improve it
    struct insertion to_b = entering(local, u, v), to_a = entering(local, v, u);
    double delta = out + to_b.delta + to_a.delta;
    if (delta >= best->delta)
        return;
    if (state->length[a] + out_u + to_a.delta > task->limit || state->length[b] + out_v + to_b.delta > task->limit)
        return;
    *best = (struct exchange){ delta, u, v, to_b, to_a };
}

static void put(struct state *state, uint32_t stop, uint32_t after)
{
    uint32_t before = state->next[after];
    state->next[after] = state->prev[before] = stop;
    state->prev[stop] = after, state->next[stop] = before;
}

static void cut(struct local *local, uint32_t stop)
{
    struct state *state = local->state;
    uint32_t p = state->prev[stop], q = state->next[stop];
    local_push(local, p);
    local_push(local, q);
    state->next[p] = q, state->prev[q] = p;
}

bool swap_star(struct local *local, uint32_t a, uint32_t b)
{
    struct state *state = local->state;
    uint32_t depot_a = state->depots + a, depot_b = state->depots + b;
    struct exchange best = { .delta = -local->min_gain / state->task->weight, .u = NONE };
    find_slots(local, a, b);
    find_slots(local, b, a);
    for (uint32_t u = state->next[depot_a]; u != depot_a; u = state->next[u]) {
        for (uint32_t v = state->next[depot_b]; v != depot_b; v = state->next[v])
            consider(local, a, b, u, v, &best);
    }
    if (best.u == NONE)
        return false;
    double before = 0;
    if (local->audit) {
        state_recount(state);
        before = state->total;
    }
    cut(local, best.u);
    cut(local, best.v);
    put(state, best.u, best.to_b.after);
    put(state, best.v, best.to_a.after);
    for (int i = 0; i < 2; i++) {
        uint32_t stop = i ? best.v : best.u;
        local_push(local, stop);
        local_push(local, state->prev[stop]);
        local_push(local, state->next[stop]);
        state_refresh(state, i ? a : b);
        local_changed(local, i ? a : b);
    }
    if (local->audit) {
        local->audit->moves[MOVE_SWAP_STAR]++;
        state_recount(state);
        if (fabs(state->total - before - best.delta) > 1e-9 * before)
            bug("an exchange changes the length by %.17g, not %.17g", state->total - before, best.delta);
    }
    return true;
}
