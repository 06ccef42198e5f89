#include "cli/command.h"
#include "cli/common.h"
#include "cli/outputs.h"
#include "mdam/mdam.h"

static struct {
    enum mdam_release to;
    const char *output, *args;
} options;

static const struct flag flags[] = {
    { "--to", NULL, FLAG_CHOICE, &options.to, "mdam|am",
        "the program whose names the weights get; am has one decoder and no glimpse", .required = true },
    { "-o", "--output", FLAG_TEXT, &options.output, "FILE", "a PyTorch checkpoint (.pt), or .safetensors",
        .required = true },
    { "--args", NULL, FLAG_TEXT, &options.args, "args.json", "also write the arguments that import needs" },
    { NULL },
};

static bool run(const struct arguments *arguments, int *status)
{
    (void)status;
    const char *path = arguments->operands[0];
    struct outputs outputs;
    outputs_begin(&outputs, "export");
    outputs_protect(&outputs, path, "the model");
    bool ok = outputs_add(&outputs, options.output, "-o") && outputs_add(&outputs, options.args, "--args");
    outputs_finish(&outputs);
    return ok && mdam_export(options.output, path, options.to, options.args, warn_of_file, (void *)path);
}

const struct command command_export = {
    "export",
    "write a model's weights under the names of the released PyTorch programs",
    .operands = "MODEL",
    .min_operands = 1,
    .max_operands = 1,
    .flags = { flags, host_flags },
    .run = run,
};
