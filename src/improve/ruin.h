// Ruin and recreate: strings of neighbouring stops leave their routes and come back elsewhere (Christiaens and Vanden
// Berghe, 2020), accepted as simulated annealing has it.
#ifndef IMPROVE_RUIN_H
#define IMPROVE_RUIN_H

#include "improve/place.h"

struct ruin {
    struct state *state;
    struct dice *dice;
    struct placer placer;
    uint32_t *pool; // sites to place
    double *key;    // parallel: their order
    uint32_t count;
    bool *pooled;        // by site
    uint32_t *hit, time; // by route: the last iteration that ruined it
    uint32_t *chosen;    // stops of one string
};

void ruin_init(struct ruin *ruin, struct state *state, struct dice *dice);
void ruin_finish(struct ruin *ruin);

// One iteration from a complete state, which is replaced by the next or stays. RECORD is replaced by what is better.
// True: it was.
bool ruin_iterate(struct ruin *ruin, double temperature, struct record *record);

#endif
