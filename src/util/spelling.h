// Finds what a mistyped word was meant to be.
#ifndef UTIL_SPELLING_H
#define UTIL_SPELLING_H

#include <stddef.h>

struct spelling {
    const char *word; // as it was typed, LENGTH bytes
    size_t length;
    const char *nearest; // of those considered so far; NULL: none is near
    unsigned apart;      // letters that differ between them
};

// One of the words that would have been right; the word itself, which is wrong where it stands, is none. Of those that
// are equally near the first stays.
void spelling_consider(struct spelling *spelling, const char *candidate);

#endif
