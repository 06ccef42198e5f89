// Every option of the library, one row each. The tables give defaults and checks here, and flags, manual and completion
// of the command line. The options of training are in train/options.h, where checkpoints also see them.
#include "train/options.h"
#include "api/internal.h"
#include "model/config.h"
#include "problem/generate.h"
#include "util/error.h"

#define OPTION(kind, field, flag, value, help, ...)                                                                    \
    {                                                                                                                  \
#field, flag, MDAM_OPTION_##kind, offsetof(struct OPTIONS, field), value, help, __VA_ARGS__                    \
    }
// A range in two fields, field_min and field_max.
#define SPAN(kind, field, flag, value, help, ...)                                                                      \
    {                                                                                                                  \
#field, flag, MDAM_OPTION_##kind, offsetof(struct OPTIONS, field##_min), value, help, __VA_ARGS__              \
    }

#define OPTIONS mdam_device_options
static const struct mdam_option device_table[] = {
    OPTION(TEXT, device, "--device", "N|name|auto", "device to use", 0),
    OPTION(CHOICE, target, "--target", "auto|gpu|cpu|safe", "kernels to use on any device", 0),
    OPTION(SWITCH, safe, "--safe", NULL, "check every memory access on the device; same as --target safe", 0),
    OPTION(TEXT, capture, "--capture", "LABEL", "capture the region with this label in RenderDoc", 0),
    { NULL },
};
#undef OPTIONS

#define OPTIONS mdam_solve_options
static const struct mdam_option solve_table[] = {
    OPTION(CHOICE, decode, "--decode", "beam|greedy|sample", "decoding strategy", 0),
    OPTION(COUNT, beam, "--beam", "W", "beam: hypotheses per decoder", 1, 1 << 16, .usual = 30, .only = "beam"),
    OPTION(COUNT, expand, "--expand", "K", "beam: candidates per hypothesis", 1, 0, .usual = 3, .only = "beam"),
    OPTION(SWITCH, no_merge, "--no-merge", NULL, "beam: do not merge dominated hypotheses", 0, .only = "beam"),
    OPTION(COUNT, samples, "--samples", "S", "sample: samples per decoder", 1, 1e6, .usual = 16, .only = "sample"),
    OPTION(REAL, temperature, "--temperature", "T", "sample: softmax temperature; above 1 explores more", 1e-3, 1e3,
        .usual = 1, .only = "sample"),
    OPTION(COUNT, augment, "--augment", "1|8", "8: solve rotated and mirrored views as well", 1, 8, .usual = 1),
    OPTION(REAL, time_limit, "--time-limit", "SECONDS",
        "beam: find a first solution soon, then use wider beams and other views until this time", 1e-3, 1e9,
        .only = "beam"),
    OPTION(SEED, seed, "--seed", "N", "seed of the samples", 0, .usual = 1234),
    OPTION(SWITCH, online, "--online", NULL, "commit to one trajectory, of the decoder that was best in validation", 0),
    OPTION(CHOICE, improve, "--improve", "auto|off|local|full",
        "improve solutions on the host; auto: local for beams, full with a time limit, else off", 0),
    OPTION(WHOLE, improve_iterations, "--improve-iterations", "N",
        "full: iterations of each of four chains (default: by time, or 1000 per customer)", 1),
    OPTION(CHOICE, improve_from, "--improve-from", "all|network|construction|random",
        "full: plans to begin with, for comparisons; with the last two the network is not used", 0),
    OPTION(WHOLE, memory, NULL, "BYTES", "device memory of one batch", 0),
    { NULL },
};
#undef OPTIONS

#define OPTIONS mdam_improve_options
static const struct mdam_option improve_table[] = {
    OPTION(REAL, time_limit, "--time-limit", "SECONDS", "ruin and recreate until this time", 1e-3, 1e9),
    OPTION(WHOLE, iterations, "--improve-iterations", "N", "ruin and recreate: iterations of each of four chains", 1),
    OPTION(SEED, seed, "--seed", "N", "seed of the search", 0, .usual = 1234),
    { NULL },
};
#undef OPTIONS

#define OPTIONS mdam_generate_options
static const struct mdam_option generate_table[] = {
    OPTION(PROBLEM, problem, "--problem", "P", "routing problem", 0, .required = true),
    SPAN(RANGE, n, "-n", "N|A..B", "customers per instance, or a range", 1, GENERATE_N_MAX, .required = true),
    OPTION(COUNT, count, "--count", "C", "instances to generate", 1, .required = true),
    OPTION(COUNT, limit, "--limit", "L", "write only the first L instances", 1),
    OPTION(SEED, seed, "--seed", "S", "seed of the instances", 0, .usual = 1234),
    OPTION(CHOICE, like, "--like", "own|kool", "kool: the published test sets, which depend on C", 0),
    SPAN(RANGE, capacity, "--capacity", "Q|A..B",
        "vehicle capacity (default: 20, 30, 40, 50 for n = 10, 20, 50, 100, interpolated)", 1, 1e9),
    OPTION(WORD, prize, "--prize", "const|unif|dist|mixed", "orienteering: distribution of prizes", 0, .usual = 2),
    SPAN(REALS, max_length, "--max-length", "X|A..B",
        "orienteering: length limit (default: 2, 3, 4 for n = 20, 50, 100, interpolated)", 1e-3, GENERATE_LENGTH_MAX),
    OPTION(WORD, layout, "--layout", "uniform|cluster|mixed",
        "layout of the customers: anywhere, around a few of them, or mixed: either, or half of each", 0),
    { NULL },
};
#undef OPTIONS

#define OPTIONS mdam_read_options
static const struct mdam_option read_table[] = {
    OPTION(PROBLEM, problem, "--problem", "P", "problem of a .csv, .npz or .pkl file (default: by its columns)", 0),
    OPTION(REAL, capacity, "--capacity", "Q", "table (.csv) without this column: vehicle capacity", 1e-9, DEMAND_MAX),
    OPTION(COUNT, vehicles, "--vehicles", "K", "table without this column: max number of routes", 1),
    OPTION(REAL, max_length, "--max-length", "X", "table without this column: length limit", 1e-9, VALUE_MAX),
    OPTION(REAL, min_prize, "--min-prize", "X", "table without this column: prize to collect", 1e-9, VALUE_MAX),
    OPTION(SWITCH, open, "--open", NULL, "table: routes end at their last stop", 0),
    { NULL },
};
#undef OPTIONS

#define OPTIONS mdam_init_options
static const struct mdam_option init_table[] = {
    OPTION(PROBLEM, problem, "--problem", "P", "routing problem", 0, .required = true),
    OPTION(
        COUNT, n, "-n", "N", "customers per instance, which select the glimpse period", 1, GENERATE_N_MAX, .usual = 20),
    OPTION(COUNT, decoders, "--decoders", "M", "decoders", 1, CONFIG_M_MAX, .usual = CONFIG_M),
    OPTION(WORD, norm, "--norm", "instance|batch|layer", "normalisation", 0),
    OPTION(PERIOD, glimpse, "--eg-period", "p|off",
        "decisions between glimpses (default: 2, 4 (with loads 6), 8 for up to 20, 50 and more customers)", 1,
        CONFIG_P_MAX),
    OPTION(COUNT, embedding, "--embedding", "D", "embedding size", 8, CONFIG_D_MAX, .usual = CONFIG_D),
    OPTION(COUNT, heads, "--heads", "H", "attention heads", 1, CONFIG_H_MAX, .usual = CONFIG_H),
    OPTION(COUNT, hidden, "--hidden", "F", "hidden units per layer", 8, CONFIG_F_MAX, .usual = CONFIG_F),
    OPTION(COUNT, layers, "--layers", "L", "encoder layers", 1, CONFIG_L_MAX, .usual = CONFIG_L),
    OPTION(SEED, seed, "--seed", "N", "seed of the weights", 0, .usual = 1234),
    { NULL },
};
#undef OPTIONS

const struct mdam_option *mdam_options(enum mdam_option_table table)
{
    switch (table) {
    case MDAM_OPTIONS_DEVICE:
        return device_table;
    case MDAM_OPTIONS_SOLVE:
        return solve_table;
    case MDAM_OPTIONS_TRAIN:
        return train_table;
    case MDAM_OPTIONS_TRAIN_RUN:
        return train_run_table;
    case MDAM_OPTIONS_GENERATE:
        return generate_table;
    case MDAM_OPTIONS_INIT:
        return init_table;
    case MDAM_OPTIONS_IMPROVE:
        return improve_table;
    case MDAM_OPTIONS_READ:
        return read_table;
    }
    bug("unknown table of options %d", (int)table);
}

const struct problem *mdam_problem_find(const char *name)
{
    const struct problem *problem = problem_expected(name ? name : "");
    if (!problem)
        fail_within_field("problem");
    return problem;
}
