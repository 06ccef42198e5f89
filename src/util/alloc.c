#include "util/alloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

// Not a mistake of the program's, and nothing that a caller could do much about.
static _Noreturn void exhausted(size_t count, size_t size)
{
    fprintf(stderr, "mdam-vk: out of host memory for %zu x %zu bytes\n", count, size);
    _Exit(FAULT_INTERNAL);
}

void *xcalloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory)
        exhausted(count, size);
    return memory;
}

void *xrealloc(void *memory, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        exhausted(count, size);
    memory = realloc(memory, count && size ? count * size : 1);
    if (!memory)
        exhausted(count, size);
    return memory;
}

char *xstrdup(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(xcalloc(size, 1), text, size);
}

char *xformat(const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        exhausted(strlen(format), 1);
    va_end(args);
    return text;
}
