// The parts of a rollout, for its gradient.
#ifndef MODEL_ROLLOUT_INTERNAL_H
#define MODEL_ROLLOUT_INTERNAL_H

#include "model/decoder.h"
#include "model/glimpse.h"
#include "model/rollout.h"

// Consecutive segments with glimpses, and their memory.
struct stack {
    struct glimpse glimpse;
    struct decoder decoder;
    uint32_t segment, count; // its first segment, and their number
    uint32_t from, to;       // its first decision, and the first of the next stack
};

// Decisions with the same embeddings: those of the encoder or of one glimpse.
struct segment {
    struct glimpse glimpse; // of its stack
    struct decoder decoder;
    bool plain;        // no glimpse
    uint32_t stack;    // else the index of its stack
    uint32_t from, to; // its first decision, and the first of the next
    struct cmd **cmds; // stb_ds array: a glimpse and a few decisions, then a few decisions each
    struct cmd *again; // TAUGHT without glimpses: the trace of given decisions
};

struct rollout {
    struct rollout_shape shape;
    struct view view;
    const struct model *model; // of the view
    struct arena *arena;
    struct batch batch;
    struct rules rules;
    struct rules shown; // as the glimpses see them: with a policy, the keys of each slot
    struct tensor slot; // (T) uint: the glimpse of a trajectory, with a policy
    struct encoder encoder;
    struct cache plain;
    struct queries queries;   // of the plain cache, in views without glimpses; else none
    struct tensor slot_rows;  // (M B) uint: nodes of each plain slot's instance
    struct tensor parent;     // (T) uint: a trajectory's plain slot; S > 1
    struct tensor stream;     // (T) uint: decoder and sample, for draws
    struct tensor number;     // (T) uint: the instance's index, for draws
    struct tensor given;      // (J, T) uint; GIVEN, TAUGHT
    struct trace trace;       // with `save`
    struct tensor opening;    // (T, N): the log-probabilities of decision 0, with `save`
    struct tensor chosen;     // (T)
    struct tensor total;      // (T): log-likelihood of a trajectory
    struct segment *segments; // stb_ds array: all of them with `save`; else the first, and one that serves all others
    struct stack *stacks;     // stb_ds array
    struct glimpse_shared shared;
    uint32_t J_min; // decisions that some trajectory through the loaded instances makes at least
    uint32_t used;  // segments of the last run
};

// Decisions per recording, and between two calls of `go_on`.
enum { STEPS_AT_ONCE = 8 };
// Returns the end of the segment that starts with decision j.
uint32_t segment_end(const struct rollout *r, uint32_t j);
// Returns a rollout that was only counted, for layouts that need its shapes without memory.
struct rollout *rollout_plan(const struct view *view, const struct rollout_shape *shape);

#endif
