#include "cli/pairs.h"

#include <string.h>

#include <stb/stb_ds.h>

#include "cli/common.h"
#include "problem/files.h"
#include "util/error.h"

bool pairs_read(struct pairs *pairs, const struct arguments *arguments)
{
    *pairs = (struct pairs){ 0 };
    const char **paths = arguments->operands;
    bool solved = arrlen(paths) == 2;
    if (solved && !strcmp(paths[0], "-") && !strcmp(paths[1], "-"))
        return fail(FAULT_INPUT, "%s: only one of the two can come from standard input", arguments->command->name);
    if (!instances_read(paths[0], SIZE_MAX, &pairs->instances))
        return false;
    size_t count = arrlenu(pairs->instances);
    if (solved && !solutions_read(paths[1], pairs->instances, count, &pairs->solutions))
        return false;
    for (size_t i = 0; i < count; i++)
        warn_about(paths[0], i, count, &pairs->instances[i]);
    return true;
}

void pairs_finish(struct pairs *pairs)
{
    for (size_t i = 0; i < arrlenu(pairs->solutions); i++)
        solution_finish(&pairs->solutions[i]);
    for (size_t i = 0; i < arrlenu(pairs->instances); i++)
        instance_finish(&pairs->instances[i]);
    arrfree(pairs->solutions);
    arrfree(pairs->instances);
}
