// Beam search with dominance merging on the device. Each decoder m and instance b has its own beam m B + b of at most W
// hypotheses t = (m B + b) W + w, all in lock-step. In a step every hypothesis offers its K most likely candidates;
// candidates at the same node with the same remaining nodes are merged into the dominating one; the W best continue.
// The hypotheses are the samples of a rollout; this is its policy.
#ifndef SEARCH_BEAM_H
#define SEARCH_BEAM_H

#include "model/rollout.h"

struct beam_shape {
    uint32_t B, N; // instances, nodes
    uint32_t W, K; // width; candidates per hypothesis, at most N
    uint32_t J;    // max decisions
    bool merge;
    bool alike;    // for tests: only three bits of a hash count, so that most different states share one
    bool separate; // for tests: a kernel for each part of a step
    enum batch_kind kind;
};

struct beam {
    struct beam_shape shape;
    struct policy policy;
    struct rollout *rollout;
    struct gpu *gpu;
    const struct rules *rules; // of the rollout
    struct tensor score;       // (T): log-likelihood, or the best of those merged; MASKED: dead
    struct tensor parent;      // (T) uint: hypothesis whose state it continues; BEAM_NONE: dead
    struct tensor slot;        // (T) uint: index of its glimpse
    struct tensor keys;        // (T, words) uint: relevant nodes of a slot's glimpse; empty if no hypothesis reads it
    struct tensor start_score, start_parent;
    bool at_once;                                                          // a step is one kernel
    struct tensor clock;                                                   // (beams) uint: steps taken
    struct tensor parents;                                                 // (J, T) uint: history
    struct tensor old_state, old_sets, old_remaining, old_share, old_slot; // before a step
    // The candidates, (T, K), and memory for merging, which a step in one kernel does not allocate.
    struct offer offer; // by the hypotheses
    struct tensor merged;
    struct tensor scratch; // (3, T, K) uint
    struct tensor table;   // (beams, table size) uint
};

bool beam_create(struct beam **beam, const struct view *view, const struct beam_shape *shape);
void beam_destroy(struct beam **beam);

// Returns the device memory of a shape, or ROLLOUT_IMPOSSIBLE.
uint64_t beam_bytes(const struct view *view, const struct beam_shape *shape);

// Loads instances into the batch; fewer than B repeat the last one.
bool beam_load(struct beam *beam, const struct scaled *list, uint32_t count);
bool beam_run(struct beam *beam);

// After a run: the min cost in each final beam, (M B), and its actions, (J, M B).
bool beam_results(struct beam *beam, float *cost, uint32_t *history);

#endif
