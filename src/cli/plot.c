#include "plot/plot.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/outputs.h"
#include "cli/pairs.h"
#include "util/error.h"
#include "util/file.h"

static const char *out;

static const struct flag flags[] = {
    { "-o", "--output", FLAG_TEXT, &out, "OUT.svg", "the picture; several get their number before .svg",
        .required = true },
    { NULL },
};

static bool draw(const struct instance *instance, const struct solution *solution, const char *path)
{
    struct verdict verdict;
    if (solution)
        instance->problem->judge(instance, solution, &verdict);
    struct text svg = { 0 };
    plot_write(&svg, instance, solution, solution ? &verdict : NULL);
    bool ok = file_write(path, svg.data, svg.size);
    text_finish(&svg);
    return ok;
}

static bool spares_files(const struct arguments *arguments, size_t count)
{
    struct outputs outputs;
    outputs_begin(&outputs, "plot");
    for (size_t i = 0; i < arrlenu(arguments->operands); i++)
        outputs_keep(&outputs, arguments->operands[i], i ? "solutions" : "instances");
    bool ok = outputs_take_pictures(&outputs, out, count, "-o");
    outputs_finish(&outputs);
    return ok;
}

static bool run(const struct arguments *arguments, int *status)
{
    (void)status;
    if (!plot_name_fits(out))
        return fail_within("plot");
    struct pairs pairs;
    bool ok = pairs_read(&pairs, arguments);
    size_t count = arrlenu(pairs.instances);
    if (ok && count > 1 && !strcmp(out, "-"))
        ok = fail(FAULT_INPUT, "plot: %zu pictures do not fit into standard output", count);
    ok = ok && spares_files(arguments, count);
    for (size_t i = 0; ok && i < count; i++) {
        char *path = plot_path(out, i, count);
        ok = draw(
            &pairs.instances[i], pairs.solutions && !pairs.solutions[i].missing ? &pairs.solutions[i] : NULL, path);
        free(path);
    }
    pairs_finish(&pairs);
    return ok;
}

const struct command command_plot = {
    "plot",
    "draw an instance, with a solution if there is one",
    .operands = "INSTANCE [SOLUTION]",
    .min_operands = 1,
    .max_operands = 2,
    .flags = { flags, host_flags },
    .run = run,
};
