#include <stdlib.h>

#include <stb/stb_ds.h>

#include "cli/command.h"
#include "cli/common.h"
#include "model/import.h"
#include "util/file.h"

static struct {
    const char *args, *output;
} options;

static const struct flag flags[] = {
    { "--args", NULL, FLAG_TEXT, &options.args, "args.json",
        "the arguments that the checkpoint was trained with: problem, size, glimpse period, .." },
    { "-o", "--output", FLAG_TEXT, &options.output, "MODEL", "safetensors; - is standard output", .required = true },
    { NULL },
};

static bool run(const struct arguments *arguments, int *status)
{
    (void)status;
    const char *path = arguments->operands[0];
    char **notes = NULL;
    struct weights weights;
    bool ok = import_checkpoint(path, options.args, &weights, &notes);
    for (ptrdiff_t i = 0; i < arrlen(notes); i++) {
        if (ok)
            warn(file_shown(path), notes[i]);
        free(notes[i]);
    }
    arrfree(notes);
    ok = ok && weights_save(options.output, &weights);
    weights_finish(&weights);
    return ok;
}

const struct command command_import = {
    "import",
    "turn a checkpoint of the released PyTorch programs into a model",
    .operands = "CHECKPOINT.pt",
    .min_operands = 1,
    .max_operands = 1,
    .flags = { flags, common_flags },
    .run = run,
};
