// The kernels of each problem: its rules on the device, written independently of its judge in src/problem.
#ifndef ENV_ENV_H
#define ENV_ENV_H

#include "problem/problem.h"

struct kernel;

struct env {
    const struct problem *problem;
    const struct kernel *rules;  // struct rules_args: a step of every trajectory
    const struct kernel *merge;  // struct beam_merge_args: merges dominated candidates
    const struct kernel *draw;   // struct draw_args: random instances
    const struct kernel *decide; // struct decide_args: several decisions, for CPU drivers; or NULL
    const struct kernel *beam;   // struct beam_step_args: a step of a beam, for GPUs; or NULL
    const struct kernel *turn;   // struct turn_args: a decision and its step, for GPUs; or NULL
};

// Returns the kernels of a problem; one without kernels is a bug.
const struct env *env_of(const struct problem *problem);

// Adds a problem to the built-in ones. Call it on one thread before anything uses problems; ENV must stay valid.
void env_register(const struct env *env);

#endif
