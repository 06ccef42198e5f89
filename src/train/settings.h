// The settings of a training: everything that determines its bytes. Checkpoints store them.
#ifndef TRAIN_SETTINGS_H
#define TRAIN_SETTINGS_H

#include "model/config.h"

struct json_t;

enum train_baseline {
    BASELINE_ROLLOUT, // the best greedy cost of a frozen model; an exponential average in the first epoch
    BASELINE_SHARED,  // the mean of a decoder's own samples of the instance, or of all decoders if each has one
};

struct train_settings {
    struct config config; // of the model
    // The distribution of its instances. `config.trained` also covers that of the initial model.
    struct distribution drawn;
    uint32_t epochs, steps; // and steps per epoch
    uint32_t B, S;          // instances per batch, samples per instance and decoder
    enum train_baseline baseline;
    double lr, lr_decay;   // of the first epoch, and its factor per epoch
    double lr_final;       // of the last step, along a cosine over all epochs; 0: decay only
    double kl;             // weight of the KL divergence between decoders at the first decision
    double imitate;        // weight of improved samples
    uint32_t imitate_from; // enum mdam_imitate
    uint32_t eg_from;      // first epoch with glimpses, from 0
    uint32_t val_size;     // instances of validation and of comparisons with the baseline
    uint64_t seed;
    uint32_t log_every; // steps
    // Instances to train on: a file, and a hash of them. Empty: they are drawn.
#define SETTINGS_PATH 4096
    char data[SETTINGS_PATH];
    uint64_t data_hash;
    uint32_t parts; // of a batch; their gradients are added in a fixed tree
};

// Sets the members that are options, with defaults.
struct mdam_train_options;
void settings_from_options(struct train_settings *settings, const struct mdam_train_options *options);

// Refuses settings that cannot be trained, with one message.
bool settings_check(const struct train_settings *settings);

struct json_t *settings_to_json(const struct train_settings *settings);
bool settings_from_json(struct train_settings *settings, const struct json_t *json);

// Default parts of a batch of B: 8, or the next smaller divisor; 1 below 128 instances.
uint32_t settings_parts(uint32_t B);
// Returns whether the ranks can share the parts evenly.
bool settings_fit_ranks(const struct train_settings *settings);

// Returns the learning rate of a step, counted from 0 over all epochs.
double settings_rate(const struct train_settings *settings, uint64_t step);
bool settings_glimpse(const struct train_settings *settings, uint32_t epoch);
uint64_t settings_steps(const struct train_settings *settings); // of all epochs

#endif
