// The gradient of one batch: REINFORCE with a baseline, and the divergence between decoders at the first decision.
//     loss = 1 / (M B S) sum_t (cost[t] - b[t]) log p[t] - kl KL
// With imitation (train/imitate.h) M B further trajectories are in the gradient, but not in the loss that is reported.
#ifndef TRAIN_REINFORCE_H
#define TRAIN_REINFORCE_H

#include "train/baseline.h"

struct reinforce {
    double cost, baseline, loss, kl; // means over the batch
    double improved;                 // with imitation: mean of the improved costs
    double improve_seconds;          // that improving took
};

// Adds the gradient of step state->step; `state` also has the average of the first epoch.
bool reinforce_run(struct ranges *ranges, struct train_state *state, struct reinforce *result);

#endif
