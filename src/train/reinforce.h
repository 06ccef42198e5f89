// The gradient of one batch: REINFORCE with a baseline, and the divergence of the decoders at the first decision.
//     loss = 1 / (M B S) sum_t (cost[t] - b[t]) log p[t] - kl KL
#ifndef TRAIN_REINFORCE_H
#define TRAIN_REINFORCE_H

#include "train/baseline.h"

struct reinforce {
    double cost, baseline, loss, kl; // means over the batch
};

// Adds the gradient of step state->step; `state` also keeps the first epoch's average.
bool reinforce_run(struct parts *parts, struct train_state *state, struct reinforce *result);

#endif
