// Strategies: ways to decode solutions with a model. A strategy is one file and one row of `strategies`.
#ifndef SEARCH_STRATEGY_H
#define SEARCH_STRATEGY_H

#include "mdam/mdam.h"
#include "model/rollout.h"

// A strategy and its options. The strategy chooses options that are 0 for each instance.
struct decoding {
    enum mdam_decode decode;
    uint32_t samples;  // sample: per decoder
    float temperature; // sample
    uint32_t width;    // beam: hypotheses per decoder
    uint32_t expand;   // beam: candidates per hypothesis; more than nodes: all
    bool merge;        // beam
    uint32_t augment;  // views: 1, or 8 for all symmetries of the square
    uint32_t view;     // index of the first symmetry
};

// A batch of instances that are decoded alike; their views count as instances.
struct run_shape {
    struct decoding decoding; // no option is 0
    uint32_t B, N;            // instances, nodes
    uint32_t S;               // samples at a time
    uint32_t J;               // max decisions
    enum batch_kind kind;
    uint64_t seed;
};

struct run {
    const struct strategy *strategy;
    struct run_shape shape;
    const struct model *model;
    struct rollout *rollout;
    void *own; // data of the strategy
};

struct strategy {
    const char *name;
    enum mdam_decode decode;
    // Chooses its options that are 0, for an instance of N customers; options of other strategies become 1. True: the
    // result will be optimal.
    bool (*options)(struct decoding *decoding, uint32_t n);
    // Returns the device memory of a batch, or ROLLOUT_IMPOSSIBLE.
    uint64_t (*plan)(const struct view *view, const struct run_shape *shape);
    // Records the batch of run->shape: run->rollout.
    bool (*run)(struct run *run, const struct view *view);
    // After a run: costs of the M B S trajectories (m B + b) S + s, and their actions (J, M B S).
    bool (*results)(struct run *run, float *cost, uint32_t *history);
    void (*finish)(struct run *run); // frees what `run` made, complete or not
};

extern const struct strategy strategy_greedy, strategy_sample, strategy_beam;
extern const struct strategy *const strategies[]; // NULL-ended
const struct strategy *strategy_of(enum mdam_decode decode);

// --- runs of any strategy ------------------------------------------------------------------------------------------

bool run_create(struct run **run, const struct model *model, const struct run_shape *shape);
void run_destroy(struct run **run);
uint64_t run_bytes(const struct model *model, const struct run_shape *shape);

// Returns whether an existing run can decode this shape.
bool run_serves(const struct run *run, const struct run_shape *shape);
bool run_load(struct run *run, const struct scaled *list, const uint32_t *numbers, uint32_t count);
// Decodes; samples count from FIRST. *complete is false if WATCH ended the run: it then has no results.
bool run_decode(struct run *run, uint32_t first, const struct rollout_watch *watch, bool *complete);
uint32_t run_trajectories(const struct run *run);
bool run_results(struct run *run, float *cost, uint32_t *history);

// Shared by strategies without a policy, whose trajectories choose their own actions: plan, run, results and finish.
uint64_t run_rollout_bytes(const struct view *view, const struct run_shape *shape, enum choose_mode mode);
bool run_rollout(struct run *run, const struct view *view, enum choose_mode mode);
bool run_rollout_results(struct run *run, float *cost, uint32_t *history);
void run_rollout_finish(struct run *run);

#endif
