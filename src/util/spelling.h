// Finds the word that a mistyped word was probably meant to be.
#ifndef UTIL_SPELLING_H
#define UTIL_SPELLING_H

#include <stddef.h>

struct spelling {
    const char *word; // as typed, LENGTH bytes
    size_t length;
    const char *nearest; // of the words considered so far; NULL: none is close
    unsigned distance;   // edit distance to it
};

// Considers one valid word. The typed word itself does not count, because it is wrong in its context. Of several words
// at the same distance the first is retained.
void spelling_consider(struct spelling *spelling, const char *candidate);

#endif
