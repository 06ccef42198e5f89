// Ways to look for solutions with a model. A strategy is one file and one row of `strategies`.
#ifndef SEARCH_STRATEGY_H
#define SEARCH_STRATEGY_H

#include "mdam/mdam.h"
#include "model/rollout.h"

// A strategy and its options. Those that are 0 are the strategy's to choose, for each instance.
struct way {
    enum mdam_decode decode;
    uint32_t samples;  // sample: for each decoder
    float temperature; // sample
    uint32_t width;    // beam: hypotheses of each decoder
    uint32_t expand;   // beam: moves that each of them offers; more than there are nodes: all
    bool merge;        // beam
    uint32_t augment;  // views: 1, or 8 for all symmetries of the square
    uint32_t view;     // the symmetry of the first
};

// A batch of instances, decoded in one way; its views are instances, too.
struct run_shape {
    struct way way; // nothing is 0
    uint32_t B, N;  // instances, nodes
    uint32_t S;     // samples at a time
    uint32_t J;     // most decisions
    uint64_t seed;
};

struct run {
    const struct strategy *strategy;
    struct run_shape shape;
    const struct model *model;
    struct rollout *rollout;
    void *own; // the strategy's
};

struct strategy {
    const char *name;
    enum mdam_decode decode;
    // Chooses the options of its own that are 0, for an instance of N customers; those of other strategies become 1.
    // True where nothing better is left to be found then.
    bool (*options)(struct way *way, uint32_t n);
    // Device memory that a batch takes, or ROLLOUT_IMPOSSIBLE.
    uint64_t (*plan)(const struct view *view, const struct run_shape *shape);
    // Records the batch that run->shape describes: run->rollout.
    bool (*run)(struct run *run, const struct view *view);
    // After a run, of M B S trajectories (m B + b) S + s: costs, and actions (J, M B S).
    bool (*results)(struct run *run, float *cost, uint32_t *history);
    void (*finish)(struct run *run); // of what `run` made, whole or not
};

extern const struct strategy strategy_greedy, strategy_sample, strategy_beam;
extern const struct strategy *const strategies[]; // NULL-ended
const struct strategy *strategy_of(enum mdam_decode decode);

// --- runs: any strategy's -----------------------------------------------------------------------------------------

bool run_create(struct run **run, const struct model *model, const struct run_shape *shape);
void run_destroy(struct run **run);
uint64_t run_bytes(const struct model *model, const struct run_shape *shape);

// Whether a run that is there does for this shape, too.
bool run_serves(const struct run *run, const struct run_shape *shape);
bool run_load(struct run *run, const struct scaled *list, const uint32_t *numbers, uint32_t count);
// Decodes; samples count from FIRST. *complete is false when WATCH said no: there are no results then.
bool run_decode(struct run *run, uint32_t first, const struct rollout_watch *watch, bool *complete);
uint32_t run_trajectories(const struct run *run);
bool run_results(struct run *run, float *cost, uint32_t *history);

// What rollouts without a policy share.
bool run_rollout(struct run *run, const struct view *view, const struct rollout_shape *shape);
bool run_rollout_results(struct run *run, float *cost, uint32_t *history);
void run_rollout_finish(struct run *run);

#endif
