// A parity pack: a folder with one small, complete case.
//
//   model.pt, args.json    weights as the released program writes them; or
//   model.safetensors      as this one does, which also says what the model is
//   instances.json         the batch
//   expected.json          what decoding, beam search and a training step must give, in the network's units
//   grad.pt / grad.safetensors  the gradient of the training loss, under the weights' names
//
// expected.json: `norm` holds for everything but `beam`, whose entries have their own; with `batch` decoding uses the
// tracked statistics and training those of the batch. `greedy`: `sequence`, `cost` and (in ours)
// `log_likelihood` [decoder][instance], `min_relative_margin` the smallest gap between best and second-best
// probability. `first_step_log_p` [decoder][instance][node], -1e30 where masked. `train`: `sequence`, `baseline`
// [instance], `kl_coefficient`, and what they give: `cost`, `log_likelihood` [decoder][instance], `step_log_p_decoder0`
// [instance][step][node], `kl`, `loss`, `grad_norm`. `beam`: per entry `width`, `expand`, `merge`, `best_cost`
// [instance], `decoder_best_cost` [decoder][instance].
#ifndef SELFTEST_PACK_H
#define SELFTEST_PACK_H

#include "model/weights.h"
#include "problem/scale.h"
#include "selftest/reference.h"

// One decoder on one instance.
struct pack_path {
    uint32_t *actions; // stb_ds array
    double cost, log_likelihood;
    double *log_p; // stb_ds array: N for each step that is known
};

struct pack_beam {
    enum model_norm norm;
    uint32_t width, expand;
    bool merge;
    double *best;    // (B)
    double *decoder; // (M, B)
};

struct pack {
    struct weights weights;
    struct instance *instances; // stb_ds array
    struct scaled *scaled;      // (B)
    uint32_t B;
    double margin;
    bool ties_as_ours;        // when a beam merges equals, the lower trajectory survives
    struct pack_path *greedy; // (M, B): log_p of the first step
    struct pack_path *train;  // (M, B): log_p of decoder 0 only
    double *baseline;         // (B)
    double kl_coefficient, kl, loss, gradient_norm;
    struct weights gradient;
    struct pack_beam *beams; // stb_ds array
};

bool pack_read(struct pack *pack, const char *folder);
bool pack_write(const struct pack *pack, const char *folder); // weights as safetensors; makes the folder
void pack_finish(struct pack *pack);                          // accepts a half-read one

// The recipe of our own packs. The normalisation is the configuration's.
struct pack_recipe {
    struct config config;
    uint32_t B, n_min, n_max;
};

// Makes a pack of random weights and instances: the first ones whose greedy decisions are clear in single precision.
void pack_make(struct pack *pack, const struct pack_recipe *recipe);

// Packs for the six problems, the dialects and normalisations, and unusual sizes. NULL after the last.
const char *pack_own(uint32_t index, struct pack_recipe *recipe);

struct pack_path *pack_paths(const struct pack *pack); // (M, B) empty ones
void pack_paths_finish(struct pack_path **paths, const struct pack *pack);

// Copies the paths of the reference, with the log-probabilities of the first STEPS steps of the first WITH_LOG_P paths.
void pack_copy_paths(const struct reference_run *run, uint32_t steps, uint32_t with_log_p, struct pack_path *to);

// Returns the actions of every path, for struct reference_choice; the caller frees only the list.
uint32_t **pack_actions(const struct pack *pack, const struct pack_path *paths);

#endif
