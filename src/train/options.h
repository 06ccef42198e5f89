// Every option of training, one row each: its name in the API, its flag, default and bounds, and, for a SETTING, the
// member of struct train_settings that checkpoints store. To add one: a field at the end of struct mdam_train_options,
// a member, a row, and its use.
#ifndef TRAIN_OPTIONS_H
#define TRAIN_OPTIONS_H

#include "mdam/mdam.h"
#include "model/config.h"
#include "problem/generate.h"

// PLAIN(kind, field, flag, value, help, min, max, ...)             used by api/train.c
// SPAN(field, flag, value, help, min, max, ...)                    the same, for field_min and field_max
// SETTING(kind, field, member, flag, value, help, min, max, ...)   is copied to settings.member
// DERIVED(kind, member)                                            a stored member that other options determine
// Checkpoints have the members in this order.
#define TRAIN_OPTIONS(PLAIN, SPAN, SETTING, DERIVED)                                                                   \
    PLAIN(PROBLEM, problem, "--problem", "P", "routing problem", 0)                                                    \
    SPAN(RANGE, n, "-n", "N|A..B", "customers per instance, or a range", 1, GENERATE_N_MAX)                            \
    PLAIN(CHOICE, recipe, "--recipe", "paper|fast",                                                                    \
        "defaults: the paper's, or a shared baseline, 32 x 8 samples, imitation, and glimpses in the last fifth", 0)   \
    PLAIN(TEXT, data, "--data", "FILE", "train on the instances of a file; every tenth is held out for validation", 0) \
    SETTING(COUNT, epochs, epochs, "--epochs", "E", "epochs; each ends with a validation", 1, 1e6, .usual = 100)       \
    PLAIN(WHOLE, epoch_size, "--epoch-size", "INSTANCES", "instances per epoch (default: 2500 batches)", 1)            \
    DERIVED(COUNT, steps)                                                                                              \
    SETTING(COUNT, batch, B, "--batch", "B", "instances per step", 1, 1 << 20, .usual = 512)                           \
    SETTING(COUNT, rollouts, S, "--rollouts", "S", "samples per instance and decoder", 1, 4096, .usual = 1)            \
    PLAIN(CHOICE, baseline, "--baseline", "rollout|shared",                                                            \
        "baseline: greedy cost of a frozen model, or mean cost of the samples", 0)                                     \
    SETTING(REAL, lr, lr, "--lr", "X", "learning rate", 1e-12, 1e30, .usual = 1e-4)                                    \
    SETTING(                                                                                                           \
        REAL, lr_decay, lr_decay, "--lr-decay", "X", "factor of the learning rate per epoch", 1e-6, 10, .usual = 1)    \
    SETTING(REAL, lr_final, lr_final, "--lr-final", "X",                                                               \
        "final learning rate, reached along a cosine over all epochs", 0, 1e30)                                        \
    PLAIN(COUNT, decoders, "--decoders", "M", "decoders", 1, CONFIG_M_MAX, .usual = CONFIG_M)                          \
    SETTING(REAL, kl, kl, "--kl", "X", "weight of the KL divergence between decoders at the first decision", 0, 1e6,   \
        .usual = 0.01, .none = true)                                                                                   \
    SETTING(REAL, imitate, imitate, "--imitate", "W",                                                                  \
        "weight of each decoder's best sample of an instance, improved by local search", 0, 1e6, .none = true)         \
    SETTING(CHOICE, imitate_from, imitate_from, "--imitate-from", "sample|prefix",                                     \
        "imitate improved samples, or improved completions of the first greedy decisions", 0, 1)                       \
    PLAIN(PERIOD, glimpse, "--eg-period", "p|off",                                                                     \
        "decisions between glimpses (default: 2, 4 (with loads 6), 8 for up to 20, 50 and more customers)", 1,         \
        CONFIG_P_MAX)                                                                                                  \
    SETTING(COUNT, glimpse_from, eg_from, "--eg-from", "EPOCH", "first epoch with glimpses, from 0", 0)                \
    PLAIN(WORD, norm, "--norm", "instance|batch|layer", "normalisation", 0)                                            \
    SPAN(RANGE, capacity, "--capacity", "Q|A..B",                                                                      \
        "vehicle capacity (default: 20, 30, 40, 50 for n = 10, 20, 50, 100, interpolated)", 1, 1e9)                    \
    PLAIN(WORD, prize, "--prize", "const|unif|dist|mixed", "orienteering: distribution of prizes", 0, .usual = 2)      \
    SPAN(REALS, max_length, "--max-length", "X|A..B",                                                                  \
        "orienteering: length limit (default: 2, 3, 4 for n = 20, 50, 100, interpolated)", 1e-3, GENERATE_LENGTH_MAX)  \
    PLAIN(WORD, layout, "--layout", "uniform|cluster|mixed",                                                           \
        "layout of the customers: anywhere, around a few of them, or mixed: either, or half of each", 0)               \
    SETTING(COUNT, val_size, val_size, "--val-size", "V", "validation instances", 1, 1e8, .usual = 10000)              \
    PLAIN(TEXT, init, "--init", "MODEL", "initial weights; also the default of all sizes", 0)                          \
    PLAIN(COUNT, embedding, "--embedding", "D", "embedding size", 8, CONFIG_D_MAX, .usual = CONFIG_D)                  \
    PLAIN(COUNT, heads, "--heads", "H", "attention heads", 1, CONFIG_H_MAX, .usual = CONFIG_H)                         \
    PLAIN(COUNT, hidden, "--hidden", "F", "hidden units per layer", 8, CONFIG_F_MAX, .usual = CONFIG_F)                \
    PLAIN(COUNT, layers, "--layers", "L", "encoder layers", 1, CONFIG_L_MAX, .usual = CONFIG_L)                        \
    SETTING(SEED, seed, seed, "--seed", "N", "seed of instances, samples and weights", 0, .usual = 1234)               \
    SETTING(COUNT, log_every, log_every, "--log-every", "STEPS",                                                       \
        "steps per line of the log (default: 1/50 of an epoch)", 1, 1e9)                                               \
    SETTING(COUNT, parts, parts, "--parts", "P",                                                                       \
        "parts of a batch, which ranks share; they change the rounding (default: 8, below 128 instances 1)", 1, 1024)

// Options of one run: checkpoints do not store them.
#define TRAIN_RUN_OPTIONS(PLAIN)                                                                                       \
    PLAIN(REAL, time_limit, "--time-limit", "SECONDS", "stop after this time with a checkpoint", 1e-3)                 \
    PLAIN(REAL, checkpoint_seconds, "--checkpoint-minutes", "X",                                                       \
        "minutes between checkpoints; 0: only after each epoch", 0, .usual = 300, .unit = 60, .none = true)            \
    PLAIN(WHOLE, memory, "--memory", "MIB",                                                                            \
        "device memory of a batch, which is split to fit (default: three quarters, half of a CPU's)", 1 << 20,         \
        .unit = 1 << 20)                                                                                               \
    PLAIN(SWITCH, tensorboard, "--tensorboard", NULL, "also write the log for TensorBoard", 0)

extern const struct mdam_option train_table[], train_run_table[];

#endif
