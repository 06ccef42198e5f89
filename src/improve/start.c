#include "improve/start.h"

#include <stdlib.h>

#include "improve/place.h"
#include "util/alloc.h"

// Neighbours that savings pair a customer with; neighbours for insertion; max customers of which insertion compares
// all.
enum { NEAR_SAVINGS = 32, NEAR_INSERT = 64, COMPARED = 2000 };

struct saving {
    double gain;
    uint32_t a, b;
};

static int by_gain(const void *left, const void *right)
{
    const struct saving *a = left, *b = right;
    if (a->gain != b->gain)
        return a->gain > b->gain ? -1 : 1;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

// Routes as paths of customers: the two neighbours of each; 0: the depot.
struct paths {
    uint32_t (*link)[2];
    uint32_t *root; // of a path; it has the path's load
    int64_t *load;
};

static uint32_t find_root(struct paths *paths, uint32_t i)
{
    while (paths->root[i] != i)
        i = paths->root[i] = paths->root[paths->root[i]];
    return i;
}

static bool is_end(const struct paths *paths, uint32_t i)
{
    return !paths->link[i][0] || !paths->link[i][1];
}

static void join_paths(struct paths *paths, uint32_t a, uint32_t b)
{
    paths->link[a][paths->link[a][0] ? 1 : 0] = b;
    paths->link[b][paths->link[b][0] ? 1 : 0] = a;
    uint32_t ra = find_root(paths, a), rb = find_root(paths, b);
    paths->root[rb] = ra;
    paths->load[ra] += paths->load[rb];
}

static void merge_best(struct paths *paths, const struct task *task)
{
    uint32_t near = NEAR_SAVINGS < task->near_count ? NEAR_SAVINGS : task->near_count, count = 0;
    struct saving *savings = xcalloc((size_t)task->customers * near + 1, sizeof *savings);
    for (uint32_t a = 1; a <= task->customers; a++) {
        for (uint32_t i = 0; i < near; i++) {
            uint32_t b = task_near(task, a)[i];
            double gain = task_distance(task, a, 0) + task_distance(task, 0, b) - task_distance(task, a, b);
            if (b && (gain > 0 || task->routes != UINT32_MAX))
                savings[count++] = (struct saving){ gain, a, b };
        }
    }
    qsort(savings, count, sizeof *savings, by_gain);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = savings[i].a, b = savings[i].b;
        if (!is_end(paths, a) || !is_end(paths, b))
            continue;
        uint32_t ra = find_root(paths, a), rb = find_root(paths, b);
        if (ra != rb && paths->load[ra] + paths->load[rb] <= task->capacity)
            join_paths(paths, a, b);
    }
    free(savings);
}

// Appends the path that begins with customer I; returns its end.
static uint32_t append_path(struct state *state, const struct paths *paths, uint32_t i, uint32_t after, bool *done)
{
    for (uint32_t from = 0, next; i; from = i, i = next) {
        next = paths->link[i][0] == from ? paths->link[i][1] : paths->link[i][0];
        if (!state->first)
            state_insert(state, i, after), after = i;
        else if (state->missing[i])
            after = state_deliver(state, i, state->missing[i], after);
        done[i] = true;
    }
    return after;
}

// Appends all paths to one route, always the one with the nearest end.
static void append_all(struct state *state, const struct paths *paths, bool *done)
{
    const struct task *task = state->task;
    uint32_t *ends = xcalloc((size_t)task->customers + 1, sizeof *ends), count = 0, after = state_empty_route(state);
    for (uint32_t i = 1; i <= task->customers; i++) {
        if (is_end(paths, i))
            ends[count++] = i;
    }
    while (count) {
        double nearest = INFINITY;
        uint32_t best = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (done[ends[i]]) {
                ends[i--] = ends[--count];
                continue;
            }
            double way = task_distance(task, state->site[after], ends[i]);
            if (way < nearest)
                nearest = way, best = ends[i];
        }
        if (best)
            after = append_path(state, paths, best, after, done);
    }
    free(ends);
}

bool start_savings(struct state *state)
{
    const struct task *task = state->task;
    if (task->penalty || task->limit < INFINITY)
        return false;
    size_t sites = task->customers + 1;
    struct paths paths = { xcalloc(sites, sizeof *paths.link), xcalloc(sites, sizeof *paths.root),
        xcalloc(sites, sizeof *paths.load) };
    bool *done = xcalloc(sites, sizeof *done);
    state_clear(state);
    for (uint32_t i = 1; i <= task->customers; i++) {
        while (task->split && state->missing[i] >= task->capacity && state_empty_route(state) != NONE)
            state_deliver(state, i, task->capacity, state_empty_route(state));
        paths.root[i] = i;
        paths.load[i] = task->split ? state->missing[i] : task->load ? task->load[i] : 0;
    }
    merge_best(&paths, task);
    if (task->routes == 1)
        append_all(state, &paths, done);
    for (uint32_t i = 1; i <= task->customers; i++) {
        uint32_t empty = state_empty_route(state);
        if (empty != NONE && !done[i] && is_end(&paths, i) && (!task->split || paths.load[find_root(&paths, i)] > 0))
            append_path(state, &paths, i, empty, done);
    }
    free(paths.link);
    free(paths.root);
    free(paths.load);
    free(done);
    return state_complete(state);
}

static double value(const struct task *task, uint32_t site, struct insertion insertion, bool nearest)
{
    if (insertion.after == NONE)
        return INFINITY;
    return task->pace * insertion.delta - (task->penalty && !nearest ? task->penalty[site] : 0);
}

static bool is_worth_it(const struct state *state, uint32_t site, struct insertion insertion, bool nearest)
{
    const struct task *task = state->task;
    return nearest || !state_complete(state) || !task->penalty || task->weight * insertion.delta < task->penalty[site];
}

// Compares all customers. Stores their positions and searches again only after a position was used.
static void insert_cheapest(struct state *state, struct placer *placer, bool nearest)
{
    const struct task *task = state->task;
    struct insertion *insertions = xcalloc((size_t)task->customers + 1, sizeof *insertions);
    for (uint32_t i = 1; i <= task->customers; i++)
        insertions[i] = place_find(placer, i);
    while (state->absent) {
        uint32_t best = 0;
        double shortest = INFINITY;
        for (uint32_t i = 1; i <= task->customers; i++) {
            const double here = value(task, i, insertions[i], nearest);
            if (state->route[i] != NONE || !(here < shortest) || !is_worth_it(state, i, insertions[i], nearest))
                continue;
            shortest = here;
            best = i;
        }
        if (!best)
            break;
        uint32_t after = insertions[best].after, route = state->route[after];
        state_insert(state, best, after);
        for (uint32_t i = 1; i <= task->customers; i++) {
            if (state->route[i] != NONE)
                continue;
            bool gone = insertions[i].after == NONE || insertions[i].after == after;
            if (!gone && state->route[insertions[i].after] == route)
                gone = (task->load && state->load[route] + task->load[i] > task->capacity) ||
                       state->length[route] + insertions[i].delta > task->limit;
            if (gone) {
                insertions[i] = place_find(placer, i);
                continue;
            }
            for (int side = 0; side < 2; side++) {
                uint32_t from = side ? best : after, to = state->next[from];
                double delta = task_distance(task, state->site[from], i) + task_distance(task, i, state->site[to]) -
                               state_between(state, from, to);
                if (delta < insertions[i].delta && state->length[route] + delta <= task->limit &&
                    (!task->load || state->load[route] + task->load[i] <= task->capacity))
                    insertions[i] = (struct insertion){ from, delta };
            }
        }
    }
    free(insertions);
}

void start_insertion(struct state *state, bool nearest)
{
    const struct task *task = state->task;
    struct placer placer;
    state_clear(state);
    placer_init(&placer, state, NULL, NEAR_INSERT, 0);
    if (task->customers <= COMPARED && !task->split) {
        insert_cheapest(state, &placer, nearest);
    } else {
        for (uint32_t i = 1; i <= task->customers; i++) {
            struct insertion insertion = task->split ? (struct insertion){ 0 } : place_find(&placer, i);
            if (task->split)
                place_site(&placer, i, true);
            else if (insertion.after != NONE && is_worth_it(state, i, insertion, nearest))
                state_insert(state, i, insertion.after);
        }
    }
    placer_finish(&placer);
}

// Serves a whole site after the stop, or in further routes what does not fit. Returns the last stop; NONE: no vehicle.
static uint32_t append_site(struct state *state, uint32_t site, uint32_t after)
{
    const struct task *task = state->task;
    int64_t left = task->load ? task->load[site] : 0;
    do {
        const int64_t amount = left < task->capacity ? left : task->capacity;
        if (amount > state_room(state, state->route[after]))
            after = state_empty_route(state);
        if (after == NONE)
            return NONE;
        if (task->split)
            after = state_deliver(state, site, amount, after);
        else
            state_insert(state, site, after), after = site;
        left -= amount;
    } while (task->split && left > 0 && after != NONE);
    return after;
}

bool start_random(struct state *state, struct dice dice)
{
    const struct task *task = state->task;
    uint32_t *order = xcalloc(task->customers, sizeof *order);
    for (uint32_t i = 0; i < task->customers; i++) {
        uint32_t k = dice_below(&dice, i + 1);
        order[i] = order[k];
        order[k] = i + 1;
    }
    state_clear(state);
    uint32_t after = state_empty_route(state);
    for (uint32_t i = 0; i < task->customers && after != NONE && !(task->prize && state_complete(state)); i++) {
        const double more = task_distance(task, state->site[after], order[i]) + task_distance(task, order[i], 0) -
                            task_distance(task, state->site[after], 0);
        if (state->length[state->route[after]] + more <= task->limit)
            after = append_site(state, order[i], after);
    }
    free(order);
    return after != NONE && state_complete(state);
}

struct weighed {
    double weight;
    uint32_t site;
};

static int by_weight(const void *left, const void *right)
{
    const struct weighed *a = left, *b = right;
    return a->weight != b->weight ? (a->weight > b->weight ? -1 : 1) : a->site < b->site ? -1 : a->site > b->site;
}

// The cheapest stop of a route to come after.
static uint32_t cheapest_in(const struct state *state, uint32_t route, uint32_t site)
{
    const struct task *task = state->task;
    uint32_t depot = state->depots + route, after = depot, best = depot;
    double min_delta = INFINITY;
    do {
        uint32_t before = state->next[after];
        double delta = task_distance(task, state->site[after], site) + task_distance(task, site, state->site[before]) -
                       state_between(state, after, before);
        if (delta < min_delta)
            min_delta = delta, best = after;
        after = before;
    } while (after != depot);
    return best;
}

// Every customer into the fullest route that can take it.
static bool pack(struct state *state, const struct weighed *order)
{
    const struct task *task = state->task;
    state_clear(state);
    for (uint32_t i = 0; i < task->customers; i++) {
        uint32_t site = order[i].site, best = NONE;
        for (uint32_t k = 0; k < state->open_count; k++) {
            uint32_t route = state->open[k];
            if (state_room(state, route) >= task->load[site] &&
                (best == NONE || state->load[route] > state->load[best]))
                best = route;
        }
        uint32_t after = best == NONE ? state_empty_route(state) : cheapest_in(state, best, site);
        if (after == NONE)
            return false;
        state_insert(state, site, after);
    }
    return true;
}

bool start_packing(struct state *state)
{
    enum { TRIES = 1000 };
    const struct task *task = state->task;
    struct dice dice = dice_make(0, 0);
    bool packed = false;
    if (!task->load || task->split)
        return false;
    struct weighed *order = xcalloc(task->customers, sizeof *order);
    for (int i = 0; i < TRIES && !packed; i++) {
        for (uint32_t k = 0; k < task->customers; k++) {
            double blur = 1 + 0.5 * (double)i / TRIES * dice_unit(&dice);
            order[k] = (struct weighed){ (double)task->load[k + 1] * blur, k + 1 };
        }
        qsort(order, task->customers, sizeof *order, by_weight);
        packed = pack(state, order);
    }
    free(order);
    return packed;
}
