#include "improve/moves.h"

#include "util/error.h"

enum { CHAIN = 3, SWAPPED = 2 };

static inline uint32_t next(const struct local *local, uint32_t stop)
{
    return local->state->next[stop];
}

static inline uint32_t prev(const struct local *local, uint32_t stop)
{
    return local->state->prev[stop];
}

static inline double between(const struct local *local, uint32_t a, uint32_t b)
{
    return state_between(local->state, a, b);
}

static inline bool is_depot(const struct local *local, uint32_t stop)
{
    return stop >= local->state->depots;
}

// Returns how much longer the chain FIRST..LAST is in reverse.
static inline double reversed(const struct local *local, uint32_t first, uint32_t last)
{
    const struct state *state = local->state;
    if (state->task->symmetric)
        return 0;
    return state->backward[last] - state->backward[first] - (state->forward[last] - state->forward[first]);
}

static inline int64_t load_upto(const struct state *state, uint32_t stop)
{
    return state->upto ? state->upto[stop] : 0;
}

static inline int64_t chain_load(const struct local *local, uint32_t first, uint32_t last)
{
    return load_upto(local->state, last) - load_upto(local->state, prev(local, first));
}

static inline int64_t route_load(const struct local *local, uint32_t route)
{
    return local->state->load ? local->state->load[route] : 0;
}

// Returns whether routes A and B stay within their limits after growing by these amounts.
static inline bool allowed(
    const struct local *local, uint32_t a, uint32_t b, double more_a, double more_b, int64_t load_a, int64_t load_b)
{
    const struct state *state = local->state;
    const struct task *task = state->task;
    if (a == b)
        return state->length[a] + more_a + more_b <= task->limit;
    return load_a <= task->capacity && load_b <= task->capacity && state->length[a] + more_a <= task->limit &&
           state->length[b] + more_b <= task->limit;
}

static inline bool better(const struct local *local, double length, const struct move *best)
{
    return local->state->task->weight * length < best->delta;
}

// Records the move as the best; the caller then adds reversals.
static inline void consider(const struct local *local, struct move *best, enum move_kind kind, double length)
{
    *best = MOVE_NOTHING;
    best->kind = kind;
    best->length = length;
    best->delta = local->state->task->weight * length;
}

static inline void set_pair(uint32_t pair[2], uint32_t a, uint32_t b)
{
    pair[0] = a;
    pair[1] = b;
}

// Moves chain FIRST..LAST between P and Q, which are adjacent without it. FLIPPED: reversed.
static void relocate(
    struct local *local, uint32_t first, uint32_t last, uint32_t p, uint32_t q, bool flipped, struct move *best)
{
    const struct state *state = local->state;
    uint32_t before = prev(local, first), after = next(local, last);
    uint32_t a = state->route[first], b = state->route[p];
    double out = between(local, before, after) - between(local, before, first) - between(local, last, after);
    double in = flipped ? between(local, p, last) + between(local, first, q) + reversed(local, first, last)
                        : between(local, p, first) + between(local, last, q);
    in -= between(local, p, q);
    if (!better(local, out + in, best))
        return;
    int64_t load = chain_load(local, first, last);
    double inside = state->forward[last] - state->forward[first]; // travels with the chain
    if (!allowed(local, a, b, out - inside, in + inside, route_load(local, a) - load, route_load(local, b) + load))
        return;
    consider(local, best, flipped ? MOVE_RELOCATE_REVERSE : MOVE_RELOCATE, out + in);
    if (flipped)
        set_pair(best->reverse[0], first, last);
    if (p == before && q == after)
        return; // that would only reverse the chain
    set_pair(best->gap[0], before, after);
    set_pair(best->gap[1], p, q);
}

// Moves chains that extend from U forwards or backwards beside V, so that U is adjacent to V.
static void relocate_beside(struct local *local, uint32_t u, uint32_t v, bool forwards, struct move *best)
{
    uint32_t end = u;
    for (int k = 0; k < CHAIN; k++, end = forwards ? next(local, end) : prev(local, end)) {
        if (is_depot(local, end) || end == v)
            return;
        uint32_t first = forwards ? u : end, last = forwards ? end : u;
        uint32_t before = prev(local, first), after = next(local, last);
        // Before V, then after V. A chain that is already adjacent to V can only be reversed.
        if (v != after || (forwards && k > 0))
            relocate(local, first, last, v == after ? before : prev(local, v), v, forwards, best);
        if (v != before || (!forwards && k > 0))
            relocate(local, first, last, v, v == before ? after : next(local, v), !forwards, best);
    }
}

// Returns the length of chain FIRST..LAST between P and Q in its shorter direction.
static inline double fit_between(
    const struct local *local, uint32_t p, uint32_t first, uint32_t last, uint32_t q, bool *flipped)
{
    double straight = between(local, p, first) + between(local, last, q);
    double back = between(local, p, last) + between(local, first, q) + reversed(local, first, last);
    *flipped = back < straight;
    return *flipped ? back : straight;
}

// Exchanges chain X with end U and chain Y beside V, so that U is adjacent to V.
static void swap_beside(struct local *local, uint32_t u, uint32_t v, bool forwards, bool after_v, struct move *best)
{
    const struct state *state = local->state;
    uint32_t a = state->route[u], b = state->route[v], x_end = u;
    for (int k = 0; k < SWAPPED; k++, x_end = forwards ? next(local, x_end) : prev(local, x_end)) {
        if (is_depot(local, x_end) || x_end == v)
            return;
        uint32_t x1 = forwards ? u : x_end, x2 = forwards ? x_end : u;
        uint32_t px = prev(local, x1), qx = next(local, x2);
        double inside_x = state->forward[x2] - state->forward[x1];
        uint32_t y_near = after_v ? next(local, v) : prev(local, v), y_end = y_near;
        for (int l = 0; l < SWAPPED; l++, y_end = after_v ? next(local, y_end) : prev(local, y_end)) {
            if (is_depot(local, y_end) || y_end == px || y_end == qx || y_end == x1 || y_end == x2)
                break;
            uint32_t y1 = after_v ? y_near : y_end, y2 = after_v ? y_end : y_near;
            uint32_t py = prev(local, y1), qy = next(local, y2);
            bool flip_y, flip_x = forwards != after_v;
            double old_x = between(local, px, x1) + between(local, x2, qx);
            double old_y = between(local, py, y1) + between(local, y2, qy);
            double new_x = flip_x ? between(local, py, x2) + between(local, x1, qy) + reversed(local, x1, x2)
                                  : between(local, py, x1) + between(local, x2, qy);
            double new_y = fit_between(local, px, y1, y2, qx, &flip_y);
            double length = new_x + new_y - old_x - old_y;
            if (!better(local, length, best))
                continue;
            double inside_y = state->forward[y2] - state->forward[y1];
            int64_t load_x = chain_load(local, x1, x2), load_y = chain_load(local, y1, y2);
            if (!allowed(local, a, b, new_y - old_x + inside_y - inside_x, new_x - old_y + inside_x - inside_y,
                    route_load(local, a) - load_x + load_y, route_load(local, b) - load_y + load_x))
                continue;
            consider(local, best, flip_x || flip_y ? MOVE_SWAP_REVERSE : MOVE_SWAP, length);
            if (flip_x)
                set_pair(best->reverse[0], x1, x2);
            if (flip_y)
                set_pair(best->reverse[1], y1, y2);
            set_pair(best->gap[0], px, qx);
            set_pair(best->gap[1], py, qy);
        }
    }
}

// Reverses FIRST..LAST in place.
static void reverse(struct local *local, uint32_t first, uint32_t last, struct move *best)
{
    const struct state *state = local->state;
    uint32_t before = prev(local, first), after = next(local, last), r = state->route[first];
    double length = between(local, before, last) + between(local, first, after) - between(local, before, first) -
                    between(local, last, after) + reversed(local, first, last);
    if (!better(local, length, best) || !allowed(local, r, r, length, 0, 0, 0))
        return;
    consider(local, best, MOVE_2OPT, length);
    set_pair(best->reverse[0], first, last);
}

// Route of A: up to A, then from B on; route of B: up to before B, then after A.
static void join_tails(struct local *local, uint32_t a, uint32_t b, struct move *best)
{
    const struct state *state = local->state;
    uint32_t na = next(local, a), pb = prev(local, b), ra = state->route[a], rb = state->route[b];
    double length = between(local, a, b) + between(local, pb, na) - between(local, a, na) - between(local, pb, b);
    if (!better(local, length, best))
        return;
    int64_t load_a = load_upto(state, a) + route_load(local, rb) - load_upto(state, pb);
    int64_t load_b = load_upto(state, pb) + route_load(local, ra) - load_upto(state, a);
    double new_a = state->forward[a] + between(local, a, b) + state->length[rb] - state->forward[b];
    double more_a = new_a - state->length[ra];
    if (!allowed(local, ra, rb, more_a, length - more_a, load_a, load_b))
        return;
    consider(local, best, MOVE_TAILS, length);
    set_pair(best->gap[0], a, state->depots + ra);
    set_pair(best->gap[1], pb, state->depots + rb);
}

// Route of A: up to A, then from B back to the depot; route of B: from the end of A's back to after A, then after B.
static void join_heads(struct local *local, uint32_t a, uint32_t b, struct move *best)
{
    const struct state *state = local->state;
    uint32_t na = next(local, a), nb = next(local, b), ra = state->route[a], rb = state->route[b];
    uint32_t depot_a = state->depots + ra, depot_b = state->depots + rb;
    bool has_tail = na != depot_a, has_head = b != depot_b;
    uint32_t last_a = prev(local, depot_a), first_b = next(local, depot_b);
    double length = between(local, a, b) + between(local, na, nb) - between(local, a, na) - between(local, b, nb);
    if (!state->task->symmetric) {
        if (has_tail)
            length += reversed(local, na, last_a) + between(local, depot_a, last_a) - between(local, last_a, depot_a);
        if (has_head)
            length += reversed(local, first_b, b) + between(local, first_b, depot_b) - between(local, depot_b, first_b);
    }
    if (!better(local, length, best))
        return;
    int64_t load_a = load_upto(state, a) + load_upto(state, b);
    double new_a = state->forward[a] + between(local, a, b) + state->backward[b];
    double more_a = new_a - state->length[ra];
    if (!allowed(
            local, ra, rb, more_a, length - more_a, load_a, route_load(local, ra) + route_load(local, rb) - load_a))
        return;
    consider(local, best, MOVE_HEADS, length);
    if (has_tail)
        set_pair(best->reverse[0], na, last_a);
    if (has_head)
        set_pair(best->reverse[1], first_b, b);
    set_pair(best->gap[0], a, depot_a);
    set_pair(best->gap[1], depot_b, nb);
}

// Considers moves that replace the edge PREV(U) -> U (BEFORE) or U -> NEXT(U) by one between U and V.
static void moves_beside(struct local *local, uint32_t u, uint32_t v, bool before, struct move *best)
{
    const struct state *state = local->state;
    bool same = state->route[u] == state->route[v], depot = is_depot(local, v);
    relocate_beside(local, u, v, before, best);
    swap_beside(local, u, v, before, true, best);
    swap_beside(local, u, v, before, false, best);
    if (same) {
        uint32_t rank_u = state->rank[u], rank_v = depot && before ? UINT32_MAX : state->rank[v];
        uint32_t low = rank_u < rank_v ? u : v, high = rank_u < rank_v ? v : u;
        if (before && prev(local, high) != low)
            reverse(local, low, prev(local, high), best);
        else if (!before && next(local, low) != high)
            reverse(local, next(local, low), high, best);
    } else if (before) {
        if (!depot)
            join_tails(local, v, u, best);
        join_heads(local, prev(local, u), prev(local, v), best);
    } else {
        if (!depot)
            join_tails(local, u, v, best);
        join_heads(local, u, v, best);
    }
}

void moves_of_stop(struct local *local, uint32_t u, struct move *best)
{
    const struct state *state = local->state;
    const struct task *task = state->task;
    uint32_t site = state->site[u];
    const uint32_t *near = task_near(task, site);
    double before = between(local, prev(local, u), u), after = between(local, u, next(local, u));
    for (uint32_t i = 0; i < local->near; i++) {
        double way = task_distance(task, site, near[i]);
        if (!task->symmetric)
            way = fmin(way, task_distance(task, near[i], site));
        if (way >= before && way >= after)
            break;
        if (near[i] == 0) { // the depot: of U's route, and of an empty one
            uint32_t depots[2] = { state->depots + state->route[u], state_empty_route(state) };
            for (int d = 0; d < 2 && depots[d] != NONE; d++) {
                if (way < before)
                    moves_beside(local, u, depots[d], true, best);
                if (way < after)
                    moves_beside(local, u, depots[d], false, best);
            }
            continue;
        }
        for (uint32_t v = state_stop(state, near[i]); v; v = state_twin(state, v)) {
            if (v == u)
                continue;
            if (way < before)
                moves_beside(local, u, v, true, best);
            if (way < after)
                moves_beside(local, u, v, false, best);
        }
    }
}

void moves_of_drop(struct local *local, uint32_t u, struct move *best)
{
    const struct state *state = local->state;
    const struct task *task = state->task;
    uint32_t p = prev(local, u), q = next(local, u);
    if (task->prize && state->prize - task->prize[u] < task->min_prize)
        return;
    double length = between(local, p, q) - between(local, p, u) - between(local, u, q);
    double delta = task->weight * length + task->penalty[u];
    if (delta >= best->delta)
        return;
    consider(local, best, MOVE_DROP, length);
    best->delta = delta;
    best->out = u;
}

// Inserts SITE at the position of U, or at its own cheapest position if that is elsewhere.
static void replace(struct local *local, uint32_t site, struct insertion insertion, uint32_t u, struct move *best)
{
    const struct state *state = local->state;
    const struct task *task = state->task;
    uint32_t p = prev(local, u), q = next(local, u), r = state->route[u];
    if (task->prize && state->absent > 0 && state->prize - task->prize[u] + task->prize[site] < task->min_prize)
        return;
    double out = between(local, p, q) - between(local, p, u) - between(local, u, q);
    double here = between(local, p, site) + between(local, site, q) - between(local, p, q);
    bool elsewhere = insertion.after != NONE && insertion.after != u && insertion.after != p && insertion.delta < here;
    double in = elsewhere ? insertion.delta : here, length = out + in;
    double delta = task->weight * length + task->penalty[u] - task->penalty[site];
    uint32_t to = elsewhere ? state->route[insertion.after] : r;
    if (delta >= best->delta)
        return;
    if (to == r ? state->length[r] + length > task->limit : state->length[to] + in > task->limit)
        return;
    if (task->load && state->load[to] + task->load[site] - (to == r ? task->load[u] : 0) > task->capacity)
        return;
    consider(local, best, MOVE_REPLACE, length);
    best->delta = delta;
    best->out = u;
    best->in = site;
    best->after = elsewhere ? insertion.after : p;
}

// Returns the cheapest position of a customer without regard to limits, because another one makes room.
static struct insertion place_anyway(struct local *local, uint32_t site)
{
    const struct state *state = local->state;
    const struct task *task = state->task;
    const uint32_t *near = task_near(task, site);
    struct insertion best = { NONE, INFINITY };
    for (uint32_t i = 0; i < local->near; i++) {
        uint32_t stop = near[i];
        if (state->route[stop] == NONE)
            continue;
        for (int side = 0; side < 2; side++) {
            uint32_t after = side ? stop : prev(local, stop), q = next(local, after);
            double delta = between(local, after, site) + between(local, site, q) - between(local, after, q);
            if (delta < best.delta)
                best = (struct insertion){ after, delta };
        }
    }
    return best;
}

void moves_of_absent(struct local *local, uint32_t site, struct move *best)
{
    const struct state *state = local->state;
    const struct task *task = state->task;
    struct insertion insertion = place_find(&local->placer, site);
    double delta = task->weight * insertion.delta - task->penalty[site];
    if (insertion.after != NONE && delta < best->delta) {
        consider(local, best, MOVE_INSERT, insertion.delta);
        best->delta = delta;
        best->in = site;
        best->after = insertion.after;
    }
    insertion = place_anyway(local, site);
    const uint32_t *near = task_near(task, site);
    for (uint32_t i = 0; i < local->near; i++) {
        if (near[i] && state->route[near[i]] != NONE)
            replace(local, site, insertion, near[i], best);
    }
}

static inline void join(struct state *state, uint32_t a, uint32_t b)
{
    state->next[a] = b;
    state->prev[b] = a;
}

// Exchanges the stops between gap[0] with those between gap[1].
static void exchange(struct state *state, const uint32_t a[2], const uint32_t b[2])
{
    uint32_t x1 = state->next[a[0]], x2 = state->prev[a[1]], y1 = state->next[b[0]], y2 = state->prev[b[1]];
    bool has_x = x1 != a[1], has_y = y1 != b[1];
    if (has_y) {
        join(state, a[0], y1);
        join(state, y2, a[1]);
    } else {
        join(state, a[0], a[1]);
    }
    if (has_x) {
        join(state, b[0], x1);
        join(state, x2, b[1]);
    } else {
        join(state, b[0], b[1]);
    }
}

static double cost_anew(struct state *state)
{
    state_recount(state);
    return state_cost(state);
}

void move_apply(struct local *local, const struct move *move)
{
    struct state *state = local->state;
    double before = local->audit ? cost_anew(state) : 0;
    uint32_t routes[2] = { NONE, NONE };
    if (move->out != NONE) {
        uint32_t p = prev(local, move->out), q = next(local, move->out);
        routes[0] = state->route[move->out];
        state_remove(state, move->out);
        local_push(local, p);
        local_push(local, q);
        local_push(local, move->out);
    }
    if (move->in != NONE) {
        routes[1] = state->route[move->after];
        state_insert(state, move->in, move->after);
        local_push(local, prev(local, move->in));
        local_push(local, next(local, move->in));
        local_push(local, move->in);
    }
    for (int i = 0; i < 2; i++) {
        uint32_t first = move->reverse[i][0], last = move->reverse[i][1];
        if (first == NONE)
            continue;
        routes[i] = state->route[first];
        local_push(local, first);
        local_push(local, last);
        local_push(local, prev(local, first));
        local_push(local, next(local, last));
        state_reverse(state, first, last);
    }
    if (move->gap[0][0] != NONE) {
        for (int i = 0; i < 2; i++) {
            routes[i] = state->route[move->gap[i][0]];
            local_push(local, move->gap[i][0]);
            local_push(local, move->gap[i][1]);
            local_push(local, next(local, move->gap[i][0]));
            local_push(local, prev(local, move->gap[i][1]));
        }
        exchange(state, move->gap[0], move->gap[1]);
    }
    for (int i = 0; i < 2; i++) {
        if (routes[i] == NONE || (i && routes[1] == routes[0]))
            continue;
        state_refresh(state, routes[i]);
        local_changed(local, routes[i]);
    }
    if (!local->audit)
        return;
    local->audit->moves[move->kind]++;
    double after = cost_anew(state);
    if (fabs(after - before - move->delta) > 1e-9 * (fabs(before) + fabs(after)))
        bug("move %d changes the objective by %.17g, not %.17g", (int)move->kind, after - before, move->delta);
    for (uint32_t i = 0; i < state->open_count; i++) {
        uint32_t r = state->open[i];
        if (state_room(state, r) < 0 || state->length[r] > state->task->limit * (1 + 1e-9))
            bug("move %d breaks a limit of route %u", (int)move->kind, r);
    }
    if (!state_complete(state))
        bug("move %d omits too many customers", (int)move->kind);
}
