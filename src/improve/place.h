// Inserts customers into routes at the cheapest position; split loads at the cheapest one or two.
#ifndef IMPROVE_PLACE_H
#define IMPROVE_PLACE_H

#include "improve/dice.h"
#include "improve/state.h"

struct placer {
    struct state *state;
    struct dice *dice; // NULL: considers every position
    uint32_t near;     // considers positions beside this many neighbours
    uint32_t blink;    // positions until one is skipped
    double blinks;     // share of positions that are skipped
    // By route, while a split load is inserted:
    double *delta;
    uint32_t *after;
    uint32_t *seen, pass; // the last pass that reached the route
    uint32_t *found;      // routes reached in this pass
};

void placer_init(struct placer *placer, struct state *state, struct dice *dice, uint32_t near, double blinks);
void placer_finish(struct placer *placer);

struct insertion {
    uint32_t after; // NONE: no position
    double delta;   // of the length
};

// Returns the cheapest position for a customer who is in no route, with its whole load.
struct insertion place_find(struct placer *placer, uint32_t site);

// Serves the customer, or the missing part of a split load, at its cheapest positions. An optional customer is served
// only if that improves the objective, or if FORCED. False: not served in full.
bool place_site(struct placer *placer, uint32_t site, bool forced);

// Serves optional customers until the minimum prize is collected, in order of cost per prize: among a few of the COUNT
// sites while some of them are unvisited, then among all. Reorders SITES.
void place_prize(struct placer *placer, uint32_t *sites, uint32_t count);

#endif
