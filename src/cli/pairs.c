#include "cli/pairs.h"

#include <string.h>

#include <stb/stb_ds.h>

#include "cli/common.h"
#include "cli/warnings.h"
#include "util/error.h"

static char *location_of(const void *user, size_t index)
{
    const struct pairs *pairs = user;
    return position_in_file(pairs->path, index, mdam_instances_count(pairs->instances));
}

static void show_warnings(const struct pairs *pairs)
{
    struct warnings warnings = { 0 };
    for (size_t i = 0; i < mdam_instances_count(pairs->instances); i++) {
        const char *const *list;
        size_t count = mdam_instance_warnings(pairs->instances, i, &list);
        for (size_t k = 0; k < count; k++)
            warnings_add(&warnings, i, list[k]);
    }
    warnings_show(&warnings, location_of, pairs);
    warnings_finish(&warnings);
}

bool pairs_read(struct pairs *pairs, const struct arguments *arguments)
{
    *pairs = (struct pairs){ 0 };
    const char **paths = arguments->operands;
    bool solved = arrlen(paths) == 2;
    if (solved && !strcmp(paths[0], "-") && !strcmp(paths[1], "-"))
        return fail(FAULT_INPUT, "%s: only one of the two can come from standard input", arguments->command->name);
    if (!mdam_instances_read_with(&pairs->instances, paths[0], SIZE_MAX, &common.reading) ||
        !problem_fits(pairs->instances, 0))
        return false;
    if (solved && !mdam_solutions_read(&pairs->solutions, pairs->instances, paths[1]))
        return false;
    pairs->path = paths[0];
    show_warnings(pairs);
    return true;
}

void pairs_finish(struct pairs *pairs)
{
    mdam_solutions_free(&pairs->solutions);
    mdam_instances_free(&pairs->instances);
}
