#include "cli/command.h"
#include "cli/common.h"
#include "cli/outputs.h"
#include "mdam/mdam.h"

static struct {
    const char *args, *output;
} options;

static const struct flag flags[] = {
    { "--args", NULL, FLAG_TEXT, &options.args, "args.json",
        "arguments of the checkpoint's training: problem, size, glimpse period, .." },
    { "-o", "--output", FLAG_TEXT, &options.output, "MODEL", "safetensors; - is standard output", .required = true },
    { NULL },
};

static bool run(const struct arguments *arguments, int *status)
{
    (void)status;
    const char *path = arguments->operands[0];
    struct outputs outputs;
    outputs_begin(&outputs, "import");
    outputs_protect(&outputs, path, "the checkpoint");
    outputs_protect(&outputs, options.args, "the arguments");
    bool ok = outputs_add(&outputs, options.output, "-o");
    outputs_finish(&outputs);
    return ok && mdam_import(options.output, path, options.args, warn_of_file, (void *)path);
}

const struct command command_import = {
    "import",
    "convert a checkpoint of the released PyTorch programs to a model",
    .operands = "CHECKPOINT.pt",
    .min_operands = 1,
    .max_operands = 1,
    .flags = { flags, host_flags },
    .run = run,
};
