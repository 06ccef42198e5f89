// A growing piece of text.
#ifndef UTIL_TEXT_H
#define UTIL_TEXT_H

#include <stddef.h>

struct text {
    char *data; // ends with a zero byte once anything was added; NULL before
    size_t size, space;
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_finish(struct text *text);

#endif
