#include "cli/pairs.h"

#include <string.h>

#include <stb/stb_ds.h>

#include "cli/common.h"
#include "cli/warnings.h"
#include "format/files.h"
#include "util/error.h"

static char *name_of_place(const void *user, size_t index)
{
    const struct pairs *pairs = user;
    return place_in_file(pairs->path, index, arrlenu(pairs->instances));
}

static void show_warnings(const struct pairs *pairs)
{
    struct warnings warnings = { 0 };
    for (size_t i = 0; i < arrlenu(pairs->instances); i++) {
        char **list = pairs->instances[i].warnings;
        for (ptrdiff_t k = 0; k < arrlen(list); k++)
            warnings_add(&warnings, i, list[k]);
    }
    warnings_show(&warnings, name_of_place, pairs);
    warnings_finish(&warnings);
}

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
    pairs->path = paths[0];
    show_warnings(pairs);
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
