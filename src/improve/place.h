// Putting customers into routes: the cheapest place, and for split loads the cheapest one or two.
#ifndef IMPROVE_PLACE_H
#define IMPROVE_PLACE_H

#include "improve/dice.h"
#include "improve/state.h"

struct placer {
    struct state *state;
    struct dice *dice; // NULL: looks at every place
    uint32_t near;     // looks beside so many neighbours
    uint32_t blink;    // places until one is overlooked
    double blinks;     // share of places that are overlooked
    // By route, while a split load is placed:
    double *delta;
    uint32_t *after;
    uint32_t *seen, pass; // the pass that saw the route last
    uint32_t *found;      // routes seen in this pass
};

void placer_init(struct placer *placer, struct state *state, struct dice *dice, uint32_t near, double blinks);
void placer_finish(struct placer *placer);

struct place {
    uint32_t after; // NONE: there is none
    double delta;   // of the length
};

// The cheapest place for a whole customer who is in no route.
struct place place_find(struct placer *placer, uint32_t site);

// Serves the customer, or what is missing of a split load, at its cheapest places. An optional one is served only if
// that pays, or if FORCED. False: it is not served in full.
bool place_site(struct placer *placer, uint32_t site, bool forced);

// Serves optional customers until the minimum prize is collected, the least cost for a prize first: of a few drawn from
// COUNT sites as long as some of these are left out, then of all. SITES may change their order.
void place_prize(struct placer *placer, uint32_t *sites, uint32_t count);

#endif
