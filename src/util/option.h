// Options by their tables (mdam.h): defaults and checks.
#ifndef UTIL_OPTION_H
#define UTIL_OPTION_H

#include "mdam/mdam.h"

// Fills in what 0 stands for; what is below 0 and stands for none becomes 0. Options that do not go with the choice
// that was made stay.
void options_fill(const struct mdam_option *table, void *options);

// Refuses, before or after that, what is out of bounds, missing, or does not go with the choice that was made. The
// sentence names the field.
bool options_check(const struct mdam_option *table, const void *options);

// Whether a number, which may be 0, is within the bounds of the field's option; a sentence where it is not.
bool option_allows(const struct mdam_option *table, const char *field, double number);

#endif
