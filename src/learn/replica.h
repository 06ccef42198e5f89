// A replica of a model that learns: a device, the model on it, its recorded runs, the sum of gradients and the
// optimiser. Several devices, or ranks of a job, have one each.
//
// Learning has three parts: trajectories (sampled, given, or improved elsewhere), a coefficient for each, and their
// gradient, which replica_update uses for a step.
#ifndef LEARN_REPLICA_H
#define LEARN_REPLICA_H

#include "learn/lesson.h"
#include "learn/optimiser.h"

// The model of a greedy rollout: the current weights, or a frozen copy of earlier ones.
enum replica_model { REPLICA_CURRENT, REPLICA_FROZEN, REPLICA_MODELS };

// The runs of one shape of batch.
struct runs {
    struct lesson_shape shape;
    struct lesson *lesson;
    struct rollout *greedy[REPLICA_MODELS]; // one trajectory per decoder and instance
    uint64_t bytes;                         // of all of them
    uint64_t used;                          // time of the last use
};

struct replica {
    struct gpu *gpu;
    struct model *model;
    struct model *frozen; // may be NULL
    struct cmd *freeze;   // copies model to frozen
    struct sum *sum;      // of gradients
    struct optimiser *optimiser;
    struct runs *runs; // stb_ds array: recorded runs, as far as memory allows
    bool glimpse;      // whether views have the model's glimpses or none
    uint64_t memory;   // bytes for runs, by the caller; 0: a share of the device's
    uint64_t room;     // without such a limit: of that share, what is free; 0: unknown yet
    uint64_t clock;
};

// MEMORY 0: three quarters of the device's memory, half of a CPU's.
bool replica_create(
    struct replica **replica, struct gpu *gpu, const struct config *config, bool frozen, uint64_t memory);
void replica_destroy(struct replica **replica);
bool replica_freeze(struct replica *replica); // copies the current weights

// Switches glimpses on or off.
void replica_set_glimpse(struct replica *replica, bool glimpse);

// Plans a batch: finds into how many equal micro-batches it must be split so that its runs fit into memory. GLIMPSE as
// in replica_set_glimpse. To run it, pass SHAPE with B divided by *SPLIT.
bool replica_plan(struct replica *replica, const struct lesson_shape *shape, bool glimpse, uint32_t *split);

// Returns whether the runs of COUNT copies of a shape, with the current glimpses, fit into memory together.
bool replica_holds(struct replica *replica, const struct lesson_shape *shape, uint32_t count);

// Returns the runs of a shape, recording them if necessary; runs of other shapes may be dropped. The replica owns them.
bool replica_lesson(struct replica *replica, const struct lesson_shape *shape, struct lesson **lesson);
bool replica_greedy(
    struct replica *replica, const struct lesson_shape *shape, enum replica_model model, struct rollout **greedy);

// One trajectory to learn from.
struct trajectory {
    uint32_t instance; // index in the list
    uint32_t decoder;
    const uint32_t *actions; // nodes as the network counts them; a last return to the depot may be omitted
    uint32_t count;
    uint32_t prefix; // decisions at its beginning whose probabilities do not count
    double coefficient;
};

// Adds the gradient of  sum coefficient log p(trajectory) + dkl KL  for any list of instances and trajectories, KL as
// in lesson_learn. LIKELIHOOD (count), which may be NULL, gets the log-likelihood of each.
struct replica_task {
    const struct scaled *instances;
    uint32_t B; // instances, each with at least one trajectory
    const struct trajectory *trajectories;
    uint32_t count;
    double dkl;
};
bool replica_learn(struct replica *replica, const struct replica_task *task, double *likelihood, double *kl);

// Makes a step with the current gradient, and clears it.
bool replica_update(struct replica *replica, double rate, struct optimiser_step *step);

#endif
