// Imitation: besides its samples, a decoder learns from its best sample of an instance after a teacher improved it
// (train/teacher.h), as from one more sample; or from the improved completion of its greedy trajectory. Its advantage
// is measured from the mean of the samples:
//     coefficient = weight (improved cost - mean cost of the samples) / trajectories
// or 0 where revealed prizes made it worse than that mean.
#ifndef TRAIN_IMITATE_H
#define TRAIN_IMITATE_H

#include "train/ranges.h"

struct imitation;

struct imitation_batch {
    struct lesson *lesson; // that has sampled
    uint32_t range, first; // of sizes; number of the first instance
    uint32_t B;
    const float *cost; // (M B S), of the samples
};

// Begins to improve, on host threads; the device is free meanwhile.
bool imitation_begin(struct imitation **imitation, struct ranges *ranges, const struct imitation_batch *batch);
// Waits, shows the sequences to the lesson, and finds what to learn from them.
bool imitation_teach(struct imitation *imitation, double trajectories);
void imitation_destroy(struct imitation **imitation); // waits, too

const float *imitation_coefficient(const struct imitation *imitation); // (M B)
const uint32_t *imitation_prefix(const struct imitation *imitation);   // (M B): decisions that do not count
double imitation_cost(const struct imitation *imitation);              // mean of the improved
double imitation_seconds(const struct imitation *imitation);           // that improving took

#endif
