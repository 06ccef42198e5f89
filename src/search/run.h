// One batch decoded in one way: a rollout, or a beam search.
#ifndef SEARCH_RUN_H
#define SEARCH_RUN_H

#include "search/beam.h"
#include "search/search.h"

struct run_shape {
    struct way way; // its samples and its augmentation do not matter here
    uint32_t B, N;  // instances, nodes
    uint32_t S;     // samples at a time; 1 unless there are samples
    uint32_t J;     // most decisions
    uint64_t seed;
};

struct run {
    struct run_shape shape;
    const struct model *model;
    struct rollout *rollout; // the beam's, if there is one
    struct beam *beam;
};

bool run_create(struct run **run, const struct model *model, const struct run_shape *shape);
void run_destroy(struct run **run);
uint64_t run_bytes(const struct model *model, const struct run_shape *shape);

// Whether a run that is there does for this shape, too.
bool run_serves(const struct run *run, const struct run_shape *shape);

bool run_load(struct run *run, const struct scaled *list, const uint32_t *numbers, uint32_t count);
// Decodes; samples count from FIRST. `go_on` is asked now and then, as a rollout's; if it says no, *done is false and
// there are no results.
bool run_decode(struct run *run, uint32_t first, bool (*go_on)(void *user, uint32_t decisions, uint32_t most),
    void *user, bool *done);

// Of M B S trajectories, (m B + b) S + s: costs, and actions (J, M B S).
uint32_t run_trajectories(const struct run *run);
bool run_results(struct run *run, float *cost, uint32_t *history);

#endif
