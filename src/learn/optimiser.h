// Adam over all weights of a model, with gradients clipped to norm 1.
#ifndef LEARN_OPTIMISER_H
#define LEARN_OPTIMISER_H

#include "learn/sum.h"

struct optimiser {
    const struct model *model;
    const struct sum *sum; // the gradients; a step clears them
    struct arena *arena;
    struct params m, v;  // first and second moments
    struct tensor state; // (ADAM_STATE)
    struct tensor norm;  // (2)
    struct tensor part, rate;
    struct cmd *update;
};

bool optimiser_create(struct optimiser **optimiser, const struct model *model, const struct sum *sum);
void optimiser_destroy(struct optimiser **optimiser);

// One step with the current gradients.
struct optimiser_step {
    double norm;    // of the gradients, before clipping
    bool skipped;   // gradients not finite: nothing changed
    uint32_t skips; // so far
};
bool optimiser_run(struct optimiser *optimiser, double rate, struct optimiser_step *step);

// Moments in host memory: all first ones, then all second ones, each as in `weights` (model/weights.h).
struct optimiser_saved {
    uint32_t steps, skips;
    float *moments;
};
uint64_t optimiser_floats(const struct optimiser *optimiser);
bool optimiser_save(
    const struct optimiser *optimiser, struct optimiser_saved *saved); // the caller allocates the moments
bool optimiser_load(struct optimiser *optimiser, const struct optimiser_saved *saved);

#endif
