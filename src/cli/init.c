#include "checkpoint/weights_file.h"
#include "cli/command.h"
#include "cli/common.h"
#include "model/initial.h"
#include "problem/generate.h"
#include "util/error.h"

static struct {
    const char *problem;
    uint32_t n, period, M, D, H, F, L;
    int norm; // the first three of enum model_norm
    uint64_t seed;
    const char *output;
} options = { .n = 20, .M = CONFIG_M, .D = CONFIG_D, .H = CONFIG_H, .F = CONFIG_F, .L = CONFIG_L, .seed = 1234 };

static const struct flag flags[] = {
    PROBLEM_FLAG(&options.problem),
    { "-n", NULL, FLAG_COUNT, &options.n, "N", "customers (TSP: nodes) that the glimpse period is chosen for", 1,
        GENERATE_N_MAX },
    { "--decoders", NULL, FLAG_COUNT, &options.M, "M", "decoders", 1 },
    { "--norm", NULL, FLAG_CHOICE, &options.norm, "instance|batch|layer", "normalisation" },
    { "--eg-period", NULL, FLAG_OR_OFF, &options.period, "p|off",
        "decisions between glimpses; without it 2, 4 (with loads 6), 8 for up to 20, 50 and more nodes", 1,
        CONFIG_P_MAX },
    { "--embedding", NULL, FLAG_COUNT, &options.D, "D", "size of a node's embedding", 1 },
    { "--heads", NULL, FLAG_COUNT, &options.H, "H", "heads of attention", 1 },
    { "--hidden", NULL, FLAG_COUNT, &options.F, "F", "hidden units of a layer", 1 },
    { "--layers", NULL, FLAG_COUNT, &options.L, "L", "layers of the encoder", 1 },
    { "--seed", NULL, FLAG_SEED, &options.seed, "N", "another seed gives other weights" },
    { "-o", "--output", FLAG_TEXT, &options.output, "MODEL", "safetensors; - is standard output", .required = true },
    { NULL },
};

static bool run(const struct arguments *arguments, int *status)
{
    (void)status;
    struct config config = { .problem = problem_of_flag(options.problem),
        .norm = (enum model_norm)options.norm,
        .D = options.D,
        .H = options.H,
        .F = options.F,
        .L = options.L,
        .M = options.M };
    if (!config.problem)
        return fail_within("init");
    config.p = flags_given(arguments, "--eg-period") ? options.period : config_period(config.problem, options.n);
    if (config.norm == MODEL_BATCH)
        config.O = config_occasions(config.p, options.n);
    if (!config_check(&config))
        return fail_within("init");
    struct weights weights;
    weights_draw(&weights, &config, options.seed);
    bool ok = weights_save(options.output, &weights);
    weights_finish(&weights);
    return ok;
}

const struct command command_init = {
    "init",
    "write untrained weights",
    .flags = { flags, host_flags },
    .run = run,
};
