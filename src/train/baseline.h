// Baselines: the costs that advantages are measured from.
#ifndef TRAIN_BASELINE_H
#define TRAIN_BASELINE_H

#include "train/ranges.h"
#include "train/state.h"

// Costs are (T), t = (m B + b) S + s.
// Shared: the mean over a decoder's own samples of the instance, or over the decoders if each has one sample.
void baseline_shared(double *value, const float *cost, uint32_t M, uint32_t B, uint32_t S);

// The first epoch's baseline: an exponential average of the batches' mean costs, including this one.
double baseline_average(struct train_state *state, double mean);

// Computes the frozen model's best greedy cost of instances first, first + 1, ..., value (B).
bool baseline_rollout(struct ranges *ranges, uint32_t range, uint32_t first, double *value);

// After an epoch: tests whether the current weights are better than the frozen ones on the baseline's own instances, by
// a one-sided paired t-test at 5 %. Calls `go_on` in between.
struct baseline_challenge {
    bool ended; // early, without a decision
    bool better;
    double p;
};
bool baseline_challenge(struct ranges *ranges, const struct train_state *state,
    bool (*go_on)(void *user, uint32_t done), void *user, struct baseline_challenge *outcome);

#endif
