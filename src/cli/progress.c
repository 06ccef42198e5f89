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

static double last_shown; // clock_seconds(); 0: never

bool progress_due(void)
{
    // Quick work leaves no line in a log unless --progress plain asks for it.
    double since = last_shown > 0 || common.progress == PROGRESS_PLAIN ? last_shown : common.started;
    return clock_seconds() - since >= (in_place() ? 0.25 : 10);
}

static const char to_line_start[] = "\r\033[K"; // also clears the line

static void show(bool stays, const char *format, va_list args)
{
    if (silent())
        return;
    if (in_place())
        fputs(to_line_start, stderr);
    vfprintf(stderr, format, args);
    if (stays || !in_place())
        fputc('\n', stderr);
    fflush(stderr);
    last_shown = clock_seconds();
}

void progress_show(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    show(false, format, args);
    va_end(args);
}

void progress_aside(const char *format, ...)
{
    const double before = last_shown;
    va_list args;
    va_start(args, format);
    show(false, format, args);
    va_end(args);
    last_shown = before;
}

void progress_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    show(true, format, args);
    va_end(args);
}

void progress_clear(void)
{
    if (!silent() && in_place())
        fputs(to_line_start, stderr);
}
