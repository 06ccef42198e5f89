// Local search: moves that each improve the objective, until none is left.
#ifndef IMPROVE_LOCAL_H
#define IMPROVE_LOCAL_H

#include "improve/place.h"
#include "improve/watch.h"

enum move_kind {
    MOVE_RELOCATE,         // a chain of 1 to 3 stops goes elsewhere
    MOVE_RELOCATE_REVERSE, // and is driven backwards there
    MOVE_SWAP,             // two chains of 1 or 2 stops change places
    MOVE_SWAP_REVERSE,     // and one or both are driven backwards
    MOVE_2OPT,             // a part of a route is driven backwards
    MOVE_TAILS,            // two routes exchange their ends
    MOVE_HEADS,            // one route gets both beginnings, the other both ends
    MOVE_SWAP_STAR,        // two stops change routes, each to its cheapest place there
    MOVE_INSERT,           // an optional customer comes in
    MOVE_DROP,             // an optional customer is left out
    MOVE_REPLACE,          // an optional customer comes in for another
    MOVE_MERGE,            // a split load is brought by one stop less
    MOVE_SPLIT,            // a load is divided anew
    MOVE_KINDS,
};

// Counts the moves, and has every one checked against recomputation.
struct audit {
    uint64_t moves[MOVE_KINDS];
};

struct local {
    struct state *state;
    struct placer placer;
    const struct watch *watch; // NULL: nothing ends it early
    struct audit *audit;       // NULL: none
    uint32_t near;             // neighbours that moves look at
    double least;              // smaller gains are rounding errors
    uint32_t *queue;           // stops to look at: a ring, each at most once
    uint32_t queue_size, head, waiting;
    bool *queued;
    uint32_t time;       // moves so far
    uint32_t *changed;   // by route: time of its last change
    uint32_t *exchanged; // by route: time of its last exchange of stops with later ones
    uint32_t cursor;     // route whose exchanges come next
    uint32_t *met;       // by route: the last comparison that it was part of
    struct slots *slots; // by stop: places in another route
};

void local_init(struct local *local, struct state *state, const struct watch *watch, struct audit *audit);
void local_finish(struct local *local);

// From any state whose loads, lengths and prizes keep the constraints.
void local_search(struct local *local);

#endif
