// Splits a text in memory into lines and words. It does not copy or allocate, and does not rely on a zero byte.
#ifndef UTIL_SCAN_H
#define UTIL_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

// Part of a text that another object owns.
struct span {
    const char *at;
    size_t size;
};

// Arguments for "%.*s" in messages: at most 60 bytes of the span.
#define SPAN_SHOWN(span) (int)((span).size < 60 ? (span).size : 60), (span).at

struct scan {
    struct span rest;
    unsigned long line; // of the last line read, from 1; 0 before the first
};

// Records a message of FAULT_INPUT that begins with the line; false. An empty text has one line.
#define SCAN_WRONG(number, ...) (fail(FAULT_INPUT, __VA_ARGS__), fail_within("line %lu", (number) ? (number) : 1ul))

// Reads the next line without surrounding blanks; false at the end. Lines end with LF, CRLF or CR. Skips a byte order
// mark before the first one.
bool scan_line(struct scan *scan, struct span *line);

// Removes the next word, which ends at a blank, from the front of REST; false if only blanks remain.
bool span_word(struct span *rest, struct span *word);

struct span span_of(const char *text);
struct span span_trim(struct span span);
bool span_is(struct span span, const char *text);     // ignores case
bool span_begins(struct span span, const char *text); // ignores case

// Converts the whole span, a decimal number; false if it is not one, does not fit, or is not finite.
bool span_integer(struct span span, int64_t *value);
bool span_real(struct span span, double *value);

#endif
