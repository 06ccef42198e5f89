// Complete solutions from a model: T = M B S trajectories, t = (m B + b) S + s for decoder m, instance b and sample s.
#ifndef MODEL_ROLLOUT_H
#define MODEL_ROLLOUT_H

#include "env/draw.h"
#include "model/model.h"
#include "model/policy.h"
#include "nn/nn.h"

struct rollout;

struct rollout_shape {
    uint32_t B, N, S;            // instances, nodes, samples
    uint32_t J;                  // most decisions of one trajectory
    const struct policy *policy; // outlives the rollout; NULL: every trajectory decides alone, by `mode`
    enum choose_mode mode;       // GIVEN, TAUGHT: as rollout_give says
    float temperature;
    uint64_t seed;
    bool save; // for the gradient: the encoder's and the glimpses' activations stay, and a trace of the decisions
    bool logs; // with `keep`: the log-probabilities of every decision stay, too
};

bool rollout_create(struct rollout **rollout, const struct view *view, const struct rollout_shape *shape);
void rollout_destroy(struct rollout **rollout);
const struct rollout_shape *rollout_shape(const struct rollout *rollout);
uint32_t rollout_trajectories(const struct rollout *rollout); // T

// Device memory that a shape takes; ROLLOUT_IMPOSSIBLE where no amount would do: a tensor is larger than the device
// gives in one piece, or than kernels can count.
#define ROLLOUT_IMPOSSIBLE UINT64_MAX
uint64_t rollout_bytes(const struct view *view, const struct rollout_shape *shape);

// Decisions that the longest trajectory through these instances can take.
uint32_t rollout_longest(const struct scaled *list, uint32_t count);

// Puts instances into the batch; fewer than B repeat the last. `numbers` are theirs for draws (NULL: 0, 1, ...).
bool rollout_load(struct rollout *rollout, const struct scaled *list, const uint32_t *numbers, uint32_t count);
// Fills the batch with the instances first, first + 1, ... of a generator, on the device; those are their numbers, too.
bool rollout_draw(struct rollout *rollout, const struct draw *draw, uint32_t first);
// The samples of the next runs count from FIRST. What sample s of a decoder draws does not depend on S.
bool rollout_seek(struct rollout *rollout, uint32_t first);
// The actions of the next runs, (J, T), for GIVEN; for TAUGHT, TAUGHT_GREEDY and TAUGHT_SAMPLE are among them.
bool rollout_give(struct rollout *rollout, const uint32_t *actions);

bool rollout_run(struct rollout *rollout);
// TAUGHT, after a run: once more with the same instances and weights, and with the nodes that were given since, for
// every trajectory. What the network computed is used again where it does not depend on them; log-likelihoods are then
// those of the run.
bool rollout_repeat(struct rollout *rollout);
// The same; asks every few decisions, after so many of at most so many, whether to go on. *complete is false when the
// answer was no: there are no results then.
struct rollout_watch {
    bool (*go_on)(void *user, uint32_t decisions, uint32_t most); // or NULL
    void *user;
};
bool rollout_run_watched(struct rollout *rollout, const struct rollout_watch *watch, bool *complete);

// After a run: cost (T), the actions of every trajectory (J, T) and its log-likelihood (T). Each may be NULL.
bool rollout_results(struct rollout *rollout, float *cost, uint32_t *history, float *total);
// After a run: the decisions that every trajectory took, (T).
bool rollout_steps(struct rollout *rollout, uint32_t *steps);

// With `logs`, after a run: the log-probabilities (T, N) of decision j; of decisions that nobody made, none.
struct tensor rollout_logp(const struct rollout *rollout, uint32_t j);

#endif
