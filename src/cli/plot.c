#include "problem/plot.h"

#include <stdlib.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "cli/command.h"
#include "cli/common.h"
#include "problem/files.h"
#include "util/error.h"
#include "util/file.h"

static const char *out;

static const struct flag flags[] = {
    { "-o", "--output", FLAG_TEXT, &out, "OUT.svg", "the picture; several get their number before .svg",
        .required = true },
    { NULL },
};

static bool read_all(const struct arguments *arguments, struct instance **instances, struct solution **solutions)
{
    const char **paths = arguments->operands;
    bool solved = arrlen(paths) == 2;
    if (solved && !strcmp(paths[0], "-") && !strcmp(paths[1], "-"))
        return fail(FAULT_INPUT, "plot: only one of the two can come from standard input");
    return instances_read(paths[0], SIZE_MAX, instances) &&
           (!solved || solutions_read(paths[1], *instances, arrlenu(*instances), solutions));
}

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

static bool run(const struct arguments *arguments, int *status)
{
    (void)status;
    struct instance *instances = NULL;
    struct solution *solutions = NULL;
    bool ok = read_all(arguments, &instances, &solutions);
    size_t count = arrlenu(instances);
    for (size_t i = 0; ok && i < count; i++) {
        char *path = plot_path(out, i, count);
        ok = draw(&instances[i], solutions ? &solutions[i] : NULL, path);
        free(path);
    }
    for (size_t i = 0; i < arrlenu(solutions); i++)
        solution_finish(&solutions[i]);
    for (size_t i = 0; i < count; i++)
        instance_finish(&instances[i]);
    arrfree(solutions);
    arrfree(instances);
    return ok;
}

const struct command command_plot = {
    "plot",
    "draw an instance, with a solution if there is one",
    .operands = "INSTANCE [SOLUTION]",
    .min_operands = 1,
    .max_operands = 2,
    .flags = { flags, common_flags },
    .run = run,
};
