// What a training was asked for: everything that decides its bytes. Checkpoints carry it.
#ifndef TRAIN_SETTINGS_H
#define TRAIN_SETTINGS_H

#include "model/config.h"

struct json_t;

enum train_baseline {
    BASELINE_ROLLOUT, // the best greedy cost of a frozen model; an exponential average in the first epoch
    BASELINE_SHARED,  // the mean of a decoder's own samples of the instance; of all decoders' when it has only one
};

struct train_settings {
    struct config config; // of the model
    // What its instances are drawn from. `config.trained` is also what the model that it started from has seen.
    struct distribution drawn;
    uint32_t epochs, steps; // and steps in each
    uint32_t B, S;          // instances in a batch, samples of each by every decoder
    enum train_baseline baseline;
    double lr, lr_decay; // of the first epoch, and its factor from one epoch to the next
    double lr_final;     // of the last step, reached along a cosine over all epochs; 0: the decay alone
    double kl;           // weight of the decoders' divergence at the first decision
    double imitate;      // weight of improved samples
    uint32_t eg_from;    // the first epoch with glimpses, from 0
    uint32_t val_size;   // instances of validation, and of comparisons with the baseline
    uint64_t seed;
    uint32_t log_every; // steps
    uint32_t parts;     // of a batch, whose gradients are added in a fixed tree
};

// Those options that are settings as they are, defaults filled in.
struct mdam_train_options;
void settings_take(struct train_settings *settings, const struct mdam_train_options *options);

// Refuses what cannot be trained, with one sentence.
bool settings_check(const struct train_settings *settings);

struct json_t *settings_to_json(const struct train_settings *settings);
bool settings_from_json(struct train_settings *settings, const struct json_t *json);

// Parts of a batch of B where none are given: 8, or the next number below that divides it; 1 below 64 instances.
uint32_t settings_parts(uint32_t B);
// Whether the ranks can share the parts evenly.
bool settings_fit_ranks(const struct train_settings *settings);

// Of a step, counted from 0 over all epochs.
double settings_rate(const struct train_settings *settings, uint64_t step);
bool settings_glimpse(const struct train_settings *settings, uint32_t epoch);
uint64_t settings_steps(const struct train_settings *settings); // of all epochs

#endif
