#include "cli/common.h"

struct common common = { .device = "auto" };

const struct flag common_flags[] = {
    { "--device", NULL, FLAG_TEXT, &common.device, "N|name|auto", "the device to run on" },
    { "--safe", NULL, FLAG_SWITCH, &common.safe, NULL, "check every memory access on the device" },
    { "--profile", NULL, FLAG_OPTIONAL, &common.profile, "FILE", "time spent in each part" },
    { "--capture", NULL, FLAG_TEXT, &common.capture, "LABEL", "let RenderDoc capture the region with this label" },
    { "--quiet", NULL, FLAG_SWITCH, &common.quiet, NULL, "no warnings and no progress" },
    { "--progress", NULL, FLAG_CHOICE, &common.progress, "auto|plain|none", "how progress is shown" },
    { NULL },
};

void print_line(FILE *stream, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        fputc(*c < 32 || *c == 127 ? '?' : *c, stream);
    fputc('\n', stream);
}

void warn(const char *place, const char *text)
{
    if (common.quiet)
        return;
    fputs("mdam-vk: warning: ", stderr);
    struct text line = { 0 };
    text_add(&line, "%s: %s", place, text);
    print_line(stderr, line.data);
    text_finish(&line);
}
