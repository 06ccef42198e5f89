// Ruin and recreate: strings of neighbouring stops are removed from their routes and inserted again (Christiaens and
// Vanden Berghe, 2020), accepted by simulated annealing.
#ifndef IMPROVE_RUIN_H
#define IMPROVE_RUIN_H

#include "improve/place.h"

struct ruin {
    struct state *state;
    struct dice *dice;
    struct placer placer;
    uint32_t *pool; // sites to insert
    double *key;    // parallel: sort keys
    uint32_t count;
    bool *pooled;        // by site
    uint32_t *hit, time; // by route: the last iteration that changed it
    uint32_t *chosen;    // stops of one string
};

void ruin_init(struct ruin *ruin, struct state *state, struct dice *dice);
void ruin_finish(struct ruin *ruin);

// Runs one iteration from a complete state, which is replaced or restored. Returns whether RECORD was replaced by a
// better solution.
bool ruin_iterate(struct ruin *ruin, double temperature, struct record *record);

#endif
