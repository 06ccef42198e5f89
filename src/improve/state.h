// The routes of a search: doubly linked lists of stops with exact loads, a journal to undo steps, and prefix sums for
// the evaluation of moves.
#ifndef IMPROVE_STATE_H
#define IMPROVE_STATE_H

#include "improve/task.h"

// Stop i serves site i for 1..customers; if loads split, further stops serve any site. Route r begins and ends at stop
// `depots + r`. A stop in no route has route NONE.
struct state {
    const struct task *task;
    uint32_t depots; // stops below this one serve customers
    uint32_t routes; // max routes
    uint32_t *next, *prev, *route, *site;
    int64_t *amount;  // by stop; NULL: no loads
    uint32_t *first;  // by site: a stop that serves it, 0: none; only if loads split
    uint32_t *twin;   // by stop: another stop of the same site, 0: none
    int64_t *missing; // by site: load not served; only if loads split
    uint32_t *spare;  // unused stops; only if loads split
    uint32_t spares;

    uint32_t *open;   // routes; those with stops come first
    uint32_t *opened; // by route: its index in `open`
    uint32_t open_count;
    uint32_t *count; // by route: stops
    int64_t *load;   // by route
    double *length;  // by route
    double total;    // length of all routes
    double penalty;  // of unvisited customers
    double prize;    // collected
    uint32_t absent; // customers not served in full

    bool recording;
    struct step *journal; // stb_ds array
    double total_before, penalty_before, prize_before;

    // By stop, valid after state_index: rank in the route, load up to and including it, length from the depot to it,
    // and the same length in reverse direction.
    uint32_t *rank;
    int64_t *upto;
    double *forward, *backward;
    double *reversed; // by route: its length in reverse
};

void state_init(struct state *state, const struct task *task);
void state_finish(struct state *state);

static inline double state_between(const struct state *state, uint32_t a, uint32_t b)
{
    return task_distance(state->task, state->site[a], state->site[b]);
}

static inline double state_cost(const struct state *state)
{
    return state->task->weight * state->total + state->penalty;
}

// The objective that guides the search.
static inline double state_guided_cost(const struct state *state)
{
    return state->task->pace * state->total + state->penalty;
}

// Returns whether all required customers are visited and the minimum prize is collected.
static inline bool state_complete(const struct state *state)
{
    return state->absent == 0 || (state->task->penalty && state->prize >= state->task->min_prize);
}

static inline int64_t state_room(const struct state *state, uint32_t route)
{
    return state->task->load ? state->task->capacity - state->load[route] : INT64_MAX;
}

// Returns a stop that serves the site, or 0; state_twin gives the others.
static inline uint32_t state_stop(const struct state *state, uint32_t site)
{
    if (state->first)
        return state->first[site];
    return state->route[site] == NONE ? 0 : site;
}

static inline uint32_t state_twin(const struct state *state, uint32_t stop)
{
    return state->first ? state->twin[stop] : 0;
}

// Returns the depot of a route without stops, or NONE.
uint32_t state_empty_route(const struct state *state);

void state_remove(struct state *state, uint32_t stop);
void state_insert(struct state *state, uint32_t stop, uint32_t after);
// Serves AMOUNT of a site whose load splits, at a new stop after AFTER, or at a stop of the site that is there. Returns
// the stop, or NONE if there is no spare one.
uint32_t state_deliver(struct state *state, uint32_t site, int64_t amount, uint32_t after);
void state_add_amount(struct state *state, uint32_t stop, int64_t more);

// state_undo reverts all steps since state_begin; state_accept makes them permanent.
void state_begin(struct state *state);
void state_undo(struct state *state);
void state_accept(struct state *state);

void state_clear(struct state *state);   // removes all stops
void state_recount(struct state *state); // recomputes the lengths, without the rounding errors of many steps
void state_index(struct state *state, uint32_t route);

// Splices for local search, which bypass the journal: chains FIRST..LAST of one route, in its direction.
void state_reverse(struct state *state, uint32_t first, uint32_t last);
void state_refresh(struct state *state, uint32_t route); // count, load, lengths and prefix sums after splices

// A copy of the routes: stops in order, each route ends with 0.
struct record {
    double cost;
    uint32_t *sites; // stb_ds arrays
    int64_t *amounts;
};

void state_save(const struct state *state, struct record *record);
void state_load(struct state *state, const struct record *record);
void record_finish(struct record *record);
void record_copy(struct record *to, const struct record *from);

// Conversion from and to solutions. Stops that the task does not have are skipped.
void record_from_solution(struct record *record, const struct task *task, const struct solution *solution);
void record_to_solution(const struct record *record, const struct task *task, struct solution *solution);

#endif
