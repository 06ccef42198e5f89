// Complete solutions from a model: T = M B S trajectories, t = (m B + b) S + s for decoder m, instance b and sample s.
#ifndef MODEL_ROLLOUT_H
#define MODEL_ROLLOUT_H

#include "model/decoder.h"
#include "model/glimpse.h"
#include "problem/draw.h"

struct rollout;

// Who decides in place of nn_choose, looking at the S trajectories of an instance and decoder together:
// src/search/beam.h. All calls get `user`; those with a `c` record.
struct rollout_guide {
    void (*layout)(void *user, struct rollout *rollout); // takes room, and sets rollout->shown and slot
    void (*begin)(void *user, struct cmd *c);            // after the rules have begun
    void (*look)(void *user, struct cmd *c, const struct glimpse *glimpse); // before a glimpse: fills shown and slot
    void (*decide)(void *user, struct cmd *c, struct tensor logp); // sets rules.action, and who goes on from whom
    void *user;
};

struct rollout_shape {
    uint32_t B, N, S;      // instances, nodes, samples
    uint32_t J;            // most decisions of one trajectory
    enum choose_mode mode; // GIVEN: `given` holds the actions
    float temperature;
    uint64_t seed;
    bool keep; // everything stays: log-probabilities of every step, activations for the gradient; needed for GIVEN
    const struct rollout_guide *guide; // or NULL
};

// Decisions that are made with the same embeddings: those of the encoder, or those of a glimpse.
struct segment {
    struct glimpse glimpse;
    struct decoder decoder;
    bool plain;      // no glimpse
    uint32_t from;   // its first decision
    struct cmd *cmd; // a glimpse, and the decisions until the next
};

struct rollout {
    struct rollout_shape shape;
    const struct model *model;
    struct arena *arena;
    struct batch batch;
    struct rules rules;
    struct rules shown; // as the glimpses see them: with a guide, the keys of each slot
    struct tensor slot; // (T) uint: the glimpse of a trajectory, with a guide
    struct encoder encoder;
    struct cache plain;
    struct queries queries;   // of the plain cache, in models without glimpses; else none
    struct tensor slot_rows;  // (M B) uint: nodes of the instance of each plain slot
    struct tensor parent;     // (T) uint: a trajectory's plain slot; S > 1
    struct tensor stream;     // (T) uint: decoder and sample, for draws
    struct tensor number;     // (T) uint: the instance's number, for draws
    struct tensor given;      // (J, T) uint
    struct tensor chosen;     // (T)
    struct tensor total;      // (T): log-likelihood of a trajectory
    struct segment *segments; // stb_ds array: all of them with `keep`; else the first, and one that serves all others
    uint32_t used;            // segments that the last run took, with `keep`
    // Unless NULL, asked before each segment, after so many of at most so many decisions; if it says no, the run is
    // broken off.
    bool (*go_on)(void *user, uint32_t decisions, uint32_t most);
    void *user;
    bool broken; // the last run was
};

bool rollout_create(struct rollout **rollout, const struct model *model, const struct rollout_shape *shape);
void rollout_destroy(struct rollout **rollout);

// One that was only counted: for what lays out its own by it, without memory.
struct rollout *rollout_plan(const struct model *model, const struct rollout_shape *shape);

// Device memory that a shape takes; ROLLOUT_IMPOSSIBLE where no amount would do: a tensor is larger than the device
// gives in one piece, or than kernels can count.
#define ROLLOUT_IMPOSSIBLE UINT64_MAX
uint64_t rollout_bytes(const struct model *model, const struct rollout_shape *shape);

// Decisions that the longest trajectory through these instances can take.
uint32_t rollout_longest(const struct scaled *list, uint32_t count);

// Puts instances into the batch; fewer than B repeat the last. `numbers` are theirs for draws (NULL: 0, 1, ...).
bool rollout_load(struct rollout *rollout, const struct scaled *list, const uint32_t *numbers, uint32_t count);
// Fills the batch with the instances first, first + 1, ... of a generator, on the device; those are their numbers, too.
bool rollout_draw(struct rollout *rollout, const struct draw *draw, uint32_t first);
// The samples of the next runs count from FIRST. What sample s of a decoder draws does not depend on S.
bool rollout_seek(struct rollout *rollout, uint32_t first);
bool rollout_run(struct rollout *rollout);

// After a run: cost (T) and the actions of every trajectory, (J, T).
bool rollout_results(struct rollout *rollout, float *cost, uint32_t *history, float *total);

// With `keep`, after a run: the log-probabilities (T, N) of decision j; of decisions that nobody made, none.
struct tensor rollout_logp(const struct rollout *rollout, uint32_t j);

#endif
