// A growing text.
#ifndef UTIL_TEXT_H
#define UTIL_TEXT_H

#include <stddef.h>

struct text {
    char *data; // ends with a zero byte after the first addition; NULL before
    size_t size, space;
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Bytes as they are, zeros among them.
void text_add_bytes(struct text *text, const void *bytes, size_t size);

// Adds text of unknown origin to a line: control characters become '?'.
void text_add_line(struct text *text, const char *line);

// The same as the content of an XML element: at most LIMIT characters, then an ellipsis if more follow.
void text_add_xml(struct text *text, const char *line, size_t limit);

void text_add_real(struct text *text, double value);  // the shortest decimal that reads back as the same number
void text_add_round(struct text *text, double value); // for people: six digits, no needless zeros

// Adds UTF-8 text as a JSON string with its quotes.
void text_add_quoted(struct text *text, const char *string);

void text_finish(struct text *text);

#endif
