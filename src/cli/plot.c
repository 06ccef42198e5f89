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
    { "-o", "--output", FLAG_TEXT, &out, "OUT.svg", "output; several plots get their number before .svg",
        .required = true },
    FLAGS_READING,
    { NULL },
};

// Draws the instance, with its solution if there is one.
static bool draw(const struct pairs *pairs, size_t index, const char *path)
{
    bool solved = pairs->solutions && mdam_solution(pairs->solutions, index)->solved;
    char *svg = solved ? mdam_solution_text(pairs->solutions, index, MDAM_FORMAT_SVG)
                       : mdam_instance_text(pairs->instances, index, MDAM_FORMAT_SVG);
    bool ok = file_write(path, svg, strlen(svg));
    mdam_text_free(&svg);
    return ok;
}

static bool spares_files(const struct arguments *arguments, size_t count)
{
    struct outputs outputs;
    outputs_begin(&outputs, "plot");
    for (size_t i = 0; i < arrlenu(arguments->operands); i++)
        outputs_protect(&outputs, arguments->operands[i], i ? "solutions" : "instances");
    bool ok = outputs_add_plots(&outputs, out, count, "-o");
    outputs_finish(&outputs);
    return ok;
}

static bool run(const struct arguments *arguments, int *status)
{
    (void)status;
    if (!picture_name_fits(out))
        return fail_within("plot");
    struct pairs pairs;
    bool ok = pairs_read(&pairs, arguments);
    size_t count = mdam_instances_count(pairs.instances);
    if (ok && count > 1 && !strcmp(out, "-"))
        ok = fail(FAULT_INPUT, "plot: standard output accepts one plot, not %zu", count);
    ok = ok && spares_files(arguments, count);
    for (size_t i = 0; ok && i < count; i++) {
        char *path = picture_path(out, i, count);
        ok = draw(&pairs, i, path);
        free(path);
    }
    pairs_finish(&pairs);
    return ok;
}

const struct command command_plot = {
    "plot",
    "draw instances, with their solutions if given",
    .operands = "INSTANCE [SOLUTION]",
    .min_operands = 1,
    .max_operands = 2,
    .flags = { flags, host_flags },
    .run = run,
};
