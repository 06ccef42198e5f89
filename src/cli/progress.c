#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/common.h"
#include "util/clock.h"

static bool in_place(void)
{
    return common.progress == PROGRESS_AUTO && isatty(STDERR_FILENO);
}

static bool silent(void)
{
    return common.quiet || common.progress == PROGRESS_NONE;
}

static double last_shown; // by the clock; 0: never

bool progress_due(void)
{
    return clock_seconds() - last_shown >= (in_place() ? 0.25 : 10);
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
    last_shown = clock_seconds();
}

void progress_clear(void)
{
    if (!silent() && in_place())
        fputs(to_line_start, stderr);
}
