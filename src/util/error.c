#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local struct {
    enum fault kind;
    char text[2048];
    char field[64]; // at the start of the text; "": no field
    char other[64]; // after it and " and "; "": no second field
} last;

bool fail(enum fault kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last.text, sizeof last.text, format, args);
    va_end(args);
    last.kind = kind;
    last.field[0] = last.other[0] = 0;
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

bool fail_fields(enum fault kind, const char *field, const char *other, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last.text, sizeof last.text, format, args);
    va_end(args);
    last.kind = kind;
    fail_within("%s and %s", field, other);
    snprintf(last.field, sizeof last.field, "%s", field);
    snprintf(last.other, sizeof last.other, "%s", other);
    return false;
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
    last.field[0] = last.other[0] = 0;
    return false;
}

const char *error_field(void)
{
    return last.field[0] ? last.field : NULL;
}

const char *error_other_field(void)
{
    return last.other[0] ? last.other : NULL;
}

void error_show_fields(const char *as, const char *other_as)
{
    char rest[sizeof last.text];
    memcpy(rest, last.text, sizeof rest);
    size_t used = strlen(last.field) + (last.other[0] ? strlen(" and ") + strlen(last.other) : 0);
    snprintf(last.text, sizeof last.text, "%s%s%s%s", as, last.other[0] ? " and " : "", last.other[0] ? other_as : "",
        rest + used);
    last.field[0] = last.other[0] = 0;
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
    last.field[0] = last.other[0] = 0;
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
