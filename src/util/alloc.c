#include "util/alloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

void *xcalloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory)
        bug("out of host memory for %zu x %zu bytes", count, size);
    return memory;
}

void *xrealloc(void *memory, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        bug("out of host memory for %zu x %zu bytes", count, size);
    memory = realloc(memory, count && size ? count * size : 1);
    if (!memory)
        bug("out of host memory for %zu x %zu bytes", count, size);
    return memory;
}

char *xstrdup(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(xcalloc(size, 1), text, size);
}

char *xformat(const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        bug("bad format %s", format);
    char *text = xcalloc((size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}
