// What the machine of pickle.c works on: the bytes to come, the stack with its marks, and the memo. Failures have their
// sentence.
#ifndef ARCHIVE_PICKLE_STACK_H
#define ARCHIVE_PICKLE_STACK_H

#include "archive/pickle.h"

// The next bytes; NULL when there are not so many.
const unsigned char *pickle_bytes(struct pickle *pickle, size_t bytes);
bool pickle_number(struct pickle *pickle, unsigned bytes, uint64_t *number); // little-endian

bool pickle_push(struct pickle *pickle, struct pickle_value *value); // NULL: one that could not be made
struct pickle_value *pickle_pop(struct pickle *pickle);              // never across a mark
size_t pickle_above(const struct pickle *pickle);                    // values above the last mark

bool pickle_mark(struct pickle *pickle);
// Takes the last mark away and says how many values are above it.
bool pickle_unmark(struct pickle *pickle, size_t *count);

// The top of the stack, under a number; and what is known under one, or NULL.
bool pickle_remember(struct pickle *pickle, uint64_t number);
struct pickle_value *pickle_recall(const struct pickle *pickle, uint64_t number);

#endif
