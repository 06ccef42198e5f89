// Who decides in place of nn_choose: a policy sees the S trajectories of an instance and decoder together and says who
// goes on from whom. It owns its memory; of a rollout it knows the rules' state, which it moves, and nothing else.
#ifndef MODEL_POLICY_H
#define MODEL_POLICY_H

#include "env/rules.h"

// Glimpses that trajectories share, in memory of the policy.
struct policy_glimpses {
    struct tensor slot; // (T) uint: whose glimpse a trajectory reads
    struct tensor keys; // (T, W) uint: the nodes that the glimpse of a slot keeps; none where nobody reads it
};

// All calls get `user`; those with a `c` record.
struct policy {
    // Lays out its memory in the rollout's arena: twice, to count it and to bind it.
    struct policy_glimpses (*layout)(void *user, struct arena *arena, const struct rules *rules);
    void (*begin)(void *user, struct cmd *c); // after the rules have begun
    // Before a glimpse: fills its slots and keys. EVERYONE: all nodes of each instance, in the reference dialect.
    void (*look)(void *user, struct cmd *c, struct tensor everyone);
    // From log-probabilities (T, N) to rules->action, with the rules' state of each trajectory that of its parent.
    void (*decide)(void *user, struct cmd *c, struct tensor logp);
    void *user;
};

#endif
