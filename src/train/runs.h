// The rollouts of a training, recorded once for each part of the sizes and kept while memory allows.
#ifndef TRAIN_RUNS_H
#define TRAIN_RUNS_H

#include "model/gradient.h"
#include "problem/draw.h"
#include "train/sizes.h"

// Greedy rollouts: by the weights as they are, or by the frozen ones of the baseline.
enum train_player { PLAYER_CURRENT, PLAYER_FROZEN, PLAYERS };

struct part_runs {
    struct draw draws[DRAWS_SIZES];
    uint32_t splits[2]; // micro-batches of a batch, without and with glimpses
    struct rollout *kept;
    struct gradient *gradient;
    struct rollout *greedy[PLAYERS];
    uint64_t used; // when last, to know whom to drop
};

struct runs {
    const struct train_settings *settings;
    struct gpu *gpu;
    struct model training;         // the model that is trained, seen with its batch's statistics,
    struct model players[PLAYERS]; // and models seen with tracked ones; all without glimpses before their epoch
    const struct params *d;        // where gradients are added
    struct arena *arena;
    struct size_part *parts; // stb_ds arrays, alike
    struct part_runs *list;
    bool glimpse;
    uint64_t memory; // bytes for rollouts
    bool limited;    // by the user
    uint64_t clock;
};

// FROZEN may be NULL. MEMORY 0: what the device has left. The models and D outlive the runs.
bool runs_create(struct runs **runs, const struct train_settings *settings, const struct model *model,
    const struct model *frozen, const struct params *d, uint64_t memory);
void runs_destroy(struct runs **runs);

// Into how many micro-batches each part's batches are split; a fresh training finds out, a resumed one knows.
bool runs_plan(struct runs *runs);

// With or without glimpses from now on.
void runs_set_glimpse(struct runs *runs, bool glimpse);
uint32_t runs_split(const struct runs *runs, uint32_t part);

// The rollouts of a part, made now unless they are there. Those of other parts may go.
bool runs_training(struct runs *runs, uint32_t part, struct rollout **kept, struct gradient **gradient);
bool runs_greedy(struct runs *runs, uint32_t part, enum train_player player, struct rollout **greedy);

// The best greedy cost over the decoders for COUNT instances of a set from number FIRST on, divided among the parts,
// and the sum of each decoder's (M), which may be NULL. `go_on` is asked between batches and within
// them; false ends it with *ended.
struct runs_set {
    enum train_draws draws;
    enum train_player player;
    uint32_t first, count;
    bool (*go_on)(void *user, uint32_t done);
    void *user;
};
bool runs_evaluate(struct runs *runs, const struct runs_set *set, double *best, double *sums, bool *ended);

#endif
