#include "cli/common.h"

#include "problem/problem.h"
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"

struct common common = { .device = "auto" };

const struct flag common_flags[] = {
    // DEVICE_FLAGS of them:
    { "--device", NULL, FLAG_TEXT, &common.device, "N|name|auto", "the device to run on" },
    { "--safe", NULL, FLAG_SWITCH, &common.safe, NULL, "check every memory access on the device" },
    { "--profile", NULL, FLAG_OPTIONAL, &common.profile, "FILE", "time spent in each part" },
    { "--capture", NULL, FLAG_TEXT, &common.capture, "LABEL", "let RenderDoc capture the region with this label" },
    // Of every command:
    { "--quiet", NULL, FLAG_SWITCH, &common.quiet, NULL, "no warnings and no progress" },
    { "--progress", NULL, FLAG_CHOICE, &common.progress, "auto|plain|none", "how progress is shown" },
    { NULL },
};

const struct problem *problem_of_flag(const char *name)
{
    const struct problem *problem = problem_expected(name);
    if (!problem)
        fail_within("--problem");
    return problem;
}

void print_line(FILE *stream, const char *text)
{
    struct text line = { 0 };
    text_add_line(&line, text);
    fprintf(stream, "%s\n", line.data);
    text_finish(&line);
}

void warn(const char *place, const char *text)
{
    if (common.quiet)
        return;
    struct text line = { 0 };
    text_add(&line, "mdam-vk: warning: %s: %s", place, text);
    print_line(stderr, line.data);
    text_finish(&line);
}

char *place_in_file(const char *path, size_t index, size_t count)
{
    return count > 1 ? xformat("%s: instance %zu", file_shown(path), index + 1) : xstrdup(file_shown(path));
}
