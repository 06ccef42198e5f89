// Lines and words of a text in memory, for formats made of them. Nothing here copies, allocates or trusts a zero byte.
#ifndef UTIL_SCAN_H
#define UTIL_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

// A piece of someone else's text.
struct span {
    const char *at;
    size_t size;
};

// For "%.*s" in a message: never more than a screenful of what a file contains.
#define SPAN_SHOWN(span) (int)((span).size < 60 ? (span).size : 60), (span).at

struct scan {
    struct span rest;
    unsigned long line; // number of the line that scan_line gave last; 0 before the first
};

// Records a sentence of FAULT_INPUT that begins with the line; false. An empty text counts as one line.
#define SCAN_WRONG(number, ...) (fail(FAULT_INPUT, __VA_ARGS__), fail_within("line %lu", (number) ? (number) : 1ul))

// The next line, without blanks around it; false at the end. Lines end with LF, CRLF or CR.
bool scan_line(struct scan *scan, struct span *line);

// Takes the next word, which ends at a blank, from the front of REST; false when only blanks are left.
bool span_word(struct span *rest, struct span *word);

struct span span_of(const char *text);
struct span span_trim(struct span span);
bool span_is(struct span span, const char *text);     // letters of either case
bool span_begins(struct span span, const char *text); // letters of either case

// The whole span as a decimal number; false for anything else, for what does not fit and for what is not finite.
bool span_integer(struct span span, int64_t *value);
bool span_real(struct span span, double *value);

#endif
