// Beam search with dominance merging, on the device: for each decoder m and instance b a beam of its own, number
// m B + b, of at most W hypotheses t = (m B + b) W + w, all in lock-step. A step: every hypothesis offers its K
// likeliest moves; of candidates with the same still to do at the same node the inferior ones are merged into the
// better; the W best go on. The hypotheses are the samples of a rollout, whose policy this is.
#ifndef SEARCH_BEAM_H
#define SEARCH_BEAM_H

#include "model/rollout.h"

struct beam_shape {
    uint32_t B, N; // instances, nodes
    uint32_t W, K; // width; moves that each hypothesis offers, at most N
    uint32_t J;    // most decisions
    bool merge;
    bool alike; // only three bits of a hash count, so that most different states share one; for tests
};

struct beam {
    struct beam_shape shape;
    struct policy policy;
    struct rollout *rollout;
    struct gpu *gpu;
    const struct rules *rules; // the rollout's
    struct tensor score;       // (T): log-likelihood, or the best of those merged; MASKED: nobody
    struct tensor parent;      // (T) uint: whose state a hypothesis took over; BEAM_NONE: nobody's
    struct tensor slot;        // (T) uint: whose glimpse it sees
    struct tensor keys;        // (T, words) uint: what the glimpse of a slot keeps; empty where nobody sees it
    struct tensor start_score, start_parent;
    struct tensor clock;                                                   // (1) uint: steps taken
    struct tensor parents;                                                 // (J, T) uint: history
    struct tensor old_state, old_sets, old_remaining, old_share, old_slot; // before a step
    // The candidates, (T, K), and what merging them takes.
    struct tensor offer, node, merged;
    struct tensor scratch; // (3, T, K) uint
    struct tensor table;   // (beams, table size) uint
};

bool beam_create(struct beam **beam, const struct view *view, const struct beam_shape *shape);
void beam_destroy(struct beam **beam);

// Device memory that a shape takes, or ROLLOUT_IMPOSSIBLE.
uint64_t beam_bytes(const struct view *view, const struct beam_shape *shape);

// Puts instances into the batch; fewer than B repeat the last.
bool beam_load(struct beam *beam, const struct scaled *list, uint32_t count);
bool beam_run(struct beam *beam);

// After a run: the least cost in each final beam, (M B), and the actions that lead to it, (J, M B).
bool beam_results(struct beam *beam, float *cost, uint32_t *history);

#endif
