#include "cli/command.h"
#include "cli/common.h"

static struct mdam_generate_options how = { sizeof how };
static const char *output;

static const struct flag flags[] = {
    FLAGS_OF_OPTIONS(MDAM_OPTIONS_GENERATE, &how),
    { "-o", "--output", FLAG_TEXT, &output, "FILE", ".npz, .pkl, else JSON Lines; - is standard output",
        .required = true },
    { NULL },
};

static bool run(const struct arguments *arguments, int *status)
{
    (void)arguments, (void)status;
    return mdam_generate(output, &how);
}

const struct command command_generate = {
    "generate",
    "generate random instances of the paper's distributions, or the published test sets",
    .flags = { flags, host_flags },
    .run = run,
};
