#include "cli/command.h"
#include "cli/common.h"

static struct mdam_init_options how = { sizeof how };
static const char *output;

static const struct flag flags[] = {
    FLAGS_OF_OPTIONS(MDAM_OPTIONS_INIT, &how),
    { "-o", "--output", FLAG_TEXT, &output, "MODEL", "safetensors; - is standard output", .required = true },
    { NULL },
};

static bool run(const struct arguments *arguments, int *status)
{
    (void)arguments, (void)status;
    return mdam_init(output, &how);
}

const struct command command_init = {
    "init",
    "write untrained weights",
    .flags = { flags, host_flags },
    .run = run,
};
