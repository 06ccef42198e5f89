#include "cli/common.h"

#include <string.h>

#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"
#include "util/ranks.h"

struct common common = { .device = { sizeof common.device, .device = "auto" }, .reading = { sizeof common.reading } };

const struct flag common_flags[] = {
    // The first DEVICE_FLAGS rows:
    FLAGS_OF_OPTIONS(MDAM_OPTIONS_DEVICE, &common.device),
    { "--profile", NULL, FLAG_OPTIONAL, &common.profile, "FILE", "write the time of each part" },
    // For every command:
    { "--quiet", NULL, FLAG_SWITCH, &common.quiet, NULL, "show no warnings and no progress" },
    { "--progress", NULL, FLAG_CHOICE, &common.progress, "auto|plain|none", "how to show progress" },
    { NULL },
};

bool ranks_join(void)
{
    bool ok = ranks_begin(common.mpi);
    common.quiet = common.quiet || ranks_rank() > 0;
    return ok;
}

bool problem_fits(const struct mdam_instances *list, size_t first)
{
    const char *problem = common.reading.problem;
    for (size_t i = first; problem && i < mdam_instances_count(list); i++) {
        if (strcmp(mdam_instance_problem(list, i), problem))
            return fail_field(FAULT_INPUT, "problem", "instance %zu is of problem %s, not %s", i - first + 1,
                mdam_instance_problem(list, i), problem);
    }
    return true;
}

void print_line(FILE *stream, const char *text)
{
    struct text line = { 0 };
    text_add_line(&line, text);
    fprintf(stream, "%s\n", line.data);
    text_finish(&line);
}

void warn(const char *location, const char *text)
{
    if (common.quiet)
        return;
    struct text line = { 0 };
    text_add(&line, "mdam-vk: warning: %s: %s", location, text);
    print_line(stderr, line.data);
    text_finish(&line);
}

void warn_of_file(void *path, const char *text)
{
    warn(file_shown(path), text);
}

char *position_in_file(const char *path, size_t index, size_t count)
{
    return count > 1 ? xformat("%s: instance %zu", file_shown(path), index + 1) : xstrdup(file_shown(path));
}
