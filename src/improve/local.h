// Local search: applies improving moves until none is left.
#ifndef IMPROVE_LOCAL_H
#define IMPROVE_LOCAL_H

#include "improve/place.h"
#include "improve/watch.h"

enum move_kind {
    MOVE_RELOCATE,         // move a chain of 1 to 3 stops
    MOVE_RELOCATE_REVERSE, // ... and reverse it
    MOVE_SWAP,             // exchange two chains of 1 or 2 stops
    MOVE_SWAP_REVERSE,     // ... and reverse one or both
    MOVE_2OPT,             // reverse a part of a route
    MOVE_TAILS,            // exchange the ends of two routes
    MOVE_HEADS,            // one route gets both beginnings, the other both ends
    MOVE_SWAP_STAR,        // exchange two stops between routes, each to its cheapest position
    MOVE_INSERT,           // insert an optional customer
    MOVE_DROP,             // remove an optional customer
    MOVE_REPLACE,          // replace an optional customer by another
    MOVE_MERGE,            // serve a split load with one stop less
    MOVE_SPLIT,            // divide a split load differently
    MOVE_KINDS,
};

// Counts the moves, and checks each one by recomputing.
struct audit {
    uint64_t moves[MOVE_KINDS];
};

struct local {
    struct state *state;
    struct placer placer;
    const struct watch *watch; // NULL: no early end
    struct audit *audit;       // NULL: none
    uint32_t near;             // neighbours that moves consider
    double min_gain;           // smaller gains are rounding errors
    uint32_t *queue;           // stops to process: a ring, each at most once
    uint32_t queue_size, head, waiting;
    bool *queued;
    uint32_t time;       // moves so far
    uint32_t *changed;   // by route: time of its last change
    uint32_t *exchanged; // by route: time of its last exchange with later routes
    uint32_t cursor;     // route whose exchanges come next
    uint32_t *met;       // by route: the last comparison that included it
    struct slots *slots; // by stop: positions in another route
};

void local_init(struct local *local, struct state *state, const struct watch *watch, struct audit *audit);
void local_finish(struct local *local);

// Starts from any state that meets the constraints.
void local_search(struct local *local);

#endif
