// Instances on the device, and trajectories that follow their problem's rules.
#ifndef ENV_RULES_H
#define ENV_RULES_H

#include "nn/tensor.h"
#include "problem/scale.h"

struct cmd;
struct kernel;

// Properties of a batch that the rules read besides columns and scalars.
enum batch_kind {
    BATCH_PLAIN,
    BATCH_OPTIONS, // options of instances
    BATCH_LEGS,    // these, and matrices of lengths
};
enum batch_kind batch_kind_of(const struct scaled *scaled); // that an instance needs

// Instances of one problem, each padded to N nodes.
struct batch {
    const struct problem *problem;
    uint32_t B, N;
    enum batch_kind kind;
    struct tensor nodes;  // (B, N, NODE_WORDS)
    struct tensor legs;   // (B, N, N), right behind the nodes; BATCH_LEGS only
    struct tensor limits; // (LIMITS_ROWS, B) uint: nodes of each, their scalars, spare load, options
};

void batch_layout(struct batch *batch, struct arena *arena, const struct problem *problem, uint32_t B, uint32_t N,
    enum batch_kind kind);
// Uploads instances to FIRST, FIRST + 1, ... of the batch; none has more than N nodes.
bool batch_upload(
    struct gpu *gpu, const struct batch *batch, uint32_t first, const struct scaled *list, uint32_t count);

// Computes the network's features of each node: f (B N, FEATURES).
void batch_features(struct cmd *c, struct tensor f, const struct batch *batch);

// T trajectories. W = ceil(N / 32) words in a set of nodes.
struct rules {
    const struct batch *batch;
    bool reference; // the released program's glimpse mask
    uint32_t T;
    struct tensor instance;   // (T) uint, set by the caller
    struct tensor action;     // (T) uint, set by the caller
    struct tensor words;      // the whole state: common words of all trajectories, then the problem's own words
    struct tensor state;      // (T, RULES_STATE) uint, the first of them
    struct tensor sets;       // (RULES_SETS, T, W)
    struct tensor allowed;    // (T, W), one of the sets
    struct tensor keys;       // (T, W), likewise
    struct tensor history;    // (J, T) uint: the actions of every step
    struct tensor remaining;  // (T, N), problems with split deliveries only
    struct tensor share;      // (T, N), likewise
    struct tensor scalar;     // (T), problems with a scalar in their context only
    struct tensor cost;       // (T)
    struct tensor unfinished; // (1) uint: equals the steps taken + 1 while some trajectory is unfinished
};

// J: steps in the history.
void rules_layout(
    struct rules *rules, struct arena *arena, const struct batch *batch, uint32_t T, uint32_t J, bool reference);
void rules_begin(struct cmd *c, const struct rules *rules);
void rules_step(struct cmd *c, const struct rules *rules);

// Returns the max relevant nodes, of N, before decision j of a trajectory.
uint32_t rules_relevant(const struct problem *problem, uint32_t N, uint32_t j);
// Returns whether all nodes certainly are relevant then: the first and the current one of a tour without a depot are.
bool rules_all_relevant(const struct problem *problem, uint32_t j);

#endif
