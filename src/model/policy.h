// A policy chooses instead of nn_choose: it sees the S trajectories of an instance and decoder together, and chooses
// for each its parent and action. It owns its memory; of a rollout it knows only the rules' state, which it moves.
#ifndef MODEL_POLICY_H
#define MODEL_POLICY_H

#include "env/rules.h"
#include "nn/nn.h"

// Glimpses that trajectories share, in memory of the policy.
struct policy_glimpses {
    struct tensor slot; // (T) uint: the glimpse that a trajectory reads
    struct tensor keys; // (T, W) uint: relevant nodes of a slot's glimpse; empty if no trajectory reads it
};

// All functions get `user`; those with a `c` record.
struct policy {
    // Lays out its memory in the rollout's arena; called twice, to count and to bind.
    struct policy_glimpses (*layout)(void *user, struct arena *arena, const struct rules *rules);
    void (*begin)(void *user, struct cmd *c); // after the rules have begun
    // Before a glimpse: fills its slots and keys. EVERYONE: all nodes of each instance, in the reference dialect.
    void (*look)(void *user, struct cmd *c, struct tensor everyone);
    // Where a decision puts the most probable actions of every trajectory.
    const struct offer *(*offer)(void *user);
    // From these chooses the parent and the action of every trajectory, and steps by the rules from the parent's state.
    void (*step)(void *user, struct cmd *c);
    void *user;
};

#endif
