// Moves between stops of routes, evaluated in constant time. Each is at most two reversals of chains, then the exchange
// of what lies in two gaps.
#ifndef IMPROVE_MOVES_H
#define IMPROVE_MOVES_H

#include "improve/local.h"

struct move {
    enum move_kind kind;
    double delta;            // of the objective
    double length;           // of the total length
    uint32_t reverse[2][2];  // first and last of chains that turn round; NONE: none
    uint32_t gap[2][2];      // stops before and after; NONE: nothing is exchanged
    uint32_t out, in, after; // optional customers: stop that leaves, site that comes in, and after whom; NONE: none
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
// The same for a customer that may be left out, and for one that is.
void moves_of_drop(struct local *local, uint32_t u, struct move *best);
void moves_of_absent(struct local *local, uint32_t site, struct move *best);

// Exchanges two stops between routes A and B, if that is better. True: a move was applied.
bool swap_star(struct local *local, uint32_t a, uint32_t b);
struct slots *slots_make(uint32_t stops); // that it needs

void move_apply(struct local *local, const struct move *move);
void local_push(struct local *local, uint32_t stop); // to be looked at
void local_changed(struct local *local, uint32_t route);

#endif
