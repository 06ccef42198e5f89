// Complete solutions of a model: T = M B S trajectories, t = (m B + b) S + s for decoder m, instance b and sample s.
#ifndef MODEL_ROLLOUT_H
#define MODEL_ROLLOUT_H

#include "env/draw.h"
#include "model/model.h"
#include "model/policy.h"
#include "nn/nn.h"

struct rollout;

struct rollout_shape {
    uint32_t B, N, S;            // instances, nodes, samples
    uint32_t J;                  // max decisions of a trajectory
    enum batch_kind kind;        // of the instances
    const struct policy *policy; // must outlive the rollout; NULL: every trajectory decides alone, by `mode`
    enum choose_mode mode;       // GIVEN, TAUGHT: by rollout_give
    float temperature;
    uint64_t seed;
    bool waits;     // TAUGHT: the last trajectory of each decoder and instance need not decide before rollout_repeat
    bool save;      // for the gradient: save activations of encoder and glimpses, and a trace of the decisions
    bool logs;      // with `save`: also save the log-probabilities of every decision
    uint32_t stack; // max rows of the glimpses of a stack, if these are several; 0: default
};

bool rollout_create(struct rollout **rollout, const struct view *view, const struct rollout_shape *shape);
void rollout_destroy(struct rollout **rollout);
const struct rollout_shape *rollout_shape(const struct rollout *rollout);
uint32_t rollout_trajectories(const struct rollout *rollout); // T

// Returns the number of commands in a run of this many decisions.
uint32_t rollout_commands(const struct rollout *rollout, uint32_t decisions);

// Returns the device memory of a shape; ROLLOUT_IMPOSSIBLE if a tensor exceeds an allocation of the device or the range
// of the kernels' indices.
#define ROLLOUT_IMPOSSIBLE UINT64_MAX
uint64_t rollout_bytes(const struct view *view, const struct rollout_shape *shape);

// Returns the max decisions of a trajectory through these instances.
uint32_t rollout_longest(const struct scaled *list, uint32_t count);

// Loads instances into the batch; fewer than B repeat the last one. `numbers` are their indices for draws (NULL: 0, 1,
// ...).
bool rollout_load(struct rollout *rollout, const struct scaled *list, const uint32_t *numbers, uint32_t count);
// Fills the batch with the instances first, first + 1, ... of a generator, on the device; these are also their indices.
bool rollout_draw(struct rollout *rollout, const struct draw *draw, uint32_t first);
// The samples of later runs count from FIRST. The draws of sample s do not depend on S.
bool rollout_seek(struct rollout *rollout, uint32_t first);
// Sets the actions of later runs, (J, T), for GIVEN; for TAUGHT they may include TAUGHT_GREEDY and TAUGHT_SAMPLE.
bool rollout_give(struct rollout *rollout, const uint32_t *actions);

bool rollout_run(struct rollout *rollout);
// TAUGHT, after a run: runs again with the same instances and weights, and with the nodes given since, for every
// trajectory. Reuses results of the network that do not depend on them; log-likelihoods are those of the run. With
// `waits`: once after each run, with the same nodes for the other trajectories.
bool rollout_repeat(struct rollout *rollout);
// The same, but calls `go_on` every few decisions with the decisions made and their max. *complete is false if it
// returned false: there are no results then.
struct rollout_watch {
    bool (*go_on)(void *user, uint32_t decisions, uint32_t max_decisions); // may be NULL
    void *user;
};
bool rollout_run_watched(struct rollout *rollout, const struct rollout_watch *watch, bool *complete);

// After a run: cost (T), the actions of every trajectory (J, T) and its log-likelihood (T). Each may be NULL.
bool rollout_results(struct rollout *rollout, float *cost, uint32_t *history, float *total);
// After a run: the number of decisions of every trajectory, (T).
bool rollout_steps(struct rollout *rollout, uint32_t *steps);

// With `logs`, after a run: the log-probabilities (T, N) of decision j; none if no trajectory reached it.
struct tensor rollout_logp(const struct rollout *rollout, uint32_t j);

#endif
