// A replica of a model that learns: a device, the model on it, the runs recorded for it, the gradient that they add up
// and the optimiser that uses it. Several devices, or ranks of a job, have one each.
//
// Learning is in three moves: trajectories (sampled, given, or improved elsewhere), a coefficient for each, and their
// gradient, which replica_update turns into a step.
#ifndef LEARN_REPLICA_H
#define LEARN_REPLICA_H

#include "learn/lesson.h"
#include "learn/optimiser.h"

// Who plays greedily: the weights as they are, or a frozen copy of earlier ones.
enum player { PLAYER_CURRENT, PLAYER_FROZEN, PLAYERS };

// The runs of one shape of batch.
struct runs {
    struct lesson_shape shape;
    struct lesson *lesson;
    struct rollout *greedy[PLAYERS]; // one trajectory of each decoder and instance
    uint64_t bytes;                  // that all of them take
    uint64_t used;                   // when last, to know whom to drop
};

struct replica {
    struct gpu *gpu;
    struct model *model;
    struct model *frozen; // or NULL
    struct cmd *freeze;   // model to frozen
    struct sum *sum;      // of gradients
    struct optimiser *optimiser;
    struct runs *runs; // stb_ds array: recorded, while memory allows
    bool glimpse;      // whether views have the model's glimpses, or none
    uint64_t memory;   // bytes for runs; 0: not known yet
    bool limited;      // by the caller
    uint64_t clock;
};

// MEMORY 0: what the device has left when runs are planned.
bool replica_create(
    struct replica **replica, struct gpu *gpu, const struct config *config, bool frozen, uint64_t memory);
void replica_destroy(struct replica **replica);
bool replica_freeze(struct replica *replica); // the weights as they are

// With or without glimpses from now on.
void replica_set_glimpse(struct replica *replica, bool glimpse);

// Plans a batch: into how many micro-batches of equal size it is split so that its runs fit into memory. GLIMPSE as in
// replica_set_glimpse. Whoever runs it passes SHAPE with B divided by *SPLIT.
bool replica_plan(struct replica *replica, const struct lesson_shape *shape, bool glimpse, uint32_t *split);

// Whether the runs of COUNT copies of a shape, with the glimpses that are set, fit into memory together.
bool replica_holds(struct replica *replica, const struct lesson_shape *shape, uint32_t count);

// The runs of a shape, recorded now unless they are there. Those of other shapes may go. They stay the replica's.
bool replica_lesson(struct replica *replica, const struct lesson_shape *shape, struct lesson **lesson);
bool replica_greedy(
    struct replica *replica, const struct lesson_shape *shape, enum player player, struct rollout **greedy);

// One trajectory to learn from.
struct trajectory {
    uint32_t instance; // its place in the list
    uint32_t decoder;
    const uint32_t *actions; // nodes as the network numbers them; a last return to the depot may be left out
    uint32_t count;
    uint32_t prefix; // decisions at its beginning whose probabilities do not count
    double coefficient;
};

// Adds the gradient of  sum coefficient log p(trajectory) + dkl KL  for any list of instances and trajectories, KL as
// in lesson_learn. LIKELIHOOD (count), which may be NULL, is the log-likelihood of each.
struct replica_task {
    const struct scaled *instances;
    uint32_t B; // instances, each with a trajectory
    const struct trajectory *trajectories;
    uint32_t count;
    double dkl;
};
bool replica_learn(struct replica *replica, const struct replica_task *task, double *likelihood, double *kl);

// A step with the gradient there is, which is cleared.
bool replica_update(struct replica *replica, double rate, struct optimiser_step *step);

#endif
