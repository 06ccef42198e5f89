// Moves of stops in routes, evaluated in constant time. A move is at most two reversals of chains, then the exchange of
// the stops in two gaps.
#ifndef IMPROVE_MOVES_H
#define IMPROVE_MOVES_H

#include "improve/local.h"

struct move {
    enum move_kind kind;
    double delta;            // of the objective
    double length;           // of the total length
    uint32_t reverse[2][2];  // first and last stop of reversed chains; NONE: none
    uint32_t gap[2][2];      // stops before and after; NONE: no exchange
    uint32_t out, in, after; // optional customers: stop to remove, site to insert, and stop before it; NONE: none
};

#define MOVE_NOTHING                                                                                                   \
    ((struct move){ .delta = 0,                                                                                        \
        .reverse = { { NONE, NONE }, { NONE, NONE } },                                                                 \
        .gap = { { NONE, NONE }, { NONE, NONE } },                                                                     \
        .out = NONE,                                                                                                   \
        .in = NONE,                                                                                                    \
        .after = NONE })

// Replaces BEST by the best move that gives stop U a new neighbour, if that is better.
void moves_of_stop(struct local *local, uint32_t u, struct move *best);
// The same for a visited optional customer, and for an unvisited one.
void moves_of_drop(struct local *local, uint32_t u, struct move *best);
void moves_of_absent(struct local *local, uint32_t site, struct move *best);

// Exchanges two stops between routes A and B if that is better. True: a move was applied.
bool swap_star(struct local *local, uint32_t a, uint32_t b);
struct slots *slots_make(uint32_t stops); // working memory

void move_apply(struct local *local, const struct move *move);
void local_push(struct local *local, uint32_t stop); // adds the stop to the queue
void local_changed(struct local *local, uint32_t route);

#endif
