// A decision of all trajectories in one kernel with their steps and the context of the next decision, for GPUs: the
// same as nn_decide(), rules_step() and nn_context() one after the other.
#ifndef ENV_TURN_H
#define ENV_TURN_H

#include "env/rules.h"
#include "nn/nn.h"

struct turn {
    const struct rules *rules;
    const struct decision *decision; // chooses; draws are numbered by the state's steps
    struct tensor logp, saved, q;    // as in nn_decide
    struct pointer pointer;
    struct tensor ctx, h;   // as in nn_context, of the decision after this one; none
    struct context context; // likewise
    // The state before the decision, copied for a gradient: (T, RULES_STATE), (T), (T, W), (T, N); each may be none.
    struct tensor trace_state, trace_scalar, trace_allowed, trace_dyn;
};

// Whether the device and the problem have it for trajectories with these keys.
bool turn_fits(const struct gpu *gpu, const struct rules *rules, uint32_t D, const struct pointer *pointer);
void turn_run(struct cmd *c, const struct turn *turn);

#endif
