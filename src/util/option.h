// Options by their tables (mdam.h): defaults and checks.
#ifndef UTIL_OPTION_H
#define UTIL_OPTION_H

#include "mdam/mdam.h"

// Sets fields that are 0 to their defaults, and fields below 0 that mean "none" to 0. Options that do not apply to the
// selected choice are unchanged.
void options_fill(const struct mdam_option *table, void *options);

// Refuses values that are out of bounds, missing, or do not apply to the selected choice. Works before and after
// options_fill(). The message names the field.
bool options_check(const struct mdam_option *table, const void *options);

// Writes the word of choice NUMBER of the field's option into the caller's buffer.
#define OPTION_WORD 32
const char *option_choice(const struct mdam_option *table, const char *field, int number, char word[OPTION_WORD]);

// Returns whether a number, which may be 0, is within the bounds of the field's option; records a message if not.
bool option_allows(const struct mdam_option *table, const char *field, double number);

#endif
