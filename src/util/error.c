#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local struct {
    enum fault kind;
    char text[2048];
    char field[64]; // at the start of the text; "": no field
} last;

bool fail(enum fault kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last.text, sizeof last.text, format, args);
    va_end(args);
    last.kind = kind;
    last.field[0] = 0;
    return false;
}

bool fail_field(enum fault kind, const char *field, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last.text, sizeof last.text, format, args);
    va_end(args);
    last.kind = kind;
    return fail_within_field(field);
}

bool fail_within_field(const char *field)
{
    fail_within("%s", field);
    snprintf(last.field, sizeof last.field, "%s", field);
    return false;
}

bool fail_within(const char *format, ...)
{
    char rest[sizeof last.text];
    memcpy(rest, last.text, sizeof rest);
    va_list args;
    va_start(args, format);
    int used = vsnprintf(last.text, sizeof last.text, format, args);
    va_end(args);
    if (used >= 0 && (size_t)used + 2 < sizeof last.text)
        snprintf(last.text + used, sizeof last.text - (size_t)used, ": %s", rest);
    last.field[0] = 0;
    return false;
}

const char *error_field(void)
{
    return last.field[0] ? last.field : NULL;
}

void error_show_field(const char *as)
{
    char rest[sizeof last.text];
    memcpy(rest, last.text, sizeof rest);
    snprintf(last.text, sizeof last.text, "%s%s", as, rest + strlen(last.field));
    last.field[0] = 0;
}

bool check_range(const char *what, double value, double min, double max)
{
    return (value >= min && value <= max) ||
           fail(FAULT_INPUT, "%s must be between %.15g and %.15g, not %.15g", what, min, max, value);
}

const char *error_text(void)
{
    return last.text;
}

enum fault error_fault(void)
{
    return last.kind;
}

void error_clear(void)
{
    last.kind = FAULT_NONE;
    last.text[0] = 0;
    last.field[0] = 0;
}

static bool exits; // set before other threads start

void bug_exits(void)
{
    exits = true;
}

void bug(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("mdam-vk: internal error: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    if (exits)
        _Exit(FAULT_INTERNAL);
    abort();
}

void out_of_memory(size_t count, size_t size)
{
    fprintf(stderr, "mdam-vk: out of host memory for %zu x %zu bytes\n", count, size);
    _Exit(FAULT_INTERNAL);
}
