// State of the interpreter in pickle.c: the remaining bytes, the stack with its marks, and the memo. Failures record a
// message.
#ifndef ARCHIVE_PICKLE_STACK_H
#define ARCHIVE_PICKLE_STACK_H

#include "archive/pickle.h"

// Returns the next bytes; NULL if fewer remain.
const unsigned char *pickle_bytes(struct pickle *pickle, size_t bytes);
bool pickle_number(struct pickle *pickle, unsigned bytes, uint64_t *number); // little-endian

bool pickle_push(struct pickle *pickle, struct pickle_value *value); // NULL: a value that could not be made
struct pickle_value *pickle_pop(struct pickle *pickle);              // never across a mark
size_t pickle_above(const struct pickle *pickle);                    // values above the last mark

bool pickle_mark(struct pickle *pickle);
// Removes the last mark and returns how many values are above it.
bool pickle_unmark(struct pickle *pickle, size_t *count);

// Stores the top of the stack at an index of the memo; returns an entry of it, or NULL.
bool pickle_remember(struct pickle *pickle, uint64_t number);
struct pickle_value *pickle_recall(const struct pickle *pickle, uint64_t number);

#endif
