#include "util/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/alloc.h"
#include "util/error.h"

void text_add(struct text *text, const char *format, ...)
{
    for (;;) {
        size_t left = text->space - text->size;
        va_list args;
        va_start(args, format);
        int length = vsnprintf(text->data ? text->data + text->size : NULL, left, format, args);
        va_end(args);
        if (length < 0)
            bug("bad format %s", format);
        if ((size_t)length < left) {
            text->size += (size_t)length;
            return;
        }
        text->space = 2 * text->space + (size_t)length + 256;
        text->data = xrealloc(text->data, text->space, 1);
    }
}

void text_finish(struct text *text)
{
    free(text->data);
    *text = (struct text){ 0 };
}
