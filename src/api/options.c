// Every option of the library, one row each. Tables drive defaults and checks here, and flags, manual and completion of
// the command line. A training's are in train/options.h, where checkpoints see them, too.
#include "train/options.h"
#include "api/internal.h"
#include "model/config.h"
#include "problem/generate.h"
#include "util/error.h"

#define OPTION(kind, field, flag, value, help, ...)                                                                    \
    {                                                                                                                  \
#field, flag, MDAM_OPTION_##kind, offsetof(struct OPTIONS, field), value, help, __VA_ARGS__                    \
    }
// A range in two fields.
#define SPAN(kind, field, flag, value, help, ...)                                                                      \
    {                                                                                                                  \
#field, flag, MDAM_OPTION_##kind, offsetof(struct OPTIONS, field##_min), value, help, __VA_ARGS__              \
    }

#define OPTIONS mdam_device_options
static const struct mdam_option device_table[] = {
    OPTION(TEXT, device, "--device", "N|name|auto", "the device to run on", 0),
    OPTION(CHOICE, target, "--target", "auto|gpu|cpu|safe", "which kernels run, whatever the device is", 0),
    OPTION(SWITCH, safe, "--safe", NULL, "check every memory access on the device: --target safe", 0),
    OPTION(TEXT, capture, "--capture", "LABEL", "let RenderDoc capture the region with this label", 0),
    { NULL },
};
#undef OPTIONS

#define OPTIONS mdam_solve_options
static const struct mdam_option solve_table[] = {
    OPTION(CHOICE, decode, "--decode", "beam|greedy|sample", "how solutions are found", 0),
    OPTION(COUNT, beam, "--beam", "W", "beam: hypotheses of each decoder", 1, 1 << 16, .usual = 30, .only = "beam"),
    OPTION(COUNT, expand, "--expand", "K", "beam: moves that each of them offers", 1, 0, .usual = 3, .only = "beam"),
    OPTION(SWITCH, no_merge, "--no-merge", NULL, "beam: keep hypotheses that others dominate", 0, .only = "beam"),
    OPTION(
        COUNT, samples, "--samples", "S", "sample: how many for each decoder", 1, 1e6, .usual = 16, .only = "sample"),
    OPTION(REAL, temperature, "--temperature", "T", "sample: above 1 bolder, below more careful", 1e-3, 1e3, .usual = 1,
        .only = "sample"),
    OPTION(COUNT, augment, "--augment", "1|8", "8: also the other turned and mirrored views", 1, 8, .usual = 1),
    OPTION(REAL, time_limit, "--time-limit", "SECONDS",
        "beam: a first answer soon, then wider beams and other views until the time is used", 1e-3, 1e9,
        .only = "beam"),
    OPTION(SEED, seed, "--seed", "N", "another seed draws other samples", 0, .usual = 1234),
    OPTION(SWITCH, online, "--online", NULL, "one committed trajectory, by the decoder that did best in validation", 0),
    OPTION(CHOICE, improve, "--improve", "auto|off|local|full",
        "make plans better on the host: auto is local for beams, full with a time limit, else off", 0),
    OPTION(WHOLE, improve_iterations, "--improve-iterations", "N",
        "full: iterations of each of four chains; without it by time, or 1000 for each customer", 1),
    OPTION(WHOLE, memory, NULL, "BYTES", "device memory for one batch", 0),
    { NULL },
};
#undef OPTIONS

#define OPTIONS mdam_improve_options
static const struct mdam_option improve_table[] = {
    OPTION(REAL, time_limit, "--time-limit", "SECONDS", "ruin and recreate until the time is used", 1e-3, 1e9),
    OPTION(WHOLE, iterations, "--improve-iterations", "N", "ruin and recreate: iterations of each of four chains", 1),
    OPTION(SEED, seed, "--seed", "N", "another seed takes other ways", 0, .usual = 1234),
    { NULL },
};
#undef OPTIONS

#define OPTIONS mdam_generate_options
static const struct mdam_option generate_table[] = {
    OPTION(PROBLEM, problem, "--problem", "P", "routing problem", 0, .required = true),
    SPAN(RANGE, n, "-n", "N|A..B", "nodes besides the depot, or a range of sizes", 1, GENERATE_N_MAX, .required = true),
    OPTION(COUNT, count, "--count", "C", "how many instances are drawn", 1, .required = true),
    OPTION(COUNT, limit, "--limit", "L", "write only the first L of them", 1),
    OPTION(SEED, seed, "--seed", "S", "another seed gives other instances", 0, .usual = 1234),
    OPTION(CHOICE, like, "--like", "own|kool", "kool: the numbers of the published test sets, which depend on C", 0),
    SPAN(RANGE, capacity, "--capacity", "Q|A..B",
        "vehicle capacity; without it 20, 30, 40, 50 for n = 10, 20, 50, 100 and in between", 1, 1e9),
    OPTION(WORD, prize, "--prize", "const|unif|dist|mixed", "orienteering: how prizes are drawn", 0, .usual = 2),
    SPAN(REALS, max_length, "--max-length", "X|A..B",
        "orienteering: length limit; without it 2, 3, 4 for n = 20, 50, 100 and in between", 1e-3, GENERATE_LENGTH_MAX),
    OPTION(WORD, layout, "--layout", "uniform|cluster|mixed",
        "where customers lie: anywhere, around a few of them, or by turns either or half of each", 0),
    { NULL },
};
#undef OPTIONS

#define OPTIONS mdam_init_options
static const struct mdam_option init_table[] = {
    OPTION(PROBLEM, problem, "--problem", "P", "routing problem", 0, .required = true),
    OPTION(COUNT, n, "-n", "N", "nodes besides the depot that the glimpse period is chosen for", 1, GENERATE_N_MAX,
        .usual = 20),
    OPTION(COUNT, decoders, "--decoders", "M", "decoders", 1, CONFIG_M_MAX, .usual = CONFIG_M),
    OPTION(WORD, norm, "--norm", "instance|batch|layer", "normalisation", 0),
    OPTION(PERIOD, glimpse, "--eg-period", "p|off",
        "decisions between glimpses; without it 2, 4 (with loads 6), 8 for up to 20, 50 and more nodes", 1,
        CONFIG_P_MAX),
    OPTION(COUNT, embedding, "--embedding", "D", "size of a node's embedding", 8, CONFIG_D_MAX, .usual = CONFIG_D),
    OPTION(COUNT, heads, "--heads", "H", "heads of attention", 1, CONFIG_H_MAX, .usual = CONFIG_H),
    OPTION(COUNT, hidden, "--hidden", "F", "hidden units of a layer", 8, CONFIG_F_MAX, .usual = CONFIG_F),
    OPTION(COUNT, layers, "--layers", "L", "layers of the encoder", 1, CONFIG_L_MAX, .usual = CONFIG_L),
    OPTION(SEED, seed, "--seed", "N", "another seed gives other weights", 0, .usual = 1234),
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
    }
    bug("there is no table of options %d", (int)table);
}

const struct problem *mdam_problem_take(const char *name)
{
    const struct problem *problem = problem_expected(name ? name : "");
    if (!problem)
        fail_within_field("problem");
    return problem;
}
