#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/common.h"

static bool in_place(void)
{
    return common.progress == PROGRESS_AUTO && isatty(STDERR_FILENO);
}

static bool silent(void)
{
    return common.quiet || common.progress == PROGRESS_NONE;
}

static const char to_line_start[] = "\r\033[K"; // and clears the line

void progress_show(const char *format, ...)
{
    if (silent())
        return;
    if (in_place())
        fputs(to_line_start, stderr);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    if (!in_place())
        fputc('\n', stderr);
    fflush(stderr);
}

void progress_clear(void)
{
    if (!silent() && in_place())
        fputs(to_line_start, stderr);
}
