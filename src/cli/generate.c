#include <stb/stb_ds.h>

#include "cli/command.h"
#include "cli/common.h"
#include "format/json.h"
#include "format/kool.h"
#include "problem/generate.h"
#include "util/error.h"
#include "util/file.h"

static struct {
    const char *problem;
    struct flag_range n, capacity;
    uint32_t count, limit;
    uint64_t seed;
    int like;  // 0: our own generator, 1: kool
    int prize; // enum prize_kind
    const char *output;
} options = { .seed = 1234, .prize = PRIZE_DIST };

static const struct flag flags[] = {
    PROBLEM_FLAG(&options.problem),
    { "-n", NULL, FLAG_RANGE, &options.n, "N|A..B", "customers (TSP: nodes), or a range of sizes", 1, GENERATE_N_MAX,
        .required = true },
    { "--count", NULL, FLAG_COUNT, &options.count, "C", "how many instances are drawn", 1, .required = true },
    { "--limit", NULL, FLAG_COUNT, &options.limit, "L", "write only the first L of them", 1 },
    { "--seed", NULL, FLAG_SEED, &options.seed, "S", "another seed gives other instances" },
    { "--like", NULL, FLAG_CHOICE, &options.like, "own|kool",
        "kool: the numbers of the published test sets, which depend on C" },
    { "--capacity", NULL, FLAG_RANGE, &options.capacity, "Q|A..B",
        "vehicle capacity; without it 20, 30, 40, 50 for n = 10, 20, 50, 100 and in between", 1, 1e9 },
    { "--prize", NULL, FLAG_CHOICE, &options.prize, "const|unif|dist", "orienteering: how prizes are drawn" },
    { "-o", "--output", FLAG_TEXT, &options.output, "FILE", "JSON Lines; - is standard output", .required = true },
    { NULL },
};

static bool check_options(
    const struct arguments *arguments, const struct problem *problem, const struct distribution *distribution)
{
    if (!problem || !generate_check(problem, distribution))
        return false;
    if (flags_given(arguments, "--prize") && !(problem->columns & HAS_MAX_LENGTH))
        return fail(FAULT_INPUT, "--prize: %s has no choice of prizes", problem->name);
    if (!options.like)
        return true;
    if (options.n.min != options.n.max || options.capacity.min != options.capacity.max)
        return fail(FAULT_INPUT, "--like kool: the published sets have one size and one capacity, not a range");
    if (options.seed > UINT32_MAX)
        return fail(FAULT_INPUT, "--like kool: the seed %llu is not below 2^32", (unsigned long long)options.seed);
    return true;
}

static bool write_set(const struct problem *problem, const struct distribution *distribution, struct file_out *out)
{
    uint32_t count = options.limit && options.limit < options.count ? options.limit : options.count;
    struct kool kool;
    if (options.like)
        kool_init(&kool, problem, distribution, options.count, (uint32_t)options.seed);
    bool ok = true;
    struct text text = { 0 };
    for (uint32_t index = 0; ok && index < count; index++) {
        struct instance instance;
        if (options.like)
            kool_next(&kool, &instance);
        else
            problem->generate(&instance, distribution, options.seed, index);
        instance_to_json(&text, &instance);
        instance_finish(&instance);
        if (text.size > 1 << 20 || index + 1 == count) {
            ok = file_out_add(out, text.data, text.size);
            text.size = 0;
        }
    }
    text_finish(&text);
    return ok;
}

static bool run(const struct arguments *arguments, int *status)
{
    (void)status;
    const struct problem *problem = problem_of_flag(options.problem);
    struct distribution distribution = { .n_min = options.n.min,
        .n_max = options.n.max,
        .capacity_min = options.capacity.min,
        .capacity_max = options.capacity.max,
        .prize = (enum prize_kind)options.prize };
    if (!check_options(arguments, problem, &distribution))
        return fail_within("generate");
    struct file_out out;
    if (!file_out_open(&out, options.output))
        return false;
    if (write_set(problem, &distribution, &out))
        return file_out_close(&out);
    file_out_abandon(&out);
    return false;
}

const struct command command_generate = {
    "generate",
    "draw random instances: the paper's distributions, or the published test sets",
    .flags = { flags, host_flags },
    .run = run,
};
